"""Strategies: small trees with gates, saturation, caps and shared facts, and their verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from rubric.plan import Plan, make_plan
from rubric.settings import GuardMode, Overrides, Settings, Weights
from rubric.tree import Tree
from rubric.tree_reader import parse_tree
from rubric.verdicts import WORDS, ReportVerdicts

__all__ = [
    "JudgedTree",
    "judged_trees",
    "overrides",
    "settings",
    "tree_data",
    "trees",
    "verdict_lines",
    "verdict_words",
    "weights",
]

_DIRECTIONS = (
    ("C-FC", "content", "core"),
    ("C-CA", "content", "core"),
    ("C-VF", "content", "gate"),
    ("R-CS", "citation", "core"),
    ("R-CLO", "citation", "gate"),
    ("R-AU", "citation", "core"),
    ("P-ST", "presentation", "gate"),
    ("P-NAV", "presentation", "core"),
)
_LITERALS = ("0.1", "0.25", "0.3", "0.35", "0.4", "0.5", "0.75", "1")


@dataclass(frozen=True, slots=True)
class JudgedTree:
    """A tree, the verdict words of one report, and the settings.

    Attributes:
        tree: The tree.
        words: Verdict word by atom id; atoms without one were not run.
        settings: The settings.
    """

    tree: Tree
    words: dict[str, str]
    settings: Settings

    @property
    def plan(self) -> Plan:
        """The tree under the settings."""
        return make_plan(self.tree, self.settings)

    @property
    def verdicts(self) -> ReportVerdicts:
        """The verdicts."""
        return ReportVerdicts.of(self.words)


def weights() -> st.SearchStrategy[Weights]:
    """Dimension weights: decimal literals, not all zero."""
    literal = st.sampled_from(("0", *_LITERALS))
    return (
        st.tuples(literal, literal, literal)
        .filter(lambda three: set(three) != {"0"})
        .map(
            lambda three: Weights.model_validate(
                dict(zip(("content", "citation", "presentation"), three, strict=True))
            )
        )
    )


def settings(guards: tuple[GuardMode, ...] = tuple(GuardMode)) -> st.SearchStrategy[Settings]:
    """Settings with any weights, tau and kappa, and one of the guards."""
    return st.builds(
        lambda lam, tau, kappa, guard, coverage: Settings(
            weights=lam, tau={"*": tau}, kappa={"*": kappa}, guard=guard, coverage=coverage
        ),
        weights(),
        st.sampled_from((None, *_LITERALS)),
        st.one_of(st.none(), st.integers(1, 5)),
        st.sampled_from(guards),
        st.sampled_from((frozenset({"C-FC"}), frozenset({"C-FC", "C-CA"}))),
    )


def overrides() -> st.SearchStrategy[Overrides]:
    """Points of a grid: any subset of weights, tau and kappa."""
    return st.builds(
        lambda lam, tau, kappa: Overrides.model_validate(
            {"weights": lam, "tau": tau, "kappa": kappa}
        ),
        st.one_of(st.none(), weights()),
        st.one_of(st.just({}), st.sampled_from(_LITERALS).map(lambda tau: {"*": tau})),
        st.one_of(st.just({}), st.integers(1, 5).map(lambda kappa: {"*": kappa})),
    )


@st.composite
def tree_data(draw: st.DrawFn, task_id: str = "t", most: int = 4) -> dict[str, Any]:
    """Draw the data of a valid tree with up to ``most`` atoms in each of a few directions."""
    chosen = draw(st.lists(st.sampled_from(_DIRECTIONS), min_size=1, max_size=5, unique=True))
    directions: list[dict[str, Any]] = []
    atoms: list[dict[str, Any]] = []
    for name, dimension, role in chosen:
        many = draw(st.integers(1, most))
        logic = draw(st.sampled_from(("all", "any", "majority", f"at_least:{many}", "at_least:1")))
        entry: dict[str, Any] = {
            "id": name,
            "dimension": dimension,
            "logic": logic,
            "role": draw(st.sampled_from((role, role, "core", "gate"))),
        }
        if dimension == "content" and draw(st.booleans()):
            tau = draw(st.sampled_from((None, *_LITERALS)))
            entry["tau"] = None if tau is None else float(tau)
        if draw(st.booleans()):
            entry["kappa"] = draw(st.one_of(st.none(), st.integers(1, 4)))
        directions.append(entry)
        for place in range(many):
            facts = draw(st.lists(st.sampled_from(("f1", "f2", "f3")), max_size=2, unique=True))
            atoms.append(
                {
                    "id": f"{name}:{place}",
                    "direction": name,
                    "question": f"{name} {place}?",
                    "expected": draw(st.sampled_from(("yes", "yes", "no"))),
                    "evaluator": "J",
                    "fact_ids": facts,
                }
            )
    made: dict[str, Any] = {
        "task_id": task_id,
        "language": "en",
        "directions": directions,
        "atoms": draw(st.permutations(atoms)),
    }
    if draw(st.booleans()):
        lam = draw(weights())
        made["weights"] = lam.model_dump(mode="json")
    return made


def trees(task_id: str = "t", most: int = 4) -> st.SearchStrategy[Tree]:
    """Valid trees."""
    return tree_data(task_id, most).map(parse_tree)


def verdict_words(tree: Tree) -> st.SearchStrategy[dict[str, str]]:
    """Verdict words for a tree; an atom may have no verdict."""
    word = st.sampled_from(("yes", "no", "no", *WORDS))
    return st.fixed_dictionaries({}, optional={atom.id: word for atom in tree.atoms})


@st.composite
def judged_trees(
    draw: st.DrawFn, guards: tuple[GuardMode, ...] = tuple(GuardMode), most: int = 4
) -> JudgedTree:
    """Draw a tree with the verdicts of one report, and settings."""
    tree = draw(trees(most=most))
    return JudgedTree(tree, draw(verdict_words(tree)), draw(settings(guards)))


def verdict_lines() -> st.SearchStrategy[dict[str, Any]]:
    """Verdict lines as found in files: votes, unknown words, reports, further keys."""
    word = st.sampled_from((*WORDS, "maybe", "YES"))
    line = st.fixed_dictionaries(
        {
            "task_id": st.sampled_from(("t1", "t2", "tâche")),
            "system": st.sampled_from(("A", "B")),
            "atom_id": st.sampled_from(("a1", "a2", 'a"3', "atom-with-a-long-name")),
        },
        optional={
            "verdict": st.one_of(word, st.none(), st.integers()),
            "votes": st.one_of(st.none(), st.lists(word, max_size=3)),
            "rationale": st.text(max_size=8),
            "quote": st.text(max_size=8),
            "evaluator": st.sampled_from(("J", "M")),
            "extra": st.one_of(st.integers(), st.just(list(range(99)))),
        },
    )
    report = st.fixed_dictionaries(
        {
            "task_id": st.just("t1"),
            "system": st.sampled_from(("A", "C")),
            "report": st.sampled_from(("missing", "unreadable", "readable", "skeleton")),
        }
    )
    return st.one_of(line, line, line, report)
