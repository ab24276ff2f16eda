"""Verdicts in a store: a report for each task and system, a verdict for each atom of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphkit.errors import InputError, Problem, did_you_mean
from graphkit.formats import strict_json
from graphkit.stores.base import GraphStore, Queries, StoreTransaction
from graphkit.stores.loading import Progress
from rubric.stored.keys import key_of, parts_of, prepare
from rubric.stored.links import outcome_word
from rubric.stored.trees import task_places
from rubric.verdict_reader import parse_verdicts
from rubric.verdicts import VerdictTable, decide

__all__ = ["VERDICT_BATCH", "load_verdicts", "read_verdict_table", "verdict_lines"]

VERDICT_BATCH = 4000
"""Verdicts in one transaction."""

Line = Mapping[str, Any]


def load_verdicts(
    store: GraphStore,
    lines: Iterable[Line],
    *,
    progress: Progress | None = None,
    batch: int = VERDICT_BATCH,
) -> int:
    """Load verdict lines, as formats-and-cli.md has them.

    Each batch is one transaction. What is there already stays as it is; a line whose key is
    there with other content replaces it, and the scores of its report go away.

    Args:
        store: The store, open for writing.
        lines: The lines. Of several with one key the last one counts, as within one file.
        progress: Is told how many of how many lines are in the store.
        batch: Lines in one transaction.

    Returns:
        How many lines were new or changed.

    Raises:
        InputError: A task has no tree in the store; every such task at once.
    """
    prepare(store)
    given: dict[str, Line] = {}
    for line in lines:
        given[_key(line)] = line
    tasks = task_places(store)
    unknown = sorted({str(line["task_id"]) for line in given.values()} - set(tasks))
    if unknown:
        raise InputError(
            Problem(f"no tree has this task_id{did_you_mean(task, tasks)}; load its tree first",
                    "unknown_task", subject=f"task {task}")
            for task in unknown
        )  # fmt: skip
    known = _known(store)
    written = {key: strict_json.dumps(dict(line)) for key, line in given.items()}
    changed = [key for key in given if key not in known or known[key][1] != written[key]]
    expected = dict(_expected(store)) if changed else {}
    place = max((at for at, _ in known.values()), default=-1) + 1
    done = 0
    for part in parts_of(changed, batch):
        places = {}
        for key in part:
            if key in known:
                places[key] = known[key][0]
            else:
                places[key] = place
                place += 1
        with store.transaction() as transaction:
            _write(transaction, {key: given[key] for key in part}, written, places, expected)
        done += len(part)
        if progress is not None:
            progress(done, len(changed))
    return len(changed)


def _key(line: Line) -> str:
    """Return the id of the node of a line: of a verdict, or of a report as a whole."""
    head = key_of(line["task_id"], line["system"])
    return head if line.get("report") is not None else f"{head}/{key_of(line['atom_id'])}"


def _known(store: Queries) -> dict[str, tuple[int, str]]:
    found: dict[str, tuple[int, str]] = {}
    for label in ("Verdict", "Report"):
        rows = store.read(
            f"MATCH (n:{label}) WHERE n.json IS NOT NULL "
            "RETURN n.id AS id, n.place AS place, n.json AS json",
            timeout=0,
        )
        found |= {row["id"]: (row["place"], row["json"]) for row in rows}
    return found


def _expected(store: Queries) -> Iterable[tuple[str, str]]:
    for row in store.read("MATCH (a:Atom) RETURN a.id AS id, a.expected AS expected", timeout=0):
        yield row["id"], row["expected"]


def _write(
    transaction: StoreTransaction,
    lines: Mapping[str, Line],
    written: Mapping[str, str],
    places: Mapping[str, int],
    expected: Mapping[str, str],
) -> None:
    reports: dict[str, dict[str, Any]] = {}
    verdicts: list[dict[str, Any]] = []
    members: list[dict[str, Any]] = []
    judged: list[dict[str, Any]] = []
    for key, line in lines.items():
        task, system = line["task_id"], line["system"]
        owner = key_of(task, system)
        report = reports.setdefault(owner, {"id": owner, "task_id": task, "system": system})
        if line.get("report") is not None:
            report |= {"report": line["report"], "place": places[key], "json": written[key]}
            continue
        found = decide(line.get("verdict"), line.get("votes"))
        atom = key_of(task, line["atom_id"])
        if atom in expected:
            judged.append({"source": key, "target": atom})
        verdicts.append(
            {"id": key, "task_id": task, "system": system, "atom_id": line["atom_id"],
             "verdict": found.word, "reason": found.reason or None,
             "outcome": outcome_word(found.word, expected[atom]) if atom in expected else None,
             "place": places[key], "json": written[key]}
        )  # fmt: skip
        members.append({"source": owner, "target": key})
    transaction.write(
        "UNWIND $ids AS id MATCH (:Report {id: id})-[:SCORED]->(s:Score) DETACH DELETE s",
        {"ids": list(reports)},
        timeout=0,
    )
    transaction.bulk_nodes("Report", list(reports.values()))
    transaction.bulk_edges(
        "ABOUT",
        "Report",
        "Task",
        [{"source": key, "target": row["task_id"]} for key, row in reports.items()],
    )
    transaction.bulk_nodes("Verdict", verdicts)
    transaction.bulk_edges("HAS", "Report", "Verdict", members)
    transaction.bulk_edges("JUDGED", "Verdict", "Atom", judged)


def read_verdict_table(store: Queries, systems: Sequence[str] | None = None) -> VerdictTable:
    """Return the verdicts of a store by traversal from tasks over reports.

    Args:
        store: The store.
        systems: Only these systems.
    """
    texts = [
        text
        for place, system, text in sorted(_texts(store))
        if systems is None or system in systems
    ]
    data = "\n".join(texts).encode()
    return parse_verdicts([("store", data)])


def _texts(store: Queries) -> Iterable[tuple[int, str, str]]:
    for query in (
        "MATCH (:Task)<-[:ABOUT]-(r:Report)-[:HAS]->(v:Verdict) "
        "RETURN v.place AS place, r.system AS system, v.json AS json",
        "MATCH (:Task)<-[:ABOUT]-(r:Report) WHERE r.json IS NOT NULL "
        "RETURN r.place AS place, r.system AS system, r.json AS json",
    ):
        for row in store.read(query, timeout=0):
            yield row["place"], row["system"], row["json"]


def verdict_lines(store: Queries) -> Iterable[str]:
    """Yield the lines in the order of loading, as an export holds them."""
    for _, _, text in sorted(_texts(store)):
        yield text + "\n"
