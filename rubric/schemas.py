"""JSON Schemas of the files of this package, registered for ``graphkit schema NAME``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from graphkit.formats.schema import register_schema
from rubric.facts import Fact
from rubric.statistics.records import CalibrationLine, HumanLabel, Trajectory
from rubric.tree import Tree
from rubric.verdicts import REPORT_WORDS, WORDS

__all__ = ["SCHEMAS"]

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_NAME: Schema = {"type": "string", "minLength": 1}
_NUMBER: Schema = {"type": ["number", "null"]}
_COUNT: Schema = {"type": "integer", "minimum": 0}


def _of(model: type[BaseModel]) -> Callable[[], Schema]:
    return model.model_json_schema


def _tree() -> Schema:
    """Return the schema of a tree; a direction known to the inventory may be its id alone."""
    made = Tree.model_json_schema()
    listed = made["properties"]["directions"]
    listed["items"] = {"anyOf": [_NAME, listed["items"]]}
    return made


def _verdict() -> Schema:
    """Return the schema of a verdict line.

    What is none of the words is no error of the file: such an atom is skipped with a reason.
    """
    word = {"enum": list(WORDS)}
    return {
        "title": "verdict",
        "type": "object",
        "properties": {
            "task_id": _NAME,
            "system": _NAME,
            "atom_id": _NAME,
            "verdict": {"description": f"{', '.join(WORDS)}; anything else is skipped"},
            "votes": {"description": "words of several votes, which beat the verdict",
                      "examples": [[word["enum"][0], word["enum"][1], word["enum"][0]]]},
            "rationale": {},
            "quote": {},
            "evaluator": {},
            "report": {"enum": list(REPORT_WORDS)},
        },
        "required": ["task_id", "system"],
        "oneOf": [{"required": ["atom_id"]}, {"required": ["report"]}],
    }  # fmt: skip


def _score() -> Schema:
    """Return the schema of a report of ``graphkit rubric score --json``."""
    direction = {
        "type": "object",
        "properties": {
            "n": _COUNT, "passed": _COUNT, "rate": _NUMBER, "credited": _NUMBER,
            "weight": _COUNT, "gate": {"enum": [0, 1]},
            "status": {"enum": ["passed", "failed", "not_scored"]},
        },
        "required": ["n", "passed", "rate", "credited", "weight", "gate", "status"],
    }  # fmt: skip
    return {
        "title": "score",
        "type": "object",
        "properties": {
            "task_id": _NAME,
            "system": _TEXT,
            "status": {"enum": ["scored", "unscored", "missing", "not_run", "no_weight"]},
            "score": {"anyOf": [{"type": "number", "minimum": 0, "maximum": 100},
                                {"type": "null"}]},
            "score_exact": {"type": ["string", "null"], "pattern": r"^\d+(/\d+)?$"},
            "dimensions": {"type": "object", "additionalProperties": _NUMBER},
            "lambdas": {"type": "object", "additionalProperties": {"type": "number"}},
            "directions": {"type": "object", "additionalProperties": direction},
            "counts": {"type": "object", "required": list(WORDS),
                       "additionalProperties": _COUNT},
            "bounds": {"type": "object", "properties": {"low": _NUMBER, "high": _NUMBER},
                       "required": ["low", "high"]},
            "na_guard": {"type": "object"},
            "flags": {"type": "array", "items": _TEXT},
            "skipped": {"type": "object", "additionalProperties": _TEXT},
            "extra_verdicts": {"type": "array", "items": _TEXT},
            "outcomes": {"type": "object", "additionalProperties": {
                "enum": ["passed", "failed", "na", "na_guard", "skipped"]}},
        },
        "required": ["task_id", "system", "score", "dimensions", "directions", "counts",
                     "bounds", "na_guard", "flags"],
    }  # fmt: skip


SCHEMAS: dict[str, Callable[[], Schema]] = {
    "rubric-tree": _tree,
    "rubric-fact": _of(Fact),
    "verdict": _verdict,
    "score": _score,
    "trajectory": _of(Trajectory),
    "human-label": _of(HumanLabel),
    "calibration": _of(CalibrationLine),
}
"""The schema of one record of each file."""

for _name, _make in SCHEMAS.items():
    register_schema(_name, _make)
