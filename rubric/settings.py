"""Every parameter of scoring in one frozen object; each says whether its value is assumed.

The paper's table of released values (OmniDR-Bench, A.1, table 6) did not survive in our copy, so
its values are marked ``assumed`` there. :func:`parameters` lists them for programs.
"""

from __future__ import annotations

import statistics
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from graphkit.errors import FormatError, Problem, SettingsError, did_you_mean
from rubric.literals import Exact, Literal, exact
from rubric.logic import DIMENSIONS, Dimension

__all__ = [
    "EVERY",
    "GuardMode",
    "Overrides",
    "Parameter",
    "Settings",
    "Weights",
    "derive_tau",
    "parameters",
]

EVERY = "*"
"""Key of ``tau`` and ``kappa`` that stands for every saturated direction."""


class GuardMode(StrEnum):
    """Which rule guards citation N/A: the paper's estimate, or the exact comparison of scores."""

    PUBLISHED = "published"
    EXACT = "exact"


class Weights(BaseModel):
    """The dimension weights lambda of OmniDR-Bench, equation 3: not negative, not all zero.

    >>> Weights(content=5, citation=3, presentation=2).normalised[0]
    Fraction(1, 2)
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    content: Exact
    citation: Exact
    presentation: Exact

    @field_validator("content", "citation", "presentation")
    @classmethod
    def _not_negative(cls, value: Fraction) -> Fraction:
        if value < 0:
            raise ValueError(f"{float(value)} is negative; expected 0 or more")
        return value

    def model_post_init(self, context: Any) -> None:
        """Refuse weights that sum to zero."""
        if not any(self.as_tuple):
            raise ValueError("the weights sum to 0; expected a positive sum")

    @property
    def as_tuple(self) -> tuple[Fraction, ...]:
        """The weights in the order of :data:`rubric.logic.DIMENSIONS`."""
        return tuple(getattr(self, dimension.value) for dimension in DIMENSIONS)

    @property
    def normalised(self) -> tuple[Fraction, ...]:
        """The weights divided by their sum, in the order of the dimensions."""
        total = sum(self.as_tuple, Fraction(0))
        return tuple(weight / total for weight in self.as_tuple)


def check_tau(value: Any) -> Fraction | None:
    """Return a saturation threshold, 0 < tau <= 1, or nothing for none.

    Raises:
        ValueError: It is outside its domain.
    """
    if value is None:
        return None
    tau = exact(value)
    if not 0 < tau <= 1:
        raise ValueError(f"{float(tau)} is outside 0 < tau <= 1")
    return tau


def check_kappa(value: Any) -> int | None:
    """Return a cap, an integer from 1, or nothing for none.

    Raises:
        ValueError: It is outside its domain.
    """
    if value is None:
        return None
    kappa = exact(value)
    if kappa.denominator != 1 or kappa < 1:
        raise ValueError(f"{value} is not an integer >= 1")
    return kappa.numerator


def _each(value: Any, check: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"expected an object of direction id to {name}")
    found = {}
    for key, item in value.items():
        try:
            found[str(key)] = check(item)
        except ValueError as error:
            raise ValueError(f"{key}: {error}") from error
    return found


class _Tuning(BaseModel):
    """``tau`` and ``kappa`` by direction id, checked."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    @field_validator("tau", mode="before", check_fields=False)
    @classmethod
    def _tau(cls, value: Any) -> Any:
        return _each(value, check_tau, "tau")

    @field_validator("kappa", mode="before", check_fields=False)
    @classmethod
    def _kappa(cls, value: Any) -> Any:
        return _each(value, check_kappa, "kappa")


class Overrides(_Tuning):
    """Parameters given by a flag or a point of a grid: they win over tree and settings.

    Attributes:
        weights: All three dimension weights, or nothing.
        tau: By direction id; ``"*"`` means every direction that has one otherwise.
        kappa: As ``tau``.

    >>> Overrides(tau={"*": 0.5}).tau
    {'*': Fraction(1, 2)}
    """

    weights: Weights | None = None
    tau: dict[str, Exact | None] = Field(default_factory=dict)
    kappa: dict[str, int | None] = Field(default_factory=dict)


