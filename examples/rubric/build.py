"""Makes the files of this folder: ``python examples/rubric/build.py [FOLDER]``; always the same."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from topics import TOPICS, Topic

SYSTEMS = {"aurora": 0.76, "basalt": 0.72, "cedar": 0.66, "dune": 0.5, "ember": 0.42}
"""How much of a task each invented system gets right."""

UNUSED = {
    "C-LC": "the story of {0} has no steps that could contradict each other",
    "C-XM": "nothing in {0} is said only by picture and sound together",
    "C-CF": "the sources on {0} agree",
    "C-AP": "whoever asks about {0} names no use for the answer",
    "R-CNT": "any number of sources is enough for {0}",
    "R-MM": "no picture or recording is a source on {0}",
    "R-VT": "{0} is one shot without chapters",
    "P-TL": "the report on {0} needs no timeline",
    "P-VT": "the player of {0} is outside the report",
    "P-AS": "the report on {0} carries no media of its own",
    "P-IT": "the report on {0} has no pictures to match",
    "P-CT": "the report on {0} has no controls",
}


def atom(name: str, direction: str, question: str, facts: Iterable[str] = (), **more: Any) -> Any:
    """Return an atom; one without facts is decided by a machine and says what it is for."""
    bound = list(facts)
    made = {"id": name, "direction": direction, "question": question, "expected": "yes",
            "evaluator": "J" if bound else "M", "fact_ids": bound}  # fmt: skip
    return made | more


def tree(topic: Topic) -> dict[str, Any]:
    """Return the rubric tree of a task."""
    names = [f"f{number}" for number in range(1, len(topic.facts) + 1)]
    atoms = []
    for name, fact in zip(names, topic.facts, strict=True):
        atoms.append(atom(f"fc-{name}", "C-FC", f"Does the report state that {fact.claim}?",
                          [name]))  # fmt: skip
    atoms += [
        atom("ca-1", "C-CA", f"Does the report say {topic.cause}?", names[1:3]),
        atom("cmp-1", "C-CMP", f"Does the report compare {topic.comparison}?", names[2:4]),
        atom("xs-1", "C-XS", "Does the report check the second claim against another site?",
             names[1:2]),
        atom("vf-1", "C-VF", "Is the first claim told as the video shows it?", names[:1]),
        atom("vf-2", "C-VF", f"Does the report claim that {topic.wrong}?", names[1:2],
             expected="no"),
    ]  # fmt: skip
    for name, fact in zip(names, topic.facts, strict=True):
        if fact.sites:
            atoms.append(atom(f"cs-{name}", "R-CS",
                              f"Does the cited page say that {fact.claim}?", [name]))  # fmt: skip
    atoms += [
        atom("au-1", "R-AU", "Is the page behind the third claim by a body that measured it?",
             names[2:3]),
        atom("clo-1", "R-CLO", "Does every inline citation have a source record?",
             impact="a reader cannot find the source"),
        atom("clo-2", "R-CLO", "Is every source record cited?",
             impact="a reader cannot tell what a source is for"),
        atom("st-1", "P-ST", "Are summary, findings and sources there as sections?",
             impact="a reader cannot find the summary"),
        atom("nav-1", "P-NAV", "Does every mark in the text lead to its record?",
             impact="a reader has to search for the record"),
        atom("nav-2", "P-NAV", "Does the table of contents lead to every section?",
             impact="a reader has to scroll"),
        atom("rd-1", "P-RD", "Is the text in one language?", impact="a reader stumbles"),
    ]  # fmt: skip
    directions: list[dict[str, Any]] = [
        {"id": "C-FC", "tau": 0.8, "kappa": 5},
        {"id": "C-CA", "tau": None, "kappa": None},
        {"id": "C-CMP", "tau": None, "kappa": None},
        {"id": "C-XS"}, {"id": "C-VF"}, {"id": "R-CS"}, {"id": "R-AU"}, {"id": "R-CLO"},
        {"id": "P-ST"}, {"id": "P-NAV"}, {"id": "P-RD"},
    ]  # fmt: skip
    directions += [{"id": name, "na_reason": reason.format(topic.video)}
                   for name, reason in UNUSED.items()]  # fmt: skip
    return {
        "task_id": topic.id,
        "language": "en",
        "category": topic.category,
        "query_form": topic.form,
        "video": topic.video,
        "weights": {"content": 0.5, "citation": 0.3, "presentation": 0.2},
        "directions": directions,
        "atoms": atoms,
        "facts": [
            {"fact_id": name, "claim": fact.claim, "type": "statement", "origin": fact.origin,
             "status": "verified" if len(fact.sites) > 1 else "single-source",
             "sources": [{"url": f"https://{site}/{topic.id}/{name}", "tier": 2}
                         for site in fact.sites]}
            for name, fact in zip(names, topic.facts, strict=True)
        ],
    }  # fmt: skip


def answers(rng: random.Random, data: dict[str, Any], skill: float) -> dict[str, str]:
    """Return verdict words: what a report omits it can hardly cite or explain."""
    stated = {fact["fact_id"]: rng.random() < skill for fact in data["facts"]}
    words: dict[str, str] = {}
    for item in data["atoms"]:
        kind = item["direction"]
        if kind == "C-FC":
            good = stated[item["fact_ids"][0]]
        elif kind in ("R-CS", "R-AU", "C-CA", "C-CMP", "C-XS"):
            good = all(stated[name] for name in item["fact_ids"]) and rng.random() < skill + 0.1
        elif kind in ("R-CLO", "P-ST"):
            good = rng.random() < 0.55 + skill / 2
        else:
            good = rng.random() < 0.35 + skill * 0.7
        words[item["id"]] = item["expected"] if good else ("no", "yes")[item["expected"] == "no"]
    return words


def verdicts(trees: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return verdict lines, with all that happens to verdicts in real work."""
    rng = random.Random(20260)
    lines: list[dict[str, Any]] = []
    for data in trees:
        task = data["task_id"]
        for system, skill in SYSTEMS.items():
            head = {"task_id": task, "system": system}
            words = answers(rng, data, skill)
            if (task, system) == ("ferry-line", "ember"):
                lines.append({**head, "report": "missing"})
                continue
            if (task, system) == ("paper-mill", "dune"):
                lines.append({**head, "report": "skeleton"})
                continue
            if (task, system) == ("bat-tower", "cedar"):
                continue  # never run
            for item in data["atoms"]:
                word = words[item["id"]]
                line = {**head, "atom_id": item["id"]}
                if item["direction"] in ("C-VF", "R-CLO", "P-ST"):
                    other = "no" if word == "yes" else "yes"
                    line["votes"] = [word, word if rng.random() < 0.8 else other, word]
                else:
                    line["verdict"] = word
                line["evaluator"] = item["evaluator"]
                if item["evaluator"] == "J":
                    line["rationale"] = ("The report says so." if word == item["expected"]
                                         else "Nothing in the report says so.")  # fmt: skip
                lines.append(line)
    return _accidents(lines)


