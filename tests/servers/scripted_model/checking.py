"""Plays who filters: compares what independent pages say; judges popularity, quality, privacy."""

from __future__ import annotations

import re
from typing import Any

from scripted_model.browsing import Call, Look, Seen, visit
from scripted_model.conversation import Task, draw
from scripted_model.page_reader import canonical, family
from scripted_model.topics import host_group, look_for

__all__ = ["popularity", "privacy", "quality", "reliability"]

_SOURCES = 2
_VISITS = 3
_CALLS = 38


def reliability(task: Task) -> list[Call] | dict[str, Any]:
    """Return the next tool calls, or a label for the whole list of claims."""
    items = [item for item in task.data("evidence_list") if isinstance(item, dict)]
    seen = Seen.of(task.used)
    for wave in (0, 1):
        short = [item for item in items if not wave or _short(item, seen)]
        looks = _looks(short, wave, task.language)
        calls = seen.searches(looks, task.language)
        if not calls:
            calls = _visits(looks, items, seen, task)
        room = _CALLS - len(task.used)
        if calls and task.tools and room > 0:
            return calls[:room]
    return _label(items, seen)


def _triple(item: dict[str, Any]) -> tuple[str, str, str]:
    return item["head_entity"], canonical(item["relation"]), item["tail_entity"]


def _looks(items: list[dict[str, Any]], wave: int, language: str) -> list[Look]:
    """Return few pages on which all claims should stand: first one choice, then the other."""
    options: list[list[Look]] = []
    for item in items:
        head, relation, tail = _triple(item)
        both = [
            look
            for name, way in ((head, "forward"), (tail, "backward"))
            if (look := look_for(name, relation, way, language)) and look[1]
        ]
        options.append(both or [(head, "")])
    counts: dict[Look, int] = {}
    for option in options:
        for look in option:
            counts[look] = counts.get(look, 0) + 1
    chosen: dict[Look, None] = {}
    for option in options:
        ranked = sorted(option, key=lambda look: (-counts[look], look))
        chosen[ranked[0] if wave == 0 else ranked[-1]] = None
    return list(chosen)


def _visits(looks: list[Look], items: list[dict[str, Any]], seen: Seen, task: Task) -> list[Call]:
    origins = {host_group(str(item.get("source_url"))) for item in items}
    single = len(origins) == 1
    calls: dict[str, Call] = {}
    for look in looks:
        hits = seen.hits(look, task.language)
        done = [hit for hit in hits if hit["url"] in seen.tried]
        if done:
            continue
        groups: set[str] = set()
        for hit in sorted(hits, key=lambda hit: draw(task.opening, hit["url"])):
            group = host_group(hit["url"])
            if group in groups or (single and group in origins):
                continue
            groups.add(group)
            calls[hit["url"]] = visit(hit, look)
            if len(groups) == _VISITS + 1:
                break
    return list(calls.values())


def _support(item: dict[str, Any], seen: Seen) -> tuple[list[str], list[str]]:
    """Return the pages that state a claim and those that contradict it; the origin is left out."""
    triple = _triple(item)
    relation = family(triple[1])
    origin = host_group(str(item.get("source_url")))
    stating: dict[str, str] = {}
    against: list[str] = []
    for page in seen.pages.values():
        if page.group == origin:
            continue
        said = {claim.triple for claim in page.claims}
        if triple in said:
            if "mirror" not in page.url:
                stating.setdefault(page.group, page.url)
        elif (
            relation is not None
            and relation.functional
            and any(claim[:2] == triple[:2] for claim in said)
        ):
            against.append(page.url)
    return list(stating.values()), against


def _short(item: dict[str, Any], seen: Seen) -> bool:
    return len(_support(item, seen)[0]) < _SOURCES


def _label(items: list[dict[str, Any]], seen: Seen) -> dict[str, Any]:
    """Label a list. Who stands alone against several does not count as trustworthy."""
    sources: dict[str, None] = {}
    contradicting: dict[str, None] = {}
    short = False
    for item in items:
        stating, against = _support(item, seen)
        sources |= dict.fromkeys(stating)
        if len({host_group(url) for url in against}) >= max(1, len(stating)):
            contradicting |= dict.fromkeys(against)
        short = short or len(stating) < _SOURCES
    label = "not credible" if contradicting else "unclear" if short else "credible"
    return {
        "reliability": label,
        "sources": list(sources),
        "contradicting": list(contradicting),
    }


_FAMOUS = frozenset(
    {"United States", "United Kingdom", "China", "France", "美国", "英国", "中国", "法国"}
)


def popularity(task: Task) -> dict[str, Any]:
    """Say whether most of some facts are about the capital and the like of a famous country."""
    items = [item for item in task.data("evidence_list") if isinstance(item, dict)]
    famous = [
        item
        for item in items
        if item.get("head_entity") in _FAMOUS
        and canonical(str(item.get("relation"))) in ("capital", "currency", "official language")
    ]
    return {"popularity": "popular" if 2 * len(famous) > len(items) else "non-popular"}


_LEFT_OVER = re.compile(r"\{\}|\bTODO\b|\bNone\b|\?\?|\b(\w+) \1\b")
_MAIL = re.compile(r"[\w.]+@[\w.]+\.\w+|\+\d[\d ]{7,}")


def quality(task: Task) -> dict[str, Any]:
    """Judge the wording by its marks: it ends with a question, nothing is left over or doubled."""
    question = task.text("question")
    fluent = not _LEFT_OVER.search(question)
    clear = question.rstrip().endswith(("?", "？"))
    reason = "The wording is plain." if fluent and clear else "Something is left over in it."
    return {"fluent": fluent, "clear": clear, "unambiguous": True, "reason": reason}


def privacy(task: Task) -> dict[str, Any]:
    """Look for addresses and numbers of persons."""
    text = f"{task.text('question')} {task.text('answer')} {task.blocks.get('evidence_list', '')}"
    found = _MAIL.search(re.sub(r"https?://\S+", "", text))
    reason = "A number or an address of a person." if found else "Only public facts."
    return {"private": bool(found), "reason": reason}