def _note(symbol: str, source: str, *, assumed: bool = False) -> dict[str, Any]:
    return {"symbol": symbol, "assumed": assumed, "source": source}


_TABLE = "A.1, table 6: the value did not survive in our copy"
_OURS = "not stated in the paper"


class Settings(_Tuning):
    """All parameters, with their defaults.

    Decimal literals are kept as exact rationals. What a tree says itself (``weights``, ``tau``,
    ``kappa``) wins over these; :class:`Overrides` win over both.

    >>> Settings().weights.content, Settings(tau={"C-FC": "0.4"}).tau
    (Fraction(1, 2), {'C-FC': Fraction(2, 5)})
    """

    weights: Weights = Field(
        default=Weights(content="0.5", citation="0.3", presentation="0.2"),  # type: ignore[arg-type]
        json_schema_extra=_note("lambda", _TABLE, assumed=True),
    )
    tau: dict[str, Exact | None] = Field(
        default={EVERY: Fraction("0.35")}, json_schema_extra=_note("tau_d", _TABLE, assumed=True)
    )
    kappa: dict[str, int | None] = Field(
        default={EVERY: 12}, json_schema_extra=_note("kappa_d", _TABLE, assumed=True)
    )
    guard: GuardMode = Field(
        default=GuardMode.PUBLISHED, json_schema_extra=_note("guard", "A.4, equation 5")
    )
    coverage: frozenset[str] = Field(
        default=frozenset({"C-FC"}), json_schema_extra=_note("coverage", "A.4: coverage checks")
    )
    delta_cal: Exact = Field(
        default=Fraction(10), ge=0, json_schema_extra=_note("delta_cal", _TABLE, assumed=True)
    )
    r_max: int = Field(default=3, ge=1, json_schema_extra=_note("R_max", "3.2", assumed=True))
    temperature: Exact = Field(
        default=Fraction(0), ge=0, json_schema_extra=_note("temperature", "A.3", assumed=True)
    )
    gate_votes: int = Field(default=3, ge=1, json_schema_extra=_note("votes", "A.3", assumed=True))
    window_seconds: int = Field(
        default=300, ge=1, json_schema_extra=_note("T_win", _TABLE, assumed=True)
    )
    b_web: int = Field(default=8, ge=0, json_schema_extra=_note("B_web", _TABLE, assumed=True))
    b_video: int = Field(default=2, ge=0, json_schema_extra=_note("B_video", _TABLE, assumed=True))
    b_doc: int = Field(default=2, ge=0, json_schema_extra=_note("B_doc", _TABLE, assumed=True))
    b_anchor: int = Field(
        default=2, ge=0, json_schema_extra=_note("B_anchor", _TABLE, assumed=True)
    )
    replicates: int = Field(default=20_000, ge=1, json_schema_extra=_note("replicates", "F.2"))
    confidence: Exact = Field(
        default=Fraction("0.95"), json_schema_extra=_note("confidence", "F.2")
    )
    interleaved_share: Exact = Field(
        default=Fraction("0.3"), json_schema_extra=_note("searches after write", "F.7")
    )
    interleaved_blocks: Exact = Field(
        default=Fraction(4), json_schema_extra=_note("write blocks", "F.7")
    )
    largest_source_share: Exact = Field(
        default=Fraction("0.5"), json_schema_extra=_note("source concentration", _OURS)
    )
    largest_level_share: Exact = Field(
        default=Fraction("0.8"), json_schema_extra=_note("difficulty balance", _OURS)
    )

    @field_validator("confidence")
    @classmethod
    def _open_unit(cls, value: Fraction) -> Fraction:
        if not 0 < value < 1:
            raise ValueError(f"{float(value)} is not between 0 and 1")
        return value

    @field_validator("interleaved_share", "largest_source_share", "largest_level_share")
    @classmethod
    def _unit(cls, value: Fraction) -> Fraction:
        if not 0 <= value <= 1:
            raise ValueError(f"{float(value)} is outside 0 to 1")
        return value

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], file: str | None = None) -> Settings:
        """Build settings from plain data and check them.

        Args:
            data: The parameters; what is not given has its default.
            file: Where they come from, for errors.

        Raises:
            SettingsError: A parameter has no such name or value; all problems at once.
        """
        try:
            return cls.model_validate(dict(data))
        except ValidationError as error:
            raise SettingsError(_problem(item, file) for item in error.errors()) from error

    @classmethod
    def parse(cls, text: str, file: str | None = None) -> Settings:
        """Read settings from TOML, where they stand in the table ``[rubric]``; see ``from_dict``.

        Raises:
            FormatError: It is not TOML.
            SettingsError: A parameter has no such name or value.
        """
        try:
            data = tomllib.loads(text, parse_float=Literal)
        except (tomllib.TOMLDecodeError, ValueError) as error:
            raise FormatError(Problem(f"not a TOML document: {error}", "toml", file)) from error
        table = data.get("rubric", {})
        if not isinstance(table, dict):
            raise SettingsError(Problem("expected a table [rubric]", "settings", file))
        return cls.from_dict(table, file)


