"""Seeded random trees and verdicts for the comparison with the second scorer."""

from __future__ import annotations

import random
from fractions import Fraction

DIRECTIONS = (
    ("C-FC", "content", "core"),
    ("C-CA", "content", "core"),
    ("C-VF", "content", "gate"),
    ("C-LC", "content", "core"),
    ("R-CS", "citation", "core"),
    ("R-CLO", "citation", "gate"),
    ("R-AU", "citation", "core"),
    ("P-ST", "presentation", "gate"),
    ("P-NAV", "presentation", "core"),
)
LOGIC = ("all", "any", "majority", "at_least:1", "at_least:2")
LITERALS = ("0.1", "0.2", "0.25", "0.3", "0.35", "0.4", "0.5", "0.6", "0.75", "0.8", "1")
WORDS = ("yes", "no", "na", "skipped")


def tree(rng: random.Random, number: int, coverage: tuple[str, ...] = ("C-FC",)):
    """Return (tree as data for the package, task for the second scorer)."""
    chosen = rng.sample(DIRECTIONS, rng.randint(2, 6))
    facts = [f"f{place}" for place in range(rng.randint(1, 4))]
    directions, atoms, task_directions = [], [], {}
    for name, dimension, role in chosen:
        many = rng.randint(1, 4)
        if rng.random() < 0.2:
            role = "gate" if role == "core" else "core"
        logic = rng.choice(LOGIC)
        if logic == "at_least:2" and many < 2:
            logic = "at_least:1"
        tau = rng.choice(LITERALS) if dimension == "content" and rng.random() < 0.5 else None
        kappa = rng.randint(1, 3) if rng.random() < 0.5 else None
        directions.append(
            {
                "id": name,
                "dimension": dimension,
                "role": role,
                "logic": logic,
                "tau": None if tau is None else float(tau),
                "kappa": kappa,
            }
        )
        task_directions[name] = {
            "dimension": dimension,
            "role": role,
            "logic": logic,
            "tau": None if tau is None else Fraction(tau),
            "kappa": kappa,
        }
        for place in range(many):
            bound = rng.sample(
                facts, rng.choice((0, 1, 1, 1, 2)) if len(facts) > 1 else rng.randint(0, 1)
            )
            atoms.append(
                {
                    "id": f"{name}{place}",
                    "direction": name,
                    "question": "?",
                    "expected": rng.choice(("yes", "yes", "yes", "no")),
                    "evaluator": "J",
                    "fact_ids": bound,
                    "impact": "it matters",
                }
            )
    rng.shuffle(atoms)
    weights = [rng.choice((*LITERALS, "0")) for _ in range(3)]
    if all(weight == "0" for weight in weights):
        weights[0] = "1"
    names = ("content", "citation", "presentation")
    exact = {name: Fraction(weight) for name, weight in zip(names, weights, strict=True)}
    data = {
        "task_id": f"t{number}",
        "directions": directions,
        "atoms": atoms,
        "weights": {name: float(weight) for name, weight in zip(names, weights, strict=True)},
    }
    task = {
        "directions": task_directions,
        "coverage": set(coverage),
        "weights": exact,
        "atoms": [
            {
                "id": atom["id"],
                "direction": atom["direction"],
                "expected": atom["expected"],
                "facts": atom["fact_ids"],
            }
            for atom in atoms
        ],
    }
    return data, task


def words(rng: random.Random, data) -> dict[str, str]:
    """Return a verdict word for each atom."""
    weights = rng.choice(((4, 6, 0, 0), (3, 5, 1, 1), (1, 5, 0, 0)))
    return {atom["id"]: rng.choices(WORDS, weights)[0] for atom in data["atoms"]}


def outcomes(data, said) -> dict[str, int | None]:
    """Return outcomes as the second scorer takes them."""
    return {
        atom["id"]: int(said[atom["id"]] == atom["expected"])
        if said[atom["id"]] in ("yes", "no")
        else None
        for atom in data["atoms"]
    }
