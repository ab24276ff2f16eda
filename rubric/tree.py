"""The rubric tree: task, directions, atoms and facts as frozen values. No I/O."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, StrictStr, ValidationInfo, field_validator

from rubric.facts import Fact, evidence_level
from rubric.literals import Exact
from rubric.logic import Dimension, Evaluator, Expected, Level, Role, check_logic
from rubric.settings import Weights, check_kappa, check_tau

__all__ = ["Atom", "Direction", "Tree", "dump_tree"]

_CONFIG = ConfigDict(frozen=True, extra="allow")


class Direction(BaseModel):
    """A direction as a tree declares it; what is not said comes from the inventory.

    ``tau`` and ``kappa`` said here win over the settings, ``null`` included: it switches the
    saturation or the cap off for this tree.
    """

    model_config = _CONFIG

    id: StrictStr = Field(min_length=1)
    dimension: Dimension | None = None
    role: Role | None = None
    logic: StrictStr | None = None
    tau: Exact | None = None
    kappa: int | None = None
    na_reason: StrictStr | None = None

    @field_validator("logic")
    @classmethod
    def _logic(cls, value: str | None) -> str | None:
        return None if value is None else check_logic(value)

    @field_validator("tau", mode="before")
    @classmethod
    def _tau(cls, value: Any) -> Any:
        return check_tau(value)

    @field_validator("kappa", mode="before")
    @classmethod
    def _kappa(cls, value: Any) -> Any:
        return check_kappa(value)


class Atom(BaseModel):
    """A binary criterion.

    Attributes:
        id: Its id in the tree.
        direction: The direction it belongs to.
        question: The criterion, as a question.
        expected: The verdict that earns its point.
        evaluator: Model judge (J) or deterministic check (M).
        level: The level as stated; :meth:`Tree.level` computes it from the evidence.
        fact_ids: The facts it is bound to; a set, so that a repetition says nothing.
        impact: What the reader loses when it fails; for a machine atom without a fact.
    """

    model_config = _CONFIG

    id: StrictStr = Field(min_length=1)
    direction: StrictStr = Field(min_length=1)
    question: StrictStr = ""
    expected: Expected
    evaluator: Evaluator
    level: Level | None = None
    fact_ids: tuple[StrictStr, ...] = ()
    impact: StrictStr | None = None

    @field_validator("fact_ids", mode="before")
    @classmethod
    def _set(cls, value: Any) -> Any:
        if value is None:
            return ()
        if isinstance(value, list | tuple | set | frozenset):
            items = sorted(value) if isinstance(value, set | frozenset) else value
            if all(isinstance(item, str) for item in items):
                return tuple(dict.fromkeys(items))
        return value


class Tree(BaseModel):
    """A rubric tree: OmniDR-Bench, 3.2. Unknown keys are kept.

    Construction checks the fields; :func:`rubric.tree_reader.parse_tree` checks the whole tree.

    >>> tree = Tree.model_validate({"task_id": "t1", "directions": ["C-FC"], "atoms": [
    ...     {"id": "fc1", "direction": "C-FC", "question": "?", "expected": "yes",
    ...      "evaluator": "J", "fact_ids": ["f1"]}]})
    >>> tree.atoms_by_id["fc1"].expected.value
    'yes'
    """

    model_config = _CONFIG

    task_id: StrictStr = Field(min_length=1)
    language: StrictStr | None = None
    weights: Weights | None = None
    tau: dict[str, Exact | None] = Field(default_factory=dict)
    kappa: dict[str, int | None] = Field(default_factory=dict)
    directions: tuple[Direction, ...] = ()
    atoms: tuple[Atom, ...] = ()
    facts: tuple[Fact, ...] = ()

    @field_validator("directions", mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [{"id": item} if isinstance(item, str) else item for item in value]
        return value

    @field_validator("tau", "kappa", mode="before")
    @classmethod
    def _mapping(cls, value: Any, info: ValidationInfo) -> Any:
        check = check_tau if info.field_name == "tau" else check_kappa
        if not isinstance(value, Mapping):
            raise ValueError("expected an object of direction id to value")
        return {key: check(item) for key, item in value.items()}

    @functools.cached_property
    def atoms_by_id(self) -> dict[str, Atom]:
        """Atoms by id."""
        return {atom.id: atom for atom in self.atoms}

    @functools.cached_property
    def facts_by_id(self) -> dict[str, Fact]:
        """Facts by id."""
        return {fact.fact_id: fact for fact in self.facts}

    @functools.cached_property
    def atoms_of(self) -> dict[str, tuple[int, ...]]:
        """Positions of the atoms of each direction: declared directions first, then others."""
        table: dict[str, list[int]] = {direction.id: [] for direction in self.directions}
        for position, atom in enumerate(self.atoms):
            table.setdefault(atom.direction, []).append(position)
        return {name: tuple(found) for name, found in table.items()}

    def level(self, atom_id: str) -> Level | None:
        """Return the level of an atom by its evidence, or the stated one where that is silent."""
        atom = self.atoms_by_id[atom_id]
        return evidence_level(atom.fact_ids, self.facts_by_id) or atom.level


def dump_tree(tree: Tree) -> dict[str, Any]:
    """Return plain data that :func:`rubric.tree_reader.parse_tree` reads back to the same tree."""
    return tree.model_dump(mode="json", exclude_unset=True)
