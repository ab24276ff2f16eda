"""Plays who gathers: searches, visits, and writes down what the pages say."""

from __future__ import annotations

from collections.abc import Iterator
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

_GROUPS = 3
_CALLS = 38
_TRIES = 3
_CURIOUS = 0.3
_MEMBERS = 4
_LEADER = ("head of government", "chief of state")
_LISTED = ("mission", "commodity", "organization", "mineral", "water")
_LISTS = {"mission": 2, "commodity": 2, "organization": 1, "mineral": 1}
_DOUBTFUL = frozenset({"whispers.test", "mirror-daily.test", "trap.test", "disputer.test"})


def gather(task: Task) -> list[Call] | dict[str, Any]:
    """Return the next tool calls, or the evidence.

    The way: the seed; the country that it goes with; one of its partners; a small group that the
    partner is of, with all its members; who trades with each of them; then lists that the country
    is on, and the list of leaders. Only whole lists are written down: with parts of many lists
    nobody could tell whether a description fits one thing only.
    """
    seen = Seen.of(task.used)
    looks: list[Look] = []
    for more in _ways(task.text("seed").strip(), seen, task):
        looks += more
        calls = _next(more, seen, task)
        if calls and task.tools:
            return calls
    return {"evidence": _written_down(looks, seen, task)}


def _ways(seed: str, seen: Seen, task: Task) -> Iterator[list[Look]]:
    """Yield the pages to look at, stage by stage; each stage rests on what the last one gave."""
    language = task.language
    first = [(seed, topic) for topic in ("trade", "affairs", "country")]
    yield first[:1]
    own = bool(seen.hits(first[0], language))
    if not own:
        yield [(seed, topic) for topic in ("commodity", "mission", "organization")]
        if not any(seen.hits((seed, topic), language) for topic in _LISTED):
            yield [(seed, "")]
    centre = seed if own else _goes_with(seed, seen, task)
    leader = _LEADER[draw(task.opening, "leader") < 0.3]
    leaders = [look for look in (look_for(centre, leader, "forward", language),) if look]
    around = [(centre, topic) for topic in ("trade", "affairs", "country")]
    yield around if own else [*around, *leaders]
    partner = _partner(centre, seen, task)
    group = None
    if partner:
        yield [(partner, "country")]
        near = _neighbours(partner, centre, seen, task)
        yield near
        group = _fitting(near, centre, seen, task)
        if group is None:
            others = _groups(partner, seen, task)
            yield others
            group = _fitting(others, "", seen, task)
    if group is not None:
        members = _members(group, seen, task)
        yield [(name, "partners") for name in [*members, *_outside(group, members, seen, task)]]
    yield [*leaders, *_lists(centre, seen, task)]


def _next(looks: list[Look], seen: Seen, task: Task) -> list[Call]:
    """Return the searches that are to be made for some pages, else the visits."""
    calls = seen.searches(looks, task.language)
    if calls:
        return calls
    chosen: dict[str, Call] = {}
    for look in looks:
        for item in _to_visit(seen.hits(look, task.language), look, seen):
            chosen.setdefault(str(item["url"]), visit(item, look))
    return list(chosen.values())


def _to_visit(hits: list[dict[str, Any]], look: Look, seen: Seen) -> list[dict[str, Any]]:
    """Return the hits to visit: one of a good host, for some pages a doubtful one beside it.

    Where the good one cannot be read, the next one is tried, three of them at most.

    It depends on the page alone, so that everybody who looks for it reads the same.
    """
    ranked = sorted(hits, key=lambda item: draw("prefer", item["url"]))
    good = [item for item in ranked if host_group(item["url"]) not in _DOUBTFUL]
    doubtful = [item for item in ranked if host_group(item["url"]) in _DOUBTFUL]
    if any(item["url"] in seen.pages for item in good):
        return []
    fresh = [item for item in good[:_TRIES] if item["url"] not in seen.tried]
    curious = draw("curious", *look) < _CURIOUS or not good
    beside = [item for item in doubtful[:1] if curious and item["url"] not in seen.tried]
    return [*fresh[:1], *beside]


def _claims_of(name: str, relations: tuple[str, ...], seen: Seen) -> list[Claim]:
    return [
        claim for claim, _ in seen.claims() if claim.head == name and claim.relation in relations
    ]


_BIG = frozenset(
    {
        *("China", "France", "Germany", "India", "Italy", "Japan", "Netherlands", "Russia"),
        *("South Korea", "United Kingdom", "United States", "Belgium", "Turkey", "Poland"),
        *("中国", "法国", "德国", "印度", "意大利", "日本", "荷兰", "俄罗斯", "韩国", "英国"),
        *("美国", "比利时", "土耳其", "波兰"),
    }
)
"""Countries of which everybody knows that nearly all others trade with them."""


def _outside(group: Look, members: list[str], seen: Seen, task: Task) -> list[str]:
    """Return somebody of another group of that kind, so that it matters which group is meant."""
    others = {
        claim.head
        for claim, _ in seen.claims()
        if TOPIC_OF[claim.relation, "backward"] == group[1] and claim.tail != group[0]
    } - set(members)
    ranked = sorted(others, key=lambda name: (name not in _BIG, draw(task.opening, "out", name)))
    return ranked[:1]


