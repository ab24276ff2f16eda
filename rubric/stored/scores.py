"""Scores in a store: what the guard did and what each atom adds, open to queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from graphkit.errors import InputError, Problem
from graphkit.formats import strict_json
from graphkit.stores.base import GraphStore, Queries, StoreTransaction
from rubric.literals import read_json
from rubric.stored.keys import key_of, parts_of, prepare
from rubric.stored.trees import task_places

__all__ = ["SCORE_BATCH", "read_scores", "save_scores", "score_lines"]

SCORE_BATCH = 50
"""Scores in one transaction."""

Record = Mapping[str, Any]


def save_scores(store: GraphStore, records: Iterable[Record], *, batch: int = SCORE_BATCH) -> int:
    """Keep scores, one for each report and guard; an earlier one is replaced.

    Args:
        store: The store, open for writing.
        records: Records as :meth:`rubric.score.ReportScore.to_dict` gives them; pairs that were
            not run are passed over.
        batch: Scores in one transaction.

    Returns:
        How many were new or other than there.

    Raises:
        InputError: A score is not of its form, or its task has no tree in the store, or the tree
            lacks an atom or a direction that it names; all of them are listed.
    """
    prepare(store)
    listed = [record for record in records if record.get("status") != "not_run"]
    atoms, directions = _parts(store)
    problems = [
        Problem(text, "score", subject=f"task {item.get('task_id')}, system {item.get('system')}")
        for item in listed
        for text in _problems(item, atoms, directions)
    ]
    if problems:
        raise InputError(problems)
    known = {
        row["id"]: row["json"]
        for row in store.read("MATCH (s:Score) RETURN s.id AS id, s.json AS json", timeout=0)
    }
    given = {_key(item): item for item in listed}
    written = {key: strict_json.dumps(dict(item)) for key, item in given.items()}
    changed = [key for key in given if known.get(key) != written[key]]
    for part in parts_of(changed, batch):
        with store.transaction() as transaction:
            old = [key for key in part if key in known]
            if old:
                transaction.write(
                    "UNWIND $ids AS id MATCH (s:Score {id: id}) DETACH DELETE s", {"ids": old}
                )
            _write(transaction, {key: given[key] for key in part}, written, directions)
    return len(changed)


def _guard(record: Record) -> str:
    return str((record.get("na_guard") or {}).get("mode", "published"))


def _key(record: Record) -> str:
    return key_of(record["task_id"], record["system"], _guard(record))


def _parts(store: Queries) -> tuple[dict[str, set[str]], dict[str, dict[str, str]]]:
    """Return the atoms, and the directions with their dimensions, of every task."""
    atoms: dict[str, set[str]] = {task: set() for task in task_places(store)}
    directions: dict[str, dict[str, str]] = {task: {} for task in atoms}
    for row in store.read("MATCH (a:Atom) RETURN a.task_id AS task, a.atom_id AS id", timeout=0):
        atoms.setdefault(row["task"], set()).add(row["id"])
    query = "MATCH (d:Direction) RETURN d.task_id AS task, d.direction AS id, d.dimension AS of"
    for row in store.read(query, timeout=0):
        directions.setdefault(row["task"], {})[row["id"]] = row["of"]
    return atoms, directions


def _problems(
    record: Record, atoms: Mapping[str, set[str]], directions: Mapping[str, Mapping[str, str]]
) -> Iterable[str]:
    task = record.get("task_id")
    if not isinstance(task, str) or not isinstance(record.get("system"), str):
        yield "lacks task_id or system"
        return
    if task not in atoms:
        yield "no tree has this task_id; load its tree first"
        return
    for name in ("directions", "outcomes", "lambdas"):
        if not isinstance(record.get(name, {}), Mapping):
            yield f"{name}: expected an object"
            return
    for name in sorted(set(record.get("outcomes", {})) - atoms[task])[:3]:
        yield f"outcomes: the tree has no atom {name}"
    for name in sorted(set(record.get("directions", {})) - set(directions[task]))[:3]:
        yield f"directions: the tree has no direction {name}"


def _write(
    transaction: StoreTransaction,
    records: Mapping[str, Record],
    written: Mapping[str, str],
    directions: Mapping[str, Mapping[str, str]],
) -> None:
    reports, nodes, scored, rated, counted, about = [], [], [], [], [], []
    owners = _directions_of(transaction, {str(item["task_id"]) for item in records.values()})
    for key, item in records.items():
        task, system = item["task_id"], item["system"]
        owner = key_of(task, system)
        reports.append({"id": owner, "task_id": task, "system": system})
        about.append({"source": owner, "target": task})
        bounds, guard = item.get("bounds") or {}, item.get("na_guard") or {}
        nodes.append(
            {"id": key, "task_id": task, "system": system, "guard": _guard(item),
             "status": item.get("status"), "score": item.get("score"),
             "score_exact": item.get("score_exact"), "low": bounds.get("low"),
             "high": bounds.get("high"), "candidates": len(guard.get("candidate_ids") or ()),
             "applied": len(guard.get("applied_ids") or ()),
             "flags": [str(flag) for flag in item.get("flags") or ()], "json": written[key]}
        )  # fmt: skip
        scored.append({"source": owner, "target": key})
        shares = _shares(item, directions[task])
        for name, part in (item.get("directions") or {}).items():
            rated.append(
                {"source": key, "target": key_of(task, name),
                 **{word: part.get(word) for word in
                    ("n", "passed", "rate", "credited", "weight", "gate", "status")},
                 "points": shares[name] * part.get("passed", 0)}
            )  # fmt: skip
        for atom, word in (item.get("outcomes") or {}).items():
            points = shares.get(owners.get((task, atom), ""), 0.0) if word == "passed" else 0.0
            counted.append({"source": key, "target": key_of(task, atom), "outcome": word,
                            "points": points})  # fmt: skip
    transaction.bulk_nodes("Report", reports)
    transaction.bulk_edges("ABOUT", "Report", "Task", about)
    transaction.bulk_nodes("Score", nodes)
    transaction.bulk_edges("SCORED", "Report", "Score", scored)
    transaction.bulk_edges("RATED", "Score", "Direction", rated)
    transaction.bulk_edges("COUNTED", "Score", "Atom", counted)


def _directions_of(transaction: StoreTransaction, tasks: set[str]) -> dict[tuple[str, str], str]:
    rows = transaction.read(
        "UNWIND $ids AS id MATCH (:Task {id: id})-[:HAS]->(:Dimension)-[:HAS]->(d:Direction)"
        "-[:HAS]->(a:Atom) RETURN id AS task, d.direction AS direction, a.atom_id AS atom",
        {"ids": sorted(tasks)},
        timeout=0,
    )
    return {(row["task"], row["atom"]): row["direction"] for row in rows}


def _shares(record: Record, dimensions: Mapping[str, str]) -> dict[str, float]:
    """Return what one passed atom of each direction adds to the score, in points."""
    parts = record.get("directions") or {}
    totals: dict[str, int] = {}
    for name, part in parts.items():
        totals[dimensions[name]] = totals.get(dimensions[name], 0) + (part.get("weight") or 0)
    found = {}
    for name, part in parts.items():
        weight = (record.get("lambdas") or {}).get(dimensions[name]) or 0.0
        total, passed = totals[dimensions[name]], part.get("passed") or 0
        credit = part.get("credited") or 0.0
        found[name] = 0.0
        if total and passed and record.get("status") == "scored":
            found[name] = (
                100 * weight * part["weight"] * part["gate"] * credit / total / passed
            )  # fmt: skip
    return found


def read_scores(store: Queries, guard: str | None = None) -> list[dict[str, Any]]:
    """Return the records of all scores, by task and system.

    Args:
        store: The store.
        guard: Only those of this guard.
    """
    rows = store.read(
        "MATCH (:Task)<-[:ABOUT]-(r:Report)-[:SCORED]->(s:Score) "
        "RETURN s.id AS id, s.guard AS guard, s.json AS json ORDER BY s.id",
        timeout=0,
    )
    return [read_json(row["json"]) for row in rows if guard in (None, row["guard"])]


def score_lines(store: Queries) -> Iterable[str]:
    """Yield the records as lines of JSON, as an export holds them."""
    for row in store.read("MATCH (s:Score) RETURN s.id AS id, s.json AS json ORDER BY s.id",
                          timeout=0):  # fmt: skip
        yield row["json"] + "\n"
