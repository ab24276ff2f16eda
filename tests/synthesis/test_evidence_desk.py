"""The desk: what comes in is named, judged and kept, the same in whatever order replies come."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_faults import Answer, failed

from graphkit.errors import ModelAccessError, ModelReplyError
from graphkit.evidence import EvidenceRecord
from graphkit.relations import RelationSheet
from synthesis.agents.gathering import Errand
from synthesis.evidence_desk import EvidenceDesk, batches
from synthesis.loop_settings import LoopSettings
from tests.synthesis.agents.small_web import blocks_of, said, turns, with_errand


def record(
    number: int, *, fresh: bool = False, relation: str = "r", host: str = "a"
) -> EvidenceRecord:
    return EvidenceRecord(
        evidence_id=f"e{number}",
        head_entity=f"h{number}",
        relation=relation,
        tail_entity=f"t{number}",
        source_url=f"https://{host}.example/",
        is_fresh_knowledge=fresh,
    )


def taken(
    folder: Path, records: list[EvidenceRecord], script: dict[str, Any], **given: Any
) -> tuple[EvidenceDesk, dict[str, Any], Any]:
    async def work(errand: Errand) -> tuple[EvidenceDesk, dict[str, Any]]:
        desk = EvidenceDesk(errand, LoopSettings(filter_batch=2), RelationSheet())
        return desk, await desk.take(records, **given)

    (desk, done), server = with_errand(turns(**script), work, folder)
    return desk, done, server


PLAIN = {
    "relations": {"mapping": []},
    "popularity": {"popularity": "non-popular"},
    "reliability": {"reliability": "unclear"},
}


@given(
    rows=st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["r", "s"])), max_size=12),
    size=st.integers(1, 4),
)
def test_batches_are_of_one_page_and_relation(rows: list[tuple[str, str]], size: int):
    """Nothing is lost or there twice, none is longer than the size, and few are short."""
    records = [record(n, host=host, relation=name) for n, (host, name) in enumerate(rows)]
    groups = batches(records, size)
    assert sorted(item.evidence_id for group in groups for item in group) == sorted(
        item.evidence_id for item in records
    )
    kinds = [{(item.source_url, item.relation) for item in group} for group in groups]
    assert all(len(kind) == 1 for kind in kinds)
    assert all(1 <= len(group) <= size for group in groups)
    for kind in {kind for group in kinds for kind in group}:
        lengths = [len(group) for group, own in zip(groups, kinds, strict=True) if own == {kind}]
        assert sum(length < size for length in lengths) <= 1


def test_everything_that_comes_in_has_a_label(tmp_path: Path) -> None:
    """Fresh evidence is checked for reliability, other evidence for popularity; both are told."""
    records = [record(n, fresh=n % 2 == 0, relation="r" if n < 4 else "s") for n in range(6)]
    desk, done, _ = taken(tmp_path, records, PLAIN)
    assert desk.pool.unjudged == ()
    assert (done["new"], done["retained"]) == (6, 3)
    assert len(done["reliability"]) == 3
    assert done["pool"] == {"fresh unclear": 3, "other non-popular": 3}
    assert json.loads(json.dumps(done)) == done


def test_what_is_there_already_is_not_judged_again(tmp_path: Path) -> None:
    """Nor named; nothing is asked for it."""

    async def work(errand: Errand) -> tuple[Any, Any]:
        desk = EvidenceDesk(errand, LoopSettings(), RelationSheet())
        await desk.take([record(1), record(2, fresh=True)])
        before = dict(desk.pool.records)
        done = await desk.take([record(1), record(2, fresh=True)])
        assert dict(desk.pool.records) == before
        return done, desk

    (done, _), server = with_errand(turns(**PLAIN), work, tmp_path)
    assert (done["new"], done["reliability"], done["popularity"]) == (0, [], [])
    assert len(server.received) == 2


def test_rivals_are_not_asked_about_their_popularity(tmp_path: Path) -> None:
    """They count as facts, and no question is made of them."""
    desk, done, server = taken(tmp_path, [record(1)], PLAIN, popularity=False)
    assert (len(desk.pool.facts), done["retained"], server.received) == (1, 0, [])


def test_the_order_of_replies_changes_nothing(tmp_path: Path) -> None:
    """Slow first and slow last groups give the same pool and the same account."""
    records = [record(n, host="abcdef"[n]) for n in range(6)]

    def slow(places: str) -> Any:
        def answer(received: Any) -> Answer:
            shown = json.loads(blocks_of(received)["evidence_list"])
            label = "popular" if shown[0]["evidence_id"] in ("e1", "e4") else "non-popular"
            place = places.index(shown[0]["source_url"][8])
            return Answer(said(json.dumps({"popularity": label})).body, delay=place * 0.02)

        return answer

    told = [
        taken(tmp_path, records, {**PLAIN, "popularity": slow(order)})[:2]
        for order in ("abcdef", "fedcba")
    ]
    assert told[0][1] == told[1][1]
    assert list(told[0][0].pool.records.items()) == list(told[1][0].pool.records.items())


def test_of_several_errors_that_of_the_first_group_is_raised(tmp_path: Path) -> None:
    """However late it comes: a resumed run must come to the same end."""
    records = [record(n, host="ab"[n]) for n in range(2)]

    def failing(received: Any) -> Answer:
        first = json.loads(blocks_of(received)["evidence_list"])[0]["evidence_id"] == "e0"
        if first:
            return Answer(said("no label").body, delay=0.1)
        return failed(401, "no")

    with pytest.raises(ModelReplyError):
        taken(tmp_path, records, {**PLAIN, "popularity": failing})
    with pytest.raises(ModelAccessError):
        taken(tmp_path, records[::-1], {**PLAIN, "popularity": failing})


def test_relations_get_their_names_before_they_are_judged(tmp_path: Path) -> None:
    """Judges see the names that are kept."""
    records = [record(1, relation="is led by"), record(2, relation="Is_Led_By")]
    desk, _, server = taken(tmp_path, records, PLAIN)
    assert {item.relation for item in desk.pool.records.values()} == {"is led by"}
    assert desk.book.names() == ("is led by",)
    assert [len(json.loads(blocks_of(item)["evidence_list"])) for item in server.received] == [2]


def test_how_often_entities_are_named_is_counted_on_what_is_retained(tmp_path: Path) -> None:
    """Popular evidence does not count."""
    popular = {**PLAIN, "popularity": {"popularity": "popular"}}
    assert taken(tmp_path, [record(1)], popular)[0].mentions == {}
    assert taken(tmp_path, [record(1)], PLAIN)[0].mentions == {"h1": 1, "t1": 1}


def test_fifty_thousand_records_are_put_into_batches_in_a_moment() -> None:
    """Without looking through all for each."""
    records = [record(n, host=f"h{n % 500}") for n in range(20_000)]
    begun = time.process_time()
    assert len(batches(records, 20)) == 1_000
    assert time.process_time() - begun < 2
