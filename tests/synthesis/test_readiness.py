"""What the doctor says of the loop: packages, provider and models, and never a key."""

from __future__ import annotations

import pytest

from graphkit.errors import SettingsError
from graphkit.models import ModelSettings
from synthesis.readiness import examine_synthesis, require_ready
from synthesis.run_folder import RunPlan
from synthesis.web import WebSettings


def states(findings):
    return {item.name: item.state for item in findings}


def test_without_a_key_it_is_a_note(tmp_path):
    """A missing key is something optional that is missing; with it all is well."""
    file = tmp_path / "graphkit.toml"
    file.write_text('[web]\nprovider = "tavily"\n[models.default]\nmodel = "m"\n')
    bare = examine_synthesis(file, {})
    assert states(bare)["search provider"] == "note"
    assert states(bare)["model of default"] == "note"
    secret = "tvly-0123456789"
    full = examine_synthesis(file, {"TAVILY_API_KEY": secret, "OPENAI_API_KEY": "sk-9876543210"})
    assert set(states(full).values()) == {"ok"}
    assert not any(secret in str(item) or "sk-98" in str(item) for item in full)


def test_wrong_tables_are_problems(tmp_path):
    """Each table that does not fit is told with the file."""
    file = tmp_path / "graphkit.toml"
    file.write_text(
        '[web]\nprovider = "altavista"\n[synthesis]\nmin_egdes = 5\n'
        '[models.default]\nmodel = "m"\ntemperature = -1\n'
    )
    found = examine_synthesis(file, {})
    assert [item.name for item in found if item.state == "problem"] == [
        "search provider",
        "loop settings",
        "model of default",
    ]
    assert any("min_edges" in item.detail for item in found)


def test_no_settings_file_is_fine():
    """Without a file the defaults are looked at."""
    assert "problem" not in states(examine_synthesis(None, {})).values()


def test_a_run_without_keys_is_refused_whole():
    """Every missing key is named at once; an endpoint of one's own needs none."""
    plan = RunPlan(
        models={
            "default": ModelSettings(model="m"),
            "parse": ModelSettings(model="p", base_url="http://127.0.0.1:1/v1"),
        }
    )
    with pytest.raises(SettingsError) as caught:
        require_ready(plan, {})
    assert [problem.message.split()[0] for problem in caught.value.problems] == [
        "SERPER_API_KEY",
        "OPENAI_API_KEY",
    ]
    require_ready(plan, {"SERPER_API_KEY": "x", "OPENAI_API_KEY": "y"})


def test_a_missing_index_is_told_before_anything_is_written(tmp_path):
    """And one that is something else; the setting is named."""
    other = tmp_path / "seeds.txt"
    other.write_text("Austria\n" * 200)
    for place, why in ((tmp_path / "none.idx", "there is no such index"), (other, "not an index")):
        plan = RunPlan(
            web=WebSettings(provider="local", index_path=place),
            models={"default": ModelSettings(model="m", base_url="http://127.0.0.1:1/v1")},
        )
        with pytest.raises(SettingsError, match=f"web.index_path: .*{why}"):
            require_ready(plan, {})
