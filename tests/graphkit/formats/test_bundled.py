"""Where the bundled evidence is found."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

import graphkit.formats.bundled as bundled
from graphkit.errors import DependencyError


def test_in_a_checkout() -> None:
    """A checkout has it in examples/factbook, the sheet beside it."""
    path = bundled.bundled_evidence()
    assert path.parts[-3:] == ("examples", "factbook", "evidence.jsonl")
    assert (path.parent / "relations.toml").is_file()


class _File:
    def __init__(self, root: Path, name: str) -> None:
        self.parts = tuple(name.split("/"))
        self._path = root / name

    def locate(self) -> Path:
        return self._path


def test_when_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed distribution has it among its files, above its packages."""
    home = tmp_path / "share" / "graphkit" / "factbook"
    home.mkdir(parents=True)
    (home / "evidence.jsonl").write_text("{}")
    site = tmp_path / "lib" / "site-packages"
    site.mkdir(parents=True)
    names = ["graphkit/__init__.py", "../../share/graphkit/factbook/evidence.jsonl"]
    monkeypatch.setattr(bundled, "_CHECKOUT", tmp_path / "none")
    monkeypatch.setattr(metadata, "files", lambda name: [_File(site, part) for part in names])
    assert bundled.bundled_evidence() == home / "evidence.jsonl"


def test_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it the error says what to do."""

    def missing(name: str) -> list[object]:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(bundled, "_CHECKOUT", tmp_path / "none")
    for files in (missing, lambda name: None):
        monkeypatch.setattr(metadata, "files", files)
        with pytest.raises(DependencyError, match="install reasoning-graphkit from its wheel"):
            bundled.bundled_evidence()