def _partner(centre: str, seen: Seen, task: Task) -> str | None:
    """Return a country that the centre deals with, better one that few others deal with."""
    tails = {
        claim.tail: claim.relation
        for claim in _claims_of(centre, ("imports from", "exports to"), seen)
    }
    if not tails:
        return None
    return min(tails, key=lambda name: (name in _BIG, draw(task.opening, "partner", name)))


def _goes_with(seed: str, seen: Seen, task: Task) -> str:
    """Return a country that the pages about the seed speak of."""
    heads = sorted({claim.head for claim, _ in seen.claims() if claim.tail == seed})
    return min(heads, key=lambda name: draw(task.opening, "centre", name)) if heads else seed


def _neighbours(partner: str, centre: str, seen: Seen, task: Task) -> list[Look]:
    """Return pages about countries beside a country: what borders one of them is a small group."""
    names = {claim.tail for claim in _claims_of(partner, ("borders",), seen)} - {centre}
    chosen = sorted(names, key=lambda name: draw(task.opening, "group", name))[:_GROUPS]
    return [(name, "country") for name in chosen]


def _groups(partner: str, seen: Seen, task: Task) -> list[Look]:
    """Return pages about other groups that a country is of and that may be small."""
    wanted = ("lies on", "natural resource", "official language")
    looks: list[Look] = []
    for claim in _claims_of(partner, wanted, seen):
        look = look_for(claim.tail, claim.relation, "backward", task.language)
        if look is not None and look not in looks:
            looks.append(look)
    looks.sort(key=lambda look: draw(task.opening, "group", *look))
    return looks[:_GROUPS]


def _members(group: Look, seen: Seen, task: Task) -> list[str]:
    """Return who is of a group, from the page about it."""
    name, topic = group
    found = {
        claim.head
        for page in seen.pages_about(group, task.language)
        for claim in page.claims
        if claim.tail == name and TOPIC_OF[claim.relation, "backward"] == topic
    }
    return sorted(found)


def _fitting(groups: list[Look], outside: str, seen: Seen, task: Task) -> Look | None:
    """Return a group with few members, but two at least, better none that all trade with.

    Args:
        groups: The pages about the groups.
        outside: Who should not be one of the members.
        seen: What was found.
        task: The conversation.
    """
    sized = []
    for group in groups:
        members = _members(group, seen, task)
        if 2 <= len(members) <= _MEMBERS and outside not in members:
            big = sum(name in _BIG for name in members)
            sized.append((big, draw(task.opening, "group", *group), group))
    return min(sized)[2] if sized else None


def _lists(centre: str, seen: Seen, task: Task) -> list[Look]:
    """Return pages that list all of what the country is one of."""
    by_topic: dict[str, list[Look]] = {}
    for claim in _claims_of(centre, tuple(name for name, _ in TOPIC_OF), seen):
        look = look_for(claim.tail, claim.relation, "backward", task.language)
        if look is not None and look[1] in _LISTS:
            by_topic.setdefault(look[1], []).append(look)
    chosen: list[Look] = []
    for topic, count in _LISTS.items():
        options = sorted(set(by_topic.get(topic, ())), key=lambda look: draw(task.opening, *look))
        chosen += options[:count]
    return chosen


def _written_down(looks: list[Look], seen: Seen, task: Task) -> list[dict[str, Any]]:
    """Return the whole lists that the pages give, under the names of relations in use."""
    names = names_in_use(task)
    known = known_triples(task)
    found: list[dict[str, Any]] = []
    told: set[tuple[str, str, str]] = set()
    for look in dict.fromkeys(looks):
        for page in seen.pages_about(look, task.language):
            for claim in page.claims:
                if claim.triple in told or not _of_a_list(claim, look):
                    continue
                told.add(claim.triple)
                item = evidence_item(claim, page, len(found) + 1, task, names)
                if (claim.head, item["relation"], claim.tail) not in known:
                    found.append(item)
    return found


def _of_a_list(claim: Claim, look: Look) -> bool:
    """Whether a claim belongs to a list that the page gives completely."""
    name, topic = look
    if topic in ("trade", "affairs", ""):
        return False
    if topic == "country":
        return claim.relation == "borders" and claim.tail == name
    if topic == "leaders":
        return True
    return claim.tail == name or topic not in TOPIC_OF.values()


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
    calls = _next(list(looks), seen, task)
    room = _CALLS - len(task.used)
    if calls and task.tools and room > 0:
        return calls[:room]
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
    if len(fresh) < max(40, 3 * wanted) and len(seen.results) < 16 and task.tools:
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


def _whole_sentences(snippet: str) -> str:
    """Return a snippet without the sentence that is cut off at its end."""
    if not snippet.endswith("..."):
        return snippet
    end = max(snippet[:-3].rfind(". "), snippet.rfind("。"))
    return snippet[: end + 1]


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
            for claim in read_page(_whole_sentences(str(result.get("snippet") or ""))):
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
