"""Parsing whole sets: counted, several at a time, and nothing asked twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from model_faults import FaultServer, Received, failed, said
from parse_model import blocks_of, chain_graph, with_door

from graphkit.errors import FormatError, ModelAccessError, SettingsError
from graphkit.formats import read_questions
from graphkit.models import Budget
from synthesis.foreign_sets import ForeignQuestion
from synthesis.parse_sets import ParsedSet, ParseRun, kind_beyond, parse_set

QUESTIONS = [ForeignQuestion(f"q{n}", f"Which river flows through Land{n}?", "x") for n in range(6)]
QUESTIONS += [
    ForeignQuestion("how", "How many rivers?", None),
    ForeignQuestion("zh", "流经法国的河流是哪条？", "塞纳河", language="zh", domain="地理"),
]


def _script(received: Received) -> Any:
    question = blocks_of(received)["question"]
    if "How many" in question:
        return said(json.dumps({"not_expressible": "How many rivers"}))
    if "Land3" in question:
        return said("no")
    if "Land4" in question:
        return failed(500, "broken")
    anchor = "法国" if "法国" in question else question.split()[-1].strip("?")
    return said(json.dumps(chain_graph(anchor, "river", "mouth")))


def _parse(script: Any = _script, questions: Any = QUESTIONS, **more: Any) -> Any:
    parallel = more.pop("parallel", 4)
    seen: list[str] = []

    async def work(door: Any) -> ParsedSet:
        return await parse_set(
            door, questions, parallel=parallel, on_done=lambda r: seen.append(r.source.id)
        )

    found, server = with_door(script, work, **more)
    return found, server, seen


def test_every_question_is_counted_once() -> None:
    """Parsed, beyond the operations, without a usable reply: each has its name and its count."""
    found, _, seen = _parse()
    assert [item.status for item in found.results] == [
        *("parsed", "parsed", "parsed", "failed", "failed", "parsed"),
        *("not_expressible", "parsed"),
    ]
    assert sorted(seen) == sorted(item.id for item in QUESTIONS)
    record = found.to_record()
    assert (record["questions"], record["parsed"], record["failed"]) == (8, 5, 2)
    assert record["beyond"] == {"a count": 1}
    assert [row["language"] for row in record["table2"]] == ["en", "zh"]
    english, chinese = record["table2"]
    assert (english["scale"], english["parsed"], english["nodes"]) == (7, 4, 3.0)
    assert (chinese["scale"], chinese["nodes"]) == (1, 3.0)
    assert record["tokenizer"] == "cl100k_base"
    assert found.graphs[-1].id == "zh"
    assert found.graphs[-1].domain == "地理"


def test_results_do_not_hang_on_how_many_run_at_a_time() -> None:
    """One at a time or all at once give the same results in the order of the set."""
    one, _, _ = _parse(parallel=1)
    many, _, _ = _parse(parallel=20)
    assert [item.status for item in one.results] == [item.status for item in many.results]
    assert one.graphs == many.graphs
    assert one.to_record() == many.to_record()


def test_a_budget_stops_cleanly_and_a_second_run_completes(tmp_path: Path) -> None:
    """What was paid for is kept; together the runs ask for each question once."""
    log = tmp_path / "log.jsonl"
    questions = QUESTIONS[:3]
    with FaultServer(_script) as server:
        first, _, _ = _parse(server, questions, log=log, budget=Budget(calls=2), parallel=1)
        assert [item.status for item in first.results] == ["parsed", "parsed", "unasked"]
        assert "2 of 2 calls" in (first.stopped or "")
        assert server.count == 2
        second, _, _ = _parse(server, questions, log=log)
        assert server.count == 3
    assert [item.status for item in second.results] == ["parsed"] * 3
    assert second.results[:2] == first.results[:2]


def test_a_server_that_is_down_is_given_up() -> None:
    """After as many silent questions as are asked at a time, no further one is begun."""
    many = [ForeignQuestion(str(n), "?") for n in range(40)]
    found, server, _ = _parse([failed(500, "broken")], many, parallel=4)
    assert found.counts()["parsed"] == 0
    assert found.counts()["unasked"] >= 25
    assert "did not answer" in (found.stopped or "")
    assert len(server.received) < 20


def test_a_wrong_key_is_an_error_at_once() -> None:
    """A model that cannot be asked at all ends the parse with its error."""
    with pytest.raises(ModelAccessError):
        _parse([failed(401, "wrong key")])


def test_a_run_is_taken_up_and_never_mixed(tmp_path: Path) -> None:
    """The same plan goes on under the same name; another one is refused with what differs."""
    folder = tmp_path / "run"
    run = ParseRun.begin(folder, {"set": "a", "model": "m"})
    assert ParseRun.begin(folder, {"model": "m", "set": "a"}).name == run.name
    with pytest.raises(SettingsError, match="model differ"):
        ParseRun.begin(folder, {"set": "a", "model": "other"})
    (folder / "run.json").write_text('{"run": "x"}')
    with pytest.raises(FormatError, match="not the run of a parse"):
        ParseRun.begin(folder, {"set": "a", "model": "m"})


def test_results_are_files_in_the_contract(tmp_path: Path) -> None:
    """graphs.jsonl is read as question graphs; parsed.jsonl tells of every question."""
    found, _, _ = _parse()
    run = ParseRun.begin(tmp_path, {"set": "a"})
    run.keep(found, [])
    graphs = read_questions(tmp_path / "graphs.jsonl")
    assert [graph.id for graph in graphs] == ["q0", "q1", "q2", "q5", "zh"]
    told = [json.loads(line) for line in (tmp_path / "parsed.jsonl").read_text().splitlines()]
    assert [item["status"] for item in told] == [item.status for item in found.results]
    assert told[3]["problems"]
    assert json.loads((tmp_path / "table.json").read_text()) == found.to_record()


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        ("the three operations cannot express this part: number of goals", "a count"),
        ("the second largest island", "a ranking"),
        ("born later than 1950", "a comparison"),
        ("the average of both", "arithmetic"),
        ("获奖次数最多", "a ranking"),
        ("有多少个", "a count"),
        ("晚于1990年", "a comparison"),
        ('op "argmax" is a ranking', "a ranking"),
        ("whatever", "something else"),
    ],
)
def test_what_lies_beyond_is_counted_by_kind(part: str, kind: str) -> None:
    """The words of a part tell what it needs, in English and Chinese."""
    assert kind_beyond(part) == kind
