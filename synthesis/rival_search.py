"""The search for rivals on the web: each condition dropped in turn, what is found checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graphkit.question import QuestionGraph
from synthesis.agents.gathering import search_for_rivals
from synthesis.evidence_desk import EvidenceDesk
from synthesis.rivals import OpenEnd, Relaxation, relaxations

__all__ = ["RivalSearch", "told_in_question"]

_TOLD_IN_QUESTION = frozenset(
    {"dropped", "open_ends", "new", "searches", "visited", "failed", "ended", "admitted", "pool"}
)


class RivalSearch:
    """Looks for other answers to one question, and keeps account of how far it looked.

    Args:
        desk: The evidence of the seed; what is found arrives there.
        graph: The question.
        asked: Open ends that were looked up already, for this question or an earlier one; those
            that are looked up now are added.
    """

    def __init__(self, desk: EvidenceDesk, graph: QuestionGraph, asked: set[OpenEnd]) -> None:
        self.desk = desk
        self.graph = graph
        self.asked = asked

    async def run(self) -> dict[str, Any]:
        """Search until nothing is open any more, or the rounds are used up.

        What is found may bring new candidates, whose facts are open ends again.

        Returns:
            What was done, as plain data: rounds, conditions dropped, open ends looked up and left,
            conversations, and how many of them ended early or had a search that was not answered
            (``hindered``), evidence found, sets that are in the end too large to be followed
            (``cut``) or everything (``unbounded``: there is nothing to look up in these, the checks
            see what the evidence has), and whether all else that is open was looked at
            (``complete``).
            That a search came to an end proves nothing about what is not on the web.

        Raises:
            ModelError: The model gives no usable reply.
            BudgetError: A budget is spent.
        """
        settings = self.desk.settings
        found: list[str] = []
        done: list[dict[str, Any]] = []
        cut: dict[str, None] = {}
        unbounded: dict[str, None] = {}
        looked_up = rounds = 0
        before = len(self.asked)
        for _ in range(settings.rival_rounds):
            open_ends = list(self._open())
            if not any(item.open_ends for item in open_ends):
                break
            rounds += 1
            for relaxation in open_ends:
                for part in _parts(relaxation.open_ends, settings.rival_batch):
                    self.asked.update(part)
                    looked_up += len(part)
                    done.append(await self._ask(relaxation, part, found))
        left = 0
        for relaxation in self._open():
            left += len(relaxation.open_ends)
            cut.update(dict.fromkeys(relaxation.cut))
            unbounded.update(dict.fromkeys(relaxation.unbounded))
        hindered = sum(_hindered(item) for item in done)
        return {
            "rounds": rounds,
            "looked_up": looked_up,
            "looked_up_before": before,
            "left": left,
            "cut": list(cut),
            "unbounded": list(unbounded),
            "conversations": done,
            "hindered": hindered,
            "evidence": found,
            "complete": left == 0 and not cut and not hindered,
        }

    def _open(self) -> Iterator[Relaxation]:
        settings = self.desk.settings
        return relaxations(
            self.graph,
            self.desk.pool.facts,
            max_members=settings.rival_members,
            asked=frozenset(self.asked),
            language=settings.language,
        )

    async def _ask(
        self, relaxation: Relaxation, part: Sequence[OpenEnd], found: list[str]
    ) -> dict[str, Any]:
        gathered = await search_for_rivals(
            self.desk.errand,
            question=self.graph.question,
            remaining=relaxation.remaining,
            open_ends=[end.to_record() for end in part],
            known=self.desk.pool.held,
        )
        new = [
            item.evidence_id
            for item in gathered.records
            if item.evidence_id not in self.desk.pool.records
        ]
        taken = await self.desk.take(gathered.records, popularity=False)
        found += new
        return {
            "dropped": relaxation.constraint,
            "open_ends": [end.to_record() for end in part],
            "new": len(new),
            **gathered.to_record(),
            **{key: taken[key] for key in ("relations", "reliability", "pool")},
        }


def told_in_question(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a search as a question carries it: how far it looked, what it found.

    What was refused or not borne out on the way, and what was searched for to cross-check it, are
    words of pages that have no place in a question; they are in the journal. Of the verdicts on
    reliability the question has how many there are of each label.

    >>> verdicts = [{"label": "credible", "searches": [{"query": "x"}]}, {"label": "credible"}]
    >>> part = {"new": 2, "refusals": ["y"], "reliability": verdicts}
    >>> told_in_question({"rounds": 1, "conversations": [part]})
    {'rounds': 1, 'conversations': [{'new': 2, 'reliability': {'credible': 2}}]}
    """
    if not record:
        return {}
    kept = []
    for item in record.get("conversations", ()):
        part = {key: value for key, value in item.items() if key in _TOLD_IN_QUESTION}
        labels = Counter(verdict["label"] for verdict in item.get("reliability", ()))
        kept.append({**part, "reliability": dict(sorted(labels.items()))})
    return {**record, "conversations": kept}


def _hindered(conversation: dict[str, Any]) -> bool:
    """Whether a conversation used up its calls, or a search in it was not answered."""
    answered = all(item["status"] in ("found", "nothing") for item in conversation["searches"])
    return conversation["ended"] != "answered" or not answered


def _parts(items: Sequence[OpenEnd], size: int) -> Iterator[Sequence[OpenEnd]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
