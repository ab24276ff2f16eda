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
from rubric.verdicts import NA, NO, SKIPPED, YES, VerdictTable, unknown_task

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
    def task_ids(self) -> tuple[str, ...]:
        """The task of each tree."""
        return tuple(plan.tree.task_id for plan in self.plans)

    @functools.cached_property
    def dimension_matrix(self) -> npt.NDArray[np.float64]:
        """Columns by dimension: 1 where a column belongs to it."""
        return np.array([[float(slot.dimension is dimension) for dimension in DIMENSIONS]
                         for slot in self.slots]).reshape(len(self.slots), len(DIMENSIONS))

    def columns(self, **wanted: object) -> Ints:
        """Return the columns whose attributes are as given."""
        return np.array([place for place, slot in enumerate(self.slots)
                         if all(getattr(slot, name) == value for name, value in wanted.items())],
                        dtype=np.int64)

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


def compile_trees(trees: Iterable[Tree], settings: Settings | None = None,
                  inventory: Inventory | None = None) -> CompiledTrees:
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
    twice = [one.task_id for one, other in itertools.pairwise(listed)
             if one.task_id == other.task_id]
    if twice:
        raise RubricError(f"task {twice[0]}: two trees have this task_id")
    plans = tuple(make_plan(tree, settings, None, inventory) for tree in listed)
    slots: dict[Slot, int] = {}
    slot_of = []
    for plan in plans:
        places = [slots.setdefault(Slot(item.id, item.dimension, item.role, item.logic,
                                        place in plan.coverage), len(slots))
                  for place, item in enumerate(plan.directions)]
        slot_of.append(np.array(places, dtype=np.int64))
    atoms = [(int(places[plan.direction_of[position]]), atom.expected is Expected.YES)
             for plan, places in zip(plans, slot_of, strict=True)
             for position, atom in enumerate(plan.tree.atoms)]
    ranks = [_ranks([atom.id for atom in tree.atoms]) for tree in listed]
    return CompiledTrees(
        settings=settings, inventory=inventory, plans=plans, slots=tuple(slots),
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
    pairs = sorted({(atom, other) for fact, citing in plan.citations.items()
                    for atom in citing for other in plan.coverage_atoms.get(fact, ())})
    held = sorted((atom, rank[fact]) for fact, citing in plan.citations.items() for atom in citing)
    covered = sorted((atom, rank[fact]) for fact, atoms in plan.coverage_atoms.items()
                     for atom in atoms)
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

    @functools.cached_property
    def tree(self) -> Ints:
        """The tree of each report."""
        return np.repeat(np.arange(len(self.compiled.plans)), len(self.systems))

    @functools.cached_property
    def base(self) -> Ints:
        """The first atom of each report in ``values``."""
        return report_base(self.compiled, len(self.systems))

    @functools.cached_property
    def cell(self) -> Ints:
        """For each value ``report * columns + column``."""
        many, width = len(self.systems), len(self.compiled.slots)
        starts = self.compiled.starts.tolist()
        shift = (np.arange(many) * width)[:, None]
        parts = [
            (shift + (self.compiled.atom_slot[starts[place]:starts[place + 1]]
                      + place * many * width)).ravel()
            for place in range(len(self.compiled.plans))]
        return np.concatenate([np.zeros(0, dtype=np.int64), *parts])

    @functools.cached_property
    def counts(self) -> tuple[Ints, Ints]:
        """Scored and passed atoms, reports by columns, before any guard."""
        shape = (len(self.base), len(self.compiled.slots))
        size = shape[0] * shape[1]
        scored = np.bincount(self.cell[self.values <= NO], minlength=size)
        passed = np.bincount(self.cell[self.values == PASSED], minlength=size)
        return scored.reshape(shape), passed.reshape(shape)

    def of_report(self, report: int) -> list[int]:
        """Return the outcomes of one report, as the exact scorer takes them."""
        start = int(self.base[report])
        stop = start + int(self.compiled.sizes[self.tree[report]])
        found: list[int] = self.values[start:stop].tolist()
        return found


def report_base(compiled: CompiledTrees, systems: int) -> Ints:
    """Return the first atom of each report."""
    base: Ints = (compiled.starts[:-1, None] * systems
                  + compiled.sizes[:, None] * np.arange(systems)).ravel()
    return base


def align(compiled: CompiledTrees, table: VerdictTable,
          systems: Iterable[str] | None = None) -> Outcomes:
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
    problems = [problem for task in table.task_names if task not in task_place
                for problem in unknown_task(task, task_place).problems]
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
        tree = np.array([task_place[task] for task in table.tasks], dtype=np.int64)[table.task]
        column = np.array([system_place.get(name, -1) for name in table.systems],
                          dtype=np.int64)[table.system]
        report = tree * len(names) + column
        position = _positions(compiled, table, tree)
        known = column >= 0
        has_line[report[known]] = True
        known &= position >= 0
        code = table.code
        if not known.all():
            tree, report, position = tree[known], report[known], position[known]
            code = code[known]
        turned = np.array([[FAILED, PASSED, NA, SKIPPED], [PASSED, FAILED, NA, SKIPPED]],
                          dtype=np.int8)
        assert (YES, NO) == (0, 1)
        expected = compiled.atom_yes[compiled.starts[tree] + position]
        where = report_base(compiled, len(names))[report] + position
        values[where] = turned[expected.astype(np.int8), code]
    if failed.any():
        sizes = np.repeat(compiled.sizes, len(names))
        values[np.repeat(failed, sizes)] = SKIPPED
    return Outcomes(compiled, names, values, has_line, failed)


def _positions(compiled: CompiledTrees, table: VerdictTable, tree: Ints) -> Ints:
    """Return the position of the atom of each row in its tree, or -1."""
    number = {atom: place for place, atom in enumerate(table.atoms)}
    width = len(table.atoms)
    keys = [np.array([number.get(atom.id, -1) for atom in plan.tree.atoms], dtype=np.int64)
            for plan in compiled.plans]
    if width * len(keys) <= _DENSE:
        lookup = np.full((len(keys), width), -1, dtype=np.int64)
        for place, found in enumerate(keys):
            here = np.flatnonzero(found >= 0)
            lookup[place, found[here]] = here
        return lookup[tree, table.atom]
    every = np.concatenate([np.where(found >= 0, place * width + found, -1)
                            for place, found in enumerate(keys)])
    position = np.concatenate([np.arange(len(found)) for found in keys])
    order = np.argsort(every)
    wanted = tree * width + table.atom
    slot = np.minimum(np.searchsorted(every[order], wanted), len(every) - 1)
    return np.where(every[order][slot] == wanted, position[order][slot], -1)
