"""Question graphs in a store: loaded as nodes and operation edges, read back exactly."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from graphkit.errors import InputError, StoreError
from graphkit.formats import strict_json
from graphkit.operations import Op
from graphkit.patterns import shape
from graphkit.question import QuestionGraph
from graphkit.stores.base import GraphStore, Queries, StoreTransaction
from graphkit.stores.loading import Progress

__all__ = [
    "QUESTION_BATCH",
    "load_questions",
    "part_id",
    "question_key",
    "read_questions",
]

QUESTION_BATCH = 200
"""Question graphs in one transaction."""


def question_key(graph: QuestionGraph) -> str:
    """Return the id of a question in a store: its own, else one made from all its content.

    >>> from graphkit.question import Node
    >>> question_key(QuestionGraph(id="q1", root_node_id="n", nodes=[Node(node_id="n")]))
    'q1'
    >>> question_key(QuestionGraph(root_node_id="n", nodes=[Node(node_id="n")]))
    'sha256:a1b94382b7467007'
    """
    if graph.id:
        return graph.id
    digest = hashlib.sha256(_question_json(graph).encode()).hexdigest()
    return f"sha256:{digest[:16]}"


def _question_json(graph: QuestionGraph) -> str:
    return strict_json.dumps(graph.to_record())


def part_id(question: str, part: str) -> str:
    """Return the id of a part of a question; distinct parts of all questions have distinct ids."""
    return question.replace("%", "%25").replace("/", "%2F") + "/" + part


def load_questions(
    store: GraphStore,
    graphs: Iterable[QuestionGraph],
    *,
    progress: Progress | None = None,
    batch: int = QUESTION_BATCH,
) -> int:
    """Load question graphs: each a ``Question`` with its ``Node`` nodes and operation edges.

    Each batch is one transaction. A question that is there already with the same content stays
    as it is; one with the same id and other content is replaced and loses its checks.

    Args:
        store: The store, open for writing.
        graphs: The question graphs. Of several with one id the last one counts.
        progress: Is told how many of how many questions are in the store.
        batch: Questions in one transaction.

    Returns:
        How many questions were new or changed.
    """
    if batch < 1:
        raise StoreError(f"a batch has {batch} questions, expected 1 or more")
    given = {question_key(graph): graph for graph in graphs}
    written = {key: _question_json(graph) for key, graph in given.items()}
    rows = list(
        store.read("MATCH (q:Question) RETURN q.id AS id, q.place AS place, q.json AS json")
    )
    known = {row["id"]: row for row in rows}
    place = max((row["place"] for row in rows), default=-1) + 1
    changed = [key for key in given if key not in known or known[key]["json"] != written[key]]
    done = 0
    parts = iter(changed)
    while part := list(islice(parts, batch)):
        places = {}
        for key in part:
            if key in known:
                places[key] = known[key]["place"]
            else:
                places[key] = place
                place += 1
        with store.transaction() as transaction:
            _remove_graphs(transaction, [key for key in part if key in known])
            _write_graphs(transaction, {key: given[key] for key in part}, written, places)
            _link_parents(transaction, part)
        done += len(part)
        if progress:
            progress(done, len(changed))
    return len(changed)


def _remove_graphs(transaction: StoreTransaction, keys: Sequence[str]) -> None:
    if not keys:
        return
    for pattern in (
        "(:Question {id: id})-[:HAS_NODE]->(n:Node)",
        "(:Question {id: id})-[:CHECKED]->(n:Check)",
    ):
        transaction.write(f"UNWIND $ids AS id MATCH {pattern} DETACH DELETE n", {"ids": list(keys)})
    transaction.write(
        "UNWIND $ids AS id MATCH (:Question)-[e:GREW_INTO]->(:Question {id: id}) DELETE e",
        {"ids": list(keys)},
    )


def _write_graphs(
    transaction: StoreTransaction,
    graphs: Mapping[str, QuestionGraph],
    written: Mapping[str, str],
    places: Mapping[str, int],
) -> None:
    questions: list[dict[str, Any]] = []
    nodes: list[dict[str, Any]] = []
    members: list[dict[str, Any]] = []
    edges: dict[Op, list[dict[str, Any]]] = {op: [] for op in Op}
    for key, graph in graphs.items():
        questions.append(_question_row(key, graph, written[key], places[key]))
        for number, node in enumerate(graph.nodes):
            ident = part_id(key, node.node_id)
            nodes.append(
                {
                    "id": ident,
                    "question_id": key,
                    "node_id": node.node_id,
                    "label": node.label,
                    "known_entities": list(node.known_entities),
                    "reference_entities": list(node.reference_entities),
                    "entity_type": node.entity_type,
                    "is_root": node.node_id == graph.root_node_id,
                    "place": number,
                }
            )
            members.append({"source": key, "target": ident})
        for edge in graph.edges:
            for number, source in enumerate(edge.source_ids):
                row: dict[str, Any] = {
                    "source": part_id(key, source),
                    "target": part_id(key, edge.target_id),
                    "edge_id": edge.edge_id,
                    "place": number,
                }
                if edge.op is Op.PROJECTION:
                    row |= {"relation": edge.relation, "direction": edge.reads.value}
                edges[edge.op].append(row)
    transaction.bulk_nodes("Question", questions)
    transaction.bulk_nodes("Node", nodes)
    transaction.bulk_edges("HAS_NODE", "Question", "Node", members)
    roots = [
        {"source": key, "target": part_id(key, graph.root_node_id)} for key, graph in graphs.items()
    ]
    transaction.bulk_edges("ROOT", "Question", "Node", roots)
    for op, rows in edges.items():
        transaction.bulk_edges(op.name, "Node", "Node", rows)


def _question_row(key: str, graph: QuestionGraph, text: str, place: int) -> dict[str, Any]:
    counted = shape(graph)
    return {
        "id": key,
        "question": graph.question,
        "answer": graph.answer,
        "language": graph.language,
        "domain": graph.domain,
        "subdomain": graph.subdomain,
        "iteration": graph.iteration,
        "parent_id": graph.parent_id,
        "evidence_ids": list(graph.evidence_ids),
        "aliases": list(graph.aliases),
        "nodes": counted.nodes,
        "edges": counted.edges,
        "hops": counted.hops,
        "depth": counted.depth,
        "signature": counted.signature,
        "place": place,
        "json": text,
    }


def _link_parents(transaction: StoreTransaction, keys: Sequence[str]) -> None:
    """Join questions to the ones that they grew out of, where both are there."""
    for end in ("c", "p"):
        transaction.write(
            f"UNWIND $ids AS id MATCH ({end}:Question {{id: id}}) "
            + (
                "MATCH (p:Question {id: c.parent_id}) "
                if end == "c"
                else "MATCH (c:Question) WHERE c.parent_id = p.id "
            )
            + "MERGE (p)-[:GREW_INTO]->(c)",
            {"ids": list(keys)},
        )


def read_questions(store: Queries, ids: Iterable[str] | None = None) -> list[QuestionGraph]:
    """Return question graphs as they were loaded, in the order of loading.

    Args:
        store: The store.
        ids: The ids of those wanted, see :func:`question_key`; by default all.

    Raises:
        InputError: A question is not in the store.
    """
    if ids is None:
        rows = store.read(
            "MATCH (q:Question) RETURN q.id AS id, q.json AS json ORDER BY q.place", timeout=0
        )
        return [_graph(row["json"]) for row in rows]
    wanted = list(ids)
    rows = store.read(
        "UNWIND $ids AS id MATCH (q:Question {id: id}) RETURN q.id AS id, q.json AS json",
        {"ids": wanted},
        timeout=0,
    )
    found = {row["id"]: row["json"] for row in rows}
    missing = [ident for ident in wanted if ident not in found]
    if missing:
        raise InputError(f"question {missing[0]}: not in the store")
    return [_graph(found[ident]) for ident in wanted]


def _graph(text: str) -> QuestionGraph:
    return QuestionGraph.model_validate(json.loads(text))
