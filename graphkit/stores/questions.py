"""Question graphs, their histories and their check verdicts in a store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any, Protocol, runtime_checkable

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
    "question_key",
    "read_checks",
    "read_histories",
    "read_questions",
    "save_checks",
    "save_history",
]

QUESTION_BATCH = 200
"""Question graphs in one transaction."""


@runtime_checkable
class HasRecord(Protocol):
    """Something that can say what it is as plain data: a mutation, a check report."""

    def to_record(self) -> dict[str, Any]:
        """Return it as plain data."""


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


def _part_id(question: str, part: str) -> str:
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
            ident = _part_id(key, node.node_id)
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
                    "source": _part_id(key, source),
                    "target": _part_id(key, edge.target_id),
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
        {"source": key, "target": _part_id(key, graph.root_node_id)}
        for key, graph in graphs.items()
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


def _record(item: HasRecord | Mapping[str, Any]) -> dict[str, Any]:
    return item.to_record() if isinstance(item, HasRecord) else dict(item)


def _key_of(question: QuestionGraph | str) -> str:
    return question if isinstance(question, str) else question_key(question)


def _require(store: Queries, keys: Iterable[str]) -> None:
    wanted = list(dict.fromkeys(keys))
    found = store.read(
        "UNWIND $ids AS id MATCH (q:Question {id: id}) RETURN q.id AS id", {"ids": wanted}
    ).column("id")
    missing = sorted(set(wanted) - set(found))
    if missing:
        raise InputError(f"question {missing[0]}: not in the store; load it first")


def save_history(
    store: GraphStore,
    question: QuestionGraph | str,
    mutations: Iterable[HasRecord | Mapping[str, Any]],
) -> int:
    """Keep how a question grew: a chain of ``Mutation`` nodes, replacing an earlier one.

    Args:
        store: The store, open for writing.
        question: The question or its id in the store.
        mutations: The mutations in order, as :class:`graphkit.mutate.Mutation` or its record.

    Returns:
        How many mutations there are.

    Raises:
        InputError: The question is not in the store.
    """
    key = _key_of(question)
    _require(store, [key])
    records = [_record(item) for item in mutations]
    rows = [_mutation_row(key, step, record) for step, record in enumerate(records, 1)]
    with store.transaction() as transaction:
        transaction.write(
            "MATCH (:Question {id: $id})-[:MUTATED]->(m:Mutation) DETACH DELETE m", {"id": key}
        )
        transaction.bulk_nodes("Mutation", rows)
        transaction.bulk_edges(
            "MUTATED",
            "Question",
            "Mutation",
            [{"source": key, "target": row["id"], "step": row["step"]} for row in rows],
        )
        transaction.bulk_edges(
            "FOLLOWED_BY",
            "Mutation",
            "Mutation",
            [{"source": one["id"], "target": next_one["id"]} for one, next_one in pairwise(rows)],
        )
        if rows:
            last = rows[-1]
            transaction.write(
                "MATCH (:Question)-[e:GREW_INTO]->(:Question {id: $id}) "
                "SET e.strategy = $strategy, e.reason = $reason",
                {"id": key, "strategy": last["strategy"], "reason": last["reason"]},
            )
    return len(rows)


def _mutation_row(key: str, step: int, record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": _part_id(key, f"step/{step}"),
        "question_id": key,
        "step": step,
        "strategy": _text(record.get("strategy")),
        "node_id": _text(record.get("node_id")),
        "reason": _text(record.get("reason")),
        "position": _text(record.get("position")),
        "answers_before": record.get("answers_before"),
        "answers_after": record.get("answers_after"),
        "evidence_ids": [str(item) for item in record.get("evidence_ids") or ()],
        "json": strict_json.dumps(dict(record)),
    }


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def save_checks(
    store: GraphStore,
    checks: Iterable[tuple[QuestionGraph | str, HasRecord | Mapping[str, Any]]],
) -> int:
    """Keep the check verdicts of questions: one ``Check`` node each, replacing an earlier one.

    Args:
        store: The store, open for writing.
        checks: Pairs of a question (or its id in the store) and its
            :class:`graphkit.checks.CheckReport` (or its record).

    Returns:
        How many questions have verdicts now that were given here.

    Raises:
        InputError: A question is not in the store.
    """
    records = {_key_of(question): _record(report) for question, report in checks}
    _require(store, records)
    with store.transaction() as transaction:
        transaction.bulk_nodes("Check", [_check_row(key, r) for key, r in records.items()])
        transaction.bulk_edges(
            "CHECKED",
            "Question",
            "Check",
            [{"source": key, "target": _part_id(key, "check")} for key in records],
        )
    return len(records)


def _check_row(key: str, record: Mapping[str, Any]) -> dict[str, Any]:
    profile = record.get("profile") or {}
    shortcuts = record.get("shortcuts")
    redundant = record.get("redundant")
    return {
        "id": _part_id(key, "check"),
        "question_id": key,
        "valid": record.get("valid"),
        "unique": record.get("unique"),
        "faithful": record.get("faithful"),
        "basis": _text(record.get("basis")),
        "reason": _text(record.get("reason")),
        "answers_count": record.get("answers_count"),
        "redundant": None if redundant is None else [str(item) for item in redundant],
        "shortcuts": None if shortcuts is None else [str(item["kind"]) for item in shortcuts],
        "lint": [str(item["code"]) for item in record.get("lint") or ()],
        "signature": _text(profile.get("signature")),
        "depth": profile.get("depth"),
        "json": strict_json.dumps(dict(record)),
    }


def read_histories(store: Queries) -> dict[str, list[dict[str, Any]]]:
    """Return the recorded mutations of all questions, by question, in order."""
    found: dict[str, list[dict[str, Any]]] = {}
    for key, record in _under_questions(store, "MUTATED", "Mutation", "n.step"):
        found.setdefault(key, []).append(record)
    return found


def read_checks(store: Queries) -> dict[str, dict[str, Any]]:
    """Return the check verdicts of all questions that have some, by question."""
    return dict(_under_questions(store, "CHECKED", "Check", "n.id"))


def _under_questions(
    store: Queries, kind: str, label: str, order: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    rows = store.read(
        f"MATCH (q:Question)-[:{kind}]->(n:{label}) "
        f"RETURN q.id AS id, n.json AS json ORDER BY q.place, {order}",
        timeout=0,
    )
    for row in rows:
        yield row["id"], json.loads(row["json"])
