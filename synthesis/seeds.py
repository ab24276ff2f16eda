"""Seeds: the entities that questions are grown from, and how they are told apart."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from graphkit.entities import fold
from synthesis.visible_names import LONGEST_NAME, visible_name

__all__ = ["Seed", "deduplicated", "seed_records"]


class Seed(BaseModel):
    """An entity to start from, and the domain that it was found in.

    Attributes:
        entity_name: Its name.
        primary: The domain.
        secondary: The sub-domain.
        entity_type: What it is, if that was said.
        is_fresh: Whether it came into the news only since the timestamp.
        source_url: Where it was reported.

    >>> Seed(entity_name="Ulm").id
    's37bfc8ba5ec5'
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    entity_name: str = Field(min_length=1)
    primary: str = ""
    secondary: str = ""
    entity_type: str | None = None
    is_fresh: bool = True
    source_url: str = ""

    @field_validator("entity_name")
    @classmethod
    def _clean(cls, value: str) -> str:
        value = visible_name(value)
        if not value:
            raise ValueError("must not be blank")
        if len(value) > LONGEST_NAME:
            raise ValueError(f"must not have more than {LONGEST_NAME} characters")
        return value

    @property
    def id(self) -> str:
        """A name that follows from the entity alone, so that it is the same in every run."""
        return "s" + hashlib.sha256(fold(self.entity_name).encode()).hexdigest()[:12]


def deduplicated(seeds: Iterable[Seed]) -> list[Seed]:
    """Return seeds, each entity once: the first of its name, whatever the case.

    >>> [seed.entity_name for seed in deduplicated(
    ...     [Seed(entity_name="Ulm"), Seed(entity_name="Bonn"), Seed(entity_name="ULM")])]
    ['Ulm', 'Bonn']
    """
    first: dict[str, Seed] = {}
    for seed in seeds:
        first.setdefault(fold(seed.entity_name), seed)
    return list(first.values())


def seed_records(seeds: Iterable[Seed]) -> list[dict[str, Any]]:
    """Return seeds in the contract of EvoBrowseComp, A.1: one record a sub-domain.

    >>> seed_records([Seed(entity_name="Ulm", primary="geography", secondary="cities")])[0]["seeds"]
    [{'id': 1, 'entity_name': 'Ulm', 'is_fresh': True}]
    """
    groups: dict[tuple[str, str], list[Seed]] = {}
    for seed in seeds:
        groups.setdefault((seed.primary, seed.secondary), []).append(seed)
    return [
        {
            "domain": {"primary": primary, "secondary": secondary},
            "total_count": len(group),
            "seeds": [
                {
                    "id": place,
                    **seed.model_dump(
                        mode="json",
                        exclude={"primary", "secondary"},
                        exclude_none=True,
                        exclude_defaults=True,
                    ),
                    "is_fresh": seed.is_fresh,
                }
                for place, seed in enumerate(group, 1)
            ],
        }
        for (primary, secondary), group in groups.items()
    ]
