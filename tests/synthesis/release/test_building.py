"""A release: true numbers, only what is used, a canary everywhere, the same bytes."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphkit.checks.tokens import count_tokens
from graphkit.errors import FormatError, InputError, OperationError
from graphkit.evidence import EvidenceRecord
from graphkit.formats import read_evidence, read_facts, read_questions
from synthesis.release import (
    Licence,
    ReleaseContent,
    ReleaseSettings,
    build_release,
    canary_text,
    content_of_run,
    gather_content,
    open_questions_file,
    opened_release,
    put_folder,
    read_licences,
    read_release,
    source_rows,
)
from tests.synthesis.release.material import content, question, record

ROOT = Path(__file__).resolve().parents[3]
SEALED = ReleaseSettings(sealed=True)


def test_only_what_is_used_is_released() -> None:
    """Evidence that no question names stays at home; the order is that of first use."""
    found = content(2, unused=9)
    assert [item.evidence_id for item in found.evidence] == [f"e{n}" for n in range(6)]
    assert (found.missing, found.unsupported) == ((), ())


def test_what_is_missing_is_named() -> None:
    """Evidence that was not given and questions without any are listed, in the card too."""
    graphs = [question(0), question(1, evidence_ids=[], reasoning_chain=[])]
    found = gather_content(graphs, {"e0": record(0)})
    assert found.missing == (("q0", "e1"), ("q0", "e2"))
    assert found.unsupported == ("q1",)
    built = build_release(found)
    card = built.files["README.md"].decode()
    assert "2 records that questions name were not available" in card
    assert "1 questions name no evidence" in card


def test_questions_bring_their_evidence_along() -> None:
    """Evidence under a question moves to the evidence; what is none is told with its place."""
    data = record(7).model_dump(mode="json", exclude_unset=True)
    found = gather_content([question(0, evidence=[data], evidence_ids=["e7"], reasoning_chain=[])])
    assert [item.evidence_id for item in found.evidence] == ["e7"]
    assert "evidence" not in (found.questions[0].model_extra or {})
    with pytest.raises(InputError, match="question q0, evidence number 1"):
        gather_content([question(0, evidence=[{"evidence_id": "x"}])])


def test_ids_are_given_and_kept_apart() -> None:
    """A question without an id is numbered; one id twice is told; nothing at all is an error."""
    assert gather_content([question(0, id=None)]).questions[0].id == "q00001"
    with pytest.raises(InputError, match="the id is that of question number 1"):
        gather_content([question(0), question(0)])
    with pytest.raises(InputError, match="no questions"):
        gather_content([])


def test_the_same_content_gives_the_same_bytes() -> None:
    """Twice built, byte for byte the same; another seed changes nothing but the canary."""
    one, two = build_release(content()), build_release(content())
    assert one.files == two.files
    other = build_release(content(), ReleaseSettings(seed=1))
    assert other.canary != one.canary
    text = other.files["questions.jsonl"].replace(other.canary.encode(), one.canary.encode())
    assert text == one.files["questions.jsonl"]


@pytest.mark.parametrize("sealed", [False, True])
def test_the_canary_is_in_every_file(sealed: bool) -> None:
    """Every file, and every line of a list of records, carries the sentence."""
    size = 0 if sealed else 2
    built = build_release(content(), ReleaseSettings(sealed=sealed, sheet_size=size))
    told = canary_text(built.canary).encode()
    for name, data in built.files.items():
        assert told in data, name
        if name.endswith(".jsonl"):
            assert all(told in line for line in data.splitlines())


def test_a_canary_that_could_not_be_found_again_is_refused() -> None:
    """Sealed lines would say of themselves that nobody can open them."""
    with pytest.raises(InputError, match="'my own canary' could not be found again"):
        build_release(content(), ReleaseSettings(canary="my own canary"))


def test_the_numbers_are_true() -> None:
    """Table 2, domains, freshness, sources and root domains are those of the records."""
    found = content(6)
    built = build_release(found)
    numbers = json.loads(built.files["statistics.json"])
    english = [graph for graph in found.questions if graph.language == "en"]
    row = next(row for row in numbers["table2"] if row["language"] == "en")
    assert row["scale"] == len(english) == 3
    lengths = [count_tokens(graph.question) for graph in english]
    assert row["length"] == pytest.approx(sum(lengths) / 3, abs=1e-3)
    assert row["nodes_as_given"] == 3.0
    assert numbers["domains"] == {"art": 2, "law": 2, "海洋": 2}
    assert numbers["evidence"]["records"] == 18
    assert numbers["evidence"]["fresh"] == 9
    assert numbers["root_domains"]["counts"] == {"3": 6}
    assert numbers["checks"]["sound"] == 6
    assert numbers["checks"]["basis"] == {"closed": 3, "evidence": 3}
    manifest = json.loads(built.files["release.json"])
    for name, told in manifest["files"].items():
        assert hashlib.sha256(built.files[name]).hexdigest() == told["sha256"]
    assert set(manifest["files"]) == set(built.files) - {"release.json"}


def test_unchecked_is_not_sound() -> None:
    """Questions whose verdicts are missing or open are not counted as sound."""
    graphs = [
        question(0, checks=None),
        question(1, checks={"unique": None, "faithful": True, "redundant": [], "shortcuts": []}),
        question(2),
    ]
    checks = build_release(gather_content(graphs)).numbers["checks"]
    assert (checks["checked"], checks["unchecked"], checks["sound"]) == (2, 1, 1)
    assert checks["unique"] == 1


def test_quality_is_counted_by_state() -> None:
    """Passed, failed, unscored and not judged stay apart."""
    judged = {
        "checks": [{"name": "clear", "state": "passed"}, {"name": "privacy", "state": "failed"}]
    }
    inner = {"quality": {"checks": [{"name": "clear", "state": "unscored"}]}}
    graphs = [question(0, quality=judged), question(1, synthesis=inner), question(2)]
    built = build_release(gather_content(graphs))
    assert built.numbers["quality"] == {
        "clear": {"not judged": 1, "passed": 1, "unscored": 1},
        "privacy": {"failed": 1, "not judged": 2},
    }
    assert "| clear | 0 | 1 | 1 | 1 |" in built.files["README.md"].decode()


def test_personal_data_is_searched_for() -> None:
    """What patterns find is listed by place and never repeated; sealed, it is only counted."""
    found = gather_content(
        [question(0, question="Who has the address jo@example.org?"), question(1)],
        {f"e{n}": record(n, evidence_text="Call +49 30 1234567.") for n in (0, 4)},
    )
    told = json.loads(build_release(found).files["statistics.json"])["personal_data"]
    assert told == {
        "kinds": {"phone": 2, "e-mail": 1},
        "places": [
            {"kind": "e-mail", "question": "q0"},
            {"kind": "phone", "evidence": "e0"},
            {"kind": "phone", "evidence": "e4"},
        ],
    }
    sealed = build_release(found, SEALED)
    assert json.loads(sealed.files["statistics.json"])["personal_data"] == {"kinds": told["kinds"]}
    assert "Found were phone: 2, e-mail: 1" in sealed.files["README.md"].decode()
    assert "nothing was found" in build_release(content()).files["README.md"].decode()


def test_the_card_has_the_head_of_a_hub() -> None:
    """Licence, languages, size and files stand in the YAML head, quoted where they must be."""
    chosen = ReleaseSettings(title='A "new" set: 1', licence="CC-BY-4.0", version="2026.11")
    card = build_release(content(), chosen).files["README.md"].decode()
    head = card.split("---\n")[1]
    assert 'pretty_name: "A \\"new\\" set: 1"\n' in head
    assert "license: cc-by-4.0\n" in head
    assert 'language:\n- "en"\n- "zh"\n' in head
    assert "size_categories:\n- n<1K\n" in head
    assert "path: questions.jsonl" in head
    assert re.search(r"^6 questions for search agents \(3 in en, 3 in zh\)", card, re.MULTILINE)
    odd = build_release(content(), ReleaseSettings(licence="all rights reserved!"))
    assert "license: other\nlicense_name:" in odd.files["README.md"].decode()


def test_files_are_in_their_contracts(tmp_path: Path) -> None:
    """Questions, evidence and both RDF files are read by the readers of the toolkit."""
    found = content()
    put_folder(build_release(found).files, tmp_path / "r")
    graphs = read_questions(tmp_path / "r" / "questions.jsonl")
    assert [graph.id for graph in graphs] == [graph.id for graph in found.questions]
    again = read_questions(tmp_path / "r" / "questions.trig")
    assert [graph.to_record() for graph in again] == [graph.to_record() for graph in graphs]
    records = read_evidence(tmp_path / "r" / "evidence.jsonl")
    assert len(records) == 18
    facts = read_facts([str(tmp_path / "r" / "evidence.ttl")])
    assert sorted(facts.records) == sorted(item.evidence_id for item in records)


def test_a_release_can_be_released_again(tmp_path: Path) -> None:
    """Read back, a release gives the same content: canaries do not pile up."""
    built = build_release(content())
    put_folder(built.files, tmp_path / "r")
    found, chosen = read_release(tmp_path / "r")
    assert found == content()
    assert build_release(found, chosen).files == built.files
    assert build_release(found).files == built.files


@pytest.mark.parametrize("moment", [1, 2])
def test_a_signal_while_a_folder_is_replaced_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    """Ctrl-C right after the old folder is moved aside, or before the new one is in place."""
    put_folder({"a.txt": b"old"}, tmp_path / "r")
    rename, calls = os.rename, []

    def interrupted(source: Path, target: Path) -> None:
        calls.append(source)
        if len(calls) == 1 and moment == 1:
            rename(source, target)
        if len(calls) == moment:
            raise KeyboardInterrupt
        rename(source, target)

    monkeypatch.setattr(os, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        put_folder({"a.txt": b"new"}, tmp_path / "r", replace=True)
    assert [path.name for path in tmp_path.iterdir()] == ["r"]
    assert (tmp_path / "r" / "a.txt").read_bytes() == b"old"


@pytest.mark.parametrize("language", ["no", "en\nlicense: mit", "x: [y"])
def test_languages_are_texts_in_the_head(language: str) -> None:
    """Whatever a question calls its language stays one text of YAML."""
    found = gather_content([question(0).replace(language=language)], {})
    head = build_release(found).files["README.md"].decode().split("---\n")[1]
    [told] = [line for line in head.splitlines() if line.startswith('- "')]
    assert json.loads(told[2:]) == language
    assert "\nlicense: mit" not in head


# ---- sealed -----------------------------------------------------------------------------------


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 5), st.integers(0, 3))
def test_a_sealed_release_opens_to_the_plain_one(
    tmp_path_factory: pytest.TempPathFactory, count: int, seed: int
) -> None:
    """Byte for byte, data card and figures included."""
    folder = tmp_path_factory.mktemp("release") / "r"
    chosen = ReleaseSettings(
        seed=seed, title="t", licences={"one.org": Licence("CC0", "https://one.org/l", "n")}
    )
    put_folder(
        build_release(content(count), dataclasses.replace(chosen, sealed=True)).files, folder
    )
    assert opened_release(folder).files == build_release(content(count), chosen).files


def test_nothing_hidden_shows_in_a_sealed_release() -> None:
    """No answer, alias, hidden entity, evidence or address of a page stands in any file."""
    built = build_release(content(), SEALED)
    for name, data in built.files.items():
        text = data.decode("utf-8", "replace")
        assert "Secret" not in text, name
        assert "leads to" not in text, name
        assert "/page/" not in text, name
    lines = [json.loads(line) for line in built.files["questions.jsonl"].splitlines()]
    assert set(lines[0]) == {
        *("id", "question", "language", "domain", "answer", "sealed", "canary"),
    }
    assert "questions.trig" not in built.files


def test_questions_open_without_their_folder(tmp_path: Path) -> None:
    """One sealed file is enough, since each record carries its canary; a wrong one is told."""
    built = build_release(content(), SEALED)
    path = tmp_path / "questions.jsonl"
    path.write_bytes(built.files["questions.jsonl"])
    assert [graph.answer for graph in open_questions_file(path)] == [
        f"Secret Answer {n}" for n in range(6)
    ]
    with pytest.raises(
        FormatError, match=r"questions\.jsonl:1: q0/sealed: cannot be opened"
    ) as told:
        open_questions_file(path, "wrong")
    assert len(told.value.problems) == 6


def test_evidence_cannot_be_moved(tmp_path: Path) -> None:
    """Two sealed lines exchanged are noticed."""
    built = build_release(content(), SEALED)
    put_folder(built.files, tmp_path / "r")
    path = tmp_path / "r" / "evidence.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[1], lines[0], *lines[2:]]))
    with pytest.raises(FormatError, match=r"evidence.jsonl:1: evidence/1: cannot be opened"):
        read_release(tmp_path / "r")


def test_an_id_that_tells_the_answer_is_refused() -> None:
    """Ids stay readable, so they may not hold what is sealed."""
    graph = question(0, id="seed-paris-1", answer="Paris")
    with pytest.raises(InputError, match="question seed-paris-1: the id holds the answer"):
        build_release(gather_content([graph]), SEALED)


def test_sheets_are_no_part_of_a_sealed_release() -> None:
    """They show answers."""
    with pytest.raises(InputError, match="sheets for validation show answers"):
        build_release(content(), dataclasses.replace(SEALED, sheet_size=1))


# ---- sources ----------------------------------------------------------------------------------


def test_sources_have_their_licences(tmp_path: Path) -> None:
    """By root domain; what nobody named a licence for is unknown, by that word."""
    path = tmp_path / "licences.toml"
    path.write_text(
        '"one.org" = "CC BY 4.0"\n["Two.org"]\nlicense = "ODbL"\nurl = "https://two.org/terms"\n'
    )
    rows = source_rows(content(), read_licences(path))
    told = {row.root_domain: (row.licence, row.url, row.evidence, row.questions) for row in rows}
    assert told == {
        "one.org": ("CC BY 4.0", "", 6, 6),
        "two.org": ("ODbL", "https://two.org/terms", 6, 6),
        "three.co.uk": ("unknown", "", 6, 6),
    }
    bare = gather_content([question(0)], {"e0": record(0, source_url="")})
    assert source_rows(bare)[0].root_domain == "no source"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a = ", "not TOML"),
        ('["a.org"]\nurl = "x"\n', "source a.org: has no licence"),
        ('["a.org"]\nlicence = "x"\nlicense_url = "y"\n', "license_url is not one of"),
        ("[a]\nlicence = 3\n", "licence is not a text"),
        ('"a.org" = 3\n', "expected a licence, or a table"),
    ],
)
def test_wrong_licences_are_told(tmp_path: Path, text: str, told: str) -> None:
    """What is wrong in the file of licences is told with the source that it stands under."""
    path = tmp_path / "licences.toml"
    path.write_text(text)
    with pytest.raises(FormatError, match=told):
        read_licences(path)


# ---- the folder -------------------------------------------------------------------------------


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    """An interrupt before the end leaves what was there, and no leftovers."""
    target = tmp_path / "out"
    put_folder({"a": b"1", "b/c": b"2"}, target)
    assert (target / "b" / "c").read_bytes() == b"2"

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        put_folder({"a": b"3"}, target, replace=True, before=stop)
    assert (target / "a").read_bytes() == b"1"
    with pytest.raises(KeyboardInterrupt):
        put_folder({"a": b"3"}, tmp_path / "new", before=stop)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_is_replaced_only_on_demand(tmp_path: Path) -> None:
    """What is there is refused, and with replace all of it goes."""
    target = tmp_path / "out"
    put_folder({"a": b"1"}, target)
    with pytest.raises(InputError, match="is not empty; --replace"):
        put_folder({"b": b"2"}, target)
    put_folder({"b": b"2"}, target, replace=True)
    assert [path.name for path in target.iterdir()] == ["b"]
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="is a file"):
        put_folder({"b": b"2"}, tmp_path / "file")
    with pytest.raises(OperationError, match="cannot be written"):
        put_folder({"b": b"2"}, tmp_path / "file" / "below")


def test_the_folder_of_a_run(tmp_path: Path) -> None:
    """Questions and evidence of a run are taken from its folder; one without is told."""
    with pytest.raises(FormatError, match=r"there is no questions\.jsonl"):
        content_of_run(tmp_path)
    found = content(3)
    lines = (json.dumps(graph.to_record()) + "\n" for graph in found.questions)
    (tmp_path / "questions.jsonl").write_text("".join(lines))
    lines = (_line(item) for item in found.evidence)
    (tmp_path / "evidence.jsonl").write_text("".join(lines))
    assert content_of_run(tmp_path) == found


def _line(item: EvidenceRecord) -> str:
    return json.dumps(item.model_dump(mode="json", exclude_unset=True)) + "\n"


def test_content_is_a_value() -> None:
    """A content can be built by hand, without evidence at all."""
    built = build_release(ReleaseContent((question(0),)))
    assert "evidence.jsonl" not in built.files
    assert "root_domains.png" not in built.files
    told: Any = built.files["README.md"].decode()
    assert "No evidence is released" in told
