"""Advice in the paper's contract: spans that stand there, operations that fit, in any spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.mutate import Strategy
from synthesis.advice import OPERATION_OF, Advice, ExpansionAdvice, first_span, operations_of

QUESTION = "Which river crosses\nthe  old town? It is long."
GOOD = {
    "target_text_span": "the old town",
    "suggested_operation": "projection",
    "selected_strategy": "Inverse Projection",
    "semantic_suggestion": "describe it",
}
PAPER = (
    Strategy.COMPLEMENT,
    Strategy.INVERSE_PROJECTION,
    Strategy.INTERSECTION_EXPANSION,
)


def problems(**changes: str) -> list[str]:
    return ExpansionAdvice.model_validate({**GOOD, **changes}).problems(QUESTION)


def test_advice_that_holds_has_no_problems() -> None:
    """Spaces in the span do not matter."""
    assert problems() == []
    assert problems(target_text_span=" crosses the old \n town?") == []


@pytest.mark.parametrize("span", ["", "  ", "the new town", "The Old Town", "town It"])
def test_a_span_stands_in_the_question(span: str) -> None:
    """Letter for letter."""
    (problem,) = problems(target_text_span=span)
    assert problem.startswith("target_text_span")


@pytest.mark.parametrize("strategy", list(OPERATION_OF))
@pytest.mark.parametrize("operation", ["projection", "intersection", "complement", "union", ""])
def test_an_operation_fits_its_strategy(strategy: Strategy, operation: str) -> None:
    """Only the operations of the table are taken."""
    found = problems(selected_strategy=strategy.value, suggested_operation=operation)
    assert (found == []) is (operation in OPERATION_OF[strategy])


@pytest.mark.parametrize("strategy", list(OPERATION_OF))
def test_strategies_are_known_in_many_spellings(strategy: Strategy) -> None:
    """Case, spaces, hyphens and underscores do not matter, nor does the name of the constant."""
    words = strategy.value.replace(",", "")
    for text in (words.upper(), words.replace(" ", "_"), f" {words.lower()} ", strategy.name):
        assert operations_of(text) == OPERATION_OF[strategy]
    assert (
        problems(
            selected_strategy=words.upper(), suggested_operation=OPERATION_OF[strategy][0].upper()
        )
        == []
    )


@pytest.mark.parametrize(
    ("text", "strategy"),
    [
        ("A", PAPER[0]), ("b", PAPER[1]), ("Strategy C", PAPER[2]), ("strategy-a", PAPER[0]),
        ("intersection", PAPER[2]), ("inverse", PAPER[1]), ("Guess", None), ("", None),
    ],
)  # fmt: skip
def test_the_letters_of_the_paper_are_read(text: str, strategy: Strategy | None) -> None:
    """A, B and C stand for its three strategies; what is unknown is none."""
    assert ExpansionAdvice(selected_strategy=text).strategy is strategy


def test_every_problem_is_told_at_once() -> None:
    """Span, strategy and suggestion."""
    assert len(ExpansionAdvice().problems(QUESTION)) == 3


@given(question=st.text(max_size=30), names=st.lists(st.text(max_size=4), max_size=4))
def test_a_computed_span_stands_in_its_question(question: str, names: list[str]):
    """Whatever the question; an empty one has none."""
    span = first_span(question, names)
    advice = ExpansionAdvice.model_validate({**GOOD, "target_text_span": span})
    assert advice.problems(question) == ([] if span.split() else ["target_text_span is empty"])
    assert bool(span.split()) is bool(question.split()) or not question.split()


def test_what_the_author_is_told_has_no_verdicts_of_the_model() -> None:
    """Neither repairs nor its view, only what is to be done and what is wrong."""
    advice = Advice(kind="grow", problems=("few_edges",), repairs=("x",), offer={"drop": []})
    assert set(advice.told()) == {"kind", "expansion_advice", "offer", "problems"}


def test_what_advice_does_not_say_is_left_out_of_what_the_author_is_told() -> None:
    """No empty operation stands in a prompt; what is said stands there whole."""
    spare = ExpansionAdvice(target_text_span="Ulm", reasoning="Only the words change.")
    told = Advice(kind="reword", expansion_advice=spare).told()["expansion_advice"]
    assert told == {"target_text_span": "Ulm", "reasoning": "Only the words change."}
    whole = ExpansionAdvice.model_validate(GOOD)
    assert Advice(kind="grow", expansion_advice=whole).told()["expansion_advice"] == GOOD
