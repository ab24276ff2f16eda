"""Trees as arrays, and the outcomes of many reports laid out beside them. Pure."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rubric.aggregate import FAILED, PASSED
from rubric.errors import RubricError
from rubric.inventory import Inventory, default_inventory
from rubric.logic import DIMENSIONS, Dimension, Expected, Role, least
from rubric.plan import Plan, make_plan
from rubric.settings import Settings
from rubric.tree import Tree
from rubric.verdicts import NA, NO, SKIPPED, WORDS, YES, VerdictTable, unknown_task

__all__ = ["CompiledTrees", "Outcomes", "Slot", "align", "compile_trees"]

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]

_DENSE = 1 << 24


@dataclass(frozen=True, slots=True)
class Slot:
    """A column: a direction as trees declare it; trees that declare it alike share the column."""

    id: str
    dimension: Dimension
    role: Role
    logic: str
    covers: bool


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Pairs of one tree: which atoms share a fact, and which facts an atom has.

    Attributes:
        citing: Citation atoms, one entry for each pair with a positive coverage atom.
        covering: The coverage atoms of these pairs.
        holder: Citation atoms, one entry for each of their facts.
        fact: The rank of that fact among all of the tree, by code point.
        covered: Positive coverage atoms, one entry for each of their facts.
        covered_fact: The rank of that fact.
        facts: The number of facts of the tree.
    """

    citing: Ints
    covering: Ints
    holder: Ints
    fact: Ints
    covered: Ints
    covered_fact: Ints
    facts: int


@dataclass(frozen=True, eq=False)
class CompiledTrees:
    """Trees under their settings, as arrays; made by :func:`compile_trees`.

    Attributes:
        settings: The settings, without overrides.
        inventory: The shared directions.
        plans: The plan of each tree, in the order of task ids.
        slots: The columns.
        slot_of: For each tree the column of each of its directions.
        sizes: Atoms of each tree.
        atom_slot: The column of each atom, tree after tree.
        atom_yes: Whether its expected verdict is ``yes``.
        atom_rank: Its rank by id within its tree, by code point.
        links: The pairs of each tree.
    """

    settings: Settings
    inventory: Inventory
    plans: tuple[Plan, ...]
    slots: tuple[Slot, ...]
    slot_of: tuple[Ints, ...]
    sizes: Ints
    atom_slot: Ints
    atom_yes: Mask
    atom_rank: Ints
    links: tuple[Links, ...]

    @functools.cached_property
    def starts(self) -> Ints:
        """The first atom of each tree."""
        found: Ints = np.concatenate(([0], np.cumsum(self.sizes)))
        return found

    @functools.cached_property
    def atom_ids(self) -> tuple[str, ...]:
        """The ids of all atoms, tree after tree."""
        return tuple(atom.id for plan in self.plans for atom in plan.tree.atoms)

    @functools.cached_property
    def task_ids(self) -> tuple[str, ...]:
        """The task of each tree."""
        return tuple(plan.tree.task_id for plan in self.plans)

    @functools.cached_property
    def dimension_matrix(self) -> npt.NDArray[np.float64]:
        """Columns by dimension: 1 where a column belongs to it."""
        return np.array(
            [
                [float(slot.dimension is dimension) for dimension in DIMENSIONS]
                for slot in self.slots
            ]
        ).reshape(len(self.slots), len(DIMENSIONS))

    def columns(self, **wanted: object) -> Ints:
        """Return the columns whose attributes are as given."""
        return np.array(
            [
                place
                for place, slot in enumerate(self.slots)
                if all(getattr(slot, name) == value for name, value in wanted.items())
            ],
            dtype=np.int64,
        )

    def failed_gates(self, scored: Ints, passed: Ints) -> list[tuple[int, Mask]]:
        """Return the gate columns with the rows in which their logic fails."""
        found = []
        for place, slot in enumerate(self.slots):
            if slot.role is not Role.GATE:
                continue
            n, s = scored[:, place], passed[:, place]
            if slot.logic == "all":
                fails = s != n
            elif slot.logic == "any":
                fails = s < 1
            elif slot.logic == "majority":
                fails = 2 * s <= n
            else:
                fails = s < (least(slot.logic) or 0)
            found.append((place, fails))
        return found


