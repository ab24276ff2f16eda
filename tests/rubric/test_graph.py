"""Rubric trees, verdicts and scores in a store: the same scores, loaded once, exported exactly."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.errors import InputError, StoreError
from graphkit.stores import counts, export_store, import_store, open_store, rooms
from graphkit.stores.files import load_files, read_file
from rubric import dump_tree, load_trees, parse_tree, read_verdicts, score_reports
from rubric.errors import RubricError
from rubric.fact_library import LibraryFact
from rubric.facts import Fact
from rubric.settings import GuardMode, Settings
from rubric.stored import (
    load_facts,
    load_verdicts,
    read_facts,
    read_scores,
    read_trees,
    save_scores,
)
from rubric.stored import load_trees as load_into
from rubric.stored import read_verdict_table as read_table
from rubric.stored.keys import key_of
from rubric.testing import settings as any_settings
from rubric.testing import tree_data, verdict_words
from rubric.verdicts import VerdictTable

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "rubric"


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "s.db") as opened:
        yield opened


def example_lines():
    text = (EXAMPLE / "verdicts.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def small_tree(task="t", **more):
    atoms = [{"id": name, "direction": "C-FC", "question": f"{name}?", "expected": "yes",
              "evaluator": "J", "fact_ids": ["f1"]} for name in ("a", "b")]  # fmt: skip
    return parse_tree({"task_id": task, "directions": ["C-FC"], "atoms": atoms, **more})


def said(task="t", system="A", **words):
    return [{"task_id": task, "system": system, "atom_id": atom, "verdict": word}
            for atom, word in words.items()]  # fmt: skip


@st.composite
def bodies(draw):
    """Trees of some tasks with odd names, verdict lines of two systems, settings."""
    names = draw(st.lists(st.sampled_from(("t1", "a/b", "a%2Fb", "tâche 日本")), min_size=1,
                          max_size=3, unique=True))  # fmt: skip
    trees, lines = [], []
    for name in names:
        tree = parse_tree({**draw(tree_data(name)), "note": {"by": ["us", 0.1]}})
        trees.append(tree)
        for system in draw(st.sampled_from((("A",), ("A", "B/2"), ()))):
            words = draw(verdict_words(tree))
            lines += said(name, system, **words)
        if draw(st.booleans()):
            lines.append({"task_id": name, "system": "C", "report": draw(
                st.sampled_from(("missing", "skeleton", "readable")))})  # fmt: skip
    return trees, draw(st.permutations(lines)), draw(any_settings())


@given(bodies())
def test_store_and_files_score_alike(body):
    """Scores from the store are those from the files, every number, flag and reason of them."""
    trees, lines, settings = body
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "s.db") as store:
        load_into(store, trees)
        load_verdicts(store, lines)
        assert read_trees(store) == tuple(trees)
        found = score_reports(read_trees(store), read_table(store), settings=settings)
        again = [report.to_dict() for report in found]
    table = VerdictTable.from_lines(lines)
    assert again == [r.to_dict() for r in score_reports(trees, table, settings=settings)]


def test_example_scores_alike(store):
    """The example, with all its accidents, scores from the store as from the files."""
    trees = load_trees(EXAMPLE / "trees")
    load_into(store, trees)
    load_verdicts(store, example_lines())
    found = score_reports(read_trees(store), read_table(store))
    expected = score_reports(trees, read_verdicts(EXAMPLE / "verdicts.jsonl"))
    assert [item.to_dict() for item in found] == [item.to_dict() for item in expected]


def test_loading_again_changes_nothing(store):
    """A second load finds nothing new; neither does saving the same scores."""
    trees, lines = load_trees(EXAMPLE / "trees"), example_lines()
    assert load_into(store, trees) == 6
    assert load_verdicts(store, lines) == 623  # one line is there twice
    records = [r.to_dict() for r in score_reports(trees, read_table(store))]
    assert save_scores(store, records) == 29
    held = counts(store)
    assert (load_into(store, trees), load_verdicts(store, lines)) == (0, 0)
    assert save_scores(store, records) == 0
    assert counts(store) == held


def test_killed_load_is_completed(store):
    """A load that dies between batches leaves whole batches; loading again completes it."""
    trees, lines = [small_tree(f"t{n}") for n in range(5)], []
    for tree in trees:
        lines += said(tree.task_id, "A", a="yes", b="no")

    class KilledError(Exception):
        pass

    def die(done, total):
        if done == 4:
            raise KilledError

    with pytest.raises(KilledError):
        load_into(store, trees, progress=die, batch=2)
    assert counts(store)["trees"] == 4
    assert load_into(store, trees, batch=2) == 1
    with pytest.raises(KilledError):
        load_verdicts(store, lines, progress=die, batch=2)
    assert counts(store)["verdicts"] == 4
    assert load_verdicts(store, lines, batch=2) == 6
    assert read_trees(store) == tuple(trees)


def test_changed_tree_is_joined_anew(store):
    """A tree with other content replaces the old one: scores go, verdicts are judged anew."""
    load_into(store, [small_tree()])
    load_verdicts(store, said(a="yes", b="no"))
    save_scores(store, [r.to_dict() for r in score_reports(read_trees(store), read_table(store))])
    data = dump_tree(small_tree())
    data["atoms"] = [{**data["atoms"][0], "expected": "no"}]
    assert load_into(store, [parse_tree(data)]) == 1
    assert counts(store)["scores"] == 0
    rows = store.read("MATCH (v:Verdict) OPTIONAL MATCH (v)-[:JUDGED]->(a:Atom) "
                      "RETURN v.atom_id AS atom, v.outcome AS outcome, a.atom_id AS joined "
                      "ORDER BY atom")  # fmt: skip
    assert [tuple(row.values()) for row in rows] == [("a", "failed", "a"), ("b", None, None)]
    assert counts(store)["atoms"] == 1


def test_changed_verdict_takes_its_score_away(store):
    """A verdict that changes replaces the old one and the scores of its report only."""
    load_into(store, [small_tree()])
    load_verdicts(store, said(a="yes", b="no") + said(system="B", a="yes", b="yes"))
    save_scores(store, [r.to_dict() for r in score_reports(read_trees(store), read_table(store))])
    assert load_verdicts(store, said(b="yes")) == 1
    assert [record["system"] for record in read_scores(store)] == ["B"]
    assert score_reports(read_trees(store), read_table(store))[0].score == 100


def test_scores_of_both_guards_stay_apart(store):
    """A report has one score for each guard; the records come back as they were saved."""
    trees = load_trees(EXAMPLE / "trees")
    load_into(store, trees)
    load_verdicts(store, example_lines())
    saved = {}
    for guard in GuardMode:
        found = score_reports(trees, read_table(store), settings=Settings(guard=guard))
        saved[guard] = [r.to_dict() for r in found if r.status != "not_run"]
        save_scores(store, saved[guard])
    for guard in GuardMode:
        back = read_scores(store, guard.value)
        assert sorted(back, key=_name) == sorted(saved[guard], key=_name)


def _name(record):
    return record["task_id"], record["system"]


def test_export_and_import_are_exact(store, tmp_path):
    """What is imported into an empty store exports as the same bytes."""
    trees = load_trees(EXAMPLE / "trees")
    load_into(store, trees)
    load_facts(store, [LibraryFact("tram-lift", Fact(fact_id="f99", claim="it is blue"))])
    load_verdicts(store, example_lines())
    save_scores(store, [r.to_dict() for r in score_reports(trees, read_table(store))])
    export_store(store, tmp_path / "one")
    with open_store(tmp_path / "other.db") as other:
        assert import_store(other, tmp_path / "one") == counts(store)
        export_store(other, tmp_path / "two")
        assert read_trees(other) == trees
        assert [task for task, _ in read_facts(other)] == ["tram-lift"]
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert "rubric-verdicts.jsonl" in files
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_export_before_rubrics_is_still_read(store, tmp_path):
    """An export without our files, as earlier versions wrote it, imports; stale ones go."""
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "rubric-trees.jsonl").write_text("stale")
    export_store(store, tmp_path / "old")
    assert not list((tmp_path / "old").glob("rubric-*"))
    with open_store(tmp_path / "other.db") as other:
        assert import_store(other, tmp_path / "old")["trees"] == 0


def test_export_without_the_package_is_refused(store, tmp_path, monkeypatch):
    """Nothing is left out in silence when the package that keeps it is not there."""
    load_into(store, [small_tree()])
    monkeypatch.setattr(rooms, "_ROOMS", {})
    with pytest.raises(StoreError, match=r"holds Task nodes .* import rubric\.stored"):
        export_store(store, tmp_path / "x")


def test_verdicts_need_their_tree(store):
    """A verdict without a tree is refused by name, and nothing is written."""
    load_into(store, [small_tree("tram")])
    with pytest.raises(InputError, match=r"task trem: .*did you mean tram\?.*load its tree first"):
        load_verdicts(store, said("trem", a="yes") + said("tram", a="yes"))
    assert counts(store)["verdicts"] == 0


def test_scores_must_fit_the_tree(store):
    """A score that names an atom which the tree lacks is refused."""
    load_into(store, [small_tree()])
    record = {"task_id": "t", "system": "A", "score": 1.0, "status": "scored",
              "outcomes": {"a": "passed", "zz": "failed"}}  # fmt: skip
    with pytest.raises(InputError, match="task t, system A: outcomes: the tree has no atom zz"):
        save_scores(store, [record])
    with pytest.raises(InputError, match="no tree has this task_id"):
        save_scores(store, [{**record, "task_id": "u"}])


def test_files_are_told_apart(store, tmp_path):
    """Trees, libraries, verdicts and scores are loaded by content, in the order they need."""
    trees = load_trees(EXAMPLE / "trees")
    reports = score_reports(trees, read_verdicts(EXAMPLE / "verdicts.jsonl"))
    scores = tmp_path / "scores.json"
    scores.write_text(json.dumps({"reports": [report.to_dict() for report in reports]}))
    facts = tmp_path / "library.jsonl"
    facts.write_text('{"fact_id": "f77", "task_id": "peat-bog", "claim": "it rains"}\n')
    paths = [scores, EXAMPLE / "verdicts.jsonl", facts, *sorted((EXAMPLE / "trees").iterdir())]
    found = [read_file(path) for path in paths]
    kinds = ["scores", "verdicts", "rubric-facts", *["trees"] * 6]
    assert [item.kind for item in found] == kinds
    loaded = load_files(store, found)
    assert [item.changed for item in loaded] == [29, 623, 1, *[1] * 6]
    assert [item.changed for item in load_files(store, found)] == [0] * 9


def test_files_that_disagree_are_refused(store, tmp_path):
    """Two files of one load that give a key different verdicts are an error, as for scoring."""
    load_into(store, [small_tree()])
    for name, word in (("one", "yes"), ("two", "no")):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(said(a=word)[0]) + "\n")
    files = [read_file(tmp_path / f"{name}.jsonl") for name in ("one", "two")]
    with pytest.raises(RubricError, match=r"two\.jsonl:1: .* says no, but .*one\.jsonl:1 says yes"):
        load_files(store, files)
    assert counts(store)["verdicts"] == 0


def test_broken_lines_have_their_place(tmp_path):
    """Every broken line is told with its number; or skipped and counted."""
    path = tmp_path / "v.jsonl"
    good = json.dumps(said(a="yes")[0])
    path.write_text(f'{good}\n{{"task_id": "t", "system": "A"}}\n{good[:-9]}\n')
    with pytest.raises(InputError) as caught:
        read_file(path)
    lines = str(caught.value).splitlines()
    assert [line.partition(": ")[0].rpartition(":")[2] for line in lines] == ["2", "3"]
    assert "atom_id: missing" in lines[0]
    reading = read_file(path, keep_going=True).reading
    assert (len(reading), reading.skipped) == (1, 2)


def test_library_facts_stay_apart(store):
    """Facts of a library are kept beside the tree; a contradiction to it is refused."""
    facts = [{"fact_id": "f1", "claim": "one"}]
    load_into(store, [small_tree(facts=facts)])
    extra = LibraryFact("t", Fact(fact_id="f2", claim="two", relations=[
        {"type": "supports", "target": "f1"}]))  # fmt: skip
    assert load_facts(store, [extra]) == 1
    assert load_facts(store, [extra, LibraryFact("t", Fact(fact_id="f1", claim="one"))]) == 0
    assert read_trees(store)[0].facts == small_tree(facts=facts).facts
    related = store.read("MATCH (a:RubricFact)-[e:RELATES]->(b:RubricFact) "
                         "RETURN a.fact_id AS a, e.kind AS kind, b.fact_id AS b")  # fmt: skip
    assert [tuple(row.values()) for row in related] == [("f2", "supports", "f1")]
    with pytest.raises(InputError, match="fact f1: the tree of its task says otherwise"):
        load_facts(store, [LibraryFact("t", Fact(fact_id="f1", claim="other"))])
    with pytest.raises(InputError, match="task_id: missing"):
        load_facts(store, [LibraryFact(None, Fact(fact_id="f3"))])
    load_into(store, [small_tree(facts=facts, language="en")])
    assert [record["fact_id"] for _, record in read_facts(store)] == ["f2"]


@given(st.lists(st.text(max_size=4), min_size=2, max_size=2),
       st.lists(st.text(max_size=4), min_size=2, max_size=2))  # fmt: skip
def test_keys_do_not_collide(one, other):
    """Two nodes have one id only if all parts of their names are equal."""
    assert (key_of(*one) == key_of(*other)) == (one == other)
