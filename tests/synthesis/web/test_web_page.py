"""What docs/web.md says is so."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from synthesis.loop_settings import LoopSettings
from synthesis.web import WebSettings
from synthesis.web.providers import PROVIDERS
from synthesis.web.settings import KEY_VARIABLES

PAGE = Path(__file__).parents[3] / "docs" / "web.md"


def test_the_examples_of_the_page_run() -> None:
    """Every example gives what the page shows."""
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted >= 8
    assert found.failed == 0


def test_the_page_names_every_provider_with_its_key_and_address() -> None:
    """The table of providers is that of the code."""
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*)$", PAGE.read_text("utf-8"), re.MULTILINE))
    for name, shape in PROVIDERS.items():
        key = KEY_VARIABLES.get(name)
        assert (f"`{key}`" if key else "none") in rows[name]
        assert (shape.base_url or "`base_url`") in rows[name]
    assert "`index_path`" in rows["local"]


def test_the_settings_that_the_page_names_exist() -> None:
    """Every word of code on the page that looks like a setting is one, or is named otherwise."""
    others = {"rate_limited", "too_large", "not_text", "http_error", "http_status", "published_at"}
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)[` ]", PAGE.read_text("utf-8"))) - others
    assert len(named) >= 10
    assert named <= {*WebSettings.model_fields, *LoopSettings.model_fields}
