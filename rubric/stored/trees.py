"""Rubric trees in a store: task, dimensions, directions, atoms and facts, read back by traversal.

Each node keeps its own part of the record in ``json``; together they are the tree, so that no
part is said twice and a tree that is read back equals the one that was loaded.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphkit.errors import InputError, Problem
from graphkit.formats import strict_json
from graphkit.stores.base import GraphStore, Queries, StoreTransaction
from graphkit.stores.loading import Progress
from rubric.fact_library import LibraryFact
from rubric.facts import Fact
from rubric.inventory import Inventory, default_inventory
from rubric.literals import read_json
from rubric.logic import DIMENSIONS
from rubric.plan import resolve
from rubric.stored.keys import key_of, parts_of, prepare
from rubric.stored.links import join_verdicts
from rubric.tree import Tree, dump_tree
from rubric.tree_reader import parse_tree

__all__ = ["TREE_BATCH", "load_facts", "load_trees", "read_facts", "read_trees", "task_places"]

TREE_BATCH = 20
"""Trees in one transaction."""

_PARTS = ("directions", "atoms", "facts")


def load_trees(
    store: GraphStore,
    trees: Iterable[Tree],
    *,
    inventory: Inventory | None = None,
    progress: Progress | None = None,
    batch: int = TREE_BATCH,
) -> int:
    """Load rubric trees.

    Each batch is one transaction. A tree that is there already with the same content stays; one
    with the same task and other content replaces it: its verdicts are joined to the new atoms
    and its scores go away.

    Args:
        store: The store, open for writing.
        trees: The trees. Of several with one task the last one counts.
        inventory: The shared directions.
        progress: Is told how many of how many trees are in the store.
        batch: Trees in one transaction.

    Returns:
        How many trees were new or changed.
    """
    prepare(store)
    known = {
        row["id"]: row
        for row in store.read(
            "MATCH (t:Task) RETURN t.id AS id, t.place AS place, t.digest AS digest", timeout=0
        )
    }
    given = {tree.task_id: tree for tree in trees}
    records = {name: dump_tree(tree) for name, tree in given.items()}
    digests = {name: _digest(record) for name, record in records.items()}
    changed = [
        name for name in given if name not in known or known[name]["digest"] != digests[name]
    ]
    place = max((row["place"] for row in known.values()), default=-1) + 1
    done = 0
    for part in parts_of(changed, batch):
        with store.transaction() as transaction:
            old = [name for name in part if name in known]
            _remove(transaction, old)
            rows = _Rows()
            for name in part:
                at = known[name]["place"] if name in known else place
                place += name not in known
                rows.add(given[name], records[name], digests[name], at,
                         inventory or default_inventory())  # fmt: skip
            rows.write(transaction)
            join_verdicts(transaction, old)
        done += len(part)
        if progress is not None:
            progress(done, len(changed))
    return len(changed)


def _digest(record: Mapping[str, Any]) -> str:
    return hashlib.sha256(strict_json.dumps(dict(record)).encode("utf-8", "replace")).hexdigest()


def _remove(transaction: StoreTransaction, tasks: Sequence[str]) -> None:
    """Take away the parts of trees and their scores; facts of a library stay."""
    if not tasks:
        return
    head = "UNWIND $ids AS id MATCH (:Task {id: id})"
    for pattern in (
        "<-[:ABOUT]-(:Report)-[:SCORED]->(n:Score)",
        "-[:HAS]->(:Dimension)-[:HAS]->(:Direction)-[:HAS]->(n:Atom)",
        "-[:HAS]->(:Dimension)-[:HAS]->(n:Direction)",
        "-[:HAS]->(n:Dimension)",
    ):
        transaction.write(f"{head}{pattern} DETACH DELETE n", {"ids": list(tasks)}, timeout=0)
    transaction.write(
        f"{head}-[:HAS]->(n:RubricFact) WHERE n.library IS NULL OR n.library = false "
        "DETACH DELETE n",
        {"ids": list(tasks)},
        timeout=0,
    )


class _Rows:
    """The nodes and edges of some trees."""

    def __init__(self) -> None:
        self.nodes: dict[str, list[dict[str, Any]]] = {
            name: [] for name in ("Task", "Dimension", "Direction", "Atom", "RubricFact")
        }
        self.edges: dict[tuple[str, str, str], list[dict[str, Any]]] = {}

    def add(
        self, tree: Tree, record: Mapping[str, Any], digest: str, place: int, inventory: Inventory
    ) -> None:
        """Add one tree."""
        task = tree.task_id
        head = {name: value for name, value in record.items() if name not in _PARTS}
        self.nodes["Task"].append(
            {"id": task, "language": tree.language, "atoms": len(tree.atoms), "place": place,
             "keys": list(record), "digest": digest, "json": strict_json.dumps(head)}
        )  # fmt: skip
        resolved = resolve(tree, inventory)
        weights = tree.weights.as_tuple if tree.weights else (None, None, None)
        for dimension, weight in zip(DIMENSIONS, weights, strict=True):
            if not any(item.dimension is dimension for item in resolved.values()):
                continue
            key = key_of(task, dimension.value)
            self.nodes["Dimension"].append(
                {"id": key, "task_id": task, "dimension": dimension.value,
                 "weight": None if weight is None else float(weight)}
            )  # fmt: skip
            self._edge("HAS", "Task", "Dimension", task, key)
        declared = {item["id"]: item for item in record.get("directions", ())}
        for number, (name, direction) in enumerate(resolved.items()):
            if direction.dimension is None:
                raise InputError(f"task {task}: direction {name} has no dimension")
            entry = declared.get(name)
            tau, kappa = direction.tau, direction.kappa
            key = key_of(task, name)
            self.nodes["Direction"].append(
                {"id": key, "task_id": task, "direction": name,
                 "dimension": direction.dimension.value,
                 "role": None if direction.role is None else direction.role.value,
                 "logic": direction.logic, "na_reason": direction.na_reason,
                 "tau": None if tau is None else float(tau), "kappa": kappa,
                 "atoms": len(tree.atoms_of.get(name, ())), "place": number,
                 "json": None if entry is None else strict_json.dumps(entry)}
            )  # fmt: skip
            self._edge(
                "HAS", "Dimension", "Direction", key_of(task, direction.dimension.value), key
            )
        self._atoms(tree, record, {name: item.dimension for name, item in resolved.items()})
        self._facts(task, tree.facts, record.get("facts", ()), library=False)
        known = {fact.fact_id for fact in tree.facts}
        for atom in tree.atoms:
            for number, fact in enumerate(atom.fact_ids):
                if fact not in known:
                    known.add(fact)
                    self._fact_node(task, fact, None, number)
                self._edge("ABOUT", "Atom", "RubricFact", key_of(task, atom.id), key_of(task, fact))

    def _atoms(self, tree: Tree, record: Mapping[str, Any], dimensions: Mapping[str, Any]) -> None:
        for number, (atom, entry) in enumerate(
            zip(tree.atoms, record.get("atoms", ()), strict=True)
        ):
            level = tree.level(atom.id)
            key = key_of(tree.task_id, atom.id)
            self.nodes["Atom"].append(
                {"id": key, "task_id": tree.task_id, "atom_id": atom.id,
                 "direction": atom.direction, "dimension": dimensions[atom.direction].value,
                 "question": atom.question, "expected": atom.expected.value,
                 "evaluator": atom.evaluator.value, "impact": atom.impact,
                 "level": None if level is None else level.value,
                 "fact_ids": list(atom.fact_ids), "place": number,
                 "json": strict_json.dumps(entry)}
            )  # fmt: skip
            self._edge("HAS", "Direction", "Atom", key_of(tree.task_id, atom.direction), key)

    def _facts(
        self, task: str, facts: Iterable[Fact], records: Iterable[Any], *, library: bool
    ) -> None:
        for number, (fact, entry) in enumerate(zip(facts, records, strict=True)):
            self.fact(task, fact, entry, number, library=library)

    def fact(self, task: str, fact: Fact, entry: Any, place: int, *, library: bool) -> None:
        """Add one fact with its relations to others."""
        self._fact_node(task, fact.fact_id, fact, place, entry, library=library)
        related = [(item.type.value, item.target) for item in fact.relations]
        related += [("contradicts", other) for other in fact.conflicts_with]
        for kind, other in dict.fromkeys(related):
            self._edge("RELATES", "RubricFact", "RubricFact", key_of(task, fact.fact_id),
                       key_of(task, other), kind=kind)  # fmt: skip

    def _fact_node(
        self, task: str, name: str, fact: Fact | None, place: int, entry: Any = None,
        *, library: bool = False,
    ) -> None:  # fmt: skip
        key = key_of(task, name)
        row: dict[str, Any] = {"id": key, "task_id": task, "fact_id": name}
        if fact is not None:
            row |= {
                "claim": fact.claim, "origin": None if fact.origin is None else fact.origin.value,
                "status": None if fact.status is None else fact.status.value,
                "domains": sorted(fact.domains), "place": place, "library": library,
                "json": strict_json.dumps(entry),
            }  # fmt: skip
        self.nodes["RubricFact"].append(row)
        self._edge("HAS", "Task", "RubricFact", task, key)

    def _edge(self, name: str, source: str, target: str, start: str, end: str, **more: Any) -> None:
        row = {"source": start, "target": end, **more}
        self.edges.setdefault((name, source, target), []).append(row)

    def write(self, transaction: StoreTransaction) -> None:
        """Write all."""
        for label, rows in self.nodes.items():
            transaction.bulk_nodes(label, rows)
        for (name, source, target), rows in self.edges.items():
            transaction.bulk_edges(name, source, target, rows)


def load_facts(store: GraphStore, facts: Iterable[LibraryFact]) -> int:
    """Load facts of a library beside those of the trees.

    Args:
        store: The store, open for writing.
        facts: The facts; each names its task.

    Returns:
        How many were new or changed.

    Raises:
        InputError: A fact names no task, its task has no tree in the store, or the tree itself
            says otherwise of it; all of them are listed.
    """
    prepare(store)
    tasks = set(task_places(store))
    known = {
        row["id"]: (row["library"], row["json"])
        for row in store.read(
            "MATCH (f:RubricFact) RETURN f.id AS id, f.library AS library, f.json AS json",
            timeout=0,
        )
    }
    problems: list[Problem] = []
    rows = _Rows()
    changed = 0
    for number, item in enumerate(facts):
        subject = f"fact {item.fact.fact_id}"
        if item.task_id is None:
            problems.append(Problem("task_id: missing; a fact in the store belongs to a task",
                                    "no_task", item.file, item.line, subject))  # fmt: skip
            continue
        if item.task_id not in tasks:
            problems.append(Problem(f"no tree of task {item.task_id} is in the store",
                                    "unknown_task", item.file, item.line, subject))  # fmt: skip
            continue
        entry = item.fact.model_dump(mode="json", exclude_unset=True)
        library, text = known.get(key_of(item.task_id, item.fact.fact_id), (True, None))
        if text is not None and not library:
            if Fact.model_validate({**json.loads(text), "task_id": item.task_id}) != (
                item.fact.model_copy(update={"task_id": item.task_id})
            ):
                problems.append(Problem("the tree of its task says otherwise of it",
                                        "duplicate_id", item.file, item.line, subject))  # fmt: skip
            continue
        if text != strict_json.dumps(entry):
            rows.fact(item.task_id, item.fact, entry, number, library=True)
            changed += 1
    if problems:
        raise InputError(problems)
    ends = {row["target"] for row in rows.edges.get(("RELATES", "RubricFact", "RubricFact"), ())}
    have = {row["id"] for row in rows.nodes["RubricFact"]} | set(known)
    loose = sorted(ends - have)
    if loose:
        problems = [Problem("a relation leads to a fact that is not there", "unknown_fact",
                            subject=f"fact {key}") for key in loose]  # fmt: skip
        raise InputError(problems)
    with store.transaction() as transaction:
        rows.write(transaction)
    return changed


def read_facts(store: Queries) -> list[tuple[str, dict[str, Any]]]:
    """Return (task, record) of the facts of libraries, in the order of loading."""
    rows = store.read(
        "MATCH (t:Task)-[:HAS]->(f:RubricFact) WHERE f.library = true "
        "RETURN t.id AS task, f.json AS json ORDER BY t.place, f.place, f.id",
        timeout=0,
    )
    return [(row["task"], read_json(row["json"])) for row in rows]


def task_places(store: Queries) -> dict[str, int]:
    """Return the tasks whose trees are in the store, and their places."""
    rows = store.read("MATCH (t:Task) RETURN t.id AS id, t.place AS place", timeout=0)
    return {row["id"]: row["place"] for row in rows}


_TASKS = (
    "MATCH (t:Task) RETURN t.id AS id, t.keys AS keys, t.json AS json ORDER BY t.place"
)  # fmt: skip
_BRANCHES = {
    "directions": "MATCH (t:Task)-[:HAS]->(:Dimension)-[:HAS]->(n:Direction) "
    "WHERE n.json IS NOT NULL RETURN t.id AS task, n.json AS json, n.place AS place",
    "atoms": "MATCH (t:Task)-[:HAS]->(:Dimension)-[:HAS]->(:Direction)-[:HAS]->(n:Atom) "
    "RETURN t.id AS task, n.json AS json, n.place AS place",
    "facts": "MATCH (t:Task)-[:HAS]->(n:RubricFact) "
    "WHERE n.library = false AND n.json IS NOT NULL "
    "RETURN t.id AS task, n.json AS json, n.place AS place",
}


def read_records(store: Queries) -> list[dict[str, Any]]:
    """Return the records of all trees, put together by traversal from task to atoms."""
    found: dict[str, tuple[list[str], dict[str, Any]]] = {}
    for row in store.read(_TASKS, timeout=0):
        found[row["id"]] = (row["keys"], read_json(row["json"]))
    for name, query in _BRANCHES.items():
        parts: dict[str, list[tuple[int, str]]] = {}
        for row in store.read(query, timeout=0):
            parts.setdefault(row["task"], []).append((row["place"], row["json"]))
        for task, (keys, record) in found.items():
            if name in keys:
                record[name] = [read_json(text) for _, text in sorted(parts.get(task, ()))]
    return [{key: record[key] for key in keys} for keys, record in found.values()]


def read_trees(store: Queries, *, inventory: Inventory | None = None) -> tuple[Tree, ...]:
    """Return the trees of a store, each equal to the one that was loaded, in their order.

    Args:
        store: The store.
        inventory: The shared directions.

    Raises:
        RubricError: A tree is outside a domain under this inventory.
    """
    return tuple(
        parse_tree(record, f"store: task {record['task_id']}", inventory=inventory)
        for record in read_records(store)
    )


def tree_lines(store: Queries) -> Iterable[str]:
    """Yield the trees as lines of JSON, as an export holds them."""
    for record in read_records(store):
        yield strict_json.dumps(_plain(record)) + "\n"


def _plain(value: Any) -> Any:
    """Return data without the literals that the reader keeps."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return float(value) if isinstance(value, float) else value
