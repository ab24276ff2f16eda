"""Conditions over variables: which become a question graph, and which are refused by name."""

from __future__ import annotations

import itertools

import pytest

from graphkit.errors import UnsupportedError
from graphkit.formats.conditions import (
    Among,
    AnyOf,
    Atom,
    Chain,
    Condition,
    Constant,
    Either,
    Group,
    Hop,
    Not,
    OfType,
    Same,
    Term,
    Variable,
    turned,
)
from graphkit.formats.conjunctive import graph_of
from graphkit.patterns import canonical_text

X, Y, Z = Variable("x"), Variable("y"), Variable("z")
A, B = Constant("A"), Constant("B")


def atom(subject: Term, relation: str, object_: Term) -> Atom:
    return Atom(subject, Hop(relation), object_)


def text(*conditions: Condition) -> str:
    return canonical_text(graph_of(Group(conditions), X))


def reason(*conditions: Condition) -> str:
    with pytest.raises(UnsupportedError) as caught:
        graph_of(Group(conditions), X)
    return caught.value.problems[0].code


def test_a_tree_of_variables_becomes_a_tree_of_projections() -> None:
    """Atoms are read towards the answer, whichever way they stand."""
    found = text(atom(A, "r", Y), atom(X, "s", Y), atom(Y, "t", B))
    assert found == 'p[s<](i(p[r>]("A"),p[t<]("B")))'


def test_a_free_variable_is_a_source_without_conditions() -> None:
    """A variable of which nothing is said must only exist."""
    assert text(atom(X, "r", Y)) == "p[r<](*)"


def test_a_cycle_of_variables_is_refused() -> None:
    """One individual that must meet two paths is no set: two atoms, three variables, a loop."""
    assert reason(atom(X, "r", Y), atom(X, "s", Y)) == "cyclic"
    assert reason(atom(X, "r", Y), atom(Y, "s", Z), atom(Z, "t", X)) == "cyclic"
    assert reason(atom(X, "r", A), atom(X, "s", X)) == "cyclic"


def test_the_same_atom_twice_is_no_cycle() -> None:
    """A repeated condition says nothing new."""
    assert text(atom(X, "r", A), atom(X, "r", A)) == 'p[r<]("A")'


def test_constants_may_be_met_on_many_ways() -> None:
    """A constant is the same individual everywhere; what is said of it hangs on it once."""
    found = text(atom(X, "r", A), atom(X, "s", Y), atom(Y, "t", A), atom(A, "is", B))
    assert found == 'i(p[r<](i("A",p[is<]("B"))),p[s<](p[t<]("A")))'


def test_variables_that_only_a_constant_joins_hang_on_it() -> None:
    """A condition on other variables is a test of the constant that it shares."""
    found = text(atom(X, "r", A), atom(Y, "s", A), atom(Y, "t", B))
    assert found == 'p[r<](i("A",p[s>](p[t<]("B"))))'
    assert reason(atom(X, "r", A), atom(Y, "t", B)) == "disconnected"


def test_a_variable_with_one_value_breaks_a_cycle() -> None:
    """On a cycle a variable that is given has only that value, so its set is enough."""
    cycle = (atom(X, "r", Y), atom(X, "s", Y))
    assert text(*cycle, Among(Y, (A,))) == 'i(p[r<]("A"),p[s<]("A"))'
    assert reason(*cycle, Among(Y, (A, B))) == "cyclic"


def test_given_values_types_and_equalities() -> None:
    """Values, types and equal variables are conditions on a set."""
    found = text(atom(Y, "r", A), Same(X, Y), OfType(Y, "city"), Among(X, (A, B)))
    assert found == 'city&i("A"|"B",p[r<]("A"))'


def test_a_negation_on_one_variable_is_a_complement() -> None:
    """Negation removes the set of values for which the inner group holds, at any depth."""
    assert text(atom(X, "r", A), Not(Group((atom(X, "s", Z), atom(Z, "t", B))))) == (
        'i(n(p[s<](p[t<]("B"))),p[r<]("A"))'
    )
    inner = atom(X, "r", Y), Not(Group((atom(Y, "s", A),))), Not(Group((Among(Y, (B,)),)))
    assert text(*inner) == 'p[r<](i(n("B"),n(p[s<]("A"))))'


def test_a_negation_on_a_pair_is_refused() -> None:
    """Which pairs a negation removes is more than two sets can say, nested or not."""
    pair = Not(Group((atom(X, "s", Y),)))
    assert reason(atom(X, "r", Y), pair) == "correlated_negation"
    nested = Not(Group((atom(X, "s", Z), Not(Group((atom(Z, "t", Y),))))))
    assert reason(atom(X, "r", Y), nested) == "correlated_negation"


def test_a_negation_on_a_constant_tests_it() -> None:
    """Without a variable from outside a negation hangs on a constant, or is disconnected."""
    test = Not(Group((atom(A, "s", Z),)))
    assert text(atom(X, "r", A), test) == 'p[r<](i("A",n(p[s<](*))))'
    assert reason(atom(X, "r", B), test) == "disconnected"


def test_unions_on_one_variable_stay_where_they_are() -> None:
    """Groups that share one variable with the rest are a union of sets there."""
    either = AnyOf((Group((atom(Y, "s", A),)), Group((atom(Y, "t", Z), atom(Z, "u", B)))))
    assert text(atom(X, "r", Y), either) == 'p[r<](u(p[s<]("A"),p[t<](p[u<]("B"))))'


def test_unions_on_several_variables_are_multiplied_out() -> None:
    """Groups that share two variables make a case each of the whole."""
    either = AnyOf((Group((atom(X, "r", Y),)), Group((atom(Y, "s", X),))))
    assert text(atom(Y, "t", A), either) == 'u(p[r<](p[t<]("A")),p[s>](p[t<]("A")))'
    many = [
        AnyOf((Group((atom(X, f"a{n}", Variable(f"y{n}")), atom(Variable(f"y{n}"), "b", Z))),
               Group((atom(X, f"c{n}", Z),))))
        for n in range(7)
    ]  # fmt: skip
    assert reason(atom(X, "r", Z), *many) == "too_many_alternatives"


def test_paths_of_several_relations() -> None:
    """A chain is a projection after another, a choice is a union, both can be turned round."""
    path = Chain((Hop("r"), Either((Hop("s"), turned(Hop("t"))))))
    found = text(Atom(A, path, X))
    assert found == 'u(p[s>](p[r>]("A")),p[t<](p[r>]("A")))'
    assert text(Atom(X, turned(path), A)) == found


def test_the_answer_must_be_spoken_of() -> None:
    """Negations alone do not say what the answer may be."""
    assert reason(Not(Group((atom(X, "r", A),)))) == "unbound_answer"
    assert reason(atom(Y, "r", A)) == "unbound_answer"


def test_long_chains_need_no_deep_stack() -> None:
    """A chain of thousands of variables becomes a graph."""
    names = [X, *(Variable(f"v{n}") for n in range(3000))]
    atoms = [atom(a, "r", b) for a, b in itertools.pairwise(names)]
    assert len(graph_of(Group(tuple(atoms)), X).edges) == 3000


def test_values_of_several_types_are_a_union() -> None:
    """Literals keep their types, each its own."""
    values = (Constant("1871", "year"), Constant("1871", "number"), A)
    assert text(atom(X, "r", Y), Among(Y, values)) == 'p[r<](u("A",number&"1871",year&"1871"))'
