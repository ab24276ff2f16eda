"""The account of a run: what was repaired, what was refused and why, counted over its journal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["account"]


def account(steps: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Count what the steps of a run tell of repairs and refusals.

    Args:
        steps: Lines of the journal.

    Returns:
        ``steps`` by kind; ``repairs`` by the step that made them; ``refused`` items of evidence by
        reason, and relation names that no fact bore out; ``labels`` of evidence; ``advice`` by
        kind and by origin; ``rivals``: searches, conversations, new evidence, and after how many
        the question no longer held.

    >>> account([{"step": "gathered", "refused": {"quote_absent": 2}, "repairs": ["x"]}])["refused"]
    {'quote_absent': 2}
    """
    counts: dict[str, Counter[str]] = {
        name: Counter() for name in ("steps", "repairs", "refused", "labels", "advice", "rivals")
    }
    for step in steps:
        kind = str(step["step"])
        counts["steps"][kind] += 1
        counts["repairs"][kind] += len(step.get("repairs") or ())
        _TOLD.get(kind, _nothing)(step, counts)
    return {
        name: {key: number for key, number in sorted(found.items()) if number}
        for name, found in counts.items()
    }


Counts = dict[str, Counter[str]]


def _nothing(step: Mapping[str, Any], counts: Counts) -> None:
    """Count nothing beside the step and its repairs."""


def _gathered(step: Mapping[str, Any], counts: Counts) -> None:
    counts["refused"].update(step.get("refused") or {})
    _filtered(step, counts)


def _filtered(step: Mapping[str, Any], counts: Counts) -> None:
    relations = step.get("relations") or {}
    counts["repairs"]["relation names"] += len(relations.get("repairs") or ())
    counts["refused"]["relation_not_borne_out"] += len(relations.get("refused") or ())
    for verdict in step.get("reliability") or ():
        counts["labels"][verdict["label"]] += 1
        counts["repairs"]["reliability"] += len(verdict["repairs"])
        counts["refused"]["source_not_independent"] += len(verdict["set_aside"])
    for verdict in step.get("popularity") or ():
        counts["labels"][verdict["label"]] += len(verdict["evidence_ids"])


def _parsed(step: Mapping[str, Any], counts: Counts) -> None:
    counts["refused"]["relation_not_borne_out"] += len(step.get("refused") or ())
    if step.get("status") != "parsed":
        counts["refused"][f"question_{step.get('status')}"] += 1


def _advised(step: Mapping[str, Any], counts: Counts) -> None:
    advice = step["advice"]
    counts["advice"][f"kind {advice['kind']}"] += 1
    counts["advice"][f"origin {advice['origin']}"] += 1
    counts["repairs"]["advised"] += len(advice.get("repairs") or ())


def _wrote(step: Mapping[str, Any], counts: Counts) -> None:
    counts["repairs"]["chain faults"] += len(step.get("chain_faults") or ())


def _rivals(step: Mapping[str, Any], counts: Counts) -> None:
    counts["rivals"]["searches"] += 1
    counts["rivals"]["conversations"] += len(step["conversations"])
    counts["rivals"]["new evidence"] += len(step["evidence"])
    counts["rivals"]["no longer sound"] += bool(
        {"several_answers", "redundant", "shortcut", "unfaithful"} & set(step["missing"])
    )
    for conversation in step["conversations"]:
        counts["refused"].update(conversation.get("refused") or {})
        _filtered(conversation, counts)


_TOLD = {
    "gathered": _gathered,
    "parsed": _parsed,
    "advised": _advised,
    "constructed": _wrote,
    "revised": _wrote,
    "rivals": _rivals,
}
