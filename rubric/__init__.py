"""Scoring reports: rubric trees, verdicts, exact scores and their statistics.

The names below are loaded when they are first used, so that ``import rubric`` is cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rubric.errors import RubricError
    from rubric.explanation import AtomWorth, explain
    from rubric.inventory import Inventory, default_inventory, load_inventory
    from rubric.na_order import OrderFinding, verify_na_order
    from rubric.plan import Plan, make_plan
    from rubric.score import ReportScore, bounds, score_report, score_reports
    from rubric.settings import GuardMode, Overrides, Settings, Weights
    from rubric.tree import Atom, Direction, Tree, dump_tree
    from rubric.tree_reader import load_tree, load_trees, parse_tree
    from rubric.validation import Validation, validate
    from rubric.vectorised import compile_trees, score_grid
    from rubric.verdict_reader import read_verdicts
    from rubric.verdicts import ReportVerdicts, VerdictLine, VerdictTable

__all__ = [
    "Atom",
    "AtomWorth",
    "Direction",
    "GuardMode",
    "Inventory",
    "OrderFinding",
    "Overrides",
    "Plan",
    "ReportScore",
    "ReportVerdicts",
    "RubricError",
    "Settings",
    "Tree",
    "Validation",
    "VerdictLine",
    "VerdictTable",
    "Weights",
    "bounds",
    "compile_trees",
    "default_inventory",
    "dump_tree",
    "explain",
    "load_inventory",
    "load_tree",
    "load_trees",
    "make_plan",
    "parse_tree",
    "read_verdicts",
    "score_grid",
    "score_report",
    "score_reports",
    "validate",
    "verify_na_order",
]

_HOMES = {
    "errors": ("RubricError",),
    "explanation": ("AtomWorth", "explain"),
    "inventory": ("Inventory", "default_inventory", "load_inventory"),
    "na_order": ("OrderFinding", "verify_na_order"),
    "plan": ("Plan", "make_plan"),
    "score": ("ReportScore", "bounds", "score_report", "score_reports"),
    "settings": ("GuardMode", "Overrides", "Settings", "Weights"),
    "tree": ("Atom", "Direction", "Tree", "dump_tree"),
    "tree_reader": ("load_tree", "load_trees", "parse_tree"),
    "validation": ("Validation", "validate"),
    "vectorised": ("compile_trees", "score_grid"),
    "verdict_reader": ("read_verdicts",),
    "verdicts": ("ReportVerdicts", "VerdictLine", "VerdictTable"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load a public name from its module."""
    if name not in _HOME:
        raise AttributeError(f"module 'rubric' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"rubric.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
