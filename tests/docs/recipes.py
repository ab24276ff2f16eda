"""The recipes of docs/cypher.md and docs/cypher-rubric.md, and the stores that they are run on."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from emptying import take_all_out

from graphkit.stores import GraphStore, open_store
from graphkit.stores.neo4j import Neo4jStore

ROOT = Path(__file__).resolve().parents[2]

RECIPES: dict[str, str] = dict(
    re.findall(
        r"^### ([^\n]+)\n```cypher\n(.*?)```",
        (ROOT / "docs" / "cypher.md").read_text(encoding="utf-8"),
        flags=re.MULTILINE | re.DOTALL,
    )
)
RUBRIC_PAGE = (ROOT / "docs" / "cypher-rubric.md").read_text(encoding="utf-8")
RUBRIC_RECIPES: dict[str, str] = dict(
    re.findall(r"## ([^\n]+)\n(?:(?!##)[^\n]*\n)*?```cypher\n(.*?)```", RUBRIC_PAGE, re.DOTALL)
)
ENGINES = ["embedded", pytest.param("neo4j", marks=pytest.mark.neo4j)]


@contextlib.contextmanager
def empty_store(engine: str, request: pytest.FixtureRequest) -> Iterator[GraphStore]:
    """Open a store that holds nothing: a new file, or the emptied database of the test server."""
    if engine == "embedded":
        folder = request.getfixturevalue("tmp_path_factory").mktemp("recipes")
        with open_store(folder / "s.db") as store:
            yield store
        return
    server: Mapping[str, str] = request.getfixturevalue("neo4j_server")
    with Neo4jStore.open(
        server["NEO4J_URI"],
        username=server["NEO4J_USERNAME"],
        password=server["NEO4J_PASSWORD"],
        database=server.get("NEO4J_DATABASE"),
    ) as store:
        take_all_out(store)
        yield store


def run(store: GraphStore, recipe: str, params: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of one recipe, given those values that it names."""
    names = set(re.findall(r"\$(\w+)", recipe))
    return list(store.read(recipe, {name: params[name] for name in names}))
