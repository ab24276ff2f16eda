"""Grounded checks: is a question unique, irredundant, free of shortcuts; and on what basis."""

from __future__ import annotations

from graphkit.checks.basis import Basis, basis_of
from graphkit.checks.constraints import Constraint, constraints
from graphkit.checks.core import MinimalCore, minimal_core
from graphkit.checks.profile import Profile, profile_of
from graphkit.checks.relax import Relaxer
from graphkit.checks.report import CheckReport, Limits, check, summarize
from graphkit.checks.shortcuts import Shortcut
from graphkit.checks.single import redundant_constraints

__all__ = [
    "Basis",
    "CheckReport",
    "Constraint",
    "Limits",
    "MinimalCore",
    "Profile",
    "Relaxer",
    "Shortcut",
    "basis_of",
    "check",
    "constraints",
    "minimal_core",
    "profile_of",
    "redundant_constraints",
    "summarize",
]
