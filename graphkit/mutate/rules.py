"""What makes a grown question sensible: rules that are on, each of which can be relaxed."""

from __future__ import annotations

from dataclasses import dataclass

from graphkit.errors import Problem, SettingsError
from graphkit.facts import FactStore

__all__ = ["Rules", "is_one_to_one"]


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules for the conditions of a grown question; docs/semantics.md, section 5, says why.

    Raises:
        SettingsError: A value that no question could meet; all of them at once.

    Attributes:
        min_set: An anchor's set has at least this many members.
        max_set: And at most this many.
        min_removed: An exclusion, and any condition that is not the last, removes at least this
            many candidates.
        exclusion_share: An exclusion removes at least this share of its own set.
        exclusion_complete: An exclusion uses only relations that the sheet calls complete.
        complete_only: Every condition does, so that verdicts are closed.
        back_and_forth: Whether a relation may be followed and then followed back.
        entity_twice: Whether an entity may be an anchor twice.
        witness_anchors: Whether the answer or a witness may be an anchor.
        adjacent_anchors: Whether a fact may join the answer to an anchor two or more hops away.
        one_to_one_counts: Whether hops that only rename, see
            :func:`graphkit.mutate.one_to_one_hops`, count towards the edges of a finished question.
        max_candidates: No set on the way to the answer is larger.
        allow: Only these relations are used; empty for all.
        deny: These relations are never used.
    """

    min_set: int = 3
    max_set: int = 60
    min_removed: int = 2
    exclusion_share: float = 0.1
    exclusion_complete: bool = True
    complete_only: bool = True
    back_and_forth: bool = False
    entity_twice: bool = False
    witness_anchors: bool = False
    adjacent_anchors: bool = False
    one_to_one_counts: bool = False
    max_candidates: int = 200
    allow: frozenset[str] = frozenset()
    deny: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Refuse values that no question could meet."""
        checks = (
            (self.min_set >= 1, "min_set", self.min_set, "1 or more"),
            (
                self.max_set >= self.min_set,
                "max_set",
                self.max_set,
                f"min_set ({self.min_set}) or more",
            ),
            (self.min_removed >= 1, "min_removed", self.min_removed, "1 or more"),
            (
                0 <= self.exclusion_share <= 1,
                "exclusion_share",
                self.exclusion_share,
                "0 to 1",
            ),
            (self.max_candidates >= 1, "max_candidates", self.max_candidates, "1 or more"),
        )
        problems = [
            Problem(f"{name} is {value}, expected {expected}", code="setting")
            for holds, name, value, expected in checks
            if not holds
        ]
        both = sorted(self.allow & self.deny)
        if both:
            problems.append(
                Problem(
                    f"relation {both[0]!r} is allowed and denied, expected one of the two",
                    code="setting",
                )
            )
        if problems:
            raise SettingsError(problems)

    def relations(self, facts: FactStore) -> tuple[int, ...]:
        """Return the numbers of the relations that may be used at all."""
        return tuple(
            number
            for number, name in enumerate(facts.relations)
            if name not in self.deny
            and (not self.allow or name in self.allow)
            and (not self.complete_only or facts.sheet.relation(name).complete is not False)
        )


def is_one_to_one(facts: FactStore, relation: int) -> bool:
    """Whether every head of a relation has one tail and every tail one head."""
    adjacency = facts.adjacency[relation]
    return len(adjacency) == len(adjacency.forward.keys) == len(adjacency.backward.keys)