def _problem(item: Any, file: str | None) -> Problem:
    place = ".".join(map(str, item["loc"]))
    if item["type"] == "extra_forbidden":
        message = f"no such parameter{did_you_mean(str(item['loc'][0]), Settings.model_fields)}"
    else:
        message = str(item["msg"]).removeprefix("Value error, ")
    return Problem(message, "settings", file, subject=f"setting {place}")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter, for tables and programs.

    Attributes:
        name: Its name in :class:`Settings`.
        symbol: Its symbol in the paper, or a word.
        value: Its value.
        assumed: Whether the value is the default and the paper's value is lost.
        source: Where the paper states it.
    """

    name: str
    symbol: str
    value: Any
    assumed: bool
    source: str


def parameters(settings: Settings) -> tuple[Parameter, ...]:
    """List every parameter with its value and whether that value is assumed.

    >>> [item.name for item in parameters(Settings(kappa={"*": 9})) if item.assumed][:2]
    ['weights', 'tau']
    """
    found = []
    for name, field in Settings.model_fields.items():
        note = field.json_schema_extra
        if not isinstance(note, dict):
            raise TypeError(f"{name} has no note")
        value = getattr(settings, name)
        assumed = bool(note["assumed"]) and value == field.default
        found.append(Parameter(name, str(note["symbol"]), value, assumed, str(note["source"])))
    return tuple(found)


def derive_tau(report_budget: Any, retained_facts: Iterable[int]) -> Fraction:
    """Return the tau that follows from a budget: budget / median retained facts, at most 1.

    Args:
        report_budget: How many facts fit in a report of the standard length.
        retained_facts: The number of retained facts of each task.

    Raises:
        SettingsError: The budget is not positive, or there is no task with facts.

    Source: OmniDR-Bench, A.4. The limit to 1 is ours: tau is a rate.

    >>> derive_tau(21, [50, 60, 70])
    Fraction(7, 20)
    """
    budget = exact(report_budget)
    counts = [exact(count) for count in retained_facts]
    if budget <= 0:
        raise SettingsError(f"report budget {float(budget)} is not positive")
    if not counts or statistics.median(counts) <= 0:
        raise SettingsError("the tasks retain no facts; expected a positive median")
    return min(Fraction(1), budget / statistics.median(counts))


def dimension_weights(weights: Weights) -> dict[Dimension, Fraction]:
    """Return the normalised weights by dimension."""
    return dict(zip(DIMENSIONS, weights.normalised, strict=True))
