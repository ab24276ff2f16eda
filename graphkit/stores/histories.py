"""How questions grew and what was checked of them: histories and verdicts in a store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Protocol, runtime_checkable

from graphkit.errors import InputError
from graphkit.formats import strict_json
from graphkit.question import QuestionGraph
from graphkit.stores.base import GraphStore, Queries
from graphkit.stores.questions import part_id, question_key

__all__ = ["HasRecord", "read_checks", "read_histories", "save_checks", "save_history"]


@runtime_checkable
class HasRecord(Protocol):
    """Something that can say what it is as plain data: a mutation, a check report."""

    def to_record(self) -> dict[str, Any]:
        """Return it as plain data."""


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
        "id": part_id(key, f"step/{step}"),
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
            [{"source": key, "target": part_id(key, "check")} for key in records],
        )
    return len(records)


def _check_row(key: str, record: Mapping[str, Any]) -> dict[str, Any]:
    profile = record.get("profile") or {}
    shortcuts = record.get("shortcuts")
    redundant = record.get("redundant")
    return {
        "id": part_id(key, "check"),
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
