"""Reads 2WikiMultihopQA: questions with the evidence triples that lead to their answers.

One JSON object a row: ``_id``, ``type``, ``question``, ``answer`` and ``evidences``, a list of
``[head, relation, tail]``. The questions of type *compositional* and *inference* ask along their
evidences: these form a path from an entity of the question to the answer, which becomes the
graph; the entities between are its reference entities. Where two neighbours on the path are
spelt differently (``Kanye West``, ``Kanye``), they are the same entity: the type says so, and
:func:`evidence_of` gives one as an alias of the other.

The questions of type *comparison* and *bridge_comparison* are ``not_expressible``: their answers
come from comparing dates, or are yes or no.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from graphkit.entities import fold
from graphkit.errors import FormatError, Problem
from graphkit.evidence import EvidenceRecord, nfc
from graphkit.formats.drafting import Draft, Part
from graphkit.formats.lines import TextSource
from graphkit.formats.notation import Feature, Notation
from graphkit.formats.reading import Broken, Record, kind_of
from graphkit.formats.rows import read_rows, row_id, text_of
from graphkit.operations import Direction
from graphkit.question import QuestionGraph

__all__ = ["NOTATION", "evidence_of"]

_COMPARING = frozenset({"comparison", "bridge_comparison"})

Triple = tuple[str, str, str]
_Step = tuple[Triple, Direction]
"""An evidence, and which way it is read."""


def _triples(data: Any) -> list[Triple]:
    if not isinstance(data, list) or not data:
        what = "empty" if data == [] else kind_of(data)
        raise FormatError(
            Problem(f"evidences is {what}, expected a list of triples", code="no_evidence")
        )
    problems = []
    for place, item in enumerate(data, 1):
        if not (
            isinstance(item, list)
            and len(item) == 3
            and all(isinstance(part, str) and part.strip() for part in item)
        ):
            problems.append(
                Problem(
                    "expected head, relation and tail",
                    code="triple_length",
                    subject=f"evidence {place}",
                )
            )
    if problems:
        raise FormatError(problems)
    return [(item[0], item[1], item[2]) for item in data]


def _is(name: str, other: str) -> bool:
    return fold(nfc(name)) == fold(nfc(other))


def _path(triples: list[Triple], answer: str) -> list[_Step] | None:
    """Return the evidences as a path to the answer that uses each once, or None."""

    def grow(at: str, left: list[int]) -> list[_Step] | None:
        if not left:
            return []
        for place in left:
            triple = triples[place]
            for end, start, way in (
                (triple[2], triple[0], Direction.FORWARD),
                (triple[0], triple[2], Direction.BACKWARD),
            ):
                if _is(end, at):
                    rest = grow(start, [item for item in left if item != place])
                    if rest is not None:
                        return [*rest, (triple, way)]
        return None

    if len(triples) > 8:
        return None
    return grow(answer, list(range(len(triples))))


def _start(step: _Step) -> str:
    triple, way = step
    return triple[0] if way is Direction.FORWARD else triple[2]


def _end(step: _Step) -> str:
    triple, way = step
    return triple[2] if way is Direction.FORWARD else triple[0]


def _steps(data: Mapping[str, Any]) -> list[_Step]:
    """Return the path of a row.

    Raises:
        FormatError: There is none; a question that compares is not expressible.
    """
    triples = _triples(data.get("evidences"))
    kind, answer = text_of(data, "type"), text_of(data, "answer")
    if kind in _COMPARING:
        relations = ", ".join(sorted({relation for _, relation, _ in triples[-2:]}))
        told = (
            "it asks for yes or no"
            if answer.strip().lower() in ("yes", "no")
            else "its answer is the one with the earlier or later, smaller or greater value"
        )
        raise FormatError(
            Problem(f"compares two values of {relations}: {told}", code="not_expressible")
        )
    found = _path(triples, answer)
    if found is not None:
        return found
    if kind in ("compositional", "inference") and len(triples) == 2:
        return [(triple, Direction.FORWARD) for triple in triples]
    raise FormatError(
        Problem("the evidences form no path to the answer", code="no_path", subject="evidences")
    )


def _convert(record: Record) -> QuestionGraph:
    data = record.data
    row = row_id(record, "_id", "id")
    steps = _steps(data)
    draft = Draft()
    first = _start(steps[0])
    at = draft.node(first, [Part.names(first)])
    hidden: dict[str, tuple[str, ...]] = {}
    for place, step in enumerate(steps):
        triple, way = step
        names = [_end(step)]
        if place + 1 < len(steps):
            names.append(_start(steps[place + 1]))
        label = f"{triple[1]} of {_start(step)}" if way is Direction.FORWARD else triple[1]
        at = draft.node(label, [Part.projection(triple[1], way, at)])
        hidden[at] = tuple(dict.fromkeys(names))
    graph = draft.graph(
        at,
        id=row,
        question=text_of(data, "question"),
        answer=text_of(data, "answer") or None,
        evidence_ids=tuple(f"{row}:{number}" for number in range(1, len(steps) + 1)),
    )
    return graph.replace(
        nodes=tuple(
            node.model_copy(update={"reference_entities": hidden.get(node.node_id, ())})
            for node in graph.nodes
        )
    )


def evidence_of(data: Mapping[str, Any]) -> list[EvidenceRecord]:
    """Return the evidences of a row as records; where the path changes its spelling, an alias.

    Args:
        data: The row.

    Raises:
        FormatError: Its evidences are no triples.
    """
    row = text_of(data, "_id") or text_of(data, "id")
    triples = _triples(data.get("evidences"))
    aliases: dict[int, dict[str, tuple[str, ...]]] = {}
    if text_of(data, "type") not in _COMPARING:
        for before, after in zip(steps := _steps(data), steps[1:], strict=False):
            if _end(before) != _start(after):
                place = triples.index(before[0])
                aliases[place] = {_end(before): (_start(after),)}
    return [
        EvidenceRecord(
            evidence_id=f"{row}:{number}",
            head_entity=head,
            relation=relation,
            tail_entity=tail,
            aliases=aliases.get(number - 1, {}),
        )
        for number, (head, relation, tail) in enumerate(triples, 1)
    ]


def _read(source: TextSource) -> Iterator[QuestionGraph | Broken]:
    return read_rows(source, "a question with its evidences", _convert, "_id", "id")


NOTATION = Notation(
    name="2wiki",
    summary="2WikiMultihopQA: questions with evidence triples, JSONL",
    suffixes=(".jsonl", ".json"),
    carries=frozenset({Feature.SEVERAL}),
    sniff=lambda head: '"evidences"' in head,
    read=_read,
)
"""2WikiMultihopQA's evidences, to be read."""