def compile_trees(
    trees: Iterable[Tree], settings: Settings | None = None, inventory: Inventory | None = None
) -> CompiledTrees:
    """Turn trees into arrays, once for any number of reports and settings.

    Args:
        trees: The trees; each task once.
        settings: Parameters from a file or the defaults.
        inventory: The shared directions.

    Raises:
        RubricError: A tree or a parameter is outside its domain, or a task has two trees.
    """
    settings = settings or Settings()
    inventory = inventory or default_inventory()
    listed = sorted(trees, key=lambda tree: tree.task_id)
    twice = [
        one.task_id for one, other in itertools.pairwise(listed) if one.task_id == other.task_id
    ]
    if twice:
        raise RubricError(f"task {twice[0]}: two trees have this task_id")
    plans = tuple(make_plan(tree, settings, None, inventory) for tree in listed)
    slots: dict[Slot, int] = {}
    slot_of = []
    for plan in plans:
        places = [
            slots.setdefault(
                Slot(item.id, item.dimension, item.role, item.logic, place in plan.coverage),
                len(slots),
            )
            for place, item in enumerate(plan.directions)
        ]
        slot_of.append(np.array(places, dtype=np.int64))
    atoms = [
        (int(places[plan.direction_of[position]]), atom.expected is Expected.YES)
        for plan, places in zip(plans, slot_of, strict=True)
        for position, atom in enumerate(plan.tree.atoms)
    ]
    ranks = [_ranks([atom.id for atom in tree.atoms]) for tree in listed]
    return CompiledTrees(
        settings=settings,
        inventory=inventory,
        plans=plans,
        slots=tuple(slots),
        slot_of=tuple(slot_of),
        sizes=np.array([len(tree.atoms) for tree in listed], dtype=np.int64),
        atom_slot=np.array([slot for slot, _ in atoms], dtype=np.int64),
        atom_yes=np.array([yes for _, yes in atoms], dtype=np.bool_),
        atom_rank=np.concatenate([np.zeros(0, dtype=np.int64), *ranks]),
        links=tuple(_links(plan) for plan in plans),
    )


def _ranks(ids: Sequence[str]) -> Ints:
    rank = {item: place for place, item in enumerate(sorted(ids))}
    return np.array([rank[item] for item in ids], dtype=np.int64)


def _links(plan: Plan) -> Links:
    facts = sorted({fact for atom in plan.tree.atoms for fact in atom.fact_ids})
    rank = {fact: place for place, fact in enumerate(facts)}
    pairs = sorted(
        {
            (atom, other)
            for fact, citing in plan.citations.items()
            for atom in citing
            for other in plan.coverage_atoms.get(fact, ())
        }
    )
    held = sorted((atom, rank[fact]) for fact, citing in plan.citations.items() for atom in citing)
    covered = sorted(
        (atom, rank[fact]) for fact, atoms in plan.coverage_atoms.items() for atom in atoms
    )
    return Links(*_columns(pairs), *_columns(held), *_columns(covered), len(facts))


