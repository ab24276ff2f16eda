"""docs/semantics.md: its examples run, and its tables list what the code has."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from graphkit.lint import RULES
from graphkit.mutate import Strategy
from graphkit.patterns import PATTERNS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "semantics.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_examples_run():
    """Every example of the page gives what it shows."""
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, optionflags=flags)
    assert failed == 0
    assert tried > 25


def test_every_lint_rule_is_listed_with_its_severity():
    """The table of section 3 is the list of rules."""
    listed = {
        code: severity
        for codes, severity in re.findall(
            r"^\| ((?:`\w+`(?:, )?)+) \| (error|warning|info) \|", TEXT, re.M
        )
        for code in re.findall(r"`(\w+)`", codes)
    }
    assert listed == {rule.code: rule.severity.value for rule in RULES}


def test_every_pattern_and_strategy_is_named():
    """Signatures in section 1, strategies in section 5."""
    assert f"`{' '.join(PATTERNS.values())}`" in TEXT
    named = TEXT.replace("*loosen, then tighten*", "Loosen, then Tighten")
    missing = [strategy for strategy in Strategy if strategy.value not in named]
    assert missing == [Strategy.SEED]
