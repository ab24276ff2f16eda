"""How the scripted model speaks English: graphs in words, and words back into graphs."""

from __future__ import annotations

import functools
import json

from scripted_model.page_reader import canonical
from static_web.wording import RELATIONS

from graphkit.compile.english import english
from graphkit.compile.english_lexicon import EnglishLexicon
from graphkit.errors import GraphkitError
from graphkit.formats.english import parse_english
from graphkit.question import Edge, QuestionGraph
from graphkit.relations import RelationSheet

__all__ = ["in_usual_names", "read_english", "write_english"]


@functools.cache
def _lexicon() -> EnglishLexicon:
    """The words of the language: phrases and kinds of things, no names of any of them."""
    lines = ["[types.person]", 'ask = "Who"']
    for relation in RELATIONS:
        name = json.dumps(relation.name)
        lines += [
            f"[relations.{name}]",
            f'head_type = "{relation.head_type}"',
            f'tail_type = "{relation.tail_type}"',
            f"[relations.{name}.phrases]",
            f'forward = "{relation.phrases[0]}"',
            f'backward = "{relation.phrases[1]}"',
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


def write_english(graph: QuestionGraph) -> str:
    """Say a graph in English that reads back to it.

    Raises:
        GraphkitError: It cannot be said.
    """
    return english(in_usual_names(graph), _lexicon())


def read_english(text: str) -> QuestionGraph | None:
    """Read a question, or return None where it is not of the kind that we write."""
    try:
        return parse_english(text, _lexicon())
    except GraphkitError:
        return None
