"""What the doctor sees of the surroundings."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Mapping
from pathlib import Path

import pytest

from graphkit.doctor import Finding, examine
from graphkit.settings import Settings
from graphkit.stores import open_store


def _found(name: str, store: str, **env: str) -> Finding:
    return next(item for item in examine(Settings(store=store), env) if item.name == name)


def test_no_store_yet(tmp_path: Path) -> None:
    """A place without a store is a note; nothing is made there."""
    place = tmp_path / "s.db"
    assert _found("store", str(place)).state == "note"
    assert list(tmp_path.iterdir()) == []
    missing = _found("store", str(tmp_path / "no" / "s.db"))
    assert (missing.state, "--store" in missing.advice) == ("problem", True)


def test_store_that_is_there(tmp_path: Path) -> None:
    """A store tells what it holds, whether it can be written, and who has it open."""
    place = str(tmp_path / "s.db")
    with open_store(place) as store:
        store.bulk_nodes("Entity", [{"id": "x", "name": "X"}])
    assert "1 entities" in _found("store", place).detail
    assert _found("writing", place).state == "ok"
    with open_store(place):
        locked = _found("writing", place)
    assert (locked.state, "open for writing" in locked.detail) == ("note", True)


def test_file_that_is_no_store(tmp_path: Path) -> None:
    """Something else at that place is a problem with advice."""
    (tmp_path / "s.db").write_text("notes")
    found = _found("store", str(tmp_path / "s.db"))
    assert (found.state, bool(found.advice)) == ("problem", True)


def test_model_key_is_never_shown() -> None:
    """The key is told as set or not, never its value; a base address by its host only."""
    found = _found(
        "model", "x.db", OPENAI_API_KEY="sk-1234", OPENAI_BASE_URL="http://me:pw@host.example/v1"
    )
    assert (found.state, found.detail) == ("ok", "OPENAI_API_KEY is set, at host.example")
    assert _found("model", "x.db").state == "note"


def test_server_that_is_not_there() -> None:
    """A configured server that does not answer is a problem; without one it is a note."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    found = _found("neo4j server", f"neo4j://127.0.0.1:{port}")
    assert (found.state, f"127.0.0.1:{port}" in found.detail) == ("problem", True)
    assert _found("neo4j server", "x.db").state == "note"


def test_server_that_is_no_database() -> None:
    """Something else that listens there is a problem; a bad address is one too."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        place = f"bolt://127.0.0.1:{server.getsockname()[1]}"
        found = _found("neo4j server", place, NEO4J_USERNAME="u", NEO4J_PASSWORD="secret-p")
    assert (found.state, bool(found.advice)) == ("problem", True)
    assert "secret-p" not in found.detail + found.advice
    assert _found("neo4j server", "neo4j://host:port:x").state == "problem"


@pytest.mark.neo4j
def test_real_server(neo4j_server: Mapping[str, str]) -> None:
    """A wrong password, a wrong database and what is there are told; no secret is repeated."""
    place, given = neo4j_server["NEO4J_URI"], dict(neo4j_server)
    found = _found("neo4j server", place, **given)
    assert (found.state, "Neo4j/5.26" in found.detail) == ("ok", True)
    found = _found("neo4j server", place, **{**given, "NEO4J_PASSWORD": "not-it-at-all"})
    assert (found.state, "user name or the password" in found.detail) == ("problem", True)
    assert "not-it-at-all" not in found.detail + found.advice
    found = _found("neo4j server", place, **{**given, "NEO4J_DATABASE": "nowhere"})
    assert (found.state, "NEO4J_DATABASE" in found.detail) == ("problem", True)


@pytest.mark.neo4j
def test_server_that_is_too_old(
    neo4j_server: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A version below the least one is a problem, with the way to try it all the same."""
    monkeypatch.setattr("graphkit.stores.neo4j_connection.MINIMUM", (99, 0))
    found = _found("neo4j server", neo4j_server["NEO4J_URI"], **dict(neo4j_server))
    assert (found.state, "expected Neo4j 99.0" in found.detail) == ("problem", True)
    assert "GRAPHKIT_NEO4J_ANY_VERSION" in found.advice


def test_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser is looked for on the path."""
    monkeypatch.setattr(shutil, "which", lambda name: "/bin/c" if name == "chromium" else None)
    assert _found("browser", "x.db").detail == "/bin/c"
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert _found("browser", "x.db").state == "note"


def test_everything_is_looked_at() -> None:
    """Python, packages, evidence, store and the optional things all appear, in plain data too."""
    found = examine(Settings(store="x.db"), {})
    assert {"python", "packages", "evidence", "store", "optional"} == {f.group for f in found}
    assert all(item.advice or item.state != "problem" for item in found)
    assert all(item.to_record()["state"] in ("ok", "note", "problem") for item in found)
