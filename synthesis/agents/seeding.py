"""The seed agent: entities that have just come into the news, a sub-domain at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema

from synthesis.agents.gathering import Errand
from synthesis.agents.lists import without_broken
from synthesis.agents.web_access import WebAccess
from synthesis.prompting import load_prompt
from synthesis.seeds import Seed

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["SeedsReply", "find_seeds"]

MAX_SHARE = 0.5
"""No kind of thing has more than this share of the seeds of a sub-domain."""

_SHOWN = 200
"""So many of the names that are there already are shown to the agent, the latest."""


class SeedItem(BaseModel):
    """One seed as the agent replies it: EvoBrowseComp, A.1."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    id: str = ""
    entity_name: str = Field(min_length=1)
    entity_type: str | None = None
    is_fresh: bool = True
    source_url: str = ""

    @field_validator("entity_name")
    @classmethod
    def _as_a_seed(cls, value: str) -> str:
        return Seed(entity_name=value).entity_name


class SeedsReply(BaseModel):
    """What the agent replies."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    seeds: tuple[SeedItem, ...]
    left_out: SkipJsonSchema[int] = 0

    @model_validator(mode="before")
    @classmethod
    def _sound(cls, data: Any) -> Any:
        return without_broken(data, "seeds", SeedItem)


async def find_seeds(
    errand: Errand,
    *,
    primary: str,
    secondary: str,
    count: int,
    share: int | None = None,
    found: Sequence[Seed] = (),
    vote: int = 0,
) -> tuple[list[Seed], dict[str, Any]]:
    """Ask for seeds of one sub-domain: EvoBrowseComp, 2.1 and A.1.

    Kept is what the agent calls fresh, what some result that it saw names, and of each kind of
    thing no more than half of all that the sub-domain is to have, earlier rounds included; a seed
    without a kind is of none. The rest is counted by reason.

    Args:
        errand: Models, web, language and timestamp.
        primary: The domain.
        secondary: The sub-domain.
        count: How many are wanted now.
        share: How many the sub-domain is to have altogether; by default ``count``.
        found: The seeds that it has already.
        vote: Tells repeated rounds apart.

    Returns:
        The seeds, and what was done, as plain data.

    Raises:
        ModelError: The model gives no usable reply.
        BudgetError: A budget is spent.
    """
    access = errand.access()
    prompt = load_prompt("seeds", errand.language)
    reply = await errand.door.converse(
        "seeds",
        prompt.messages(
            primary=primary,
            secondary=secondary,
            count=str(count),
            since=errand.since,
            avoid=[seed.entity_name for seed in found][-_SHOWN:],
        ),
        access.tools(visit=False),
        SeedsReply,
        max_calls=errand.max_calls,
        vote=vote,
    )
    seen = _shown(access)
    kept: list[Seed] = []
    refused = {"not_fresh": 0, "not_seen": 0, "known": 0, "too_many_of_a_kind": 0}
    known = {seed.entity_name.casefold() for seed in found}
    kinds = Counter((seed.entity_type or "").casefold() for seed in found)
    most = max(1, int((share or count) * MAX_SHARE))
    for item in reply.value.seeds:
        kind = (item.entity_type or "").casefold()
        reason = None
        if not item.is_fresh:
            reason = "not_fresh"
        elif item.entity_name.casefold() not in seen:
            reason = "not_seen"
        elif item.entity_name.casefold() in known:
            reason = "known"
        elif kind and kinds[kind] >= most:
            reason = "too_many_of_a_kind"
        if reason is not None:
            refused[reason] += 1
            continue
        known.add(item.entity_name.casefold())
        kinds[kind] += 1
        kept.append(
            Seed(
                entity_name=item.entity_name,
                primary=primary,
                secondary=secondary,
                entity_type=item.entity_type,
                is_fresh=True,
                source_url=item.source_url,
            )
        )
    done = {
        "primary": primary,
        "secondary": secondary,
        "kept": len(kept),
        "refused": {name: number for name, number in refused.items() if number},
        "repairs": list(reply.repairs),
        "left_out": reply.value.left_out,
        **access.record(),
    }
    return kept, done


def _shown(access: WebAccess) -> str:
    """Return all that the results showed, in one text to look names up in."""
    parts: Iterable[str] = (
        f"{result.title}\n{result.snippet}"
        for outcome in access.searches
        for result in outcome.results
    )
    return "\n".join(parts).casefold()
