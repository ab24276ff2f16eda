"""Every parameter of the three-agent loop in one frozen object."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from graphkit.errors import Problem, SettingsError, did_you_mean
from graphkit.models.wrong_setting import wrong_setting
from synthesis.freshness import date_key
from synthesis.offers import Goals

__all__ = ["LoopSettings", "read_table"]


class LoopSettings(BaseModel):
    """What the loop does, when it stops, and what it gives up for.

    The values are those of EvoBrowseComp where it has some: threshold k, five iterations, five
    edges, five hops, a fresh last hop, half of the evidence fresh.

    Attributes:
        since: The timestamp t, an ISO date: what is known only since then is fresh.
        language: The language of questions, prompts and searches.
        min_evidence: The threshold k: with less retained evidence gathering is tried again.
        evidence: How many items one gathering is asked for.
        evidence_shown: How much evidence an author is shown at most, the nearest first.
        gatherings: How often gathering is tried before a seed is given up.
        more_gatherings: How often more is gathered when the evidence offers no way to go on.
        plan_attempts: How many entities and chains are tried when a question is planned.
        min_iterations: The least number of iterations.
        max_iterations: After that many a question is given up.
        min_edges: The least number of edges of the reasoning graph.
        min_hops: The least number of hops.
        fresh_share: The least share of fresh facts behind the answer.
        fresh_last_hop: Whether the last hop must be fresh.
        offers: How many computed changes the guidance agent chooses from.
        tool_calls: Tool calls of one conversation at most.
        check_calls: The same for a conversation that cross-checks claims.
        page_chars: How much of a page a model is shown, in characters.
        conversation_chars: About how much of the web one conversation is shown: later pages are
            cut shorter, so that it does not outgrow the model. 120,000 characters are some 30,000
            tokens of English, 80,000 to 120,000 of Chinese.
        filter_batch: Evidence of one page and relation is judged together, up to this many; 1
            judges each item alone, as in the paper.
        rivals: Whether other answers are searched for on the web.
        rival_rounds: How often what was found may open further searches.
        rival_members: The largest set of candidates that is followed.
        rival_batch: Open ends that one conversation is given.
        quality: Whether wording and privacy are judged.
        rewordings: How often in a row a wording may be sent back before another way is taken, and
            how often in all for one check of the finished wording.
        min_set: A condition's set has at least this many members on the evidence.
        max_set: And at most this many.
        seed: Where choices between equally good changes start from.
        parallel: How many seeds are worked on at a time.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    since: str = "2026-01-01"
    language: Literal["en", "zh"] = "en"
    min_evidence: int = Field(default=5, ge=1)
    evidence: int = Field(default=20, ge=1)
    evidence_shown: int = Field(default=120, ge=1)
    gatherings: int = Field(default=3, ge=1)
    more_gatherings: int = Field(default=2, ge=0)
    plan_attempts: int = Field(default=80, ge=0)
    min_iterations: int = Field(default=5, ge=1)
    max_iterations: int = Field(default=14, ge=1)
    min_edges: int = Field(default=5, ge=1)
    min_hops: int = Field(default=5, ge=1)
    fresh_share: float = Field(default=0.5, ge=0, le=1)
    fresh_last_hop: bool = True
    offers: int = Field(default=5, ge=1)
    tool_calls: int = Field(default=40, ge=1)
    check_calls: int = Field(default=15, ge=1)
    page_chars: int = Field(default=8_000, ge=200)
    conversation_chars: int = Field(default=120_000, ge=2_000)
    filter_batch: int = Field(default=20, ge=1)
    rivals: bool = True
    rival_rounds: int = Field(default=3, ge=1)
    rival_members: int = Field(default=40, ge=1)
    rival_batch: int = Field(default=12, ge=1)
    quality: bool = True
    rewordings: int = Field(default=2, ge=0)
    min_set: int = Field(default=3, ge=1)
    max_set: int = Field(default=60, ge=1)
    seed: int = Field(default=0, ge=0)
    parallel: int = Field(default=64, ge=1)

    @field_validator("since")
    @classmethod
    def _date(cls, value: str) -> str:
        if date_key(value) is None:
            raise ValueError("an ISO date such as 2026-01-01")
        return value

    @model_validator(mode="after")
    def _in_order(self) -> LoopSettings:
        if self.max_iterations < self.min_iterations:
            raise ValueError(f"max_iterations is below min_iterations ({self.min_iterations})")
        if self.max_set < self.min_set:
            raise ValueError(f"max_set is below min_set ({self.min_set})")
        return self

    @property
    def goals(self) -> Goals:
        """What a finished question must be, beside being sound."""
        return Goals(
            min_edges=self.min_edges,
            min_hops=self.min_hops,
            fresh_share=self.fresh_share,
            fresh_last_hop=self.fresh_last_hop,
        )

    @classmethod
    def checked(cls, values: Mapping[str, Any], *, origin: str | None = None) -> LoopSettings:
        """Build the settings from plain data; whatever does not fit is told at once.

        Args:
            values: Setting -> value; None for one that was not given.
            origin: The file that they come from, for errors.

        Raises:
            SettingsError: Unknown names and values that do not fit.

        >>> LoopSettings.checked({"min_edges": 6, "seed": None}).min_edges
        6
        """
        given = {name: value for name, value in values.items() if value is not None}
        problems = [
            Problem(
                f'no setting "synthesis.{name}"{did_you_mean(name, cls.model_fields)}',
                code="unknown_setting",
                file=origin,
            )
            for name in given
            if name not in cls.model_fields
        ]
        known = {name: value for name, value in given.items() if name in cls.model_fields}
        try:
            settings = cls.model_validate(known)
        except ValidationError as error:
            problems += [
                Problem(wrong_setting(item, "", ()), code="setting", file=origin)
                for item in error.errors()
            ]
        if problems:
            raise SettingsError(problems)
        return settings


def read_table(file: Path | None, table: str) -> dict[str, Any]:
    """Return a table of a settings file; empty where there is no file or no table.

    Args:
        file: A ``graphkit.toml``.
        table: ``synthesis``, ``web`` or ``models``.

    Raises:
        SettingsError: The file cannot be read, or what stands under that name is no table.
    """
    if file is None:
        return {}
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(
            Problem(f"cannot be read: {error.strerror}", "unreadable", str(file))
        ) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(Problem(f"not a TOML document: {error}", "toml", str(file))) from error
    found = data.get(table, {})
    if not isinstance(found, dict):
        raise SettingsError(Problem(f"{table} is no table, expected [{table}]", "type", str(file)))
    return found
