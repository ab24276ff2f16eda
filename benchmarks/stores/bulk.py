"""The engines' own bulk routes, without graphkit; each is run in a process of its own."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import graph

T = TypeVar("T")

ROWS = 10_000
NODES = "UNWIND $rows AS row CREATE (n:Entity {id: row, name: row})"
EDGES = (
    "UNWIND $rows AS row MATCH (a:Entity {id: row[0]}) MATCH (b:Entity {id: row[2]}) "
    "CREATE (a)-[:FACT {relation: row[1]}]->(b)"
)
UNIQUE = "CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (n:Entity) REQUIRE n.id IS UNIQUE"


def _parts(items: Sequence[T]) -> Iterator[list[T]]:
    rest = iter(items)
    while part := list(islice(rest, ROWS)):
        yield part


def kglite_frame(source: Path, place: str) -> None:
    """Load data frames, in memory, and save the file at the end."""
    import kglite
    import pandas

    facts = pandas.DataFrame(list(graph.read(source)), columns=["head", "relation", "tail"])
    names = pandas.unique(facts[["head", "tail"]].to_numpy().ravel())
    opened = kglite.open(place)
    opened.add_nodes(pandas.DataFrame({"id": names, "name": names}), "Entity", "id", "name")
    opened.add_relationships(
        facts, "FACT", "Entity", "head", "Entity", "tail", columns=["relation"]
    )
    opened.close()


def kglite_cypher(source: Path, place: str) -> None:
    """CREATE in transactions, each of which is on the disk when it is done."""
    import kglite

    facts = list(graph.read(source))
    opened = kglite.open(place, durable="full")
    opened.cypher(UNIQUE)
    for query, rows in ((NODES, graph.names(facts)), (EDGES, [list(fact) for fact in facts])):
        for part in _parts(rows):
            transaction = opened.begin()
            transaction.cypher(query, params={"rows": part})
            transaction.commit()
    opened.close()


def neo4j_driver(source: Path, place: str) -> None:
    """CREATE in managed transactions by the bare driver."""
    import neo4j

    facts = list(graph.read(source))
    login = (os.environ["NEO4J_USERNAME"], os.environ["NEO4J_PASSWORD"])

    def send(transaction: neo4j.ManagedTransaction, query: str, rows: list[Any]) -> None:
        transaction.run(query, rows=rows).consume()

    with neo4j.GraphDatabase.driver(place, auth=login) as driver, driver.session() as session:
        session.run(UNIQUE).consume()
        for query, rows in ((NODES, graph.names(facts)), (EDGES, [list(fact) for fact in facts])):
            for part in _parts(rows):
                session.execute_write(send, query, part)


def neo4j_admin(source: Path, place: str) -> None:
    """Write CSV and have ``neo4j-admin database import`` build a database that does not run."""
    from neo4j_maven import class_path, java_command, neo4j_version

    facts = list(graph.read(source))
    home = Path(place)
    with (home / "nodes.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id:ID", "name"])
        writer.writerows((name, name) for name in graph.names(facts))
    with (home / "edges.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([":START_ID", "relation", ":END_ID"])
        writer.writerows(facts)
    java = java_command(os.environ)
    assert java is not None
    command = [java, "-Xmx512m", "-cp", class_path(neo4j_version()), "org.neo4j.cli.AdminTool"]
    command += ["database", "import", "full", "neo4j", "--overwrite-destination"]
    command += [f"--nodes=Entity={home / 'nodes.csv'}"]
    command += [f"--relationships=FACT={home / 'edges.csv'}"]
    where = {"NEO4J_HOME": place, "NEO4J_CONF": str(home / "conf")}
    done = subprocess.run(
        command, env={**os.environ, **where}, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode:
        sys.exit(f"neo4j-admin: {done.stdout[-2000:]}{done.stderr[-2000:]}")


ROUTES: dict[str, Callable[[Path, str], None]] = {
    "data frames": kglite_frame,
    "CREATE in transactions": kglite_cypher,
    "CREATE by the bare driver": neo4j_driver,
    "neo4j-admin import, server down": neo4j_admin,
}

if __name__ == "__main__":
    ROUTES[sys.argv[1]](Path(sys.argv[2]), sys.argv[3])
