"""Rubric trees as RDF: out and in without loss, the same bytes for the same trees."""

from __future__ import annotations

import json
from typing import Any

import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib.compare import isomorphic

from graphkit.errors import FormatError
from rubric.errors import RubricError
from rubric.rdf import Syntax, parse_trees_rdf, tree_iri, trees_from_rdf, trees_text, trees_to_rdf
from rubric.testing import strategies as made
from rubric.tree import Tree, dump_tree
from rubric.tree_reader import parse_tree

TREE: dict[str, Any] = {
    "task_id": "t/1 ü",
    "language": "en",
    "weights": {"content": 0.5, "citation": 0.3, "presentation": 0.2},
    "tau": {"C-FC": "1/3"},
    "kappa": {"C-FC": None},
    "directions": [
        {"id": "C-FC", "dimension": "content", "role": "core", "logic": "all", "tau": 0.35},
        {"id": "P-NAV", "role": "gate", "dimension": "presentation", "logic": "at_least:1",
         "my key": [1.0, None]},
    ],
    "atoms": [
        {"id": "fc 1", "direction": "C-FC", "question": 'Is "it"\nso?', "expected": "yes",
         "evaluator": "J", "level": "L1", "fact_ids": ["f1"], "impact": None},
        {"id": "nav1", "direction": "P-NAV", "expected": "no", "evaluator": "M", "note": "x"},
    ],
    "facts": [
        {"fact_id": "f1", "claim": "It is so.", "origin": "web", "video_ref": {"at": 3.5},
         "sources": [{"url": "https://example.org/a", "tier": 1, "quote": "so"},
                     {"url": "no address", "tier": "A"}],
         "relations": [{"type": "supports", "target": "f2"}]},
        {"fact_id": "f2", "conflicts_with": ["f1"]},
    ],
    "owner": {"name": "me"},
}  # fmt: skip


def data_of(trees: tuple[Tree, ...]) -> list[str]:
    return [json.dumps(dump_tree(tree), ensure_ascii=False) for tree in trees]


@pytest.mark.parametrize("syntax", ["turtle", "trig"])
def test_a_tree_comes_back_byte_for_byte(syntax: Syntax) -> None:
    """Every field, null, number and unknown key at every level comes back as it was."""
    tree = parse_tree(TREE)
    text = "".join(trees_text([tree], syntax))
    again = parse_trees_rdf(text, syntax)
    assert again == (tree,)
    assert data_of(again) == data_of((tree,))
    assert "".join(trees_text(again, syntax)) == text


@pytest.mark.parametrize("syntax", ["turtle", "trig"])
@given(drawn=st.lists(st.text(max_size=3), min_size=1, max_size=2, unique=True), data=st.data())
@settings(max_examples=15, deadline=None)
def test_all_trees_come_back(syntax: Syntax, drawn: list[str], data: st.DataObject) -> None:
    """Law: parse(print(trees)) = trees, and print gives the same bytes again."""
    trees = tuple(data.draw(made.trees(f"t{name}")) for name in drawn)
    text = "".join(trees_text(trees, syntax))
    again = parse_trees_rdf(text, syntax)
    assert data_of(again) == data_of(trees)
    assert "".join(trees_text(again, syntax)) == text


def test_text_and_graph_say_the_same() -> None:
    """The text parses to the graph that ``trees_to_rdf`` gives, which reads back too."""
    tree = parse_tree(TREE)
    dataset = trees_to_rdf([tree])
    named = dataset.graph(rdflib.URIRef(tree_iri(tree.task_id)))
    parsed = rdflib.Graph().parse(data="".join(trees_text([tree])), format="turtle")
    assert isomorphic(parsed, named)
    assert trees_from_rdf(parsed) == trees_from_rdf(dataset) == (tree,)


def test_atoms_can_be_asked_for_by_their_facts() -> None:
    """Atoms are linked to facts and directions, facts to web sources by PROV-O."""
    graph = rdflib.Graph().parse(data="".join(trees_text([parse_tree(TREE)])), format="turtle")
    rows = graph.query(
        """
        PREFIX gk: <urn:graphkit:vocabulary#>
        PREFIX prov: <http://www.w3.org/ns/prov#>
        SELECT ?atom ?url WHERE {
          ?a gk:id ?atom ; gk:boundTo ?fact ; gk:inDirection ?d .
          ?d gk:role "core" .
          ?fact gk:sources/<http://www.w3.org/1999/02/22-rdf-syntax-ns#first> ?source .
          ?source prov:hadPrimarySource ?url }
        """
    )
    assert [tuple(map(str, row)) for row in rows] == [("fc 1", "https://example.org/a")]


def test_what_is_no_tree_is_refused() -> None:
    """No tree, a broken one, a misspelt property and two trees of one task are all named."""
    with pytest.raises(RubricError, match=r"x\.ttl: no rubric tree"):
        parse_trees_rdf("<urn:a> <urn:b> <urn:c> .", file="x.ttl")
    with pytest.raises(FormatError, match="not turtle"):
        parse_trees_rdf("<urn:a> <urn:b>", file="x.ttl")
    text = "".join(trees_text([parse_tree(TREE)]))
    with pytest.raises(RubricError, match=r"gk:langage is no property.*did you mean language"):
        parse_trees_rdf(text.replace("gk:language", "gk:langage"))
    with pytest.raises(RubricError, match="atom nav1: expected"):
        parse_trees_rdf(text.replace('gk:expected "no"', 'gk:expected "perhaps"'))
    with pytest.raises(RubricError, match="also that of another tree"):
        list(trees_text([parse_tree(TREE)] * 2))
