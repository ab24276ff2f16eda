"""Reads and writes EFO-1 queries in both public spellings: LISP-like sets, first-order formulas.

The LISP-like spelling of EFO-1-QA, with names::

    set   := "(e" {"," name} ")"                 any of these entities
           | "(p," rel "," set ")"               projection; in "(p," set ")" the name is left open
           | "(n," set ")"                       complement
           | "(i," set "," set {"," set} ")"     intersection; I is the same
           | "(u," set "," set {"," set} ")"     union; U is the same
           | "(d," set "," set {"," set} ")"     the first minus the others; D is the same
           | "(t," name ")" | "(*)"              all of a type, all entities: ours
    rel   := "(r)" | "(r," name ")" | "(-r," name ")" | "(" name ")" | name
    name  := a JSON string, or any signs but blanks and ( ) , " & | !

``(-r,name)`` reads a relation from tails to heads. Names left open become ``r1, r2, ...`` and
``s1, s2, ...`` in the order of reading, as the formulas call them.

The formulas (of EFO-1 and EFOK, "lstr")::

    or    := and {"|" and}
    and   := not {"&" not}
    not   := "!" not | "(" or ")" | name "(" term "," term ")"
    term  := "f" or "f1"  the answer  |  "e" digits  there is one  |  name  a constant

``r(a,b)`` says that ``(a, r, b)`` is a fact. A formula is in prenex form: its existential
variables are bound outside of all connectives, so ``!r(e1,f)`` speaks of one individual ``e1`` of
which ``r`` does not hold, and is refused (a set complement would say more: of none of them).

Rows: one set or formula a line (``#`` begins a comment), or JSON objects with ``formula`` (or
``lstr``) and optionally ``grounding``, a map of names to names; the nested JSON of EFO-1-QA
(``{"o": "p", "a": [[relation ids], {"o": "e", "a": [entity ids]}]}``); the ``qaa`` JSON that maps
a formula to lists of groundings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from graphkit.errors import FormatError, InputError, Problem
from graphkit.formats.efo_formula import graph_of_formula
from graphkit.formats.efo_lisp import expression_of_data, is_lisp, parse_lisp, print_lisp
from graphkit.formats.expressions import expression_of, graph_of_expression
from graphkit.formats.lines import TextSource
from graphkit.formats.notation import Feature, Notation
from graphkit.formats.reading import Broken, Record, iter_records
from graphkit.formats.rows import broken_row, checked_rows, convert_row, row_id, row_text, text_of
from graphkit.question import QuestionGraph

__all__ = ["NOTATION", "parse_efo", "print_efo"]

_KEYS = ("formula", "lstr", "efo")


def parse_efo(
    text: str, grounding: Mapping[str, str] | None = None, **fields: Any
) -> QuestionGraph:
    """Return the question graph of an EFO-1 query in either spelling.

    Args:
        text: The query.
        grounding: What its names stand for; names that are not in it stand for themselves.
        **fields: Further fields of the graph.

    Raises:
        FormatError: It is in neither spelling.
        UnsupportedError: A formula that no question graph can state.

    >>> from graphkit.patterns import signature
    >>> signature(parse_efo("(i,(p,(borders),(e,France)),(n,(p,(r,member),(e,NATO))))"))
    '2in'
    >>> signature(parse_efo("r1(s1,e1)&r2(e1,f)&!r3(s2,f)", {"s1": "France"}))
    'pin'
    """
    names = dict(grounding or {})
    if is_lisp(text):
        return graph_of_expression(parse_lisp(text, names), **fields)
    return graph_of_formula(text, names, **fields)


def print_efo(graph: QuestionGraph) -> str:
    """Return a question graph in the LISP-like spelling.

    Raises:
        UnsupportedError: Nodes are shared so often that it would be too long.

    >>> print_efo(parse_efo("(p,(-r,capital),(e,France,Spain))"))
    '(p,(-r,capital),(e,France,Spain))'
    """
    return print_lisp(expression_of(graph))


def _read(source: TextSource) -> Iterator[QuestionGraph | Broken]:
    rows = _objects if source.head().lstrip().startswith(("{", "[")) else _lines
    yield from checked_rows(rows(source), source.name)


Row = tuple[str, int | None, QuestionGraph | Broken]


def _lines(source: TextSource) -> Iterator[Row]:
    place = 0
    for line in source.lines():
        if isinstance(line, Problem):
            yield "", None, Broken((line,))
            continue
        text = line.text.strip()
        if not text or text.startswith("#"):
            continue
        place += 1
        try:
            yield "", line.number, parse_efo(text)
        except InputError as error:
            yield "", line.number, broken_row(str(place), error, source.name, line.number)


def _objects(source: TextSource) -> Iterator[Row]:
    for item in iter_records(source, "an EFO-1 query"):
        if isinstance(item, Broken):
            yield "", None, item
        elif "o" in item.data and "a" in item.data:
            yield from _nested(item)
        elif any(isinstance(item.data.get(key), str) for key in _KEYS):
            row = row_id(item)
            yield row, item.line, convert_row(item, row, _convert)
        else:
            yield from _grounded(item)


def _convert(record: Record) -> QuestionGraph:
    data = record.data
    text = next(data[key] for key in _KEYS if isinstance(data.get(key), str))
    answer = data.get("answer")
    return parse_efo(
        text,
        _names(data.get("grounding") or {}),
        id=row_id(record),
        question=text_of(data, "question"),
        answer=answer if isinstance(answer, str) else None,
    )


def _names(data: Any) -> dict[str, str]:
    if not isinstance(data, dict) or not all(isinstance(v, str | int) for v in data.values()):
        raise FormatError(
            Problem("a grounding is an object that maps names to names", code="grounding")
        )
    return {key: str(value) for key, value in data.items()}


def _nested(record: Record) -> Iterator[Row]:
    """Yield the queries of one nested object; its lists of ids hold one id for each query."""
    try:
        found = expression_of_data(record.data)
    except InputError as error:
        row = row_id(record)
        yield row, record.line, broken_row(row, error, record.file, record.line)
        return
    for number, expression in enumerate(found, 1):
        row = f"{record.place}.{number}" if len(found) > 1 else str(record.place)
        yield row, record.line, graph_of_expression(expression, id=row)


def _grounded(record: Record) -> Iterator[Row]:
    """Yield the queries of a map from formulas to lists of groundings with their answers."""
    if not any(items != [] for items in record.data.values()):
        row = row_id(record)
        missing = FormatError(Problem("holds no EFO-1 query", code="no_query"))
        yield row, record.line, broken_row(row, missing, record.file, record.line)
    for number, (text, items) in enumerate(record.data.items(), 1):
        for place, item in enumerate(items if isinstance(items, list) else [items], 1):
            row = f"{record.place}.{number}.{place}"
            held = item[0] if isinstance(item, list) and item else item
            try:
                yield row, record.line, parse_efo(text, _names(held), id=row)
            except InputError as error:
                yield row, record.line, broken_row(row, error, record.file, record.line)


def _write(graphs: Sequence[QuestionGraph], suffix: str) -> Iterable[str]:
    if suffix == ".efo":
        return [print_efo(graph) + "\n" for graph in graphs]
    return [row_text(graph, "formula", print_efo(graph)) for graph in graphs]


def _sniff(head: str) -> bool:
    text = head.lstrip()
    if text.startswith("{"):
        return '"formula"' in head or '"lstr"' in head or ('"o"' in head and '"a"' in head)
    return is_lisp(text) or text.startswith(("r1(", "(r1(", "((r1("))


NOTATION = Notation(
    name="efo",
    summary="EFO-1 queries: LISP-like sets and first-order formulas",
    suffixes=(".efo", ".jsonl", ".json"),
    carries=frozenset(
        {
            Feature.COMPLEMENT,
            Feature.UNION,
            Feature.ANY_OF,
            Feature.TYPES,
            Feature.FREE,
            Feature.SEVERAL,
        }
    ),
    sniff=_sniff,
    read=_read,
    write=_write,
)
"""EFO-1 queries."""
