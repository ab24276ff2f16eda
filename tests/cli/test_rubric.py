"""``graphkit rubric``: numbers to the last digit, JSON that programs rely on, exit codes, store."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import ROOT, Run, errors, write_lines

EXAMPLE = ROOT / "examples" / "rubric"
TREES, VERDICTS = str(EXAMPLE / "trees"), str(EXAMPLE / "verdicts.jsonl")


def atom(name: str, direction: str, *facts: str, expected: str = "yes") -> dict[str, Any]:
    """Return an atom as plain data."""
    return {"id": name, "direction": direction, "question": f"Is {name} so?",
            "expected": expected, "evaluator": "J", "fact_ids": list(facts)}  # fmt: skip


def lines(system: str, task: str = "t", **words: str) -> list[dict[str, Any]]:
    """Return verdict lines of one report."""
    return [{"task_id": task, "system": system, "atom_id": name, "verdict": word}
            for name, word in words.items()]  # fmt: skip


def save(data: Any, name: str) -> str:
    """Write one JSON document; return the path as text."""
    Path(name).write_text(json.dumps(data), encoding="utf-8")
    return name


def plain_tree(task: str = "t", **more: Any) -> dict[str, Any]:
    """Return a tree of two atoms."""
    atoms = [atom("a", "C-LC"), atom("b", "C-LC")]
    return {"task_id": task, "language": "en", "directions": ["C-LC"], "atoms": atoms, **more}


@pytest.fixture
def worked() -> list[str]:
    """The worked example of the semantics: three systems for its three cases."""
    atoms = [atom(f"fc{n}", "C-FC", f"f{n}") for n in range(1, 11)]
    atoms += [atom("vf1", "C-VF", "f1"), atom("vf2", "C-VF", "f2", expected="no")]
    atoms += [atom(f"cs{n}", "R-CS", f"f{n}") for n in range(1, 5)]
    atoms += [atom("cc1", "R-CLO"), atom("cc2", "R-CLO"), atom("nav1", "P-NAV")]
    atoms.append(atom("nav2", "P-NAV"))
    tree = {
        "task_id": "t", "weights": {"content": 0.5, "citation": 0.3, "presentation": 0.2},
        "directions": [{"id": "C-FC", "tau": 0.4, "kappa": 4}, {"id": "C-VF", "role": "core"},
                       "R-CS", {"id": "R-CLO", "role": "gate", "logic": "all"},
                       {"id": "P-NAV", "role": "core"}],
        "atoms": atoms,
    }  # fmt: skip
    good = {"fc1", "fc2", "vf1", "cs1", "cc1", "cc2", "nav1"}
    said = []
    for system, passed in (("A", good), ("B", good - {"cc2"}), ("C", good | {"fc3", "fc4"})):
        words = {item["id"]: "yes" if item["id"] in passed else "no" for item in atoms}
        said += lines(system, **words)
    return [save(tree, "worked.json"), write_lines(Path("worked.jsonl"), *said)]


def test_worked_example_to_the_last_digit(run: Run, worked: list[str]) -> None:
    """395/6, 305/6 and 75, with both readings of the guard."""
    found = json.loads(run("rubric", "score", *worked, "--json").stdout)["reports"]
    assert [item["score_exact"] for item in found] == ["395/6", "305/6", "75"]
    assert [item["score"] for item in found] == [395 / 6, 305 / 6, 75.0]
    first = found[0]
    assert first["na_guard"]["candidate_ids"] == ["cs3", "cs4"] == first["na_guard"]["applied_ids"]
    step = first["na_guard"]["steps"][0]
    assert (step["delta_c_exact"], step["delta_r_exact"]) == ("1/12", "1/20")
    assert first["dimensions"] == {"content": 2 / 3, "citation": 3 / 4, "presentation": 1 / 2}
    assert found[2]["na_guard"]["candidates"] == 0


def test_published_guard_can_break_the_order(run: Run) -> None:
    """Omitting scores 97.02, stating without a citation 81.25; the exact guard keeps the order."""
    atoms = [atom(f"fc{n}", "C-FC", f"f{n}") for n in range(3)]
    atoms += [atom("ok", "R-CS"), atom("cs", "R-CS", "f1")]
    tree = {"task_id": "t", "directions": [{"id": "C-FC", "tau": 0.35}, "R-CS"], "atoms": atoms}
    said = lines("omitted", fc0="yes", fc1="no", fc2="no", ok="yes", cs="no")
    said += lines("stated", fc0="yes", fc1="yes", fc2="no", ok="yes", cs="no")
    files = [save(tree, "t.json"), write_lines(Path("v.jsonl"), *said)]
    published = _scores(run("rubric", "score", *files, "--json"))
    assert {name: round(value, 2) for name, value in published.items()} == {
        "omitted": 97.02, "stated": 81.25}  # fmt: skip
    exact = _scores(run("rubric", "score", *files, "--guard", "exact", "--json"))
    assert exact["stated"] >= exact["omitted"]


def _scores(result: Any) -> dict[str, float]:
    assert result.exit_code == 0, result.stderr
    return {item["system"]: item["score"] for item in json.loads(result.stdout)["reports"]}


def test_score_json_shape(run: Run) -> None:
    """The keys that other programs rely on, on standard output alone."""
    result = run("rubric", "score", TREES, VERDICTS, "--json")
    document = json.loads(result.stdout)
    assert len(document["reports"]) == 30
    needed = {"task_id", "system", "score", "dimensions", "directions", "counts", "bounds",
              "na_guard", "flags"}  # fmt: skip
    for report in document["reports"]:
        assert needed <= set(report)
        assert set(report["bounds"]) == {"low", "high"}
        for part in report["directions"].values():
            assert set(part) == {"n", "passed", "rate", "credited", "weight", "gate", "status"}
    assert document["verdicts"]["conflicts"] == 1
    assert (document["verdicts"]["extra"], document["verdicts"]["missing"]) == (1, 1)
    assert "tau" in document["parameters"]["assumed"]
    assert "1 repeated (of one file the last line counts)" in result.stderr


def test_csv_has_the_same_numbers(run: Run) -> None:
    """--csv has a row for each report, with the score in full; never together with --json."""
    rows = list(
        csv.DictReader(io.StringIO(run("rubric", "score", TREES, VERDICTS, "--csv").stdout))
    )
    document = json.loads(run("rubric", "score", TREES, VERDICTS, "--json").stdout)
    expected = ["" if r["score"] is None else repr(r["score"]) for r in document["reports"]]
    assert [row["score"] for row in rows] == expected
    both = run("rubric", "score", TREES, VERDICTS, "--csv", "--json")
    assert (both.exit_code, errors(both)) == (2, ["error: either --json or --csv, not both"])


def test_files_in_any_order_and_form(run: Run, worked: list[str]) -> None:
    """Order, gzip, JSONL of trees and standard input change nothing."""
    import gzip

    tree, said = worked
    expected = run("rubric", "score", tree, said, "--json").stdout
    assert run("rubric", "score", said, tree, "--json").stdout == expected
    Path("v.jsonl.gz").write_bytes(gzip.compress(Path(said).read_bytes()))
    write_lines(Path("trees.jsonl"), json.loads(Path(tree).read_text()))
    assert run("rubric", "score", "trees.jsonl", "v.jsonl.gz", "--json").stdout == expected
    piped = run("rubric", "score", tree, "-", "--json", stdin=Path(said).read_bytes())
    assert piped.stdout == expected
    piped = run("rubric", "score", said, "-", "--json", stdin=Path(tree).read_bytes())
    assert piped.stdout == expected


def test_scores_from_the_store_are_those_from_files(run: Run) -> None:
    """load, then score without files: the same reports; --save keeps them, verify finds none."""
    expected = json.loads(run("rubric", "score", TREES, VERDICTS, "--json").stdout)["reports"]
    trees = sorted((EXAMPLE / "trees").iterdir())
    loaded = json.loads(run("load", *trees, VERDICTS, "--json").stdout)
    assert [item["kind"] for item in loaded["files"]] == [*["trees"] * 6, "verdicts"]
    assert (loaded["holds"]["trees"], loaded["holds"]["atoms"]) == (6, 138)
    assert json.loads(run("rubric", "score", "--json").stdout)["reports"] == expected
    assert "29 scores are in the store" in run("rubric", "score", "--save").stderr
    assert run("rubric", "verify").exit_code == 0
    assert run("rubric", "explain", "--task", "tram-lift", "--system", "dune").exit_code == 0
    compared = run("rubric", "compare", "--json").stdout
    assert compared == run("rubric", "compare", TREES, VERDICTS, "--json").stdout
    assert run("export", "out").exit_code == 0
    assert run("import", "out", "--store", "other.db").exit_code == 0
    again = run("rubric", "score", "--store", "other.db", "--json").stdout
    assert json.loads(again)["reports"] == expected
    mixed = run("rubric", "score", TREES, VERDICTS, "--store", "other.db")
    assert (mixed.exit_code, errors(mixed)) == (2, ["error: either files or --store, not both"])


def test_without_a_store_it_is_said(run: Run) -> None:
    """No files and no store is a mistake with the way out."""
    result = run("rubric", "score")
    assert result.exit_code == 2
    assert errors(result)[0].endswith(
        "there is no store; graphkit load makes one, --store names another"
    )


def test_explanation_adds_up(run: Run, worked: list[str]) -> None:
    """Contributions, directions and dimensions each add up to the score exactly."""
    made = json.loads(run("rubric", "explain", *worked, "--system", "A", "--json").stdout)
    total = sum(Fraction(item["contribution_exact"]) for item in made["atoms"])
    assert total == Fraction(made["score_exact"]) == Fraction(395, 6)
    for level in ("dimensions", "directions"):
        assert sum(item["points"] for item in made[level]) == pytest.approx(395 / 6)
    table = run("rubric", "explain", *worked, "--system", "A").stdout
    assert "score 65.83 (exactly 395/6)" in table
    assert [line.split() for line in table.splitlines() if line.startswith("total")] == [
        ["total", "-", "-", "65.83"]]  # fmt: skip
    assert any("cs3" in line and "na_guard" in line for line in table.splitlines())


def test_explain_needs_to_know_which(run: Run, worked: list[str]) -> None:
    """Several systems without --system, an unknown one, a report without a score."""
    result = run("rubric", "explain", *worked)
    assert errors(result) == ["error: there are 3 systems: choose one with --system (A, B, C)"]
    assert errors(run("rubric", "explain", *worked, "--system", "D"))[0].startswith(
        "error: system D: not among the systems")  # fmt: skip
    result = run("rubric", "explain", TREES, VERDICTS, "--task", "ferry-line", "--system", "ember")
    assert errors(result) == ["error: task ferry-line, system ember: the report is missing; "
                              "there is no score to explain"]  # fmt: skip


def test_validate_flow(run: Run) -> None:
    """A warning blocks until it is accepted; an error is never accepted; exits 3 and 0."""
    empty = str(EXAMPLE / "empty-report.json")
    first = run("rubric", "validate", TREES, "--empty-report", empty)
    assert first.exit_code == 3
    assert "note: to accept the warnings: --accept source_concentration" in first.stderr
    accepted = run("rubric", "validate", TREES, "--empty-report", empty,
                   "--accept", "source_concentration", "--json")  # fmt: skip
    document = json.loads(accepted.stdout)
    assert (accepted.exit_code, document["valid"], len(document["trees"])) == (0, True, 6)
    assert all(len(item["checks"]) == 16 for item in document["trees"])
    statuses = {check["status"] for item in document["trees"] for check in item["checks"]}
    assert statuses == {"passed", "accepted"}
    bad = json.loads((EXAMPLE / "trees" / "tram-lift.json").read_text())
    bad["atoms"][0]["fact_ids"] = ["f99"]
    result = run("rubric", "validate", save(bad, "bad.json"), "--accept", "evidence_binding")
    assert result.exit_code == 3
    assert "atom fc-f1" in result.stdout
    unknown = run("rubric", "validate", TREES, "--accept", "source_concentraton")
    assert unknown.exit_code == 2
    assert "did you mean source_concentration?" in errors(unknown)[0]


def test_validate_says_what_it_lacks(run: Run) -> None:
    """Checks that need a library or a report without content say so; --facts gives the one."""
    tree = plain_tree()
    tree["atoms"][0]["fact_ids"] = tree["atoms"][1]["fact_ids"] = ["f1"]
    file = save(tree, "t.json")
    lacking = run("rubric", "validate", file)
    assert "note: evidence_binding was not run: it needs a fact library" in lacking.stderr
    facts = write_lines(Path("f.jsonl"), {"fact_id": "f1", "claim": "x", "origin": "web"},
                        {"fact_id": "f2", "task_id": "other"})  # fmt: skip
    made = json.loads(run("rubric", "validate", file, "--facts", facts, "--json").stdout)
    ended = {check["code"]: check["status"] for check in made["trees"][0]["checks"]}
    assert ended["evidence_binding"] == "passed"
    assert run("rubric", "validate", file, "--facts", facts, "--checks").stdout.count("\n") > 16


def test_validate_names_all_that_is_wrong(run: Run) -> None:
    """Two trees of one task, and a file that is not JSON: each is told with its place."""
    one, two = save(plain_tree(), "one.json"), save(plain_tree(), "two.json")
    made = json.loads(run("rubric", "validate", one, two, "--json").stdout)
    texts = [item["message"] for item in made["trees"][1]["findings"]]
    assert "task_id: 't' is also that of one.json" in texts
    Path("broken.json").write_text('{"task_id": "t",\n "atoms": [}')
    result = run("rubric", "validate", "broken.json")
    assert result.exit_code == 2
    assert errors(result)[0].startswith("error: broken.json:2: not JSON")


def test_verify_finds_tampering(run: Run, worked: list[str]) -> None:
    """A saved score that was changed is found; one that was not passes. Exits 3 and 0."""
    document = json.loads(run("rubric", "score", *worked, "--json").stdout)
    saved = save(document, "scores.json")
    assert run("rubric", "verify", worked[0], saved).exit_code == 0
    assert run("rubric", "verify", worked[0], saved, "--strict").exit_code in (0, 3)
    document["reports"][0]["score"] += 1e-9
    result = run("rubric", "verify", worked[0], save(document, "scores.json"), "--json")
    made = json.loads(result.stdout)
    assert (result.exit_code, made["valid"]) == (3, False)
    assert made["findings"][0]["code"] == "score"


def test_compare_shape_and_saved_scores(run: Run) -> None:
    """systems and pairs as promised; saved scores give the same document; seeds repeat."""
    result = run("rubric", "compare", TREES, VERDICTS, "--replicates", 500, "--json")
    made = json.loads(result.stdout)
    assert {"system", "average", "average_successful", "success_rate", "interval"} <= set(
        made["systems"][0])  # fmt: skip
    assert {"a", "b", "difference", "interval"} <= set(made["pairs"][0])
    assert (len(made["systems"]), len(made["pairs"])) == (5, 10)
    dune = next(item for item in made["systems"] if item["system"] == "dune")
    assert dune["success_rate"] == 5 / 6
    assert dune["average"] == pytest.approx(dune["average_successful"] * 5 / 6)
    document = json.loads(run("rubric", "score", TREES, VERDICTS, "--json").stdout)
    saved = save(document, "scores.json")
    again = run("rubric", "compare", saved, "--replicates", 500, "--json")
    assert again.stdout == result.stdout
    assert "system cedar: 1 not_run, in no average" in result.stderr
    clusters = run("rubric", "compare", TREES, VERDICTS, "--cluster-by", "category",
                   "--replicates", 50, "--json")  # fmt: skip
    assert json.loads(clusters.stdout)["bootstrap"]["units"] == 3
    wrong = run("rubric", "compare", TREES, VERDICTS, "--cluster-by", "colour")
    assert len(errors(wrong)) == 6


def test_degenerate_comparisons_are_named(run: Run) -> None:
    """One task: the interval is a point and said to be; all failed: average 0 and no other."""
    tree = save(plain_tree(), "t.json")
    one = write_lines(Path("v.jsonl"), *lines("A", a="yes", b="no"))
    result = run("rubric", "compare", tree, one, "--json")
    (system,) = json.loads(result.stdout)["systems"]
    assert (system["status"], system["interval"]) == ("one_task", [50.0, 50.0])
    assert "note: system A: a single task" in result.stderr
    failed = write_lines(Path("v.jsonl"), {"task_id": "t", "system": "A", "report": "missing"})
    result = run("rubric", "compare", tree, failed, "--json")
    (system,) = json.loads(result.stdout)["systems"]
    assert (system["average"], system["average_successful"]) == (0.0, None)
    assert "every report failed" in result.stderr
    skipped = write_lines(Path("v.jsonl"), *lines("A", a="skipped", b="maybe"))
    result = run("rubric", "compare", tree, skipped, "--json")
    (system,) = json.loads(result.stdout)["systems"]
    assert (system["average"], system["interval"], system["status"]) == (None, None, "empty")
    picture = run("rubric", "compare", tree, skipped, "-o", "x.png")
    assert errors(picture) == ["error: no system has an average to draw"]


def test_bad_files_are_told(run: Run) -> None:
    """Empty files, other files, a missing file: what is there and what was expected, exit 2."""
    tree = save(plain_tree(), "t.json")
    Path("empty.jsonl").write_text("")
    Path("words.txt").write_text("hello\n")
    Path("folder").mkdir()
    expected = {
        "empty.jsonl": "is empty; expected a rubric tree or verdict lines",
        "words.txt": "expected a rubric tree or verdict lines",
        "folder": "holds no .json or .jsonl file",
        "nothing.json": "cannot be read: No such file or directory",
        str(
            EXAMPLE / "labels.jsonl"
        ): "holds human labels; expected a rubric tree or verdict lines",
    }
    result = run("rubric", "score", tree, *expected)
    assert result.exit_code == 2
    told = errors(result)
    assert len(told) == len(expected)
    for file, text in expected.items():
        assert any(line.startswith(f"error: {file}:") and text in line for line in told), file
    result = run("rubric", "score", tree)
    assert errors(result) == ["error: no verdicts among the files"]
    result = run("rubric", "score", VERDICTS)
    assert errors(result) == ["error: no rubric tree among the files"]


def test_broken_lines(run: Run) -> None:
    """All broken lines at once with their numbers; --keep-going skips and counts them, exit 1."""
    tree = save(plain_tree(), "t.json")
    good = "".join(json.dumps(line) + "\n" for line in lines("A", a="yes", b="no"))
    Path("v.jsonl").write_text(good + '{"task_id": "t"\n{"task_id": "t", "system": "A"}\n')
    result = run("rubric", "score", tree, "v.jsonl")
    assert result.exit_code == 2
    assert [line.split(": ")[1] for line in errors(result)] == ["v.jsonl:3", "v.jsonl:4"]
    result = run("rubric", "score", tree, "v.jsonl", "--keep-going", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["reports"][0]["score"] == 50.0
    assert "note: 2 broken records were skipped" in result.stderr
    assert len(json.loads(result.stdout)["verdicts"]["broken"]) == 2


def test_files_that_disagree(run: Run) -> None:
    """Two verdict files with different verdicts for one key are an error with both places."""
    tree = save(plain_tree(), "t.json")
    one = write_lines(Path("one.jsonl"), *lines("A", a="yes"))
    two = write_lines(Path("two.jsonl"), *lines("A", a="no"))
    result = run("rubric", "score", tree, one, two)
    assert (result.exit_code, len(errors(result))) == (2, 1)
    assert "task t, system A, atom a: says no, but one.jsonl:1 says yes" in errors(result)[0]


def test_parameters_and_their_precedence(run: Run) -> None:
    """Flag over tree over settings file over default; graphkit.toml may hold the settings."""
    atoms = [atom("a", "C-FC"), atom("b", "C-FC"), atom("c", "P-RD"), atom("d", "P-RD")]
    tree = {"task_id": "t", "directions": ["C-FC", "P-RD"], "atoms": atoms}
    said = write_lines(Path("v.jsonl"), *lines("A", a="yes", b="no", c="no", d="no"))

    def score(data: dict[str, Any], *flags: Any) -> float:
        found = run("rubric", "score", save(data, "t.json"), said, *flags, "--json")
        return _scores(found)["A"]

    assert score(tree) == pytest.approx(500 / 7)
    Path("graphkit.toml").write_text('[rubric]\ntau = {"*" = 1}\n')
    assert score(tree) == pytest.approx(250 / 7)
    Path("mine.toml").write_text("[rubric.weights]\ncontent = 1\ncitation = 0\npresentation = 1\n")
    assert score(tree, "--settings", "mine.toml") == 50.0
    own = {**tree, "weights": {"content": 0, "citation": 0, "presentation": 1}}
    assert score(own, "--settings", "mine.toml") == 0.0
    assert score(own, "--weights", "1/0/0", "--tau", "C-FC=none") == 50.0
    result = run("rubric", "score", "t.json", said, "--tau", "2")
    assert errors(result) == ["error: --tau: *: 2.0 is outside 0 < tau <= 1"]
    result = run("rubric", "score", "t.json", said, "--weights", "1/2")
    assert errors(result) == ['error: --weights "1/2" is not three numbers such as 0.5/0.3/0.2']
    assert run("doctor").exit_code in (0, 1)
    assert "no setting" not in run("doctor").stderr


def test_sensitivity_grid(run: Run) -> None:
    """Points, ranks and changes; a cell is the average under that override."""
    made = json.loads(run("rubric", "sensitivity", TREES, VERDICTS, "--grid-tau", "0.4,none",
                          "--grid-weights", "0.4/0.4/0.2", "--json").stdout)  # fmt: skip
    assert [row["label"] for row in made["settings"]] == [
        "lambda 0.4 / 0.4 / 0.2", "tau 0.4", "tau none"]  # fmt: skip
    assert made["largest_change"] == {"lambda": 1, "tau": 1}
    one = run("rubric", "compare", TREES, VERDICTS, "--tau", "0.4", "--replicates", 1, "--json")
    averages = {item["system"]: item["average"] for item in json.loads(one.stdout)["systems"]}
    assert made["settings"][1]["averages"] == pytest.approx(averages)
    moved = json.loads(run("rubric", "sensitivity", TREES, VERDICTS, "--tau", "0.4",
                           "--grid-kappa", "4", "--json").stdout)  # fmt: skip
    assert moved["released"]["averages"] == pytest.approx(averages)
    assert len(json.loads(run("rubric", "sensitivity", TREES, VERDICTS, "--json").stdout)
               ["settings"]) == 34  # fmt: skip
    wrong = run("rubric", "sensitivity", TREES, VERDICTS, "--grid-kappa", "0")
    assert errors(wrong) == ["error: kappa 0 is not an integer >= 1"]


def test_rates(run: Run) -> None:
    """Rates by direction and level over evaluable reports, means by the keys of trees."""
    made = json.loads(run("rubric", "rates", TREES, VERDICTS, "--json").stdout)
    assert made["rows"][0]["key"] == "C-FC"
    assert made["rows"][0]["pooled"]["count"] == 162
    levels = json.loads(run("rubric", "rates", TREES, VERDICTS, "--by", "level", "--json").stdout)
    assert [row["key"] for row in levels["rows"]] == ["L0", "L1", "L2", "L3"]
    forms = json.loads(
        run("rubric", "rates", TREES, VERDICTS, "--by", "query-form", "--json").stdout
    )
    assert [row["group"] for row in forms["rows"]] == ["how", "what", "why"]
    none = run("rubric", "rates", save(plain_tree(), "t.json"),
               write_lines(Path("v.jsonl"), *lines("A", a="yes")), "--by", "category")  # fmt: skip
    assert errors(none) == ["error: task t: has no category; expected one for every task"]


def test_agreement(run: Run) -> None:
    """Figures with their counts; degenerate labels have a named status, never NaN."""
    labels = str(EXAMPLE / "labels.jsonl")
    made = json.loads(run("rubric", "agreement", labels, "--with", TREES, "--with", VERDICTS,
                          "--json").stdout)  # fmt: skip
    assert made["machine_to_human"]["count"] == 29
    assert made["spearman"]["status"] == "ok"
    lone = write_lines(Path("l.jsonl"), {"item_id": "a", "kind": "decision", "task_id": "t",
                                         "rater": "r1", "label": "yes"})  # fmt: skip
    made = json.loads(run("rubric", "agreement", lone, "--json").stdout)
    statuses = {name: value["status"] for name, value in made.items() if name != "rounds"}
    assert statuses["inter_rater"] == "one_rater"
    assert statuses["spearman"] == "empty"
    assert "NaN" not in run("rubric", "agreement", lone, "--csv").stdout
    Path("empty.jsonl").write_text("")
    assert errors(run("rubric", "agreement", "empty.jsonl")) == [
        "error: empty.jsonl: is empty; expected a record a line"]  # fmt: skip


def test_calibrate(run: Run) -> None:
    """A task that gains too little fails the whole, exit 3; without it, 0."""
    file = EXAMPLE / "calibration.jsonl"
    result = run("rubric", "calibrate", file, "--json")
    made = json.loads(result.stdout)
    assert (result.exit_code, made["passed"]) == (3, False)
    assert [task["task_id"] for task in made["tasks"] if not task["passed"]] == ["ferry-line"]
    assert run("rubric", "calibrate", file, "--delta", "7.9").exit_code == 0
    assert run("rubric", "calibrate", file, "--delta", "8").exit_code == 3
    kept = [json.loads(line) for line in file.read_text().splitlines()]
    verdicts = [line for line in kept if "atom_id" in line]
    part = write_lines(Path("c.jsonl"), *verdicts)
    made = json.loads(run("rubric", "calibrate", part, "--trees", TREES, "--json").stdout)
    assert made["tasks"][0]["missing"] == ["R1", "R3"]
    assert made["tasks"][0]["scores"]["R2"] > 0


def test_trajectories(run: Run) -> None:
    """Medians of configurations; the one that goes back and forth is interleaved."""
    file = EXAMPLE / "trajectories.jsonl"
    made = json.loads(run("rubric", "trajectories", file, "--json").stdout)["configurations"]
    assert {item["system"]: item["interleaved"] for item in made} == {
        "aurora": True, "basalt": False, "cedar": False, "dune": False, "ember": False}  # fmt: skip
    each = json.loads(run("rubric", "trajectories", file, "--each", "--json").stdout)["traces"]
    assert len(each) == 30
    short = write_lines(Path("t.jsonl"), {"task_id": "t", "system": "A", "events": []})
    made = json.loads(run("rubric", "trajectories", short, "--json").stdout)["configurations"]
    assert (made[0]["interleaved"], made[0]["medians"]["write_blocks"]["status"]) == (None, "empty")


def test_import_points_and_tables(run: Run) -> None:
    """Weighted tables keep their weights; what a tree of ours cannot carry is told by id."""
    Path("w.csv").write_text("id,text,weight\na,Is a so?,2\nb,Is b so?,1\nc,Is c so?,1\n")
    made = json.loads(run("rubric", "import", "w.csv", "-o", "w.jsonl", "--json").stdout)
    assert made["rubrics"][0]["criteria"] == 3
    again = json.loads(run("rubric", "import", "w.jsonl", "--json").stdout)
    assert again["rubrics"][0]["format"] == "weighted"
    flags = ("--to", "tree", "--direction", "C-AP", "-o", "t.jsonl", "--json")
    turned = run("rubric", "import", "w.csv", *flags)
    (rubric,) = json.loads(turned.stdout)["rubrics"]
    assert [row["id"] for row in rubric["left"]] == ["a"]
    assert (rubric["carried"], rubric["same_score"]) == (2, False)
    task = json.loads(Path("t.jsonl").read_text())["task_id"]
    said = write_lines(Path("v.jsonl"), *lines("A", task, b="yes", c="no"))
    assert _scores(run("rubric", "score", "t.jsonl", said, "--json"))["A"] == 50.0
    Path("p.jsonl").write_text(json.dumps({"prompt_id": "p", "rubrics": [
        {"criterion": "good", "points": 5, "criteria_met": True},
        {"criterion": "bad", "points": -2, "criteria_met": True}]}) + "\n")  # fmt: skip
    (points,) = json.loads(run("rubric", "import", "p.jsonl", "--json").stdout)["rubrics"]
    assert points["score"] == 0.6
    told = run("rubric", "import", "p.jsonl", "--to", "tree", "--direction", "C-AP", "--rows")
    assert "row 2: has -2 points: a penalty" in told.stderr
    assert run("rubric", "import", "w.csv", "--to", "tree").exit_code == 2


@pytest.mark.shared_data
def test_paperbench_root_is_recomputed(run: Run, shared_data: Path) -> None:
    """The recorded root to the last bit; duplicate ids are named; all of drbench is read."""
    folder = shared_data / "rubrics"
    graded = folder / "paperbench-graded-semantic-self-consistency.json"
    (made,) = json.loads(run("rubric", "import", graded, "--json").stdout)["rubrics"]
    assert made["matches"] is True
    assert made["recorded"] == made["recomputed"] == 0.9099999999999999
    assert Fraction(made["exact"]) == Fraction(91, 100)
    doubled = run("rubric", "import", folder / "paperbench-bbox.json",
                  folder / "paperbench-bridging-data-gaps.json")  # fmt: skip
    assert doubled.exit_code == 2
    told = errors(doubled)
    assert all("the id is used 2 times, at /" in line for line in told)
    assert any("bbox.json: node gt-acc-truthfulqa" in line for line in told)
    assert any("bridging-data-gaps.json: node d96e73af" in line for line in told)
    drbench = run(
        "rubric", "import", folder / "drbench-criteria-40.jsonl", "-o", "d.jsonl", "--json"
    )
    rubrics = json.loads(drbench.stdout)["rubrics"]
    assert len(rubrics) == 40
    assert all(item["criteria"] > 0 for item in rubrics)
    from rubric.formats import import_file

    source = import_file(folder / "drbench-criteria-40.jsonl").trees
    assert import_file("d.jsonl").trees == tuple(source)


def test_unknown_command_is_told_with_a_guess(run: Run) -> None:
    """A misspelt command of the group is a mistake with what may have been meant."""
    result = run("rubric", "scroe")
    assert result.exit_code == 2
    assert 'no command "rubric scroe" (did you mean score?)' in errors(result)[0]


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_pictures(run: Run, suffix: str) -> None:
    """Each picture is written, the same bytes twice; another suffix is a mistake."""
    jobs = {
        "forest": ("compare", TREES, VERDICTS, "--replicates", 50),
        "ranks": ("sensitivity", TREES, VERDICTS, "--grid-tau", "0.4,none"),
        "heat": ("rates", TREES, VERDICTS),
        "tree": ("draw", TREES, VERDICTS, "--task", "tram-lift", "--system", "dune"),
    }
    for name, arguments in jobs.items():
        for turn in (1, 2):
            result = run("rubric", *arguments, "-o", f"{name}{turn}.{suffix}")
            assert result.exit_code == 0, result.stderr
        first = Path(f"{name}1.{suffix}").read_bytes()
        assert first == Path(f"{name}2.{suffix}").read_bytes()
        assert first.startswith(b"\x89PNG" if suffix == "png" else (b"<?xml", b"<svg"))
        assert run("rubric", *arguments, "-o", "x.bmp").exit_code == 2


def test_draw_page_and_choice(run: Run) -> None:
    """A page shows all trees; a picture of several needs --task; --system needs verdicts."""
    assert (
        run("rubric", "draw", TREES, VERDICTS, "--system", "cedar", "-o", "p.html").exit_code == 0
    )
    page = Path("p.html").read_text()
    assert page.count('<button type="button" data-sheet="') == 6
    assert "bat-tower" in page
    assert errors(run("rubric", "draw", TREES, "-o", "t.png"))[0].startswith(
        "error: a picture shows one tree, these are 6")  # fmt: skip
    assert errors(run("rubric", "draw", TREES, "--system", "cedar", "-o", "p.html")) == [
        "error: --system needs verdicts among the files"]  # fmt: skip
