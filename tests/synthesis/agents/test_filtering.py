"""Filtering: credible is what independent pages state, whatever a model says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from parse_model import with_door

from graphkit.errors import ModelReplyError
from graphkit.evidence import EvidenceRecord
from synthesis.agents.filtering import (
    ReliabilityVerdict,
    judge_popularity,
    judge_reliability,
    states,
)
from synthesis.agents.gathering import Errand
from synthesis.evidence_pool import Popularity, Reliability
from tests.synthesis.agents.small_web import PAGES, blocks_of, page, turns, with_errand


def claim(number: int = 1, tail: str = "Ada Birch", host: str = "news.example") -> EvidenceRecord:
    return EvidenceRecord(
        evidence_id=f"e{number}",
        head_entity="Ulm",
        relation="mayor",
        tail_entity=tail,
        source_url=f"https://{host}/",
        is_fresh_knowledge=True,
    )


def visits(*hosts: str) -> tuple[tuple[str, dict[str, str]], ...]:
    return tuple(("visit", {"url": f"https://{host}/", "goal": ""}) for host in hosts)


def judged(
    folder: Path, *steps: Any, claims: tuple[EvidenceRecord, ...] = (claim(),), pages: Any = PAGES
) -> tuple[list[ReliabilityVerdict], Any]:
    async def work(errand: Errand) -> list[ReliabilityVerdict]:
        return await judge_reliability(errand, claims)

    script = turns(reliability=list(steps) if len(steps) > 1 else steps[0])
    return with_errand(script, work, folder, pages=pages)


CREDIBLE = {"reliability": "credible", "sources": [], "contradicting": []}


@pytest.mark.parametrize(
    ("hosts", "label", "counted"),
    [
        (("paper.test", "radio.net"), Reliability.CREDIBLE, 2),
        (("paper.test", "radio.net", "mirror.org", "news.example"), Reliability.CREDIBLE, 2),
        (("paper.test",), Reliability.UNCLEAR, 1),
        (("paper.test", "news.example"), Reliability.UNCLEAR, 1),
        (("paper.test", "mirror.org"), Reliability.UNCLEAR, 1),
        (("paper.test", "old.example", "whisper.io"), Reliability.UNCLEAR, 1),
        (("nowhere.example",), Reliability.UNCLEAR, 0),
    ],
)
def test_credible_needs_two_independent_pages_that_were_read(
    tmp_path: Path, hosts: tuple[str, ...], label: Reliability, counted: int
) -> None:
    """The origin, its copy, and pages that do not name both ends do not count."""
    (verdict,), _ = judged(tmp_path, visits(*hosts), CREDIBLE)
    assert (verdict.label, verdict.model) == (label, Reliability.CREDIBLE)
    assert len(verdict.supporting) == counted
    assert not set(verdict.supporting) & set(verdict.set_aside)
    assert any("read as unclear" in note for note in verdict.repairs) is (counted < 2)


def test_credible_without_any_visit_is_unclear(tmp_path: Path) -> None:
    """Sources that were only named are noted."""
    reply = {**CREDIBLE, "sources": ["https://paper.test/", "https://radio.net/"]}
    (verdict,), _ = judged(tmp_path, reply)
    assert verdict.label is Reliability.UNCLEAR
    assert sum("was not visited" in note for note in verdict.repairs) == 2


def test_two_hosts_of_one_domain_are_one_source(tmp_path: Path) -> None:
    """Different words on two parts of a site are the voice of one publisher."""
    pages = (
        *PAGES,
        page("a.town.example", "At noon Ulm made Ada Birch its new mayor, people were glad."),
        page("b.town.example", "Nobody expected it: Ada Birch now leads the city of Ulm."),
    )
    hosts = ("a.town.example", "b.town.example")
    (verdict,), _ = judged(tmp_path, visits(*hosts), CREDIBLE, pages=pages)
    assert verdict.label is Reliability.UNCLEAR
    assert len(verdict.supporting) == 1


@pytest.mark.parametrize(
    "spelling", ["https://radio.net/", "HTTPS://Radio.net", "https://radio.net/#x"]
)
def test_a_page_that_contradicts_is_no_source(tmp_path: Path, spelling: str) -> None:
    """Though it names both ends, and however its address is written."""
    reply = {**CREDIBLE, "contradicting": [spelling]}
    (verdict,), _ = judged(tmp_path, visits("paper.test", "radio.net"), reply)
    assert verdict.label is Reliability.UNCLEAR
    assert verdict.supporting == ("https://paper.test/",)


@pytest.mark.parametrize("word", ["not credible", "Not_Credible", "UNCLEAR", " unclear "])
def test_what_the_model_doubts_is_not_made_credible(tmp_path: Path, word: str) -> None:
    """However many pages name both ends."""
    (verdict,), _ = judged(tmp_path, visits("paper.test", "radio.net"), {"reliability": word})
    assert verdict.label in (Reliability.NOT_CREDIBLE, Reliability.UNCLEAR)
    assert len(verdict.supporting) == 2


def test_one_false_claim_does_not_take_the_true_ones_with_it(tmp_path: Path) -> None:
    """A list that is doubted is halved and asked again; verdicts keep the order of the claims."""
    claims = tuple(claim(n, "Bo Elm" if n == 2 else "Ada Birch") for n in range(5))

    def planned(received: Any) -> Any:
        shown = json.loads(blocks_of(received)["evidence_list"])
        doubtful = any(item["tail_entity"] == "Bo Elm" for item in shown)
        return [
            visits("paper.test", "radio.net"),
            {"reliability": "not credible" if doubtful else "credible"},
        ]

    verdicts, server = judged(tmp_path, planned, claims=claims)
    assert [verdict.evidence_id for verdict in verdicts] == [f"e{n}" for n in range(5)]
    assert [verdict.label for verdict in verdicts] == [
        Reliability.NOT_CREDIBLE if n == 2 else Reliability.CREDIBLE for n in range(5)
    ]
    assert len(server.received) < 2 * 2 * len(claims)


def test_a_word_that_is_no_verdict_is_asked_for_again(tmp_path: Path) -> None:
    """And in the end an error: nothing is credible by default."""
    (verdict,), _ = judged(tmp_path, {"reliability": "certain"}, {"reliability": "unclear"})
    assert verdict.label is Reliability.UNCLEAR
    with pytest.raises(ModelReplyError):
        judged(tmp_path, {"reliability": "certain"})


def test_a_verdict_is_plain_data(tmp_path: Path) -> None:
    """With what was searched for and read."""
    (verdict,), _ = judged(tmp_path, visits("paper.test"), CREDIBLE)
    record = json.loads(json.dumps(verdict.to_record()))
    assert record["label"] == "unclear"
    assert record["visited"] == ["https://paper.test/"]


@pytest.mark.parametrize(
    ("word", "label"),
    [
        ("popular", Popularity.POPULAR),
        ("Popular ", Popularity.POPULAR),
        ("non-popular", Popularity.NON_POPULAR),
        ("Non Popular", Popularity.NON_POPULAR),
        ("nonpopular", Popularity.NON_POPULAR),
        ("not_popular", Popularity.NON_POPULAR),
    ],
)
def test_popularity_is_read_in_many_spellings(word: str, label: Popularity) -> None:
    """The label and nothing between."""

    async def work(door: Any) -> Any:
        return await judge_popularity(door, [claim()], language="en")

    verdict, _ = with_door(turns(popularity={"popularity": word}), work)
    assert verdict.label is label


def test_popularity_without_a_label_is_an_error() -> None:
    """After it was asked for again."""

    async def work(door: Any) -> Any:
        return await judge_popularity(door, [claim()], language="zh")

    with pytest.raises(ModelReplyError):
        with_door(turns(popularity={"popularity": "rather"}), work)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ULM has a mayor,\nAda  Birch.", True),
        ("Ulm has a mayor, Ada.", False),
        ("Ulmer Ada Birch", False),
        ("", False),
    ],
)
def test_a_page_states_a_claim_if_it_names_both_ends(text: str, found: bool) -> None:
    """As words, whatever the case and the line breaks."""
    assert states(text, claim()) is found
