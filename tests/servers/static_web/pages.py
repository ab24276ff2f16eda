"""A page and its HTML: paragraphs of sentences, with title, dates and language."""

from __future__ import annotations

import hashlib
import html
from dataclasses import dataclass, field

from static_web.chinese import in_chinese
from static_web.topics import Topic
from static_web.wording import RELATIONS_BY_NAME
from static_web.world import Fact

__all__ = ["Page", "draw", "sentence", "shuffled"]


def draw(*parts: object) -> int:
    """Return a large number that depends on nothing but the parts."""
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


def shuffled(items: tuple[Fact, ...], *parts: object) -> list[Fact]:
    """Return facts in an order that depends on the parts, relation by relation."""
    order = {name: number for number, name in enumerate(RELATIONS_BY_NAME)}
    return sorted(items, key=lambda fact: (order[fact.relation], draw(*parts, *fact)))


def sentence(fact: Fact, style: str, articles: frozenset[str]) -> str:
    """Return a fact as a sentence of a host.

    Args:
        fact: The fact, with English names.
        style: ``atlas``, ``gazette``, ``almanac``, ``courier``, or ``zh0`` to ``zh2``.
        articles: Names that take "the".
    """
    relation = RELATIONS_BY_NAME[fact.relation]
    if style.startswith("zh"):
        form = relation.chinese[int(style[2])]
        return form.format(h=in_chinese(fact.head), t=in_chinese(fact.tail))
    head, tail = (f"the {name}" if name in articles else name for name in (fact.head, fact.tail))
    text = relation.english[style].format(h=head, t=tail)
    return text[0].upper() + text[1:]


@dataclass(frozen=True, slots=True)
class Page:
    """What one URL answers with.

    Attributes:
        host: The virtual host.
        path: With a leading slash.
        title: The title.
        language: ``en`` or ``zh``.
        published: ISO date, or None for a page without one.
        paragraphs: Text, one paragraph each.
        facts: The facts that it tells truly, English names.
        false: The facts that it tells and that are not so.
        boost: A factor on its rank in the search.
    """

    host: str
    path: str
    title: str
    language: str
    published: str | None
    paragraphs: tuple[str, ...]
    facts: tuple[Fact, ...] = ()
    false: tuple[Fact, ...] = ()
    boost: float = 1.0
    links: tuple[str, ...] = field(default=())

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{self.host}{self.path}"

    def html(self) -> str:
        """Return the page as a document."""
        head = [f'<html lang="{self.language}"><head><meta charset="utf-8">']
        head.append(f"<title>{html.escape(self.title)}</title>")
        stamp = ""
        if self.published:
            moment = f"{self.published}T08:00:00+00:00"
            head.append(f'<meta property="article:published_time" content="{moment}">')
            label = "发布于" if self.language == "zh" else "Published on"
            stamp = f'<p class="date">{label} <time datetime="{moment}">{self.published}</time></p>'
        body = "\n".join(f"<p>{html.escape(text)}</p>" for text in self.paragraphs)
        links = "".join(f'<li><a href="{html.escape(url)}">{url}</a></li>' for url in self.links)
        return (
            f"<!DOCTYPE html>\n{''.join(head)}</head>\n<body><nav><ul>{links}</ul></nav>\n"
            f"<main><article><h1>{html.escape(self.title)}</h1>\n{stamp}\n{body}\n"
            f"</article></main><footer><p>{html.escape(self.host)}</p></footer></body></html>\n"
        )


_LEADS = {
    "atlas": "What the Atlas records about {name} stands below, one statement after another.",
    "gazette": "The Gazette has put together what can be said about {name}.",
    "almanac": "Readers of the Almanac asked about {name}; this is the entry.",
    "courier": "Our correspondents report on {name}; the statements were checked for this issue.",
    "zh0": "以下是关于{name}的资料。",
    "zh1": "本报整理了有关{name}的信息。",
    "zh2": "读者常常问起{name}，这里是条目全文。",
}


def told(
    topic: Topic, host: str, style: str, articles: frozenset[str], published: str | None, seed: int
) -> Page:
    """Return the page about a topic on a good host: all its facts, in the words of the host."""
    chinese = style.startswith("zh")
    facts = topic.chinese_facts if chinese else topic.facts
    name = in_chinese(topic.name) if chinese else topic.name
    paragraphs = [_LEADS[style].format(name=name)]
    by_relation: dict[str, list[str]] = {}
    for fact in shuffled(facts, seed, host):
        by_relation.setdefault(fact.relation, []).append(sentence(fact, style, articles))
    joint = "" if chinese else " "
    paragraphs += [joint.join(sentences) for sentences in by_relation.values()]
    slug = topic.name.lower().replace(" ", "-").replace("'", "")
    return Page(
        host,
        f"/{topic.kind.name}/{slug}",
        topic.title(style),
        "zh" if chinese else "en",
        published,
        tuple(paragraphs),
        facts,
    )