def _accidents(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put in an N/A, a judge that failed, a tie, an unknown word, a repetition, an extra atom."""
    at = {(line["task_id"], line["system"], line.get("atom_id")): line for line in lines}

    def change(task: str, system: str, name: str, **to: Any) -> None:
        line = at[task, system, name]
        for key in ("verdict", "votes", "rationale"):
            line.pop(key, None)
        line.update(to)

    change("tram-lift", "basalt", "au-1", verdict="na", rationale="The third claim has no page.")
    change("peat-bog", "cedar", "ca-1", verdict="skipped", rationale="The judge timed out.")
    change("peat-bog", "cedar", "clo-1", votes=["yes", "no"])
    change("night-market", "dune", "xs-1", verdict="partly")
    change("night-market", "aurora", "st-1", verdict="no", votes=["yes", "yes", "no"])
    repeated = dict(at["tram-lift", "ember", "rd-1"])
    repeated["verdict"] = "no" if repeated["verdict"] == "yes" else "yes"
    extra = {"task_id": "tram-lift", "system": "ember", "atom_id": "fc-f9", "verdict": "yes"}
    gone = at["peat-bog", "dune", "nav-2"]
    return [line for line in lines if line is not gone] + [repeated, extra]


def labels(trees: list[dict[str, Any]], lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return human labels: checks of facts and atoms, decisions, ratings of whole reports."""
    rng = random.Random(7)
    raters = ("rater-1", "rater-2", "rater-3")
    made: list[dict[str, Any]] = []
    for data in trees[:3]:
        for kind, name in (("fact", "f1"), ("fact", "f3"), ("atom", "fc-f2"), ("atom", "ca-1")):
            for step in (1, 2):
                for rater in raters:
                    good = step == 2 or rng.random() < 0.8
                    made.append({"item_id": name, "kind": kind, "task_id": data["task_id"],
                                 "rater": rater, "round": step,
                                 "label": "correct" if good else "incorrect"})  # fmt: skip
    judged = [line for line in lines if line.get("verdict") in ("yes", "no")]
    for line in judged[::17]:
        for rater in raters:
            word = line["verdict"]
            if rng.random() < 0.08:
                word = "no" if word == "yes" else "yes"
            made.append({"item_id": line["atom_id"], "kind": "decision", "rater": rater,
                         "task_id": line["task_id"], "system": line["system"],
                         "label": word})  # fmt: skip
    for data in trees[:4]:
        for system, skill in SYSTEMS.items():
            for rater in raters:
                rating = min(5, max(1, round(1 + 4 * skill + rng.uniform(-0.8, 0.8))))
                made.append({"item_id": f"{data['task_id']}:{system}", "kind": "holistic",
                             "task_id": data["task_id"], "system": system, "rater": rater,
                             "rating": rating})  # fmt: skip
    unique = {(m["kind"], m["task_id"], m.get("system"), m["item_id"], m.get("round"),
               m["rater"]): m for m in made}  # fmt: skip
    return list(unique.values())


def calibration(trees: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return calibration lines: R1 and R3 once, R2 three times; one task gains too little."""
    rng = random.Random(11)
    made: list[dict[str, Any]] = []
    for data in trees:
        task = data["task_id"]
        low = 42 if task == "ferry-line" else 31
        made.append({"task_id": task, "report": "R1", "score": low})
        made.append({"task_id": task, "report": "R3", "score": low + (8 if low == 42 else 47)})
        words = answers(rng, data, 0.6)
        for run in (1, 2, 3):
            made.append({"task_id": task, "report": "R2", "run": run, "score": low + 4 + run})
            for item in data["atoms"]:
                word = words[item["id"]]
                if run == 3 and rng.random() < 0.04:
                    word = "no" if word == "yes" else "yes"
                made.append({"task_id": task, "report": "R2", "run": run, "atom_id": item["id"],
                             "verdict": word})  # fmt: skip
    return made


def trajectories(trees: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return traces: most systems search, then write; one goes back and forth."""
    rng = random.Random(5)
    made = []
    for data in trees:
        for system in SYSTEMS:
            if system == "aurora":
                kinds = ["search", "open", "write"] * rng.randint(4, 6) + ["message"]
            else:
                kinds = ["search", "open"] * rng.randint(2, 7) + ["write"] * rng.randint(1, 3)
            clock = 0
            events = []
            for number, kind in enumerate(kinds):
                seconds = rng.randint(2, 40)
                failed = kind == "open" and rng.random() < 0.12
                events.append({"index": number, "kind": kind, "tool": f"{kind}_tool",
                               "error": failed, "started": clock, "seconds": seconds,
                               "tokens": rng.randint(100, 3000)})  # fmt: skip
                clock += seconds
            made.append({"task_id": data["task_id"], "system": system, "model": f"{system}-1",
                         "harness": "loop", "events": events})  # fmt: skip
    return made


def write_lines(path: Path, records: Iterable[dict[str, Any]]) -> None:
    """Write one record a line."""
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    path.write_text(text, encoding="utf-8", newline="\n")


def main(folder: Path) -> None:
    """Write all files to a folder."""
    trees = [tree(topic) for topic in TOPICS]
    (folder / "trees").mkdir(parents=True, exist_ok=True)
    for data in trees:
        text = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
        path = folder / "trees" / f"{data['task_id']}.json"
        path.write_text(text, encoding="utf-8", newline="\n")
    lines = verdicts(trees)
    write_lines(folder / "verdicts.jsonl", lines)
    write_lines(folder / "labels.jsonl", labels(trees, lines))
    write_lines(folder / "calibration.jsonl", calibration(trees))
    write_lines(folder / "trajectories.jsonl", trajectories(trees))
    empty = {item["id"]: "no" for item in trees[0]["atoms"] if item["evaluator"] == "M"}
    (folder / "empty-report.json").write_text(json.dumps(empty, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent)
