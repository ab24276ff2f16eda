"""What is measured on: two graphs of facts, and queries of 14 patterns made from a seed."""

from __future__ import annotations

import gzip
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphkit.adjacency import Table
from graphkit.checks.paths import path_index
from graphkit.facts import FactStore
from graphkit.question import Edge, Node, QuestionGraph

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
SEED = 20_240_817

Query = tuple[Any, ...]
"""("a", entity), ("p", code, query), ("i" or "u", queries), ("n", query); a code is twice the
relation number, plus one for backward."""

A = ("a",)


def _p(inner: Query) -> Query:
    return ("p", inner)


def _i(*parts: Query) -> Query:
    return ("i", parts)


def _n(inner: Query) -> Query:
    return ("n", inner)


SHAPES: dict[str, Query] = {
    "1p": _p(A),
    "2p": _p(_p(A)),
    "3p": _p(_p(_p(A))),
    "2i": _i(_p(A), _p(A)),
    "3i": _i(_p(A), _p(A), _p(A)),
    "pi": _i(_p(_p(A)), _p(A)),
    "ip": _p(_i(_p(A), _p(A))),
    "2in": _i(_p(A), _n(_p(A))),
    "3in": _i(_p(A), _p(A), _n(_p(A))),
    "inp": _p(_i(_p(A), _n(_p(A)))),
    "pin": _i(_p(_p(A)), _n(_p(A))),
    "pni": _i(_n(_p(_p(A))), _p(A)),
    "2u": ("u", (_p(A), _p(A))),
    "up": _p(("u", (_p(A), _p(A)))),
}
"""The 14 patterns of the literature."""


def fb15k237() -> FactStore:
    """The training facts of FB15k-237."""
    with gzip.open(SHARED / "kg" / "fb15k237" / "train.tsv.gz", "rt", encoding="utf-8") as lines:
        return FactStore.from_triples(tuple(line.rstrip("\n").split("\t")) for line in lines)  # type: ignore[misc]


_PACKAGE_LISTS = (
    "Depends",
    "Pre-Depends",
    "Recommends",
    "Suggests",
    "Enhances",
    "Breaks",
    "Conflicts",
    "Replaces",
    "Provides",
)
_TAG = re.compile(r"([a-z-]+)::([^,{}\s]+)")


def debian_triples() -> Iterator[tuple[str, str, str]]:
    """Facts from this machine's package lists: what each package depends on, its section, ..."""
    text = subprocess.run(
        ["apt-cache", "dumpavail"],
        check=True,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
    ).stdout
    for paragraph in text.split("\n\n"):
        fields: dict[str, str] = {}
        name = ""
        for line in paragraph.split("\n"):
            if line.startswith(" "):
                fields[name] = fields.get(name, "") + line
            elif ":" in line:
                name, _, value = line.partition(":")
                fields[name] = value.strip()
        package = fields.get("Package")
        if not package:
            continue
        for field in _PACKAGE_LISTS:
            for other in re.split(r"[,|]", fields.get(field, "")):
                target = re.split(r"[\s(:\[]", other.strip(), maxsplit=1)[0]
                if target:
                    yield package, field, target
        for field in (
            "Section",
            "Priority",
            "Architecture",
            "Multi-Arch",
            "Homepage",
            "Version",
            "Maintainer",
        ):
            if fields.get(field):
                yield package, field, f"{field}: {fields[field]}"
        yield package, "Source", f"source: {fields.get('Source', package).split(' ')[0]}"
        yield package, "Pool", f"pool: {'/'.join(fields.get('Filename', '').split('/')[:4])}"
        yield package, "Size", f"size: {int(fields.get('Size', '0')).bit_length()} bit"
        yield package, "Installed", f"installed: {fields.get('Installed-Size', '0')[:2]}"
        for facet, value in _TAG.findall(fields.get("Tag", "")):
            yield package, f"tag {facet}", f"{facet}::{value}"


def debian() -> FactStore:
    """The graph of the package lists."""
    return FactStore.from_triples(debian_triples())


def columns(facts: FactStore) -> tuple[list[int], list[int], list[int]]:
    """Return the facts as columns of heads, relations and tails, for the baselines."""
    rows = list(facts.facts())
    heads, relations, tails = zip(*rows, strict=True)
    return list(heads), list(relations), list(tails)


class QueryMaker:
    """Grounds patterns backwards from an answer that is drawn at random."""

    def __init__(self, facts: FactStore, seed: int = SEED) -> None:
        self.facts = facts
        self.dice = random.Random(seed)
        self.codes: Table = path_index(facts).table
        self.universe = facts.universe

    def many(self, pattern: str, count: int) -> list[Query]:
        """Return queries of a pattern; each has an answer, its negated branches apart."""
        return [self._filled(SHAPES[pattern], self._anyone()) for _ in range(count)]

    def _anyone(self) -> int:
        return int(self.universe[self.dice.randrange(len(self.universe))])

    def _filled(self, shape: Query, member: int) -> Query:
        kind = shape[0]
        if kind == "a":
            return ("a", member)
        if kind == "n":
            return ("n", self._filled(shape[1], self._anyone()))
        if kind in "iu":
            return (kind, tuple(self._filled(part, member) for part in shape[1]))
        away = self.codes.row(member)
        code = int(away[self.dice.randrange(len(away))])
        adjacency = self.facts.adjacency[code >> 1]
        row = (adjacency.backward if code & 1 else adjacency.forward).row(member)
        source = int(row[self.dice.randrange(len(row))])
        return ("p", code ^ 1, self._filled(shape[1], source))


def as_graph(query: Query, facts: FactStore) -> QuestionGraph:
    """Return a query as a question graph in normal form."""
    nodes: list[Node] = []
    edges: list[Edge] = []

    def visit(part: Query) -> str:
        name = f"n{len(nodes)}"
        if part[0] == "a":
            nodes.append(Node(node_id=name, known_entities=(facts.name(part[1]),)))
            return name
        nodes.append(Node(node_id=name))
        if part[0] == "p":
            op, inner = "projection", (part[2],)
        elif part[0] == "n":
            op, inner = "complement", (part[1],)
        else:
            op, inner = {"i": "intersection", "u": "union"}[part[0]], part[1]
        sources = tuple(visit(item) for item in inner)
        way: dict[str, Any] = {}
        if op == "projection":
            way = {
                "relation": facts.relations[part[1] >> 1],
                "direction": "backward" if part[1] & 1 else "forward",
            }
        edges.append(
            Edge(edge_id=f"e{len(edges)}", source_ids=sources, target_id=name, op=op, **way)
        )  # type: ignore[arg-type]
        return name

    root = visit(query)
    return QuestionGraph(root_node_id=root, nodes=tuple(nodes), edges=tuple(edges))
