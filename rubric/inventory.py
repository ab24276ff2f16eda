"""The inventory of directions: data that ships with the package, or a file of the user."""

from __future__ import annotations

import functools
import tomllib
from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from graphkit.errors import FormatError, Problem
from rubric.errors import RubricError
from rubric.logic import Dimension, Evaluator, Role, check_logic

__all__ = ["Inventory", "InventoryDirection", "default_inventory", "load_inventory"]


class InventoryDirection(BaseModel):
    """One shared direction.

    Attributes:
        id: Its id, for instance ``C-FC``.
        title: What it asks about.
        dimension: The dimension above it.
        evaluators: Who may decide its atoms.
        role: Core or gate; a tree may override it.
        logic: ``all``, ``any``, ``majority`` or ``at_least:K``; a tree may override it.
        named: ``paper`` when the paper's text names it, else ``ours``.
        saturated: Whether ``tau`` and ``kappa`` of the settings apply to it (the paper's H).
        role_assumed: Whether the role is ours, because the paper's figure is lost.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(min_length=1)
    title: str
    dimension: Dimension
    evaluators: tuple[Evaluator, ...] = Field(min_length=1)
    role: Role = Role.CORE
    logic: str = "all"
    named: Literal["paper", "ours"] = "ours"
    saturated: bool = False
    role_assumed: bool = False

    _logic = field_validator("logic")(check_logic)


class Inventory(BaseModel):
    """The directions that trees may name by id alone.

    >>> inventory = default_inventory()
    >>> len(inventory.directions), inventory.by_id["C-VF"].role.value
    (23, 'gate')
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int = 1
    directions: tuple[InventoryDirection, ...]

    @functools.cached_property
    def by_id(self) -> dict[str, InventoryDirection]:
        """The directions by id."""
        return {direction.id: direction for direction in self.directions}

    @classmethod
    def parse(cls, text: str, file: str | None = None) -> Inventory:
        """Read an inventory from TOML.

        Args:
            text: The TOML document.
            file: Its name, for errors.

        Raises:
            FormatError: It is not TOML.
            RubricError: It is not an inventory; all problems at once.
        """
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise FormatError(Problem(f"not a TOML document: {error}", "toml", file)) from error
        try:
            made = cls.model_validate(data)
        except ValidationError as error:
            raise RubricError(
                Problem(item["msg"], "inventory", file, subject=".".join(map(str, item["loc"])))
                for item in error.errors()
            ) from error
        ids = [direction.id for direction in made.directions]
        problems = [
            Problem(
                f"the id is used {ids.count(item)} times, expected once",
                "duplicate_id",
                file,
                subject=f"direction {item}",
            )
            for item in dict.fromkeys(ids)
            if ids.count(item) > 1
        ]
        problems += [
            Problem(
                "saturated: only a content direction has tau",
                "saturated",
                file,
                subject=f"direction {direction.id}",
            )
            for direction in made.directions
            if direction.saturated and direction.dimension is not Dimension.CONTENT
        ]
        if problems:
            raise RubricError(problems)
        return made


@functools.cache
def default_inventory() -> Inventory:
    """Return the inventory that ships with the package; reads its data file once."""
    text = resources.files("rubric").joinpath("inventory.toml").read_text(encoding="utf-8")
    return Inventory.parse(text, "rubric/inventory.toml")


def load_inventory(path: str | Path) -> Inventory:
    """Read an inventory file; see :meth:`Inventory.parse`.

    Raises:
        FormatError: The file cannot be read, or is not TOML.
        RubricError: It is not an inventory.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(Problem(f"cannot be read: {error}", "read", str(path))) from error
    return Inventory.parse(text, str(path))
