"""Admission: nothing becomes evidence that no visited page bears out, whatever a reply says."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from graphkit.evidence import EvidenceRecord
from synthesis.admission import Admission, GatheredItem, admit, evidence_id
from synthesis.evidence_pool import EvidencePool, wants_reliability

SINCE = "2026-01-01"
TEXT = """Ulm lies on the Danube. Its minster, “the tallest”, opened in 1890.

In 2026 Ulm elected Ada Birch as its mayor! 乌尔姆位于多瑙河畔。新市长是艾达。"""


@dataclass(frozen=True)
class Visited:
    url: str = "https://news.example/ulm"
    final_url: str = "https://news.example/ulm"
    text: str = TEXT
    published_at: str | None = "2026-02-03"
    fetched_at: str = "2026-11-30T00:00:00Z"
    sha256: str | None = "ab"


def item(**changes: object) -> GatheredItem:
    given = {
        "evidence_id": "e_001",
        "head_entity": "Ulm",
        "relation": "mayor",
        "tail_entity": "Ada Birch",
        "evidence_text": "In 2026 Ulm elected Ada Birch as its mayor!",
        "source_url": "https://news.example/ulm",
        "is_fresh_knowledge": True,
    }
    return GatheredItem.model_validate({**given, **changes})


def admitted(*items: GatheredItem, pages: tuple[Visited, ...] = (Visited(),)) -> Admission:
    return admit(items, pages, since=SINCE)


def recent(record: EvidenceRecord) -> bool:
    return bool((record.model_extra or {}).get("recent_page"))


def refusal(*items: GatheredItem, pages: tuple[Visited, ...] = (Visited(),)) -> list[str]:
    found = admitted(*items, pages=pages)
    assert not found.records
    return [refused.code for refused in found.refused]


WORDS = st.lists(
    st.sampled_from(
        ["Ulm", "Danube", "Ada", "Birch", "lies", "on", "2026", "市长", "“x”", ".", "\n"]
    ),
    min_size=1,
    max_size=12,
)


@given(
    texts=st.lists(WORDS, min_size=1, max_size=3),
    items=st.lists(st.tuples(WORDS, WORDS, WORDS, st.integers(0, 4), st.booleans()), max_size=6),
)
def test_evidence_stands_on_a_visited_page(texts: list[list[str]], items: list[tuple]):
    """Each record names a visited page whose text has its words and at least one of its names."""
    pages = [
        Visited(f"https://h{n}.example/", f"https://h{n}.example/", " ".join(words))
        for n, words in enumerate(texts)
    ]
    gathered = [
        item(
            head_entity=" ".join(head).strip() or "x",
            tail_entity=" ".join(tail).strip() or "y",
            evidence_text=" ".join(quote),
            source_url=f"https://h{page}.example/" if page < 4 else "",
            is_fresh_knowledge=fresh,
        )
        for head, tail, quote, page, fresh in items
    ]
    found = admit(gathered, pages, since=SINCE)
    by_url = {page.url: " ".join(page.text.split()) for page in pages}
    for record in found.records:
        text = by_url[record.source_url]
        assert record.evidence_text
        assert record.evidence_text in text
        assert record.head_entity in text or record.tail_entity in text
        assert record.head_entity.casefold() != record.tail_entity.casefold()
    kept = {refused.item for refused in found.refused}
    claims = {
        (one.head_entity, one.relation, one.tail_entity, one.source_url.rstrip("/"))
        for one in gathered
        if one not in kept
    }
    assert len(claims) == len(found.records)


def test_what_a_page_says_becomes_evidence() -> None:
    """Source, hash, dates and types come from the page and the item; the id is our own."""
    (record,) = admitted(item(head_type=" City ", tail_type="")).records
    assert record.source_url == "https://news.example/ulm"
    assert (record.sha256, record.observed_at) == ("ab", "2026-11-30T00:00:00Z")
    assert (record.published_at, record.is_fresh_knowledge) == ("2026-02-03", True)
    assert (record.head_type, record.tail_type) == ("city", None)
    assert record.evidence_id == evidence_id("Ulm", "mayor", "Ada Birch", record.source_url)
    assert record.reliability is None
    assert record.popularity is None


@pytest.mark.parametrize("url", ["", "https://news.example/", "https://news.example/bonn", "ulm"])
def test_a_page_that_was_not_visited_counts_for_nothing(url: str) -> None:
    """A result that was only seen in a list is no source."""
    assert refusal(item(source_url=url)) == ["page_not_visited"]


@pytest.mark.parametrize(
    "url",
    ["HTTPS://NEWS.example/ulm/", "https://news.example/ulm#top", " https://news.example/ulm "],
)
def test_an_address_may_be_spelled_otherwise(url: str) -> None:
    """Scheme, host, fragment and last slash do not matter; the record has the page's address."""
    (record,) = admitted(item(source_url=url)).records
    assert record.source_url == "https://news.example/ulm"


