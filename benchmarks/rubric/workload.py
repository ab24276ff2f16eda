"""The load of the paper: 50 tasks x 18 systems = 900 reports of 128 leaves, made up from a seed."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

TASKS, SYSTEMS, LEAVES = 50, 18, 128
BURST = 0.05  # seconds for which a job is repeated before the next has its turn

# direction, atoms, chance to pass; the coverage directions and the claim support share facts
SHAPE = (
    ("C-FC", 40, 0.08),
    ("C-CA", 12, 0.10),
    ("C-CMP", 8, 0.05),
    ("C-VF", 6, 0.92),
    ("C-LC", 4, 0.21),
    ("C-XS", 4, 0.15),
    ("R-CS", 24, 0.16),
    ("R-CNT", 2, 0.98),
    ("R-CLO", 2, 0.80),
    ("R-AU", 4, 0.50),
    ("R-MM", 4, 0.90),
    ("P-ST", 4, 0.95),
    ("P-TL", 4, 0.85),
    ("P-NAV", 4, 0.80),
    ("P-AS", 3, 0.80),
    ("P-RD", 3, 0.75),
)
FACTS = frozenset({"C-FC", "C-CA", "C-CMP", "R-CS"})


def tree(task: int) -> dict[str, Any]:
    """Return one rubric tree as plain data."""
    made = random.Random(task)
    atoms = []
    for direction, count, _ in SHAPE:
        for place in range(count):
            facts = [f"f{place if direction == 'C-FC' else made.randrange(40)}"]
            atoms.append(
                {
                    "id": f"{direction}-{place}",
                    "direction": direction,
                    "question": f"Does the report satisfy {direction} number {place}?",
                    "expected": "yes",
                    "evaluator": "J",
                    "fact_ids": facts if direction in FACTS else [],
                }
            )
    return {
        "task_id": f"task-{task:02}",
        "language": "en",
        "directions": [direction for direction, _, _ in SHAPE],
        "atoms": atoms,
    }


def trees() -> list[dict[str, Any]]:
    """Return all trees."""
    found = [tree(task) for task in range(TASKS)]
    if {len(item["atoms"]) for item in found} != {LEAVES}:
        raise ValueError(f"a tree does not have {LEAVES} atoms")
    return found


def verdicts() -> Iterator[tuple[int, int, str, str]]:
    """Yield (task, system, atom id, verdict): 1 % na, 0.3 % judge failures, skill by system."""
    made = random.Random(2026)
    for task in range(TASKS):
        for system in range(SYSTEMS):
            skill = 0.7 + system / SYSTEMS
            for direction, count, chance in SHAPE:
                for place in range(count):
                    roll = made.random()
                    word = (
                        "na"
                        if roll < 0.01
                        else "skipped"
                        if roll < 0.013
                        else "yes"
                        if made.random() < min(0.99, chance * skill)
                        else "no"
                    )
                    yield task, system, f"{direction}-{place}", word


def verdict_lines(*, full: bool) -> bytes:
    """Return the verdict file: bare lines, or with evaluator, rationale and quote."""
    lines = []
    for task, system, atom, word in verdicts():
        record = {
            "task_id": f"task-{task:02}",
            "system": f"system-{system:02}",
            "atom_id": atom,
            "verdict": word,
        }
        if full:
            record["evaluator"] = "judge-1"
            record["rationale"] = f"The report {'states' if word == 'yes' else 'omits'} it: {atom}."
            record["quote"] = "a span of the report" if word == "yes" else ""
        lines.append(json.dumps(record))
    return ("\n".join(lines) + "\n").encode()


def scores() -> list[list[float]]:
    """Return a table of scores, tasks by systems, for the bootstrap; 7 % failures."""
    made = random.Random(7)
    return [
        [0.0 if made.random() < 0.07 else made.uniform(20, 90) for _ in range(SYSTEMS)]
        for _ in range(TASKS)
    ]
