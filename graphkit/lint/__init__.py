"""Lint: what is legal in a question graph but seldom meant, or what makes a question weak."""

from __future__ import annotations

from graphkit.lint.context import Finding, LintContext, Rule, Severity
from graphkit.lint.leak import Leak, find_leaks
from graphkit.lint.rules import RULES, lint

__all__ = ["RULES", "Finding", "Leak", "LintContext", "Rule", "Severity", "find_leaks", "lint"]
