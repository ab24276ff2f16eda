"""Settings: file < environment < flag, origins, and errors that name the place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.errors import SettingsError
from graphkit.settings import Settings, find_settings_file, load_settings, setting_names


def problems(
    file: Path | None = None, env: dict[str, str] | None = None, flags: dict[str, Any] | None = None
) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        load_settings(file, env, flags)
    return [str(problem) for problem in caught.value.problems]


def test_nothing_given_means_the_defaults() -> None:
    """Without file, environment and flags every value is the default and says so."""
    settings = load_settings()
    assert settings == Settings()
    assert {origin for _, _, origin in settings.listed()} == {"default"}
    assert [name for name, _, _ in settings.listed()] == list(setting_names())


def test_a_flag_beats_the_environment_beats_the_file(tmp_path: Path) -> None:
    """The later source wins, and each value remembers its source."""
    file = tmp_path / "graphkit.toml"
    file.write_text('store = "a"\nlanguage = "zh"\nseed = 1\n[output]\nrows = 5\n')
    env = {"GRAPHKIT_LANGUAGE": "de", "GRAPHKIT_SEED": "2", "GRAPHKIT_OUTPUT_PROGRESS": "false"}
    settings = load_settings(file, env, {"seed": 3, "output.color": None})
    found = {name: (value, origin) for name, value, origin in settings.listed()}
    assert found["store"] == ("a", str(file))
    assert found["language"] == ("de", "GRAPHKIT_LANGUAGE")
    assert found["seed"] == (3, "flag")
    assert found["output.rows"] == (5, str(file))
    assert found["output.progress"] == (False, "GRAPHKIT_OUTPUT_PROGRESS")
    assert found["output.color"] == ("auto", "default")


@given(st.dictionaries(st.sampled_from(["file", "env", "flag"]), st.integers(0, 99)))
def test_the_strongest_source_that_speaks_wins(tmp_path_factory: Any, said: dict[str, int]) -> None:
    """Whichever sources name a value, the strongest of them decides it."""
    file = tmp_path_factory.mktemp("s") / "graphkit.toml"
    file.write_text(f"seed = {said['file']}" if "file" in said else "")
    env = {"GRAPHKIT_SEED": str(said["env"])} if "env" in said else {}
    settings = load_settings(file, env, {"seed": said.get("flag")})
    strongest = [said[name] for name in ("flag", "env", "file") if name in said]
    assert settings.seed == (strongest[0] if strongest else 0)


def test_other_variables_and_empty_ones_are_passed_over() -> None:
    """Only variables of ours that say something count."""
    assert load_settings(env={"HOME": "/", "GRAPHKIT_SEED": "", "graphkit_seed": "4"}).seed == 0


def test_unknown_names_are_all_told_with_a_hint(tmp_path: Path) -> None:
    """Misspelt names in every source are reported together."""
    file = tmp_path / "graphkit.toml"
    file.write_text('langauge = "en"\noutput = 3\n[limits]\nmax_fanout = 1\n[rooms]\nx = 1\n')
    assert problems(file, {"GRAPHKIT_STOR": "x"}, {"sed": 1}) == [
        f'{file}: no setting "langauge" (did you mean language?)',
        f"{file}: output: output is no table, expected [output]",
        f'{file}: no setting "limits.max_fanout" (did you mean limits.max_fan_out?)',
        f'{file}: no setting "rooms"',
        'no setting "GRAPHKIT_STOR" (did you mean GRAPHKIT_STORE?)',
        'no setting "sed" (did you mean seed?)',
    ]


def test_values_that_do_not_fit_are_all_told(tmp_path: Path) -> None:
    """Each bad value is named with its place and with what was expected."""
    file = tmp_path / "graphkit.toml"
    file.write_text('language = "english please"\n[output]\nrows = 0\nprogress = "maybe"\n')
    found = problems(file, {"GRAPHKIT_SEED": "many"}, {"output.color": "allways"})
    assert sorted(found) == sorted(
        [
            f"{file}: language is 'english please', expected a language tag such as en or zh-Hans",
            f"{file}: output.rows is 0, expected greater than or equal to 1",
            f"{file}: output.progress is 'maybe', expected a valid boolean, unable to interpret "
            "input",
            "GRAPHKIT_SEED is 'many', expected a valid integer, unable to parse string as an "
            "integer",
            "output.color is 'allways', expected one of auto, always, never (did you mean always?)",
        ]
    )


@pytest.mark.parametrize("data", [b"store = ", b"\xff\xfe", b"a = 1\na = 2"])
def test_a_file_that_is_no_toml_is_refused(tmp_path: Path, data: bytes) -> None:
    """A broken settings file is an error that names it."""
    file = tmp_path / "graphkit.toml"
    file.write_bytes(data)
    (found,) = problems(file)
    assert found.startswith(f"{file}: not a TOML document: ")


def test_a_file_named_but_missing_is_refused(tmp_path: Path) -> None:
    """A settings file that was asked for must be there; one that is looked for need not."""
    assert problems(tmp_path / "no.toml") == [
        f"{tmp_path}/no.toml: cannot be read: No such file or directory"
    ]
    assert find_settings_file(tmp_path) is None
    (tmp_path / "graphkit.toml").write_text("")
    assert find_settings_file(tmp_path) == tmp_path / "graphkit.toml"


def test_settings_are_frozen() -> None:
    """Nobody changes settings on the way."""
    with pytest.raises(ValueError, match="frozen"):
        Settings().seed = 4  # type: ignore[misc]


def test_the_limits_are_those_of_the_checks() -> None:
    """The settings of the search for paths have the names and defaults that the checks use."""
    from graphkit import checks

    assert checks.Limits(**Settings().limits.model_dump()) == checks.Limits()