def _columns(pairs: Sequence[tuple[int, int]]) -> tuple[Ints, Ints]:
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The outcomes of every report: tree after tree, system after system, atom after atom.

    Attributes:
        compiled: The trees.
        systems: The systems; report ``tree * len(systems) + system`` is one of them.
        values: The outcome of each atom of each report.
        has_line: Whether a line speaks of the report.
        failed: Whether the report is missing, unreadable or a skeleton.
    """

    compiled: CompiledTrees
    systems: tuple[str, ...]
    values: Codes
    has_line: Mask
    failed: Mask

    @property
    def tree(self) -> Ints:
        """The tree of each report."""
        return _layout(self.compiled, len(self.systems))[0]

    @property
    def base(self) -> Ints:
        """The first atom of each report in ``values``."""
        return _layout(self.compiled, len(self.systems))[1]

    @property
    def cell(self) -> Ints:
        """For each value ``report * columns + column``."""
        return _layout(self.compiled, len(self.systems))[2]

    @functools.cached_property
    def counts(self) -> tuple[Ints, Ints]:
        """Scored and passed atoms, reports by columns, before any guard."""
        shape = (len(self.base), len(self.compiled.slots))
        kinds = len(WORDS)
        found = np.bincount(self.cell * kinds + self.values, minlength=kinds * shape[0] * shape[1])
        found = found.reshape(*shape, kinds)
        passed = np.ascontiguousarray(found[..., PASSED])
        return passed + found[..., FAILED], passed

    def of_report(self, report: int) -> list[int]:
        """Return the outcomes of one report, as the exact scorer takes them."""
        start = int(self.base[report])
        stop = start + int(self.compiled.sizes[self.tree[report]])
        found: list[int] = self.values[start:stop].tolist()
        return found


@functools.lru_cache(maxsize=8)
def _layout(compiled: CompiledTrees, systems: int) -> tuple[Ints, Ints, Ints]:
    """Return tree and first atom of each report, and the cell of each value."""
    width = len(compiled.slots)
    starts = compiled.starts.tolist()
    shift = (np.arange(systems) * width)[:, None]
    cells = [
        (
            shift
            + (compiled.atom_slot[starts[place] : starts[place + 1]] + place * systems * width)
        ).ravel()
        for place in range(len(compiled.plans))
    ]
    base = compiled.starts[:-1, None] * systems + compiled.sizes[:, None] * np.arange(systems)
    return (
        np.repeat(np.arange(len(compiled.plans)), systems),
        base.ravel(),
        np.concatenate([np.zeros(0, dtype=np.int64), *cells]),
    )


def align(
    compiled: CompiledTrees, table: VerdictTable, systems: Iterable[str] | None = None
) -> Outcomes:
    """Reconcile a verdict table with trees, strictly by atom id.

    An atom without a line is skipped; a line about an atom that the tree does not have is left
    out. Nothing is said here about such lines; :func:`rubric.score.score_reports` does.

    Args:
        compiled: The trees.
        table: The verdicts.
        systems: The systems; all that the table speaks of if not given.

    Raises:
        RubricError: A verdict has no tree.
    """
    task_place = {task: place for place, task in enumerate(compiled.task_ids)}
    problems = [
        problem
        for task in table.task_names
        if task not in task_place
        for problem in unknown_task(task, task_place).problems
    ]
    if problems:
        raise RubricError(problems)
    names = table.system_names if systems is None else tuple(sorted(set(systems)))
    system_place = {name: place for place, name in enumerate(names)}
    values = np.full(int(compiled.sizes.sum()) * len(names), SKIPPED, dtype=np.int8)
    has_line = np.zeros(len(task_place) * len(names), dtype=np.bool_)
    failed = np.zeros_like(has_line)
    for (task, system), word in table.reports.items():
        if system in system_place:
            spoken_of = task_place[task] * len(names) + system_place[system]
            has_line[spoken_of] = True
            failed[spoken_of] = word != "readable"
    if len(table) and len(names):
        trees = np.array([task_place[task] for task in table.tasks], dtype=np.int64)
        columns = np.array([system_place.get(name, -1) for name in table.systems], dtype=np.int64)
        tree, column, code = trees[table.task], columns[table.system], table.code
        found = _positions(compiled, table, tree)
        if columns.min() < 0:
            here = column >= 0
            tree, column, code, found = tree[here], column[here], code[here], found[here]
        has_line[tree * len(names) + column] = True
        if found.min(initial=0) < 0:
            here = found >= 0
            tree, column, code, found = tree[here], column[here], code[here], found[here]
        where = (compiled.starts[:-1] * len(names))[tree] + compiled.sizes[tree] * column
        where += found >> 1
        assert (YES, NO, PASSED, FAILED) == (0, 1, 0, 1)
        values[where] = _TURNED[(found & 1) * len(WORDS) + code]
    if failed.any():
        values[np.repeat(failed, np.repeat(compiled.sizes, len(names)))] = SKIPPED
    return Outcomes(compiled, names, values, has_line, failed)


_TURNED = np.array([PASSED, FAILED, NA, SKIPPED, FAILED, PASSED, NA, SKIPPED], dtype=np.int8)
"""Outcome of each verdict code where ``yes`` is expected, and where ``no`` is."""


class _Numbers(dict[str, int]):
    def __missing__(self, key: str) -> int:
        return -1


def _positions(compiled: CompiledTrees, table: VerdictTable, tree: Ints) -> Ints:
    """Return for each row twice the position of its atom in its tree, odd where ``no`` is
    expected; or -1 where the tree has no such atom.
    """
    number = _Numbers((atom, place) for place, atom in enumerate(table.atoms))
    width = len(table.atoms)
    keys = np.array(list(map(number.__getitem__, compiled.atom_ids)), dtype=np.int64)
    owner = np.repeat(np.arange(len(compiled.plans)), compiled.sizes)
    coded = 2 * (np.arange(len(keys)) - compiled.starts[owner]) + ~compiled.atom_yes
    there = keys >= 0
    every, coded = (owner * width + keys)[there], coded[there]
    wanted = tree * width + table.atom
    if width * len(compiled.plans) <= _DENSE:
        lookup = np.full(width * len(compiled.plans), -1, dtype=np.int64)
        lookup[every] = coded
        found: Ints = lookup[wanted]
        return found
    order = np.argsort(every)
    every, coded = every[order], coded[order]
    if not len(every):
        return np.full(len(wanted), -1, dtype=np.int64)
    slot = np.minimum(np.searchsorted(every, wanted), len(every) - 1)
    return np.where(every[slot] == wanted, coded[slot], -1)
