"""Settings of the loop: the paper's values, whatever does not fit told at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.errors import SettingsError
from synthesis.loop_settings import LoopSettings, read_table

NUMBERS = [
    name
    for name, field in LoopSettings.model_fields.items()
    if field.annotation is int and name != "min_set"
]


def test_the_values_of_the_paper_are_the_defaults() -> None:
    """k = 5, five iterations, five edges, five hops, half fresh, a fresh last hop."""
    settings = LoopSettings()
    assert (settings.min_evidence, settings.min_iterations, settings.min_edges) == (5, 5, 5)
    assert (settings.goals.min_hops, settings.goals.fresh_share) == (5, 0.5)
    assert settings.goals.fresh_last_hop


@given(
    st.dictionaries(
        st.sampled_from([*NUMBERS, "fresh_share", "sede", "rivls"]), st.integers(-3, 70)
    )
)
def test_settings_are_taken_or_every_fault_is_told(values: dict[str, int]):
    """Nothing but a settings error comes of wrong values, one problem for each of them."""
    unknown = set(values) & {"sede", "rivls"}
    settings, said = _taken(values)
    if settings is not None:
        assert not unknown
        assert all(getattr(settings, name) == value for name, value in values.items())
        return
    assert all(line.startswith("graphkit.toml: ") for line in said)
    for name, value in values.items():
        if name in unknown or value < 0:
            wanted = f'"synthesis.{name}"' if name in unknown else f"{name} is {value}"
            assert any(wanted in line for line in said)


def _taken(values: dict[str, int]) -> tuple[LoopSettings | None, list[str]]:
    try:
        return LoopSettings.checked(values, origin="graphkit.toml"), []
    except SettingsError as error:
        return None, [str(problem) for problem in error.problems]


def test_all_problems_at_once_with_what_was_meant() -> None:
    """Unknown names, wrong kinds and values out of range stand in one error."""
    with pytest.raises(SettingsError) as caught:
        LoopSettings.checked(
            {"min_edgs": 3, "offers": 0, "language": "de", "since": "soon", "fresh_share": 2}
        )
    said = str(caught.value)
    assert len(caught.value.problems) == 5
    for part in ("did you mean min_edges", "offers is 0", "'de'", "'soon'", "fresh_share is 2"):
        assert part in said


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"min_iterations": 5, "max_iterations": 4}, "max_iterations is below min_iterations (5)"),
        ({"min_set": 9, "max_set": 8}, "max_set is below min_set (9)"),
        ({"since": "2026-02-30"}, "2026-02-30"),
        ({"since": "2026-13"}, "2026-13"),
        ({"parallel": 0}, "parallel is 0"),
        ({"fresh_share": float("nan")}, "fresh_share is nan"),
        ({"min_edges": 2.5}, "min_edges is 2.5"),
        ({"since": None, "seed": None, "min_edges": "many"}, "min_edges is 'many'"),
    ],
)
def test_values_that_cannot_be_met_are_refused(values: dict[str, object], said: str) -> None:
    """What no run could keep to is refused before it begins."""
    with pytest.raises(SettingsError) as caught:
        LoopSettings.checked(values)
    assert said in str(caught.value)


def test_settings_of_none_are_left_to_the_default() -> None:
    """A flag that was not given changes nothing."""
    assert LoopSettings.checked({"since": None, "parallel": None}) == LoopSettings()


def test_tables_are_read_from_a_settings_file(tmp_path: Path) -> None:
    """A table that is not there is empty, as is one of no file."""
    file = tmp_path / "graphkit.toml"
    file.write_text("[synthesis]\noffers = 3\n[models.default]\nmodel = 'm'\n")
    assert read_table(file, "synthesis") == {"offers": 3}
    assert read_table(file, "models") == {"default": {"model": "m"}}
    assert read_table(file, "web") == {}
    assert read_table(None, "web") == {}


@pytest.mark.parametrize("text", ["web = 7", "[web", "\x00"])
def test_a_file_that_is_no_table_is_an_error(tmp_path: Path, text: str) -> None:
    """The file is named."""
    file = tmp_path / "graphkit.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=r"graphkit\.toml"):
        read_table(file, "web")
    with pytest.raises(SettingsError, match="nowhere"):
        read_table(tmp_path / "nowhere", "web")
