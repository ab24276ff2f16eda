"""The gathering half of the QA synthesis agent: web pages in, borne-out evidence out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.json_schema import SkipJsonSchema

from graphkit.evidence import EvidenceRecord
from synthesis.admission import Admission, GatheredItem, admit
from synthesis.agents.lists import without_broken
from synthesis.agents.web_access import WebAccess
from synthesis.lane import Lane
from synthesis.prompting import load_prompt

if TYPE_CHECKING:
    from graphkit.models import ModelDoor
    from synthesis.loop_settings import LoopSettings
    from synthesis.web import WebTools

__all__ = ["Errand", "Gathered", "gather", "known_facts", "search_for_rivals"]

_SHOWN = 200


class GatheredReply(BaseModel):
    """What the agent replies: the evidence contract of EvoBrowseComp, A.2, in an object."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    evidence: tuple[GatheredItem, ...]
    left_out: SkipJsonSchema[int] = 0

    @model_validator(mode="before")
    @classmethod
    def _sound(cls, data: Any) -> Any:
        return without_broken(data, "evidence", GatheredItem)


@dataclass(frozen=True)
class Gathered:
    """What one conversation with the web gave.

    Attributes:
        admission: The evidence, and what was refused or repaired.
        access: What was searched for and visited.
        repairs: What in the replies of the model was read as something else.
        ended: ``answered`` or ``max_calls``.
        items: How many items the agent reported.
    """

    admission: Admission
    access: WebAccess
    repairs: tuple[str, ...] = ()
    ended: str = "answered"
    items: int = 0

    @property
    def records(self) -> tuple[EvidenceRecord, ...]:
        """The evidence."""
        return self.admission.records

    def to_record(self) -> dict[str, Any]:
        """Return what happened as plain data, for the journal."""
        refused = Counter(item.code for item in self.admission.refused)
        return {
            **self.access.record(),
            "items": self.items,
            "admitted": [item.evidence_id for item in self.records],
            "refused": dict(sorted(refused.items())),
            "refusals": [item.told() for item in self.admission.refused],
            "repairs": [*self.repairs, *self.admission.repairs],
            "ended": self.ended,
        }


def known_facts(records: Iterable[EvidenceRecord], *, limit: int = _SHOWN) -> list[str]:
    """Return evidence as lines ``head | relation | tail``, the newest ``limit`` of them.

    >>> known_facts([EvidenceRecord(evidence_id="e1", head_entity="France", relation="capital",
    ...                             tail_entity="Paris")])
    ['France | capital | Paris']
    """
    lines = dict.fromkeys(
        f"{item.head_entity} | {item.relation} | {item.tail_entity}" for item in records
    )
    return list(lines)[-limit:]


@dataclass(frozen=True)
class Errand:
    """What the web agents of a run share.

    Attributes:
        door: The models.
        web: The web tools.
        language: ``en`` or ``zh``.
        since: The timestamp t, as an ISO date.
        max_calls: Tool calls of one conversation at most.
        check_calls: The same for a conversation that cross-checks claims.
        max_chars: How much of a page a model is shown.
        total_chars: About how much of the web one conversation is shown.
        lane: Where the long computations of all seeds take turns.
    """

    door: ModelDoor
    web: WebTools
    language: str
    since: str
    max_calls: int = 40
    check_calls: int = 15
    max_chars: int = 8_000
    total_chars: int = 120_000
    lane: Lane = field(default_factory=Lane, compare=False)

    @classmethod
    def of(cls, door: ModelDoor, web: WebTools, loop: LoopSettings) -> Errand:
        """Return the errand of a run with some settings."""
        return cls(
            door,
            web,
            loop.language,
            loop.since,
            max_calls=loop.tool_calls,
            check_calls=loop.check_calls,
            max_chars=loop.page_chars,
            total_chars=loop.conversation_chars,
        )

    def access(self) -> WebAccess:
        """Return the web tools of one conversation."""
        return WebAccess(self.web, self.language, self.max_chars, self.total_chars)


async def gather(
    errand: Errand,
    *,
    seed: str,
    count: int,
    known: Sequence[EvidenceRecord] = (),
    wanted: str = "",
    vote: int = 0,
) -> Gathered:
    """Collect evidence from the web, starting from a seed entity: EvoBrowseComp, 2.1 (1).

    Args:
        errand: Models, web, language and timestamp.
        seed: The entity to start from.
        count: How many items are asked for.
        known: What is there already; the newest part is shown.
        wanted: What is missing, in words.
        vote: Tells a retry from the first try, so that it is a call of its own.

    Raises:
        ModelError: The model gives no usable reply, even after it was shown its errors.
        BudgetError: A budget is spent.
    """
    return await _conversation(
        errand,
        "gather",
        vote=vote,
        seed=seed,
        since=errand.since,
        count=str(count),
        known=known_facts(known),
        wanted=wanted,
    )


async def search_for_rivals(
    errand: Errand,
    *,
    question: str,
    remaining: Sequence[str],
    open_ends: Sequence[dict[str, str]],
    known: Sequence[EvidenceRecord] = (),
) -> Gathered:
    """Look for other things that meet what is left of a question without one condition.

    Args:
        errand: Models, web, language and timestamp.
        question: The question.
        remaining: The conditions that stay, in words.
        open_ends: Whose facts are wanted completely: ``entity``, ``relation``, ``direction``.
        known: What is there already.

    Raises:
        ModelError: The model gives no usable reply, even after it was shown its errors.
        BudgetError: A budget is spent.
    """
    return await _conversation(
        errand,
        "rivals",
        question=question,
        remaining=list(remaining),
        open_ends=list(open_ends),
        known=known_facts(known),
    )


async def _conversation(errand: Errand, role: str, *, vote: int = 0, **blocks: Any) -> Gathered:
    access = errand.access()
    prompt = load_prompt(role, errand.language)
    reply = await errand.door.converse(
        role,
        prompt.messages(**blocks),
        access.tools(),
        GatheredReply,
        max_calls=errand.max_calls,
        vote=vote,
    )
    pages = list(access.pages.values())
    admission = admit(reply.value.evidence, pages, since=errand.since, listed=access.listed_dates())
    repairs, left_out = reply.repairs, reply.value.left_out
    if left_out:
        repairs = (*repairs, f"{left_out} of the items do not fit and are left out")
    return Gathered(admission, access, repairs, reply.ended, len(reply.value.evidence) + left_out)
