"""The static web that the synthesis loop is tried on: its pages, its search, its troubles."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import httpx2
import pytest
from static_web import COUNTRIES, HUGE_BYTES, SINCE, Fact, StaticWeb
from static_web.hosts import INJECTED, MIRROR, TRAP, WHISPERS, rumours
from static_web.pages import Page
from static_web.wording import FRESH

from graphkit.evidence import EvidenceRecord, root_domain
from graphkit.facts import FactStore
from graphkit.grounding import resolve
from graphkit.relations import RelationSheet


@pytest.fixture(scope="module")
def web() -> Iterator[StaticWeb]:
    with StaticWeb(seed=1, slow_seconds=0.2) as running:
        yield running


def fetched(web: StaticWeb, host: str, path: str) -> httpx2.Response:
    return httpx2.get(f"{web.server.url}{path}", headers={"Host": host}, trust_env=False)


def found(web: StaticWeb, query: str, language: str = "") -> list[dict[str, str]]:
    parameters = {"q": query, "format": "json", "language": language}
    answer = httpx2.get(f"{web.search_url}/search", params=parameters, trust_env=False)
    return list(answer.json()["results"])


def test_every_fact_is_told_by_three_root_domains_in_words_of_their_own(web: StaticWeb) -> None:
    """Each fact stands on pages of three registrable domains, and no two use the same sentence."""
    where: dict[Fact, set[str]] = {}
    for page in web.pages:
        if page.host in web.good_hosts and page.language == "en":
            for fact in page.facts:
                where.setdefault(fact, set()).add(root_domain(page.url))
    assert set(where) == set(web.world.facts)
    assert min(map(len, where.values())) >= 3
    sentences: dict[str, set[str]] = {}
    for page in web.pages:
        if page.host in web.good_hosts and page.language == "en" and page.path == "/trade/japan":
            sentences[page.host] = set(" ".join(page.paragraphs).split(". "))
    shared = set.intersection(*sentences.values())
    assert len(sentences) == 3
    assert not shared


def test_fresh_pages_are_dated_after_the_timestamp_and_others_before_it(web: StaticWeb) -> None:
    """Fresh facts stand only on pages of 2026; more than half of all facts are fresh."""
    fresh = [fact for fact in web.complete_facts() if fact["is_fresh_knowledge"]]
    assert 2 * len(fresh) > len(web.complete_facts())
    for page in web.pages:
        assert page.published is not None
        date.fromisoformat(page.published)
        for fact in page.facts:
            assert (page.published >= SINCE) is (fact.relation in FRESH), page.url


def test_the_complete_facts_are_a_fact_store_with_chinese_names(web: StaticWeb) -> None:
    """The whole sub-world loads, and a Chinese name means the same entity as the English one."""
    sheet = RelationSheet.parse(web.relation_sheet())
    records = [EvidenceRecord(**record) for record in web.complete_facts()]
    facts = FactStore.from_evidence(records, sheet)
    assert {entity.text for entity in facts.entities} >= set(COUNTRIES)
    chinese, english = resolve("德国", facts), resolve("Germany", facts)
    assert chinese is not None
    assert english is not None
    assert chinese.entities == english.entities


def test_pages_do_not_change_from_run_to_run(web: StaticWeb) -> None:
    """Equal seeds give equal pages, another seed moves the trouble elsewhere."""
    again, other = StaticWeb(seed=1), StaticWeb(seed=2)
    assert again.pages == web.pages
    assert other.pages != web.pages


@pytest.mark.parametrize(
    ("query", "language", "path"),
    [
        ("members European Union", "en", "/organization/european-union"),
        ("Japan exports imports 2026", "", "/trade/japan"),
        ("德国 进出口 2026", "zh", "/trade/germany"),
    ],
)
def test_the_search_finds_the_page_in_both_languages(
    web: StaticWeb, query: str, language: str, path: str
) -> None:
    """The best result of a query about one thing is a page about it, in the language asked for."""
    results = found(web, query, language)
    assert results[0]["url"].endswith(path)
    assert len({root_domain(result["url"]) for result in results[:4]}) >= 2


def test_rumours_are_false_and_confirmed_only_by_a_copy(web: StaticWeb) -> None:
    """What the rumour host tells is in no complete fact; the one other host has the same text."""
    told = {fact for facts in rumours(web.world, 1).values() for fact in facts}
    assert told
    assert not told & set(web.world.facts)
    by_host: dict[str, list[Page]] = {}
    for page in web.pages:
        if set(page.false) & told:
            by_host.setdefault(page.host, []).append(page)
    assert set(by_host) == {WHISPERS, MIRROR}
    for page in by_host[WHISPERS]:
        copies = [item for item in by_host[MIRROR] if item.paragraphs[1:] == page.paragraphs]
        assert len(copies) == 1


def test_trap_pages_carry_the_order_to_the_reader(web: StaticWeb) -> None:
    """An injecting page has the true facts and an instruction with a false one."""
    page = next(page for page in web.pages if page.host == TRAP)
    text = fetched(web, page.host, page.path).text
    assert "ignore previous instructions" in text
    assert "Atlantis" in text
    assert INJECTED not in web.world.facts


def test_trouble_is_where_it_was_promised(web: StaticWeb) -> None:
    """500, dropped and truncated answers, redirects to private addresses, robots, 30 MB."""
    assert fetched(web, "broken.test", "/500/trade").status_code == 500
    for path in ("/drop/trade", "/truncated/trade"):
        with pytest.raises(httpx2.RemoteProtocolError):
            fetched(web, "broken.test", path)
    moved = fetched(web, "elsewhere.test", "/metadata/trade")
    assert moved.headers["location"].startswith("http://169.254.169.254/")
    assert "Disallow: /\n" in fetched(web, "keep-out.test", "/robots.txt").text
    assert len(fetched(web, "huge.test", "/trade").content) >= HUGE_BYTES


def test_the_server_counts_what_is_asked_of_it(web: StaticWeb) -> None:
    """Requests are counted by host and by URL, and forbidden ones on their own."""
    before = web.stats
    fetched(web, "keep-out.test", "/secret/trade")
    after = web.stats
    assert after["forbidden"] == before["forbidden"] + 1
    assert after["requests"]["keep-out.test"] == before["requests"].get("keep-out.test", 0) + 1