def test_a_redirected_page_is_known_under_both_addresses() -> None:
    """What is written down is where the redirects ended."""
    page = Visited(url="https://short.example/u")
    for url in (page.url, page.final_url):
        (record,) = admitted(item(source_url=url), pages=(page,)).records
        assert record.source_url == page.final_url


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        (
            'its minster, "the tallest", OPENED in 1890',
            'its minster, "the tallest", OPENED in 1890',
        ),
        ("In 2026\n Ulm  elected", "In 2026 Ulm elected"),
        ("Ulm has elected Ada Birch", "In 2026 Ulm elected Ada Birch as its mayor!"),
        ("", "In 2026 Ulm elected Ada Birch as its mayor!"),
    ],
)
def test_words_that_are_not_verbatim_are_replaced_by_the_sentence(quote: str, found: str) -> None:
    """Spaces, case and quotation marks do not matter; else the page's own sentence is taken."""
    result = admitted(item(evidence_text=quote))
    assert [record.evidence_text for record in result.records] == [found]
    assert any("quote replaced" in repair for repair in result.repairs) is (
        quote in ("", "Ulm has elected Ada Birch")
    )


def test_words_that_no_sentence_bears_out_are_refused() -> None:
    """Both names on the page, but never in one sentence, prove nothing."""
    assert refusal(
        item(tail_entity="Danube", head_entity="Ada Birch", evidence_text="Ada swims")
    ) == ["quote_absent"]


def test_names_that_the_page_does_not_have_are_refused() -> None:
    """A true quotation about something else is no proof."""
    assert refusal(item(head_entity="Bonn", tail_entity="Bo Elm")) == ["name_absent"]


def test_a_thing_is_not_related_to_itself() -> None:
    """Whatever the case of the letters."""
    assert refusal(item(tail_entity="ULM")) == ["self_loop"]


def test_chinese_sentences_end_without_spaces() -> None:
    """The sentence with both names is found between full stops of its script."""
    (record,) = admitted(
        item(head_entity="乌尔姆", tail_entity="多瑙河", evidence_text="乌尔姆在多瑙河边")
    ).records
    assert record.evidence_text == "乌尔姆位于多瑙河畔。"


@pytest.mark.parametrize(
    ("page_date", "claimed", "quote", "fresh"),
    [
        ("2026-02-03", "1999-01-01", "Ulm lies on the Danube", True),
        ("2025-12-31", "2026-06-01", "In 2026 Ulm elected", False),
        (None, None, "In 2026 Ulm elected", True),
        (None, None, "opened in 1890", False),
        (None, "2026-03-01", "Ulm lies on the Danube", True),
        (None, "2027-03-01", "Ulm lies on the Danube", False),
        (None, "soon", "Ulm lies on the Danube", False),
    ],
)
def test_freshness_is_not_the_agents_alone_to_say(
    page_date: str | None, claimed: str | None, quote: str, fresh: bool
) -> None:
    """The page's date, else a date of the agent whose year stands there, else a year quoted."""
    page = Visited(published_at=page_date)
    for said in (True, False):
        result = admitted(
            item(
                evidence_text=quote,
                published_at=claimed,
                is_fresh_knowledge=said,
                tail_entity="Danube",
            ),
            pages=(page,),
        )
        (record,) = result.records
        assert record.is_fresh_knowledge is (fresh and said)
        assert recent(record) is (fresh or said or claimed in ("2026-06-01", "2027-03-01"))
        assert any("is_fresh_knowledge" in repair for repair in result.repairs) is (
            said and not fresh
        )
        assert record.published_at in (page_date, "2026-03-01" if fresh else None)


@pytest.mark.parametrize(
    ("page_date", "claimed", "said", "listed", "expected"),
    [
        ("2019-01-01", None, False, (), False),
        ("2019-01-01", None, True, (), True),
        ("2019-01-01", "2026-03-01", False, (), True),
        ("2019-01-01", "2018-03-01", False, (), False),
        ("2019-01-01", None, False, [("https://news.example/ulm/", "2026-05-01")], True),
        ("2019-01-01", None, False, [("https://short.example/u", "2026-05-01")], True),
        ("2019-01-01", None, False, [("https://news.example/ulm", "2025-12-31")], False),
        ("2019-01-01", None, False, [("https://other.example/ulm", "2026-05-01")], False),
        ("2026-02-03", None, False, [("https://news.example/ulm", "2019-01-01")], True),
        (None, None, False, [("https://news.example/ulm", "soon")], False),
        (None, None, True, (), True),
    ],
)
def test_whatever_speaks_for_recent_makes_it_be_cross_checked(
    page_date: str | None,
    claimed: str | None,
    said: bool,
    listed: list[tuple[str, str]],
    expected: bool,
) -> None:
    """A forged early date on the page takes no rumour past the check, and makes nothing fresh."""
    rumour = item(
        evidence_text="Ulm lies on the Danube",
        tail_entity="Danube",
        published_at=claimed,
        is_fresh_knowledge=said,
    )
    page = Visited(url="https://short.example/u", published_at=page_date)
    result = admit([rumour], [page], since=SINCE, listed=listed)
    (record,) = result.records
    assert recent(record) is expected
    assert wants_reliability(record) is expected
    if page_date == "2019-01-01":
        assert not record.is_fresh_knowledge


