"""Looks at the surroundings: what is installed, reachable and writable, and what to do if not."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from graphkit.errors import DependencyError, GraphkitError
from graphkit.formats.bundled import bundled_evidence
from graphkit.settings import Settings

__all__ = ["Finding", "examine"]

State = Literal["ok", "note", "problem"]

_PACKAGES = (
    "click",
    "json-repair",
    "kglite",
    "matplotlib",
    "neo4j",
    "networkx",
    "numpy",
    "openai",
    "pydantic",
    "rdflib",
)
_PATIENCE = 3.0
"""Seconds to wait for a server."""

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        group: What it belongs to: ``python``, ``packages``, ``evidence``, ``store``, ``optional``.
        name: What was looked at.
        state: ``ok``; ``note`` for something optional that is missing; ``problem`` for something
            that will stop a command.
        detail: What was found.
        advice: What to do about it; empty when nothing is to be done.
    """

    group: str
    name: str
    state: State
    detail: str
    advice: str = ""

    def to_record(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "group": self.group,
            "name": self.name,
            "state": self.state,
            "detail": self.detail,
            "advice": self.advice or None,
        }


def examine(settings: Settings, env: Mapping[str, str] | None = None) -> list[Finding]:
    """Look at everything that commands need.

    A store that does not exist is not made. Secrets are never read out, only
    whether they are set.

    Args:
        settings: The settings, for the place of the store.
        env: The environment; by default that of the process.
    """
    env = os.environ if env is None else env
    return [
        _python(),
        *_packages(),
        _evidence(),
        *_store(settings.store),
        _neo4j(settings.store, env),
        _model(env),
        _browser(),
    ]


def _python() -> Finding:
    found = f"{platform.python_version()} ({sys.executable})"
    return Finding("python", "python", "ok", found)


def _packages() -> Iterator[Finding]:
    for name in ("reasoning-graphkit", *_PACKAGES):
        try:
            yield Finding("packages", name, "ok", metadata.version(name))
        except metadata.PackageNotFoundError:
            if name == "reasoning-graphkit":
                yield Finding("packages", name, "note", "runs from source, not installed")
            else:
                yield Finding("packages", name, "problem", "not installed", f"pip install {name}")


def _evidence() -> Finding:
    try:
        return Finding("evidence", "bundled evidence", "ok", str(bundled_evidence()))
    except DependencyError as error:
        return Finding(
            "evidence", "bundled evidence", "note", "not found", error.problems[0].message
        )


def _store(place: str) -> Iterator[Finding]:
    if "://" in place:
        yield Finding("store", "store", "ok", f"{place}, a server: see below")
        return
    path = Path(place)
    if not path.exists() and not Path(f"{place}-wal").exists():
        yield _new_store(path)
        return
    from graphkit.stores import counts, open_store

    try:
        with open_store(path, read_only=True) as store:
            held = counts(store)
            about = store.capabilities()
    except GraphkitError as error:
        yield Finding("store", "store", "problem", error.problems[0].message, _advice(path))
        return
    told = ", ".join(f"{count:,} {name}" for name, count in held.items() if count)
    yield Finding(
        "store",
        "store",
        "ok",
        f"{place}: {about.engine} {about.engine_version}, holds {told or 'nothing'}",
    )
    try:
        with open_store(path):
            yield Finding("store", "writing", "ok", "can be written, nobody else has it open")
    except GraphkitError as error:
        yield Finding("store", "writing", "note", error.problems[0].message, "reading works")


def _new_store(path: Path) -> Finding:
    folder = path.parent
    if folder.is_dir() and os.access(folder, os.W_OK):
        return Finding(
            "store", "store", "note", f"{path} does not exist yet", "graphkit load FILE makes it"
        )
    return Finding(
        "store",
        "store",
        "problem",
        f"{path} does not exist, and {folder} cannot be written",
        "name another place with --store or GRAPHKIT_STORE",
    )


def _advice(path: Path) -> str:
    return f"name another store with --store, or move {path} away and load again"


def _neo4j(place: str, env: Mapping[str, str]) -> Finding:
    parts = urlsplit(place)
    if parts.scheme.partition("+")[0] not in ("neo4j", "bolt"):
        return Finding(
            "optional", "neo4j server", "note", "not configured; the embedded store is used"
        )
    from graphkit.stores.neo4j import probe
    from graphkit.stores.neo4j_connection import MINIMUM

    missing = [name for name in ("NEO4J_USERNAME", "NEO4J_PASSWORD") if not env.get(name)]
    try:
        found = probe(
            place,
            username=env.get("NEO4J_USERNAME"),
            password=env.get("NEO4J_PASSWORD"),
            database=env.get("NEO4J_DATABASE"),
            connect_seconds=_PATIENCE,
        )
    except GraphkitError as error:
        problem = error.problems[0]
        advice = "start the server, or name another store with --store"
        if problem.code == "login" and missing:
            advice = f"set {' and '.join(missing)}"
        elif problem.code != "unreachable":
            advice = "put right what is told, or name another store with --store"
        return Finding("optional", "neo4j server", "problem", problem.message, advice)
    detail = f"{found.location}: {found.version}, {'empty' if found.empty else 'a graphkit store'}"
    if not found.supported:
        return Finding(
            "optional",
            "neo4j server",
            "problem",
            f"{detail}; expected Neo4j {'.'.join(map(str, MINIMUM))} or later",
            "use a newer server; GRAPHKIT_NEO4J_ANY_VERSION=1 tries this one all the same",
        )
    return Finding("optional", "neo4j server", "ok", detail)


def _model(env: Mapping[str, str]) -> Finding:
    base = env.get("OPENAI_BASE_URL")
    where = f", at {urlsplit(base).hostname or 'another address'}" if base else ""
    if env.get("OPENAI_API_KEY"):
        return Finding("optional", "model", "ok", f"OPENAI_API_KEY is set{where}")
    return Finding(
        "optional",
        "model",
        "note",
        f"OPENAI_API_KEY is not set{where}",
        "set it for commands that ask a model; growing and checking need none",
    )


def _browser() -> Finding:
    for name in _BROWSERS:
        found = shutil.which(name)
        if found:
            return Finding("optional", "browser", "ok", found)
    return Finding(
        "optional",
        "browser",
        "note",
        "no Chromium found",
        "install chromium for checks of reports in a browser",
    )
