"""Errors: how they read, what they carry, how a command ends."""

from __future__ import annotations

import inspect

import pytest

from graphkit import errors
from graphkit.errors import FormatError, GraphError, GraphkitError, Problem, did_you_mean


def test_a_problem_names_place_subject_and_message():
    """File, line, subject and message stand in this order, each only if it is known."""
    problem = Problem("op is missing", "no_op", "q.jsonl", 17, "edge e2")
    assert str(problem) == "q.jsonl:17: edge e2: op is missing"
    assert str(Problem("op is missing", line=3)) == "line 3: op is missing"
    assert str(Problem("op is missing")) == "op is missing"


def test_a_place_is_filled_in_where_it_was_missing():
    """at() never overwrites a place that is known already."""
    first, second = FormatError([Problem("a"), Problem("b", file="x", line=2)]).at("y", 5).problems
    assert (first.file, first.line) == ("y", 5)
    assert (second.file, second.line) == ("x", 2)


def test_an_error_holds_all_problems_and_keeps_its_class():
    """One line a problem; at() returns the same kind of error."""
    error = GraphError([Problem("a"), Problem("b")]).at("f")
    assert type(error) is GraphError
    assert str(error) == "f: a\nf: b"
    assert str(GraphError("plain")) == "plain"
    assert GraphError(Problem("one")).problems == (Problem("one"),)


def test_the_tree_in_the_docstring_is_the_tree_of_classes():
    """Every public error is drawn, and input ends a command with 2, the rest with 1."""
    classes = [
        found
        for _, found in inspect.getmembers(errors, inspect.isclass)
        if issubclass(found, GraphkitError)
    ]
    assert {found.__name__ for found in classes} <= set(errors.__all__)
    for found in classes:
        assert f"{found.__name__} " in errors.__doc__
        assert found.exit_code == (2 if issubclass(found, errors.InputError) else 1)


@pytest.mark.parametrize(
    ("word", "hint"),
    [("intersecton", " (did you mean intersection?)"), ("", ""), ("completely other", "")],
)
def test_a_hint_is_given_for_close_words_only(word, hint):
    """A typo gets a hint, another word none."""
    assert did_you_mean(word, ["projection", "intersection"]) == hint
