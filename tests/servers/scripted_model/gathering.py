"""Plays who gathers: searches, visits, and writes down what the pages say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scripted_model.browsing import (
    Call,
    Look,
    Seen,
    evidence_item,
    known_triples,
    names_in_use,
    visit,
)
from scripted_model.conversation import Task, draw
from scripted_model.page_reader import Claim, canonical, relation_of
from scripted_model.topics import TOPIC_OF, host_group, look_for, topics_about

__all__ = ["gather", "rivals", "seeds"]

_PARTNERS = 3
_LISTS = 9
_FRESH_PARTNERS = ("exports to", "imports from", "hosts refugees from")
_LEADER = ("head of government", "chief of state")
_DOUBTFUL = frozenset({"whispers.test", "mirror-daily.test", "trap.test", "disputer.test"})


def gather(task: Task) -> list[Call] | dict[str, Any]:
    """Return the next tool calls, or the evidence."""
    seen = Seen.of(task.used)
    seed = task.text("seed").strip()
    for looks, width in (
        (lambda: _around(seed, seen, task), 1),
        (lambda: _partners(seed, seen, task), 1),
        (lambda: _lists(seed, seen, task), 1),
    ):
        calls = _next(looks, seen, task, width)
        if calls and task.tools:
            return calls
    return {"evidence": _written_down(seen, task)}


def _next(looks: Callable[[], list[Look]], seen: Seen, task: Task, width: int) -> list[Call]:
    """Return the searches that are to be made for some pages, else the visits."""
    wanted = looks()
    calls = seen.searches(wanted, task.language)
    if calls:
        return calls
    chosen: dict[str, Call] = {}
    for look in wanted:
        hits = seen.hits(look, task.language)
        taken = [item for item in hits if item["url"] in seen.tried]
        for item in _preferred(hits, task, look)[: max(0, width - len(taken))]:
            if item["url"] not in seen.tried:
                chosen[item["url"]] = visit(item, look)
    return list(chosen.values())


def _preferred(hits: list[dict[str, Any]], task: Task, look: Look) -> list[dict[str, Any]]:
    """Return hits, the one to visit first first: mostly a good host, at times a doubtful one."""
    curious = task.trait("curious", *look) < 0.3

    def rank(item: dict[str, Any]) -> tuple[bool, float]:
        doubtful = host_group(item["url"]) in _DOUBTFUL
        return doubtful is not curious, draw(task.opening, item["url"])

    return sorted(hits, key=rank)


def _around(seed: str, seen: Seen, task: Task) -> list[Look]:
    """Return the pages about the seed itself."""
    first = [(seed, topic) for topic in ("trade", "affairs")]
    if any(seen.searches([look], task.language) for look in first):
        return first
    if all(seen.hits(look, task.language) for look in first):
        return [*first, (seed, "partners"), (seed, "country")]
    return [(seed, topic) for topic in ("commodity", "mission", "organization", "")]


def _centre(seed: str, seen: Seen, task: Task) -> str:
    """Return the country that everything is built around: the seed, or one that goes with it."""
    heads: dict[str, int] = {}
    for claim, _ in seen.claims():
        if claim.head == seed:
            return seed
        if claim.tail == seed:
            heads[claim.head] = heads.get(claim.head, 0) + 1
    if not heads:
        return seed
    return min(heads, key=lambda name: draw(task.opening, "centre", name))


def _partners(seed: str, seen: Seen, task: Task) -> list[Look]:
    """Return the pages about a few countries that the seed has to do with."""
    centre = _centre(seed, seen, task)
    near: dict[str, float] = {}
    for claim, _ in seen.claims():
        if claim.relation in _FRESH_PARTNERS and centre in (claim.head, claim.tail):
            other = claim.tail if claim.head == centre else claim.head
            near.setdefault(other, draw(task.opening, "partner", other))
    chosen = sorted(near, key=lambda name: near[name])[:_PARTNERS]
    looks = [(centre, topic) for topic in ("trade", "partners", "affairs", "country")]
    for name in chosen:
        looks += [(name, "trade"), (name, "affairs"), (name, "country")]
    leaders = look_for(
        centre, _LEADER[draw(task.opening, "leader") < 0.3], "forward", task.language
    )
    return [*looks, leaders] if leaders else looks


def _lists(seed: str, seen: Seen, task: Task) -> list[Look]:
    """Return pages that list all members of what the countries so far have in common."""
    met = _partners(seed, seen, task)
    names = {name for name, _ in met}
    counted: dict[Look, int] = {}
    for claim, _ in seen.claims():
        if claim.head in names:
            topic = TOPIC_OF[claim.relation, "backward"]
            if topic in (
                "",
                "region",
                "language",
                "currency",
                "country",
                "affairs",
                "partners",
                "leaders",
            ):
                continue
            counted[claim.tail, topic] = counted.get((claim.tail, topic), 0) + 1
    order = sorted(counted, key=lambda look: (-counted[look], draw(task.opening, *look)))
    fresh = [look for look in order if look[1] in ("commodity", "mission")][: _LISTS // 2 + 1]
    older = [look for look in order if look not in fresh]
    older = [look for look in older if look[1] not in ("commodity", "mission")]
    return [*fresh, *older[: _LISTS - len(fresh)]]


def _written_down(seen: Seen, task: Task) -> list[dict[str, Any]]:
    """Return what the pages say, under the names of relations that are in use."""
    names = names_in_use(task)
    known = known_triples(task)
    found = []
    for claim, page in seen.claims():
        item = evidence_item(claim, page, len(found) + 1, task, names)
        if (claim.head, item["relation"], claim.tail) not in known:
            found.append(item)
    return found


def rivals(task: Task) -> list[Call] | dict[str, Any]:
    """Return the next tool calls to find all other ends of what is open, or what was found."""
    seen = Seen.of(task.used)
    ends = [end for end in task.data("open_ends") or () if isinstance(end, dict)]
    looks: dict[Look, None] = {}
    names = names_in_use(task)
    for end in ends:
        usual = canonical(str(end.get("relation")))
        names[usual] = str(end.get("relation"))
        look = look_for(str(end.get("entity")), usual, str(end.get("direction")), task.language)
        if look is not None:
            looks[look] = None
    calls = _next(lambda: list(looks), seen, task, 1)
    if calls and task.tools:
        return calls[: max(0, 36 - len(task.used))] or {"evidence": []}
    known = known_triples(task)
    wanted = {
        (str(end.get("entity")), canonical(str(end.get("relation"))), str(end.get("direction")))
        for end in ends
    }
    found: list[dict[str, Any]] = []
    for claim, page in seen.claims():
        if not _is_wanted(claim, wanted):
            continue
        item = evidence_item(claim, page, len(found) + 1, task, names)
        item["evidence_id"] = f"r_{len(found) + 1:03d}"
        if (claim.head, item["relation"], claim.tail) not in known:
            found.append(item)
    return {"evidence": found}


def _is_wanted(claim: Claim, wanted: set[tuple[str, str, str]]) -> bool:
    return (claim.head, claim.relation, "forward") in wanted or (
        claim.tail,
        claim.relation,
        "backward",
    ) in wanted


_NEWS = {
    "en": (
        "exports and imports 2026",
        "public affairs 2026",
        "contributors 2026",
        "exporters 2026",
    ),
    "zh": ("进出口 2026", "公共事务 2026", "参加国 2026", "出口国 2026"),
}


def seeds(task: Task) -> list[Call] | dict[str, Any]:
    """Return searches, or the things that the results report about."""
    language = task.language
    news = _NEWS["zh" if language == "zh" else "en"]
    first = [f"{task.text('secondary')} {words}" for words in news]
    seen = Seen.of(task.used)
    wanted = int(task.text("count") or "10")
    avoid = {str(name).casefold() for name in task.data("avoid") or ()}
    found = _reported(seen, task)
    if len(seen.results) < len(first) and task.tools:
        return [("search", {"query": text}) for text in first if text not in seen.results]
    fresh = [item for item in found if item["entity_name"].casefold() not in avoid]
    if len(fresh) < 3 * wanted and len(seen.results) < 16 and task.tools:
        names = sorted(
            (item["entity_name"] for item in found), key=lambda name: draw(task.opening, name)
        )
        words = news[len(seen.results) % len(news)]
        more = [f"{name} {words}" for name in names]
        more = [text for text in more if text not in seen.results][:4]
        if more:
            return [("search", {"query": text}) for text in more]
    fresh.sort(key=lambda item: draw(task.opening, "seed", item["entity_name"]))
    chosen = [{"id": place, **item} for place, item in enumerate(fresh[:wanted], 1)]
    return {
        "domain": {"primary": task.text("primary"), "secondary": task.text("secondary")},
        "total_count": len(chosen),
        "seeds": chosen,
    }


def _reported(seen: Seen, task: Task) -> list[dict[str, Any]]:
    """Return the things that recent search results speak of, each once."""
    from scripted_model.page_reader import read_page

    since = (task.text("since") or "2026-01-01")[:10]
    found: dict[str, dict[str, Any]] = {}
    for results in seen.results.values():
        for result in results:
            if str(result.get("published_at") or "")[:10] < since:
                continue
            if host_group(result["url"]) in _DOUBTFUL:
                continue
            for claim in read_page(str(result.get("snippet") or "")):
                relation = relation_of(claim.relation)
                for name, kind in (
                    (claim.head, relation.head_type),
                    (claim.tail, relation.tail_type),
                ):
                    if len(topics_about(kind)) > 1:
                        found.setdefault(
                            name,
                            {
                                "entity_name": name,
                                "entity_type": kind,
                                "is_fresh": True,
                                "source_url": result["url"],
                            },
                        )
    return list(found.values())
