"""Reads WebShaper's formalised questions: triples over ``V@`` variables, ``C@`` constants, ``?``.

One JSON object a row: ``id``, ``question``, ``answer`` and ``formalization``, a list of triples.

::

    triple  := [ term, relation, term ]
    term    := "?"                      the answer
             | "V@" NAME                a variable; letters, digits, "_" and "-"
             | "C@" TEXT                a constant
    several := term " & " term ...      as many relations as terms, joined by " & ", or one

A triple with several terms stands for one triple each (``&`` inside a constant is a sign of its
name). A row is *ill-formed* when a triple has
not three parts, or one of its ends is neither variable nor constant nor ``?``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graphkit.errors import FormatError, Problem
from graphkit.formats.conditions import Atom, Constant, Group, Hop, Term, Variable
from graphkit.formats.conjunctive import graph_of
from graphkit.formats.lines import TextSource
from graphkit.formats.notation import Feature, Notation
from graphkit.formats.reading import Broken, Record, kind_of
from graphkit.formats.rows import read_rows, row_id, text_of
from graphkit.question import QuestionGraph

__all__ = ["ILL_FORMED", "NOTATION", "formalised", "triples_of"]

ILL_FORMED = frozenset({"no_formalization", "triple_length", "untagged_term"})
"""The codes of rows that break the notation itself."""

ANSWER = Variable("?")
"""The variable that ``?`` stands for."""

_VARIABLE = re.compile(r"V@([\w-]+)")
_TAG = re.compile(r"[VC]@")
_JOINT = re.compile(r"\s+&\s+(?=[VC]@)")
_AND = re.compile(r"\s+&\s+")


def triples_of(data: Any) -> list[tuple[str, str, str]]:
    """Check a formalisation and return its triples, those with several terms taken apart.

    Args:
        data: The value of ``formalization``.

    Raises:
        FormatError: Everything that is wrong with it.

    >>> triples_of([["V@X", "is a & plays for", "C@player & V@Y"], ["V@X", "has name", "?"]])
    [('V@X', 'is a', 'C@player'), ('V@X', 'plays for', 'V@Y'), ('V@X', 'has name', '?')]
    """
    if not isinstance(data, list) or not data:
        raise FormatError(
            Problem(
                f"formalization is {'empty' if data == [] else kind_of(data)}, "
                "expected a list of triples",
                code="no_formalization",
            )
        )
    problems: list[Problem] = []
    found: list[tuple[str, str, str]] = []
    for place, item in enumerate(data, 1):
        subject = f"triple {place}"
        if not _is_triple(item):
            what = f"{len(item)} parts" if isinstance(item, list) else kind_of(item)
            message = f"found {what}, expected subject, relation and object"
            problems.append(Problem(message, code="triple_length", subject=subject))
            continue
        untagged = [end for end in (item[0], item[2]) if end != "?" and not _TAG.match(end)]
        for end in untagged:
            message = f"{end!r} is none of V@ (a variable), C@ (a constant) and ?"
            problems.append(Problem(message, code="untagged_term", subject=subject))
        if not untagged:
            found += _single(item, subject, problems)
    if problems:  # what breaks the notation itself comes first
        raise FormatError(sorted(problems, key=lambda item: item.code not in ILL_FORMED))
    return found


def _is_triple(item: Any) -> bool:
    return isinstance(item, list) and len(item) == 3 and all(isinstance(x, str) for x in item)


def _single(item: list[str], subject: str, problems: list[Problem]) -> list[tuple[str, str, str]]:
    """Take a triple with several terms apart, and check each."""
    heads, tails = (_JOINT.split(item[place].strip()) for place in (0, 2))
    count = max(len(heads), len(tails))
    relations = _AND.split(item[1].strip()) if count > 1 else [item[1].strip()]
    if len(relations) != count:
        relations = [item[1].strip()] * count
    columns = [part * count if len(part) == 1 else part for part in (heads, relations, tails)]
    if any(len(part) != count for part in columns):
        columns = [[text.strip()] for text in item]
    rows = [(head, relation, tail) for head, relation, tail in zip(*columns, strict=True)]
    for head, relation, tail in rows:
        for term in (head, tail):
            if term != "?" and not _is_clear(term):
                problems.append(
                    Problem(
                        f"{term!r} is not one variable or one constant",
                        code="unclear_term",
                        subject=subject,
                    )
                )
        if _TAG.search(relation) or relation == "?":
            problems.append(
                Problem(
                    f"the relation {relation!r} holds a term of its own",
                    code="term_in_relation",
                    subject=subject,
                )
            )
        elif not relation:
            problems.append(
                Problem("the relation is blank", code="blank_relation", subject=subject)
            )
    return rows


def _is_clear(term: str) -> bool:
    if term.startswith("V@"):
        return _VARIABLE.fullmatch(term) is not None
    return bool(_TAG.match(term) and term[2:].strip()) and not _TAG.search(term, 2)


def _term(text: str) -> Term:
    if text == "?":
        return ANSWER
    return Variable(text[2:]) if text.startswith("V@") else Constant(text[2:].strip())


def formalised(data: Any, **fields: Any) -> QuestionGraph:
    """Return the question graph of a formalisation.

    Args:
        data: The value of ``formalization``.
        **fields: Further fields of the graph.

    Raises:
        FormatError: It breaks the notation.
        UnsupportedError: It is no forest rooted at ``?``.
    """
    found = triples_of(data)
    if not any("?" in (head, tail) for head, _, tail in found):
        raise FormatError(Problem("no triple holds ?, the answer", code="no_answer"))
    atoms = tuple(Atom(_term(head), Hop(relation), _term(tail)) for head, relation, tail in found)
    return graph_of(Group(atoms), ANSWER, **fields)


def _convert(record: Record) -> QuestionGraph:
    data = record.data
    answer = data.get("answer")
    return formalised(
        data.get("formalization"),
        id=row_id(record),
        question=text_of(data, "question"),
        answer=answer if isinstance(answer, str) else None,
    )


def _read(source: TextSource) -> Iterator[QuestionGraph | Broken]:
    return read_rows(source, "a question with its formalization", _convert)


NOTATION = Notation(
    name="webshaper",
    summary="WebShaper's formalised questions, JSONL",
    suffixes=(".jsonl", ".json"),
    carries=frozenset({Feature.SEVERAL}),
    sniff=lambda head: '"formalization"' in head,
    read=_read,
)
"""WebShaper's formalisation, to be read."""
