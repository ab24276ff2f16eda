"""Joins verdicts to the atoms that they judge."""

from __future__ import annotations

from collections.abc import Sequence

from graphkit.stores.base import StoreTransaction
from rubric.stored.keys import key_of

__all__ = ["join_verdicts", "outcome_word"]


def outcome_word(verdict: str, expected: str) -> str:
    """Return ``passed``, ``failed``, ``na`` or ``skipped``."""
    if verdict not in ("yes", "no"):
        return verdict
    return "passed" if verdict == expected else "failed"


def join_verdicts(transaction: StoreTransaction, tasks: Sequence[str]) -> None:
    """Join the verdicts of some tasks to the atoms of their trees, which are new.

    Args:
        transaction: Where to write.
        tasks: The tasks.
    """
    if not tasks:
        return
    expected = {
        row["id"]: row["expected"]
        for row in transaction.read(
            "UNWIND $ids AS id MATCH (:Task {id: id})-[:HAS]->(:Dimension)-[:HAS]->(:Direction)"
            "-[:HAS]->(a:Atom) RETURN a.id AS id, a.expected AS expected",
            {"ids": list(tasks)},
            timeout=0,
        )
    }
    nodes, edges = [], []
    for row in transaction.read(
        "UNWIND $ids AS id MATCH (:Task {id: id})<-[:ABOUT]-(:Report)-[:HAS]->(v:Verdict) "
        "RETURN v.id AS id, v.task_id AS task, v.atom_id AS atom, v.verdict AS verdict",
        {"ids": list(tasks)},
        timeout=0,
    ):
        atom = key_of(row["task"], row["atom"])
        word = outcome_word(row["verdict"], expected[atom]) if atom in expected else None
        nodes.append({"id": row["id"], "outcome": word})
        if atom in expected:
            edges.append({"source": row["id"], "target": atom})
    transaction.bulk_nodes("Verdict", nodes)
    transaction.bulk_edges("JUDGED", "Verdict", "Atom", edges)
