"""What was found on the web so far in a conversation, and what to look at next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from scripted_model.conversation import Task, ToolUse
from scripted_model.page_reader import Claim, canonical, read_page, relation_of
from scripted_model.topics import host_group, matches, query

__all__ = ["Call", "Look", "Seen", "Visited", "evidence_item"]

Call = tuple[str, dict[str, str]]
"""A tool call that is wanted: name and arguments."""

Look = tuple[str, str]
"""(entity, topic): a page that is wanted."""


@dataclass(frozen=True)
class Visited:
    """A page that was visited and could be read."""

    url: str
    published_at: str | None
    claims: tuple[Claim, ...]

    @property
    def group(self) -> str:
        """Who is behind it."""
        return host_group(self.url)


@dataclass
class Seen:
    """Everything that the tools gave in one conversation.

    Attributes:
        results: Query -> the results.
        pages: Address as called -> the page.
        tried: Addresses that were visited, readable or not.
    """

    results: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    pages: dict[str, Visited] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, used: Iterable[ToolUse]) -> Seen:
        """Read the tool results of a conversation."""
        seen = cls()
        for use in used:
            if use.name == "search":
                found = [item for item in use.result.get("results") or () if item.get("url")]
                seen.results[str(use.arguments.get("query"))] = found
            elif use.name == "visit":
                url = str(use.arguments.get("url"))
                seen.tried.add(url)
                if use.result.get("status") == "ok":
                    text = str(use.result.get("text") or "")
                    seen.pages[url] = Visited(
                        str(use.result.get("url") or url),
                        use.result.get("published_at"),
                        read_page(text),
                    )
        return seen

    def searches(self, looks: Iterable[Look], language: str) -> list[Call]:
        """Return the searches for pages that no search has found yet."""
        wanted = dict.fromkeys(
            query(name, topic, language)
            for name, topic in looks
            if not self.hits((name, topic), language)
        )
        return [("search", {"query": text}) for text in wanted if text not in self.results]

    def hits(self, look: Look, language: str) -> list[dict[str, Any]]:
        """Return the search results that seem to be the page that is wanted, each once."""
        name, topic = look
        own = query(name, topic, language)
        found: dict[str, dict[str, Any]] = {}
        for text in sorted(self.results, key=lambda text: text != own):
            for item in self.results[text]:
                if matches(item, name, topic):
                    found.setdefault(str(item["url"]), item)
        return list(found.values())

    def pages_about(self, look: Look, language: str) -> list[Visited]:
        """Return the pages that were visited for a look."""
        urls = [str(item["url"]) for item in self.hits(look, language)]
        return [self.pages[url] for url in urls if url in self.pages]

    def claims(self) -> Iterator[tuple[Claim, Visited]]:
        """Yield every claim with the first page that has it."""
        known = set()
        for page in self.pages.values():
            for claim in page.claims:
                if claim.triple not in known:
                    known.add(claim.triple)
                    yield claim, page


def visit(item: dict[str, Any], look: Look) -> Call:
    """Return the call that opens a search result."""
    return "visit", {"url": str(item["url"]), "goal": f"{look[0]} {look[1]}".strip()}


def evidence_item(
    claim: Claim, page: Visited, number: int, task: Task, names: dict[str, str]
) -> dict[str, Any]:
    """Return a claim as an item of evidence.

    Args:
        claim: The claim.
        page: Where it stands.
        number: Makes the id.
        task: For the language and the timestamp.
        names: Usual name of a relation -> the name in use.
    """
    relation = relation_of(claim.relation)
    chinese = task.language == "zh"
    usual = relation.chinese_name if chinese and relation.chinese_name else relation.name
    since = task.text("since") or "2026-01-01"
    item: dict[str, Any] = {
        "evidence_id": f"e_{number:03d}",
        "head_entity": claim.head,
        "relation": names.get(claim.relation, usual),
        "tail_entity": claim.tail,
        "evidence_text": claim.words,
        "source_url": page.url,
        "is_fresh_knowledge": bool(page.published_at and page.published_at[:10] >= since[:10]),
        "published_at": page.published_at,
    }
    if not chinese:
        item |= {"head_type": relation.head_type, "tail_type": relation.tail_type}
    return item


def names_in_use(task: Task) -> dict[str, str]:
    """Return the names of relations that the known facts use: usual name -> name in use."""
    found: dict[str, dict[str, int]] = {}
    for line in task.data("known") or ():
        parts = str(line).split(" | ")
        if len(parts) == 3:
            counts = found.setdefault(canonical(parts[1]), {})
            counts[parts[1]] = counts.get(parts[1], 0) + 1
    return {usual: max(counts, key=lambda name: counts[name]) for usual, counts in found.items()}


def known_triples(task: Task) -> set[tuple[str, str, str]]:
    """Return the facts that are there already, under the names they have there."""
    found = set()
    for line in task.data("known") or ():
        parts = str(line).split(" | ")
        if len(parts) == 3:
            found.add((parts[0], parts[1], parts[2]))
    return found
