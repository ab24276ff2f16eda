"""Reads MuSiQue's question decompositions: steps that refer to the answers of others as ``#1``.

One JSON object a row: ``id``, ``question``, ``answer``, ``answer_aliases`` and
``question_decomposition``, a list of steps with ``question`` and ``answer``. The last step is
the answer node. A step becomes

- ``Ireland >> capital``: the relation, from the entity before the arrows;
- ``#1 >> capital``: the relation, from the set of step 1;
- words with one reference, ``When was #1 crowned?``: a relation called by these words, with ``#``
  in the place of the reference, from the set of that step;
- words with several references: one such relation from each, and their intersection;
- words without a reference: the relation ``answer`` from an anchor called by the words.

A number that refers to the step itself is a part of its words (``the #1 song``); one beyond the
last step is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graphkit.errors import FormatError, GraphError, Problem
from graphkit.evidence import EvidenceRecord
from graphkit.formats.lines import TextSource
from graphkit.formats.notation import Feature, Notation
from graphkit.formats.reading import Broken, Record, kind_of
from graphkit.formats.rows import read_rows, row_id, text_of
from graphkit.operations import Direction, Op
from graphkit.question import Edge, Node, QuestionGraph

__all__ = ["NOTATION", "decomposed", "step_evidence"]

ASKED = "answer"
"""The relation from a question in words to its answer."""

_REFERENCE = re.compile(r"#(\d+)")


def decomposed(steps: Any, **fields: Any) -> QuestionGraph:
    """Return the question graph of a decomposition.

    Args:
        steps: The steps, each an object with ``question`` and, if known, ``answer``.
        **fields: Further fields of the graph.

    Raises:
        FormatError: A step is blank, or refers to a step that there is not.

    >>> graph = decomposed([{"question": "Ireland >> capital"}, {"question": "#1 >> river"}])
    >>> from graphkit.patterns import canonical_text
    >>> canonical_text(graph)
    'p[river>](p[capital>]("Ireland"))'
    """
    texts = _texts(steps)
    nodes: list[Node] = []
    edges: list[Edge] = []
    for number, (text, item) in enumerate(zip(texts, steps, strict=True), 1):
        name = f"n{number}"
        answer = text_of(item, "answer")
        hidden = (answer,) if answer.strip() else ()
        nodes.append(
            Node(
                node_id=name,
                label=text,
                reference_entities=hidden,
                is_root=number == len(texts),
            )
        )
        hops = _hops(text, number, len(texts))
        for place, (start, relation) in enumerate(hops, 1):
            source = f"n{start}" if isinstance(start, int) else f"n{number}:given"
            if isinstance(start, str):
                nodes.append(Node(node_id=source, label=start, known_entities=(start,)))
            target = name
            if len(hops) > 1:
                target = f"{name}:{place}"
                nodes.append(Node(node_id=target, label=relation))
            edges.append(
                Edge(
                    edge_id=f"e{number}" if len(hops) == 1 else f"e{number}:{place}",
                    source_ids=(source,),
                    target_id=target,
                    op=Op.PROJECTION,
                    relation=relation,
                    direction=Direction.FORWARD,
                )
            )
        if len(hops) > 1:
            ends = tuple(f"{name}:{place}" for place in range(1, len(hops) + 1))
            edges.append(
                Edge(edge_id=f"e{number}", source_ids=ends, target_id=name, op=Op.INTERSECTION)
            )
    return QuestionGraph(
        root_node_id=f"n{len(texts)}", nodes=tuple(nodes), edges=tuple(edges), **fields
    )


def _texts(steps: Any) -> list[str]:
    if not isinstance(steps, list) or not steps:
        what = "empty" if steps == [] else kind_of(steps)
        raise FormatError(
            Problem(
                f"question_decomposition is {what}, expected a list of steps",
                code="no_decomposition",
            )
        )
    problems = []
    for number, item in enumerate(steps, 1):
        text = text_of(item, "question")
        if not text.strip():
            problems.append(
                Problem("holds no question", code="blank_step", subject=f"step {number}")
            )
        for found in _REFERENCE.findall(text):
            if not 1 <= int(found) <= len(steps):
                problems.append(
                    Problem(
                        f"refers to #{found}, expected one of {len(steps)} steps",
                        code="unknown_step",
                        subject=f"step {number}",
                    )
                )
    if problems:
        raise FormatError(problems)
    return [" ".join(text_of(item, "question").split()) for item in steps]


def _hops(text: str, number: int, count: int) -> list[tuple[int | str, str]]:
    """Return the relations that lead to a step: from a step by its number, or from a name."""
    found = dict.fromkeys(int(item) for item in _REFERENCE.findall(text))
    references = [item for item in found if item != number]
    subject, arrows, relation = (part.strip() for part in text.partition(">>"))
    if arrows and subject and relation:
        if not references:
            return [(subject, relation)]
        if subject == f"#{references[0]}" and len(references) == 1 and "#" not in relation:
            return [(references[0], relation)]
    if not references:
        return [(text, ASKED)]
    return [(item, re.sub(rf"#{item}(?!\d)", "#", text)) for item in references]


def step_evidence(steps: Sequence[Mapping[str, Any]], row: str) -> list[EvidenceRecord]:
    """Return the facts that the answers of the steps state.

    Args:
        steps: The steps of a decomposition that :func:`decomposed` accepts.
        row: The id of the row, which begins the ids of the records.
    """
    texts = _texts(steps)
    answers = [text_of(item, "answer") for item in steps]
    records = []
    for number, text in enumerate(texts, 1):
        for place, (start, relation) in enumerate(_hops(text, number, len(texts)), 1):
            head = answers[start - 1] if isinstance(start, int) else start
            if head.strip() and answers[number - 1].strip():
                records.append(
                    EvidenceRecord(
                        evidence_id=f"{row}:{number}.{place}",
                        head_entity=head,
                        relation=relation,
                        tail_entity=answers[number - 1],
                    )
                )
    return records


def _convert(record: Record) -> QuestionGraph:
    data = record.data
    answer = data.get("answer")
    aliases = data.get("answer_aliases")
    try:
        return decomposed(
            data.get("question_decomposition"),
            id=row_id(record),
            question=text_of(data, "question"),
            answer=answer if isinstance(answer, str) else None,
            aliases=tuple(item for item in aliases if isinstance(item, str))
            if isinstance(aliases, list)
            else (),
        )
    except GraphError as error:  # steps that refer to each other
        raise FormatError(error.problems) from error


def _read(source: TextSource) -> Iterator[QuestionGraph | Broken]:
    return read_rows(source, "a question with its decomposition", _convert)


NOTATION = Notation(
    name="musique",
    summary="MuSiQue's question decompositions, JSONL",
    suffixes=(".jsonl", ".json"),
    carries=frozenset({Feature.SEVERAL}),
    sniff=lambda head: '"question_decomposition"' in head,
    read=_read,
)
"""MuSiQue's decompositions, to be read."""
