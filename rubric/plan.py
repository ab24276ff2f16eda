"""A tree under its parameters: directions resolved, weights normalised, domains checked. Pure.

Precedence of parameters: override (flag or grid) > tree > settings file > default.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from graphkit.errors import Problem, did_you_mean
from rubric.errors import RubricError
from rubric.inventory import Inventory, default_inventory
from rubric.logic import Dimension, Expected, Role, least
from rubric.settings import EVERY, GuardMode, Overrides, Settings
from rubric.tree import Direction, Tree

__all__ = [
    "Plan",
    "PlannedDirection",
    "check_overrides",
    "make_plan",
    "plan_problems",
    "resolve",
    "tuned",
]

_NO_OVERRIDES = Overrides()


@dataclass(frozen=True, slots=True)
class PlannedDirection:
    """A direction with everything that scoring needs.

    Attributes:
        id: Its id.
        dimension: Its dimension.
        role: Core or gate.
        logic: The declared logic.
        tau: The saturation threshold, if any.
        kappa: The cap of its weight, if any.
        atoms: Positions of its atoms in the tree.
    """

    id: str
    dimension: Dimension
    role: Role
    logic: str
    tau: Fraction | None
    kappa: int | None
    atoms: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Plan:
    """What the scorer reads; made by :func:`make_plan`.

    Attributes:
        tree: The tree.
        weights: Normalised lambda, in the order content, citation, presentation.
        directions: The resolved directions.
        guard: Which guard is used.
        coverage: Positions of the coverage directions in ``directions``.
    """

    tree: Tree
    weights: tuple[Fraction, ...]
    directions: tuple[PlannedDirection, ...]
    guard: GuardMode
    coverage: frozenset[int]

    @functools.cached_property
    def direction_of(self) -> tuple[int, ...]:
        """The position of the direction of each atom."""
        found = [0] * len(self.tree.atoms)
        for position, direction in enumerate(self.directions):
            for atom in direction.atoms:
                found[atom] = position
        return tuple(found)

    @functools.cached_property
    def citation_atoms(self) -> tuple[int, ...]:
        """Positions of the atoms under citation directions, gates included."""
        return tuple(
            atom
            for atom, place in enumerate(self.direction_of)
            if self.directions[place].dimension is Dimension.CITATION
        )

    @functools.cached_property
    def coverage_atoms(self) -> dict[str, tuple[int, ...]]:
        """The atoms of expected ``yes`` in coverage directions, by fact."""
        return self._by_fact(
            tuple(
                atom
                for atom, place in enumerate(self.direction_of)
                if place in self.coverage and self.tree.atoms[atom].expected is Expected.YES
            )
        )

    @functools.cached_property
    def citations(self) -> dict[str, tuple[int, ...]]:
        """The citation atoms by fact."""
        return self._by_fact(self.citation_atoms)

    def _by_fact(self, atoms: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
        table: dict[str, list[int]] = {}
        for atom in atoms:
            for fact in self.tree.atoms[atom].fact_ids:
                table.setdefault(fact, []).append(atom)
        return {fact: tuple(found) for fact, found in table.items()}


def make_plan(
    tree: Tree,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    inventory: Inventory | None = None,
) -> Plan:
    """Resolve a tree under its parameters.

    Args:
        tree: The tree.
        settings: From a file or the defaults; the tree wins over them.
        overrides: From flags or a grid; they win over the tree.
        inventory: The shared directions.

    Raises:
        RubricError: A parameter or the tree is outside its domain; every problem at once.

    >>> tree = Tree.model_validate({"task_id": "t", "atoms": [
    ...     {"id": "a", "direction": "C-FC", "expected": "yes", "evaluator": "J"}]})
    >>> make_plan(tree).directions[0].tau, make_plan(tree, overrides=Overrides(
    ...     tau={"*": 0.5})).directions[0].tau
    (Fraction(7, 20), Fraction(1, 2))
    """
    settings = settings or Settings()
    overrides = overrides or _NO_OVERRIDES
    inventory = inventory or default_inventory()
    problems = plan_problems(tree, settings, overrides, inventory)
    if problems:
        raise RubricError(problems)
    directions = tuple(
        _planned(direction, tree, settings, overrides, inventory)
        for direction in resolve(tree, inventory).values()
    )
    weights = overrides.weights or tree.weights or settings.weights
    return Plan(
        tree=tree,
        weights=weights.normalised,
        directions=directions,
        guard=settings.guard,
        coverage=frozenset(
            place for place, direction in enumerate(directions) if direction.id in settings.coverage
        ),
    )


def resolve(tree: Tree, inventory: Inventory) -> dict[str, Direction]:
    """Return the directions of a tree with dimension, role and logic filled in.

    A direction that only atoms name is taken from the inventory; one that cannot be resolved is
    left out, which :func:`plan_problems` reports.
    """
    declared = {direction.id: direction for direction in tree.directions}
    found = {}
    for name in tree.atoms_of:
        known = inventory.by_id.get(name)
        direction = declared.get(name) or Direction(id=name)
        dimension = direction.dimension or (known.dimension if known else None)
        if dimension is None:
            continue
        found[name] = direction.model_copy(
            update={
                "dimension": dimension,
                "role": direction.role or (known.role if known else Role.CORE),
                "logic": direction.logic or (known.logic if known else "all"),
            }
        )
    return found


def _planned(
    direction: Direction, tree: Tree, settings: Settings, overrides: Overrides, inventory: Inventory
) -> PlannedDirection:
    assert direction.dimension is not None
    assert direction.role is not None
    assert direction.logic is not None
    return PlannedDirection(
        id=direction.id,
        dimension=direction.dimension,
        role=direction.role,
        logic=direction.logic,
        tau=tuned("tau", direction, tree, settings, overrides, inventory),
        kappa=tuned("kappa", direction, tree, settings, overrides, inventory),
        atoms=tree.atoms_of[direction.id],
    )


def tuned(
    name: str,
    direction: Direction,
    tree: Tree,
    settings: Settings,
    overrides: Overrides,
    inventory: Inventory,
) -> Any:
    """Return tau or kappa of a resolved direction by precedence."""
    known = inventory.by_id.get(direction.id)
    saturated = bool(known and known.saturated) and direction.dimension is Dimension.CONTENT
    value: Any = None
    for table in (getattr(settings, name), getattr(tree, name)):
        if saturated and EVERY in table:
            value = table[EVERY]
        if direction.id in table:
            value = table[direction.id]
    if name in direction.model_fields_set:
        value = getattr(direction, name)
    last: Mapping[str, Any] = getattr(overrides, name)
    if EVERY in last and (value is not None or saturated):
        value = last[EVERY]
    return last.get(direction.id, value)


def check_overrides(overrides: Overrides, trees: Iterable[Tree], inventory: Inventory) -> None:
    """Refuse ``tau`` or ``kappa`` of a direction that neither trees nor inventory know.

    Raises:
        RubricError: There is one; all of them at once.
    """
    named = {
        (name, key)
        for name in ("tau", "kappa")
        for key in getattr(overrides, name)
        if key != EVERY and key not in inventory.by_id
    }
    if not named:
        return
    known = {direction for tree in trees for direction in tree.atoms_of}
    problems = [
        Problem(
            f"{name}: no tree has this direction" + did_you_mean(key, {*known, *inventory.by_id}),
            "unknown_direction",
            subject=f"direction {key}",
        )
        for name, key in sorted(named)
        if key not in known
    ]
    if problems:
        raise RubricError(problems)


def plan_problems(
    tree: Tree, settings: Settings, overrides: Overrides, inventory: Inventory
) -> list[Problem]:
    """Return everything that section 1 of the semantics forbids in a tree of valid fields."""
    found: list[Problem] = []
    for kind, ids in (
        ("direction", [item.id for item in tree.directions]),
        ("atom", [item.id for item in tree.atoms]),
        ("fact", [item.fact_id for item in tree.facts]),
    ):
        found += duplicate_problems(kind, ids)
    resolved = resolve(tree, inventory)
    choices = [*inventory.by_id, *tree.atoms_of]
    for direction in tree.directions:
        if direction.id not in resolved:
            found.append(
                Problem(
                    "dimension: missing, and the id is not in the inventory"
                    + did_you_mean(direction.id, inventory.by_id),
                    "unknown_direction",
                    subject=f"direction {direction.id}",
                )
            )
    declared = {direction.id for direction in tree.directions}
    found += [
        Problem(
            f"direction: {atom.direction!r} is neither in the tree nor in the inventory"
            + did_you_mean(atom.direction, set(choices) - {atom.direction}),
            "unknown_direction",
            subject=f"atom {atom.id}",
        )
        for atom in tree.atoms
        if atom.direction not in resolved and atom.direction not in declared
    ]
    for name in ("tau", "kappa"):
        found += [
            Problem(
                f"{name}: {key!r} is not a direction of the tree",
                "unknown_direction",
                subject="tree",
            )
            for key in getattr(tree, name)
            if key != EVERY and key not in tree.atoms_of
        ]
    for direction in resolved.values():
        found += _direction_problems(direction, tree, settings, overrides, inventory)
    return found


def duplicate_problems(kind: str, ids: list[str]) -> list[Problem]:
    """Name every id that is used more than once; ids are never merged."""
    counts: dict[str, int] = {}
    for item in ids:
        counts[item] = counts.get(item, 0) + 1
    return [
        Problem(f"id: used {count} times, expected once", "duplicate_id", subject=f"{kind} {item}")
        for item, count in counts.items()
        if count > 1
    ]


def _direction_problems(
    direction: Direction, tree: Tree, settings: Settings, overrides: Overrides, inventory: Inventory
) -> list[Problem]:
    found = []
    subject = f"direction {direction.id}"
    atoms = len(tree.atoms_of[direction.id])
    content = direction.dimension is Dimension.CONTENT
    tau = tuned("tau", direction, tree, settings, overrides, inventory)
    if tau is not None and not content:
        found.append(
            Problem(
                f"tau: only a content direction has one, and this is {direction.dimension}",
                "tau_domain",
                subject=subject,
            )
        )
    if direction.id in settings.coverage and not content:
        found.append(
            Problem(
                f"coverage: only a content direction covers facts, and this is "
                f"{direction.dimension}",
                "coverage_domain",
                subject=subject,
            )
        )
    bound = least(direction.logic or "all")
    if bound is not None and bound > atoms and not (atoms == 0 and direction.na_reason):
        found.append(
            Problem(
                f"logic: at_least:{bound} needs {bound} atoms, but the direction has {atoms}",
                "logic_bound",
                subject=subject,
            )
        )
    if direction.role is Role.GATE and not atoms and not (direction.na_reason or "").strip():
        found.append(
            Problem(
                "na_reason: missing; a gate has atoms or says why it has none",
                "empty_gate",
                subject=subject,
            )
        )
    return found
