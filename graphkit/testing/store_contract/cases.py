"""What the contract is tried on: facts, a question, and how two stores are compared."""

from __future__ import annotations

import abc
import contextlib
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from graphkit.errors import GraphkitError
from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.operations import Op
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.relations import RelationSheet
from graphkit.stores import (
    GraphStore,
    export_store,
)

__all__ = [
    "RECORDS",
    "SHEET",
    "SLOW",
    "Interrupted",
    "WithStores",
    "exported",
    "graph_of_facts",
    "raises",
    "same_facts",
    "small_graph",
]

SHEET = RelationSheet.parse(
    """
[relations.borders]
symmetric = true
complete = true
aliases = ["touches"]
[relations."capital of"]
inverse = "has capital"
functional = true
head_type = "city"
tail_type = "country"
complete = ["France"]
[relations.height]
tail_type = "number"
"""
)

RECORDS = [
    EvidenceRecord.model_validate(data)
    for data in (
        {
            "evidence_id": "e1",
            "head_entity": "France",
            "relation": "borders",
            "tail_entity": "Spain",
            "aliases": {"France": ["French Republic"]},
            "is_fresh_knowledge": True,
            "source_url": "https://www.example.org/fr",
            "my own key": {"deep": [1, None, "x"]},
        },
        {
            "evidence_id": "e2",
            "head_entity": "Spain",
            "relation": "touches",
            "tail_entity": "French Republic",
        },
        {
            "evidence_id": "e3",
            "head_entity": "France",
            "relation": "has capital",
            "tail_entity": "Paris",
        },
        {
            "evidence_id": "e4",
            "head_entity": "Mont Blanc",
            "relation": "height",
            "tail_entity": "4,806",
            "tail_unit": "m",
        },
    )
]


SLOW = (
    "UNWIND range(1, 20000) AS a UNWIND range(1, 20000) AS b "
    "WITH a * b AS c WHERE c % 7 = 3 RETURN count(c) AS n"
)


class Interrupted(Exception):
    """Stands for a load that was broken off."""


@contextlib.contextmanager
def raises(kind: type[GraphkitError], *words: str) -> Iterator[None]:
    """Demand an error of a kind that says some words."""
    text = None
    try:
        yield
    except kind as error:
        text = str(error)
    assert text is not None, f"expected {kind.__name__}"
    missing = [word for word in words if word not in text]
    assert not missing, f"{missing} not in {text}"


def exported(store: GraphStore) -> dict[str, bytes]:
    """Return the files of an export by name."""
    with tempfile.TemporaryDirectory() as folder:
        export_store(store, folder)
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def same_facts(left: FactStore, right: FactStore) -> bool:
    """Whether two fact stores say the same, with the same numbers throughout."""
    return (
        left.entities == right.entities
        and left.relations == right.relations
        and dict(left.aliases) == dict(right.aliases)
        and dict(left.records) == dict(right.records)
        and left.sheet == right.sheet
        and list(left.facts()) == list(right.facts())
        and all(left.evidence_ids(fact) == right.evidence_ids(fact) for fact in left.facts())
    )


def small_graph(**changes: Any) -> QuestionGraph:
    """Return a small graph: what borders Spain and is not Portugal."""
    data: dict[str, Any] = {
        "id": "q1",
        "question": 'Which country borders "Spain"?',
        "answer": "France",
        "root_node_id": "r",
        "nodes": [
            Node(node_id="s", label="Spain", known_entities=("Spain",)),
            Node(node_id="b", label="neighbours"),
            Node(node_id="p", label="Portugal", known_entities=("Portugal",)),
            Node(node_id="n", label="not Portugal"),
            Node(node_id="r", label="answer", is_root=True),
        ],
        "edges": [
            Edge(
                edge_id="e1", source_ids=("s",), target_id="b", op=Op.PROJECTION, relation="borders"
            ),
            Edge(edge_id="e2", source_ids=("p",), target_id="n", op=Op.COMPLEMENT),
            Edge(edge_id="e3", source_ids=("b", "n"), target_id="r", op=Op.INTERSECTION),
        ],
        "my own key": [1, {"deep": None}],
    }
    return QuestionGraph.model_validate({**data, **changes})


class WithStores(abc.ABC):
    """Gives a part of the contract its stores."""

    @abc.abstractmethod
    def empty_store(self) -> AbstractContextManager[GraphStore]:
        """Open a store that holds nothing but the schema."""

    def empty_store_beside(self) -> AbstractContextManager[GraphStore]:
        """Open a second empty store while the first is open; override where there is just one."""
        return self.empty_store()


def graph_of_facts(store: GraphStore) -> dict[str, set[tuple[Any, ...]]]:
    """Return all entities, facts and ends of evidence that a store holds, as plain values."""
    queries = {
        "entities": "MATCH (e:Entity) RETURN e.id AS id, e.name AS name, e.entity_type AS kind, "
        "e.entity_id AS own, e.unit AS unit, e.number AS number, e.aliases AS aliases",
        "facts": "MATCH (h:Entity)-[f:FACT]->(t:Entity) RETURN h.id AS h, f.relation AS r, "
        "t.id AS t, f.evidence_ids AS ids, f.is_fresh AS fresh",
        "ends": "MATCH (h:Entity)<-[:HEAD]-(v:Evidence)-[:TAIL]->(t:Entity) "
        "RETURN v.id AS v, h.id AS h, t.id AS t, v.relation AS r, v.place AS place",
        "relations": "MATCH (r:Relation) RETURN r.id AS id, r.facts AS facts, "
        "r.symmetric AS symmetric, r.complete AS complete, r.complete_for AS complete_for",
    }
    found = {}
    for name, query in queries.items():
        rows = [tuple(map(_hashable, row.values())) for row in store.read(query)]
        found[name] = set(rows)
        assert len(found[name]) == len(rows), f"{name} hold something twice"
    return found


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else value
