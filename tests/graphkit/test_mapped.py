"""Saved fact stores: the errors in full, atomic writing, and opening without decoding names."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphkit.entities import Entity
from graphkit.errors import FormatError, InputError
from graphkit.facts import FactStore
from graphkit.mapped import open_mapped, save_mapped, sections

FACTS = FactStore.from_triples([("France", "borders", "Spain"), ("Italy", "borders", "France")])


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A saved store."""
    path = tmp_path / "facts.graphkit"
    save_mapped(FACTS, path)
    return path


def message(path: Path) -> str:
    """What is said when a file is opened that cannot be."""
    with pytest.raises(FormatError) as caught:
        open_mapped(path)
    return str(caught.value).removeprefix(f"{path}: ")


def test_another_version_is_named(saved: Path, monkeypatch: pytest.MonkeyPatch):
    """Both versions are said, and what to do."""
    monkeypatch.setattr(sections, "VERSION", 9)
    said = message(saved)
    assert said == "was saved in version 1 of the layout, expected 9; save the facts again"


def test_other_files_are_told_apart(tmp_path: Path):
    """Missing, empty and other files each have a sentence of their own."""
    path = tmp_path / "facts.tsv"
    assert message(path) == "cannot be read: No such file or directory"
    path.write_bytes(b"")
    assert message(path) == "is empty, expected a saved fact store"
    path.write_text("France\tborders\tSpain\n")
    assert message(path).startswith("is no saved fact store")


def test_a_file_with_something_behind_its_end_is_refused(saved: Path):
    """Two files written one after the other are not one."""
    saved.write_bytes(saved.read_bytes() * 2)
    assert message(saved).endswith("something follows its end")


def test_damage_is_found_by_the_checksum_only_if_it_is_asked_for(saved: Path):
    """Without verification the head and the length are all that is read."""
    data = bytearray(saved.read_bytes())
    data[-70] ^= 1
    saved.write_bytes(data)
    assert message(saved) == "does not match its checksum: it is damaged, save the facts again"
    assert len(open_mapped(saved, verify=False)) == 2


def test_an_error_while_saving_leaves_the_old_file(saved: Path, monkeypatch: pytest.MonkeyPatch):
    """The new file takes its name only when it is whole."""
    before = saved.read_bytes()

    def fails(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("graphkit.mapped.write_sections", fails)
    with pytest.raises(KeyboardInterrupt):
        save_mapped(FactStore.from_triples([("a", "r", "b")]), saved)
    assert saved.read_bytes() == before
    assert [item.name for item in saved.parent.iterdir()] == [saved.name]


def test_a_store_can_be_replaced_while_it_is_open(saved: Path):
    """The open one keeps the old facts."""
    store = open_mapped(saved)
    save_mapped(FactStore.from_triples([("a", "r", "b")]), saved)
    assert store.names(store.named("Spain")) == ["Spain"]
    assert len(open_mapped(saved)) == 1


def test_a_folder_that_does_not_exist_is_an_error_of_input(tmp_path: Path):
    """It is said as for every output file."""
    with pytest.raises(InputError):
        save_mapped(FACTS, tmp_path / "nowhere" / "facts.graphkit")


def test_opening_decodes_no_entity(saved: Path, monkeypatch: pytest.MonkeyPatch):
    """Names wait until they are asked for; finding one decodes only what has its hash."""
    decoded: list[object] = []
    monkeypatch.setattr(
        "graphkit.mapped.views.Entity", lambda *parts: decoded.append(parts) or Entity(*parts)
    )
    store = open_mapped(saved)
    assert store.size == 3
    assert not decoded
    assert store.named("Italy").ids.tolist() == [2]
    assert len(decoded) == 1


def test_arrays_of_an_open_store_cannot_be_written(saved: Path):
    """The file is mapped read-only."""
    table = open_mapped(saved).adjacency[0].forward
    with pytest.raises(ValueError, match="read-only"):
        table.values[0] = 1


def test_a_store_without_facts_can_be_saved(tmp_path: Path):
    """Nothing is a store too."""
    save_mapped(FactStore.from_triples([]), tmp_path / "none")
    assert len(open_mapped(tmp_path / "none")) == 0
