"""Where things stand on the web: what to search for, and what a title promises."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

__all__ = [
    "TOPIC_OF",
    "host_group",
    "look_for",
    "matches",
    "query",
    "topic_of_title",
    "topics_about",
]

_WORDS = {
    "country": ("profile", "概况"),
    "organization": ("members", "成员"),
    "water": ("coast", "沿岸"),
    "language": ("official language", "官方语言"),
    "region": ("region", "地区"),
    "currency": ("currency", "货币"),
    "mineral": ("deposits", "矿藏"),
    "trade": ("exports and imports 2026", "进出口 2026"),
    "partners": ("trade partners 2026", "贸易伙伴 2026"),
    "affairs": ("public affairs 2026", "公共事务 2026"),
    "leaders": ("leaders 2026", "各国领导人 2026"),
    "commodity": ("exporters 2026", "出口国 2026"),
    "mission": ("contributors 2026", "参加国 2026"),
}

TOPIC_OF = {
    ("borders", "forward"): "country",
    ("borders", "backward"): "country",
    ("member of", "forward"): "country",
    ("member of", "backward"): "organization",
    ("region", "forward"): "country",
    ("region", "backward"): "region",
    ("lies on", "forward"): "country",
    ("lies on", "backward"): "water",
    ("official language", "forward"): "country",
    ("official language", "backward"): "language",
    ("currency", "forward"): "country",
    ("currency", "backward"): "currency",
    ("capital", "forward"): "country",
    ("capital", "backward"): "",
    ("natural resource", "forward"): "country",
    ("natural resource", "backward"): "mineral",
    ("exports to", "forward"): "trade",
    ("exports to", "backward"): "partners",
    ("imports from", "forward"): "trade",
    ("imports from", "backward"): "partners",
    ("exports", "forward"): "trade",
    ("exports", "backward"): "commodity",
    ("takes part in", "forward"): "affairs",
    ("takes part in", "backward"): "mission",
    ("hosts refugees from", "forward"): "affairs",
    ("hosts refugees from", "backward"): "affairs",
    ("head of government", "forward"): "leaders",
    ("head of government", "backward"): "leaders",
    ("chief of state", "forward"): "leaders",
    ("chief of state", "backward"): "leaders",
}
"""(relation, which end is known) -> the kind of page that lists the other ends; empty for none."""


_LEADERS = {
    "head of government": ("head of government", "政府首脑"),
    "chief of state": ("chief of state", "国家元首"),
}


def look_for(entity: str, relation: str, way: str, language: str) -> tuple[str, str] | None:
    """Return the page that lists what a relation joins to a thing: its subject and its kind.

    Args:
        entity: The end that is known.
        relation: The usual name of the relation.
        way: ``forward`` if the known end is the head, else ``backward``.
        language: ``en`` or ``zh``.
    """
    topic = TOPIC_OF.get((relation, way))
    if topic is None:
        return None
    if topic == "leaders":
        return _LEADERS[relation][language == "zh"], topic
    return entity, topic


def query(name: str, topic: str, language: str) -> str:
    """Return what to type into a search box for a page about a thing."""
    word = _WORDS[topic][language == "zh"] if topic else ""
    return f"{name} {word}".strip()


def topic_of_title(title: str) -> str:
    """Return what kind of page a title promises, or an empty string."""
    folded = title.casefold()
    for topic, (english, chinese) in reversed(_WORDS.items()):
        if english.removesuffix(" 2026") in folded or chinese.removesuffix(" 2026") in title:
            return topic
    return ""


def matches(result: dict[str, Any], name: str, topic: str) -> bool:
    """Whether a search result is about a thing, and of the kind wanted."""
    title = str(result.get("title") or "")
    if not topic:
        return name.casefold() in str(result.get("snippet") or "").casefold()
    return topic_of_title(title) == topic and _names(title, name)


_AFTER = re.compile(r"$|[:,：（]| (?:are|is|by|in|at|as)\b|[国概成有沿作为地矿进的贸公出参]")
_BEFORE = ("", "年", "识", "以", "有", "：")
_WORD = re.compile(r"[A-Za-z0-9]")


def _names(title: str, name: str) -> bool:
    """Whether a title names a thing, and not a longer name that begins or ends with it."""
    folded, wanted = title.casefold(), name.casefold()
    place = folded.find(wanted)
    while place >= 0:
        before, after = folded[:place][-1:], folded[place + len(wanted) :]
        apart = not _WORD.match(before) if _WORD.match(wanted) else before in _BEFORE
        if apart and _AFTER.match(after):
            return True
        place = folded.find(wanted, place + 1)
    return False


def topics_about(kind: str) -> tuple[str, ...]:
    """Return the kinds of pages that there may be about a thing of a type."""
    return {
        "country": ("trade", "affairs", "partners", "country"),
        "organization": ("organization",),
        "body of water": ("water",),
        "language": ("language",),
        "region": ("region",),
        "currency": ("currency",),
        "commodity": ("commodity", "mineral"),
        "mission": ("mission",),
    }.get(kind, ("",))


def host_group(url: str) -> str:
    """Return the last two labels of the host of a URL: who is behind it."""
    return ".".join((urlsplit(url).hostname or "").split(".")[-2:])
