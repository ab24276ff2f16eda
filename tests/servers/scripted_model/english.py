"""How the scripted model speaks English: graphs in words, and words back into graphs."""

from __future__ import annotations

import functools
import json

from static_web.wording import RELATIONS

from graphkit.compile.english import english
from graphkit.compile.english_lexicon import EnglishLexicon
from graphkit.errors import GraphkitError
from graphkit.formats.english import parse_english
from graphkit.question import Edge, QuestionGraph
from graphkit.relations import RelationSheet
from scripted_model.page_reader import canonical

__all__ = ["in_usual_names", "read_english", "write_english"]


@functools.cache
def _lexicon(other: bool) -> EnglishLexicon:
    """The words of the language: phrases and kinds of things, no names of any of them."""
    lines = ["[types.person]", 'ask = "Who"']
    for relation in RELATIONS:
        phrases = relation.other_phrases if other else relation.phrases
        name = json.dumps(relation.name)
        lines += [
            f"[relations.{name}]",
            f'head_type = "{relation.head_type}"',
            f'tail_type = "{relation.tail_type}"',
            f"[relations.{name}.phrases]",
            f'forward = "{phrases[0]}"',
            f'backward = "{phrases[1]}"',
        ]
    return EnglishLexicon.build(RelationSheet.parse("\n".join(lines)))


def in_usual_names(graph: QuestionGraph) -> QuestionGraph:
    """Return a graph with every relation under its usual name."""
    edges = tuple(
        Edge.model_validate({**edge.model_dump(), "relation": canonical(edge.relation)})
        if edge.relation
        else edge
        for edge in graph.edges
    )
    return graph.replace(edges=edges)


def write_english(graph: QuestionGraph, *, other: bool = False) -> str:
    """Say a graph in English that reads back to it.

    Args:
        graph: The graph.
        other: In other words than usual.

    Raises:
        GraphkitError: It cannot be said.
    """
    return english(in_usual_names(graph), _lexicon(other))


def read_english(text: str) -> QuestionGraph | None:
    """Read a question, or return None where it is not of the kind that we write."""
    for other in (False, True):
        try:
            return parse_english(text, _lexicon(other))
        except GraphkitError:
            continue
    return None
