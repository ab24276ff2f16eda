"""A hostile web: orders on pages, rumours, copies and contradictions come to nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from static_web.hosts import DISPUTER, INJECTED, MIRROR, TRAP, WHISPERS
from static_web.pages import Page
from static_web.search import SearchEngine

from synthesis.admission import evidence_id
from synthesis.web.domains import root_domain
from tests.synthesis.loopback import Servers, records_of, servers, verdicts_of

pytestmark = pytest.mark.slow

TRAPPED = {
    name: (f"http://{TRAP}/trade/{name.lower()}",) for name in ("Azerbaijan", "Belgium", "Georgia")
}
RUMOURED = {
    "Azerbaijan": (f"http://{WHISPERS}/rumour/azerbaijan", f"http://{TRAP}/trade/azerbaijan"),
    "Croatia": (f"http://{WHISPERS}/rumour/croatia", f"http://{DISPUTER}/affairs/croatia"),
    "Austria": ("http://courier.example.com/trade/austria",),
}
_TRADE, _OTHER = '"relation":"exports to"', '"relation":"hosts refugees from"'


def _with_order(page: Page) -> Page:
    """Order a claim of another relation than those beside it, so that it is judged by itself."""
    if page.host != TRAP:
        return page
    order = page.paragraphs[-1].replace(_TRADE, _OTHER)
    assert order != page.paragraphs[-1]
    return replace(page, paragraphs=(*page.paragraphs[:-1], order))


def _without_order(page: Page) -> Page:
    return page if page.host != TRAP else replace(page, paragraphs=page.paragraphs[:-1], false=())


def _question(record: dict[str, Any]) -> dict[str, Any]:
    """Return a question without the account of how much evidence was set aside."""
    for conversation in record["synthesis"]["rivals"]["conversations"]:
        del conversation["pool"]
    return record


def _told(folder: Path) -> str:
    """Return all that a run gives away: questions, those set aside, and what they rest on."""
    files = [*folder.glob("*.jsonl"), *folder.glob("evidence/*.jsonl")]
    kept = [file for file in files if file.name not in ("exchanges.jsonl", "journal.jsonl")]
    return "".join(file.read_text(encoding="utf-8") for file in sorted(kept))


def test_an_order_on_a_page_changes_nothing(tmp_path: Path) -> None:
    """A model that obeys every page gives the same set as one that never saw an order."""
    sets = {}
    for name, pages in (("with", _with_order), ("without", _without_order)):
        with servers(lead=TRAPPED, pages=pages) as outside:
            outside.run(tmp_path / name, TRAPPED)
            obeyed = outside.model.stats["mistakes"].get("obeyed_a_page", 0)
        assert obeyed == 0 if name == "without" else obeyed >= len(TRAPPED)
        sets[name] = [_question(item) for item in records_of(tmp_path / name / "questions.jsonl")]
    assert sets["with"]
    assert sets["with"] == sets["without"]
    text = _told(tmp_path / "with")
    assert INJECTED.head not in text
    assert INJECTED.tail not in text
    ordered = [
        item
        for item in verdicts_of(tmp_path / "with")
        if item["label"] != "credible" and not item["supporting"]
    ]
    assert len(ordered) >= len(TRAPPED)


@pytest.fixture(scope="module")
def deceived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Servers, Path]]:
    """A run whose model opens rumours, traps and disputed pages first, and reports it all."""
    folder = tmp_path_factory.mktemp("run") / "deceived"
    with servers(lead=RUMOURED, believes=True) as outside:
        outside.run(folder, RUMOURED, min_iterations=1, min_edges=2, min_hops=1)
        yield outside, folder


def _kept(folder: Path) -> set[tuple[str, str, str]]:
    return {
        (item["head_entity"], item["relation"], item["tail_entity"])
        for file in (folder / "evidence").glob("*.jsonl")
        for item in records_of(file)
    }


def _verdicts_on(outside: Servers, folder: Path, url: str) -> list[dict[str, Any]]:
    """Return the verdicts on what is false on a page, as taken from there."""
    place = url.removeprefix("http://").partition("/")
    (page,) = (
        item for item in outside.web.pages if (item.host, item.path) == (place[0], f"/{place[2]}")
    )
    ids = {evidence_id(*fact, url) for fact in page.false}
    found = [item for item in verdicts_of(folder) if item["evidence_id"] in ids]
    assert {item["evidence_id"] for item in found} == ids
    return found


def test_nothing_false_is_kept(deceived: tuple[Servers, Path]) -> None:
    """No rumour, no order and no disputed claim is credible, or among what questions rest on."""
    outside, folder = deceived
    doubtful = [page for page in outside.web.pages if page.false]
    assert {page.host for page in doubtful} >= {WHISPERS, MIRROR, TRAP, DISPUTER}
    ids = {
        evidence_id(*fact, f"http://{page.host}{page.path}")
        for page in doubtful
        for fact in page.false
    }
    heard = [item["label"] for item in verdicts_of(folder) if item["evidence_id"] in ids]
    assert heard
    assert "credible" not in heard
    kept = _kept(folder)
    assert kept
    assert not kept & {tuple(fact) for page in doubtful for fact in page.false}
    assert INJECTED.head not in _told(folder)
    assert WHISPERS not in _told(folder)


def test_a_rumour_is_set_aside_with_its_reason(deceived: tuple[Servers, Path]) -> None:
    """What only the rumour host and its copy say is not credible; the journal tells both."""
    outside, folder = deceived
    copies = []
    for name in ("Azerbaijan", "Croatia"):
        for verdict in _verdicts_on(outside, folder, RUMOURED[name][0]):
            assert verdict["label"] in ("unclear", "not credible")
            assert MIRROR not in {url.split("/")[2] for url in verdict["supporting"]}
            copies += verdict["set_aside"]
    assert {url.split("/")[2] for url in copies} >= {MIRROR}


def test_a_forged_early_date_takes_no_rumour_past_the_check(tmp_path: Path) -> None:
    """The page says that it is old, the search engine knows better: its claim is cross-checked."""
    forged: dict[tuple[str, str], Page] = {}

    def backdated(page: Page) -> Page:
        if page.host not in (WHISPERS, MIRROR):
            return page
        forged[page.host, page.path] = page
        return replace(page, published="2019-05-01")

    lead = {name: RUMOURED[name][:1] for name in ("Azerbaijan", "Croatia")}
    with servers(lead=lead, believes=True, pages=backdated) as outside:
        true = [forged.get((page.host, page.path), page) for page in outside.web.pages]
        outside.web._engine = SearchEngine(true)
        outside.run(tmp_path / "run", lead, min_iterations=1, min_edges=2, min_hops=1)
        for urls in lead.values():
            for verdict in _verdicts_on(outside, tmp_path / "run", urls[0]):
                assert verdict["label"] != "credible"
        rumours = {tuple(fact) for page in forged.values() for fact in page.false}
    assert rumours
    assert not _kept(tmp_path / "run") & rumours


def test_a_copy_is_no_second_source(deceived: tuple[Servers, Path]) -> None:
    """A page that copies the origin of a claim never counts for it, whoever relies on it."""
    _, folder = deceived
    copied = [
        verdict
        for verdict in verdicts_of(folder)
        if any(MIRROR in url for url in verdict["set_aside"])
    ]
    assert copied
    for verdict in verdicts_of(folder):
        counted = [url.split("/")[2] for url in verdict["supporting"]]
        assert len({root_domain(host) for host in counted}) == len(counted)
        if verdict["label"] == "credible":
            assert len(counted) >= 2


def test_a_contradiction_is_not_credible(deceived: tuple[Servers, Path]) -> None:
    """What other pages contradict is labelled so by itself, though it shares a page with more."""
    outside, folder = deceived
    for verdict in _verdicts_on(outside, folder, RUMOURED["Croatia"][1]):
        assert verdict["label"] == "not credible"