def test_a_claim_that_is_called_fresh_once_is_cross_checked() -> None:
    """However often, and in whatever order, it was reported as old knowledge beside."""
    old = Visited(published_at="2019-01-01")
    for said in ((True, False), (False, True)):
        items = [item(is_fresh_knowledge=word) for word in said]
        (record,) = admitted(*items, pages=(old,)).records
        assert recent(record)


def test_the_same_claim_from_the_same_page_is_one_record() -> None:
    """Repeated items count once; both of the agent's names for it lead to it."""
    result = admitted(item(), item(evidence_id="e_002"), item(evidence_id=""))
    assert len(result.records) == 1
    number = result.records[0].evidence_id
    assert result.renamed == {"e_001": number, "e_002": number}


def test_ids_of_the_agent_that_collide_do_not_join_claims() -> None:
    """Two claims under one id of the agent stay two."""
    other = item(tail_entity="Danube", relation="lies on", evidence_text="Ulm lies on the Danube.")
    first, second = admitted(item(), other).records
    assert first.evidence_id != second.evidence_id


@given(st.lists(st.tuples(*[st.sampled_from(["a", "b", "a b", "\x1f", "b\x1fa"])] * 4), max_size=9))
def test_ids_tell_claims_apart(claims: list[tuple[str, str, str, str]]):
    """Different claims have different ids, equal ones equal ids, wherever the parts end."""
    assert len({evidence_id(*claim) for claim in claims}) == len(set(claims))


@pytest.mark.parametrize("blank", ["", "  ", "\n\t", "\u0000", "\u200b", "\u202e"])
@pytest.mark.parametrize("field", ["head_entity", "relation", "tail_entity"])
def test_a_name_of_nothing_visible_is_no_name(field: str, blank: str) -> None:
    """Blanks, control characters and marks that nobody sees are not names."""
    with pytest.raises(ValidationError):
        item(**{field: blank})


def test_control_characters_do_not_reach_the_evidence() -> None:
    """What a page or a reply hides in a name is dropped; the visible name stays."""
    found = item(head_entity="U\u0000lm\u202e", relation="may\u0007or", tail_entity="Ada\r\n Birch")
    assert (found.head_entity, found.relation, found.tail_entity) == ("Ulm", "mayor", "Ada Birch")


@pytest.mark.parametrize("field", ["head_entity", "relation", "tail_entity"])
def test_a_name_as_long_as_a_page_is_refused(field: str) -> None:
    """Names of a hundred thousand characters would fill every prompt after them."""
    page = Visited(text=TEXT + " Ulm " + "x" * 100_000)
    assert refusal(item(**{field: "x" * 100_000}), pages=(page,)) == ["name_too_long"]


def test_a_quotation_as_long_as_a_page_is_cut_to_its_sentence() -> None:
    """Copying the whole page proves nothing in particular."""
    page = Visited(text=TEXT + " Word" * 30_000)
    result = admitted(item(evidence_text=page.text), pages=(page,))
    assert [record.evidence_text for record in result.records] == [
        "In 2026 Ulm elected Ada Birch as its mayor!"
    ]
    assert refusal(item(evidence_text=page.text, tail_entity="Bo"), pages=(page,)) == [
        "quote_too_long"
    ]


def test_many_items_on_a_long_page_are_read_quickly() -> None:
    """Hundreds of items without a true quotation on a page of a megabyte take no minutes."""
    page = Visited(text="Nothing about it stands here. " * 35_000)
    items = [item(tail_entity=f"T{n}", evidence_text=f"quote {n}") for n in range(300)]
    begun = time.process_time()
    assert set(refusal(*items, pages=(page,))) == {"quote_absent"}
    assert time.process_time() - begun < 3


@given(
    st.fixed_dictionaries(
        {
            "head_entity": st.text(min_size=1, max_size=8),
            "relation": st.text(min_size=1, max_size=8),
            "tail_entity": st.text(min_size=1, max_size=8),
            "head_type": st.one_of(
                st.none(), st.sampled_from(["date", "number", "a:b", "#", "\x00"])
            ),
            "tail_type": st.one_of(st.none(), st.text(max_size=4)),
        }
    )
)
def test_whatever_is_admitted_makes_facts_and_goes_into_the_journal(fields: dict):
    """No name that a reply can hold breaks the fact store or JSON in UTF-8."""
    try:
        gathered = item(**fields, evidence_text="said")
    except ValidationError:
        return
    page = Visited(text=f"said {gathered.head_entity}")
    records = admitted(gathered, pages=(page,)).records
    judged = [record.model_copy(update={"reliability": "credible"}) for record in records]
    pool = EvidencePool().with_records(judged)
    assert len(pool.facts) == len(records)
    for record in records:
        text = json.dumps(record.model_dump(), ensure_ascii=False, allow_nan=False)
        assert EvidenceRecord.model_validate(json.loads(text.encode())) == record
