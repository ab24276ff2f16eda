"""What to grow: how many questions of what kind, within which bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from graphkit.errors import Problem, SettingsError
from graphkit.mutate import Rules

__all__ = ["GrowSettings", "Mix"]


@dataclass(frozen=True, slots=True)
class Mix:
    """How often each operation is chosen when several are possible; only ratios count.

    Attributes:
        complement: Excluding a set.
        intersection: Asking for a further condition.
        inverse: Describing an entity instead of naming it.
        extension: Asking for what the answer leads to.
    """

    complement: float = 1.0
    intersection: float = 3.0
    inverse: float = 1.5
    extension: float = 1.5


@dataclass(frozen=True, slots=True)
class GrowSettings:
    """Settings of a run of :func:`synthesis.grow.grow`.

    Attributes:
        count: How many questions.
        seed: The same seed, 0 or more, gives the same questions.
        min_edges: A finished question has at least this many edges.
        min_iterations: And at least this many mutations, its seed included.
        max_iterations: A question that is not finished by then is given up.
        min_depth: A finished question has at least this depth.
        lean: Where conditions are put: ``left`` rather at the anchors, ``right`` rather at the
            answer, ``mixed`` anywhere.
        mix: How often each operation is chosen.
        answer_types: Only answers of these types; empty for all.
        balance: ``type`` asks about each type of entities as often as the square root of how many
            there are, ``none`` about all entities alike.
        max_answer_share: No answer has more than this share of the questions (at least one).
        max_relation_share: No relation has more than this share of all projections (or, while
            there are fewer than 40, of 40).
        near_duplicate: Two questions are too alike when this share of the conditions of both
            together is common to both.
        attempts: Attempts for each question wanted; after that the run ends.
        rules: What is sensible.
        require_closed: Only questions whose basis is closed are finished.

    Raises:
        SettingsError: Settings that make no sense, all of them at once.
    """

    count: int = 10
    seed: int = 0
    min_edges: int = 5
    min_iterations: int = 5
    max_iterations: int = 12
    min_depth: int = 1
    lean: str = "mixed"
    mix: Mix = field(default_factory=Mix)
    answer_types: tuple[str, ...] = ()
    balance: str = "type"
    max_answer_share: float = 0.02
    max_relation_share: float = 0.4
    near_duplicate: float = 0.6
    attempts: int = 100
    rules: Rules = field(default_factory=Rules)
    require_closed: bool = True

    def __post_init__(self) -> None:
        """Refuse settings that make no sense, all of them at once."""
        weights = (
            self.mix.complement,
            self.mix.intersection,
            self.mix.inverse,
            self.mix.extension,
        )
        least = f"min_iterations ({self.min_iterations}) or more"
        checks: list[tuple[bool, str, object, str]] = [
            (getattr(self, name) >= low, name, getattr(self, name), f"{low} or more")
            for name, low in (
                ("count", 1),
                ("seed", 0),
                ("min_edges", 1),
                ("min_iterations", 1),
                ("min_depth", 1),
                ("attempts", 1),
            )
        ]
        checks += [
            (0 < getattr(self, name) <= 1, name, getattr(self, name), "above 0, at most 1")
            for name in ("max_answer_share", "max_relation_share", "near_duplicate")
        ]
        checks += [
            (
                self.max_iterations >= self.min_iterations,
                "max_iterations",
                self.max_iterations,
                least,
            ),
            (self.lean in ("left", "right", "mixed"), "lean", self.lean, "left, right or mixed"),
            (self.balance in ("type", "none"), "balance", self.balance, "type or none"),
            (
                all(0 <= weight < math.inf for weight in weights),
                "mix",
                self.mix,
                "finite weights and no negative weight",
            ),
            (
                self.mix.complement + self.mix.intersection > 0
                or not all(0 <= weight < math.inf for weight in weights),
                "mix",
                self.mix,
                "complement or intersection above 0",
            ),
        ]
        problems = [
            Problem(f"{name} is {value}, expected {expected}", code="setting")
            for holds, name, value, expected in checks
            if not holds
        ]
        if problems:
            raise SettingsError(problems)
