"""A search engine over the pages: lexical, English words and Chinese pairs of characters."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from static_web.pages import Page

__all__ = ["SearchEngine", "words"]

_WORD = re.compile(r"[^\W_]+")
_HAN = re.compile(r"[\u3400-\u9fff]+")
_STOP = frozenset(
    re.findall(r"\w+", "the of a an in is and to from with what who are on by has have for")
)


def words(text: str) -> Iterator[str]:
    """Yield the terms of a text: words in lower case, and pairs of Chinese characters."""
    for found in _WORD.findall(text.lower()):
        start = 0
        for han in _HAN.finditer(found):
            if found[start : han.start()]:
                yield found[start : han.start()]
            run = han[0]
            yield from (run[place : place + 2] for place in range(max(1, len(run) - 1)))
            start = han.end()
        if found[start:] and found[start:] not in _STOP:
            yield found[start:]


class SearchEngine:
    """Ranks pages by the terms of a query; terms of titles count most.

    Args:
        pages: The pages, in any order.
    """

    def __init__(self, pages: Iterable[Page]) -> None:
        self.pages = sorted(pages, key=lambda page: page.url)
        self._index: dict[str, list[tuple[int, float]]] = {}
        for number, page in enumerate(self.pages):
            titles = set(words(page.title))
            counts = Counter(words(" ".join(page.paragraphs)))
            for term in titles | counts.keys():
                weight = (4.0 if term in titles else 0.0) + min(counts[term], 4) / 4
                self._index.setdefault(term, []).append((number, weight * page.boost))

    def ranked(self, query: str, language: str = "") -> list[tuple[float, Page]]:
        """Return (score, page), best first.

        Args:
            query: Words.
            language: ``en`` or ``zh`` to see only these pages; by default all.
        """
        terms = list(dict.fromkeys(words(query)))
        scores: dict[int, float] = {}
        matched: Counter[int] = Counter()
        for term in terms:
            found = self._index.get(term, ())
            rarity = math.log(1 + len(self.pages) / (1 + len(found)))
            for number, weight in found:
                scores[number] = scores.get(number, 0.0) + rarity * weight
                matched[number] += 1
        least = max(1, len(terms) // 3)
        ranked = [
            (score * matched[number] / len(terms), number)
            for number, score in scores.items()
            if matched[number] >= least
            and (not language or self.pages[number].language == language)
        ]
        ranked.sort(key=lambda item: (-item[0], item[1]))
        return [(score, self.pages[number]) for score, number in ranked]

    def searxng(self, query: str, language: str, page: int, size: int = 10) -> dict[str, Any]:
        """Return an answer in the shape of the JSON of SearXNG."""
        wanted = language.partition("-")[0] if language not in ("", "all", "auto") else ""
        ranked = self.ranked(query, wanted)
        shown = ranked[(page - 1) * size : page * size]
        terms = set(words(query))
        return {
            "query": query,
            "number_of_results": len(ranked),
            "results": [
                {
                    "url": item.url,
                    "title": item.title,
                    "content": _snippet(item, terms),
                    "engine": "static",
                    "engines": ["static"],
                    "parsed_url": ["http", item.host, item.path, "", "", ""],
                    "template": "default.html",
                    "positions": [number],
                    "score": round(score, 4),
                    "category": "general",
                    "publishedDate": f"{item.published}T08:00:00" if item.published else None,
                }
                for number, (score, item) in enumerate(shown, start=1)
            ],
            "answers": [],
            "corrections": [],
            "infoboxes": [],
            "suggestions": [],
            "unresponsive_engines": [],
        }


def _snippet(page: Page, terms: set[str]) -> str:
    """Return the paragraph that has most of the terms, shortened."""
    best = max(page.paragraphs, key=lambda text: len(terms & set(words(text))), default="")
    return best if len(best) <= 200 else f"{best[:197]}..."
