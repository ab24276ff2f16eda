"""Reads and writes BetaE's nested tuples, as Python or as JSON, with names or with ids.

::

    query  := "(" entity "," chain ")"                        a chain of relations from an entity
            | "(" query "," chain ")"                         a chain from a set
            | "(" query "," query {"," query} ")"             intersection
            | "(" query "," query {"," query} "," union ")"   union
    chain  := "(" {step ","} ")"       step  := relation | "n" | -2
    union  := ("u",) | (-1,)           n complements what stands before it

Brackets may be round or square, so that a query is a Python tuple or a JSON list. An entity or a
relation is a string or a number. A relation that begins with ``+`` is read forwards and one that
begins with ``-`` backwards, as in the published maps of relations; the sign is no part of its
name, and without a sign it is read forwards. An empty chain, ours, is the entity itself.

Rows: one query a line, alone or behind its structure and a tab; a Python dictionary of structure
to queries in one line, as ``print`` shows it; JSON objects with ``query`` and perhaps
``structure``, ``id``, ``question``, ``answer``. Ids are names unless a map is given: arguments of
:func:`parse_betae`, or beside the file ``id2ent`` and ``id2rel`` (``.json``, ``.tsv``, ``.txt``:
id, tab, name). Pickles are never opened.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from graphkit.errors import FormatError, InputError, Problem
from graphkit.formats import strict_json
from graphkit.formats.betae_tuples import expression_of_query, print_query
from graphkit.formats.expressions import expression_of, graph_of_expression
from graphkit.formats.lines import TextSource, open_source
from graphkit.formats.notation import Feature, Notation
from graphkit.formats.reading import Broken, Record
from graphkit.formats.rows import broken_row, checked_rows, convert_row, row_id, row_text, text_of
from graphkit.question import QuestionGraph

__all__ = ["NOTATION", "parse_betae", "print_betae", "read_id_map"]

Names = Mapping[str, str]
"""Id as text -> name."""

_NO_NAMES: Names = {}
_START = re.compile(r"\{?[\[(]+(?:'|\"|-?\d+\s*,\s*[\[(])")


def parse_betae(
    query: Any,
    structure: Any = None,
    *,
    entities: Names = _NO_NAMES,
    relations: Names = _NO_NAMES,
    **fields: Any,
) -> QuestionGraph:
    """Return the question graph of a BetaE query.

    Args:
        query: The nested tuples or lists, or their text.
        structure: The query structure of ``e``, ``r``, ``n``, ``u`` that it should have, if said.
        entities: What entity ids stand for; others stand for themselves.
        relations: What relation ids stand for.
        **fields: Further fields of the graph.

    Raises:
        FormatError: It is no query, or not of that structure.

    >>> from graphkit.patterns import signature
    >>> signature(parse_betae("(('France', ('borders',)), ('NATO', ('-member', 'n')))"))
    '2in'
    >>> parse_betae((7, (3,)), ("e", ("r",)), entities={"7": "France"}).nodes[0].known_entities
    ('France',)
    """
    data = _literal(query) if isinstance(query, str) else query
    expression = expression_of_query(data, entities, relations)
    if structure is not None:
        shape = _literal(structure) if isinstance(structure, str) else structure
        expected, found = _shape(shape), _shape_of(data)
        if expected != found:
            raise FormatError(
                Problem(
                    f"has the structure {found!r}, expected {expected!r}", code="betae_structure"
                )
            )
    return graph_of_expression(expression, **fields)


def print_betae(graph: QuestionGraph) -> str:
    """Return a question graph as nested tuples with names.

    Raises:
        UnsupportedError: It has types or free nodes, or would be too long.

    >>> print_betae(parse_betae('[["France", ["-borders"]], ["Spain", ["borders", "n"]]]'))
    "(('France', ('-borders',)), ('Spain', ('+borders', 'n')))"
    """
    return print_query(expression_of(graph))


def read_id_map(path: Path) -> dict[str, str]:
    """Read a map of ids to names: JSON, or lines of id, tab, name.

    Args:
        path: The file.

    Raises:
        FormatError: It holds something else.
    """
    with open_source(path) as source:
        if path.suffix == ".json":
            data = strict_json.parse(source.text(), source.name)
            if not isinstance(data, dict) or not all(isinstance(v, str) for v in data.values()):
                raise FormatError(
                    Problem("expected an object of id: name", code="id_map", file=source.name)
                )
            return data
        found: dict[str, str] = {}
        for line in source.lines():
            if isinstance(line, Problem):
                raise FormatError(line)
            ident, tab, name = line.text.partition("\t")
            if tab:
                found[ident.strip()] = name
            elif line.text.strip():
                raise FormatError(
                    Problem(
                        "expected id, tab, name", code="id_map", file=source.name, line=line.number
                    )
                )
        return found


def _beside(source: TextSource, stem: str) -> dict[str, str]:
    if source.name.startswith("<"):
        return {}
    for suffix in (".json", ".tsv", ".txt"):
        path = Path(source.name).parent / (stem + suffix)
        if path.is_file():
            return read_id_map(path)
    return {}


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text.strip())
    except RecursionError:
        why = "nested too deeply"
    except MemoryError:
        why = "nested too deeply"
    except (ValueError, SyntaxError, TypeError) as error:
        why = str(error).splitlines()[0] if str(error) else "cannot be parsed"
    raise FormatError(Problem(f"no nested tuples: {why}", code="betae_syntax"))


def _shape(data: Any, depth: int = 0) -> Any:
    """A structure as nested tuples."""
    if depth > 100:
        raise FormatError(Problem("nested too deeply", code="betae_syntax"))
    if isinstance(data, list | tuple):
        return tuple(_shape(item, depth + 1) for item in data)
    return data


def _shape_of(data: Any, *, chain: bool = False) -> Any:
    """The structure of a query that was read: entities are e, relations r."""
    if isinstance(data, list | tuple):
        flat = not any(isinstance(item, list | tuple) for item in data)
        return tuple(_shape_of(item, chain=flat) for item in data)
    if not chain:
        return "e"
    return {"n": "n", -2: "n", "u": "u", -1: "u"}.get(data, "r")


Row = tuple[str, int | None, QuestionGraph | Broken]


def _read(source: TextSource) -> Iterator[QuestionGraph | Broken]:
    maps = {"entities": _beside(source, "id2ent"), "relations": _beside(source, "id2rel")}
    yield from checked_rows(_rows(source, maps), source.name)


def _rows(source: TextSource, maps: dict[str, dict[str, str]]) -> Iterator[Row]:
    place = 0
    for line in source.lines():
        if isinstance(line, Problem):
            yield "", None, Broken((line,))
            continue
        text = line.text.strip()
        if not text or text.startswith("#"):
            continue
        place += 1
        data = _object(text)
        if data is not None:
            record = Record(data, source.name, line.number, place)
            yield (
                row_id(record),
                line.number,
                convert_row(record, row_id(record), lambda record: _convert(record, maps)),
            )
            continue
        for row, query, structure in _queries(text, place):
            try:
                graph: QuestionGraph | Broken = parse_betae(query, structure, **maps)
            except InputError as error:
                graph = broken_row(row, error, source.name, line.number)
            yield "", line.number, graph


def _object(text: str) -> dict[str, Any] | None:
    """Return a line as a JSON object, or None where it is none."""
    if not text.startswith("{"):
        return None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _queries(text: str, place: int) -> Iterator[tuple[str, Any, Any]]:
    """Yield (row, query, structure) of a line of text."""
    if text.startswith("{"):
        try:
            table = _literal(text)
        except FormatError:
            table = None
        if isinstance(table, dict) and any(table.values()):
            for number, (structure, queries) in enumerate(table.items(), 1):
                items = sorted(queries, key=repr) if isinstance(queries, set) else queries
                for count, query in enumerate(items if isinstance(items, list) else [items], 1):
                    yield f"{place}.{number}.{count}", query, structure
            return
    before, tab, after = text.partition("\t")
    yield str(place), after if tab else before, before if tab else None


def _convert(record: Record, maps: dict[str, dict[str, str]]) -> QuestionGraph:
    data = record.data
    if "query" not in data:
        raise FormatError(Problem("query is missing", code="missing_key"))
    answer = data.get("answer")
    return parse_betae(
        data["query"],
        data.get("structure"),
        entities=maps["entities"],
        relations=maps["relations"],
        id=row_id(record),
        question=text_of(data, "question"),
        answer=answer if isinstance(answer, str) else None,
    )


def _write(graphs: Sequence[QuestionGraph], suffix: str) -> Iterable[str]:
    if suffix == ".betae":
        return [print_betae(graph) + "\n" for graph in graphs]
    return [row_text(graph, "query", print_betae(graph)) for graph in graphs]


def _sniff(head: str) -> bool:
    text = head.lstrip()
    return _START.match(text) is not None or (
        text.startswith("{") and '"query"' in head and '"structure"' in head
    )


NOTATION = Notation(
    name="betae",
    summary="BetaE's nested tuples, as Python or JSON, with names or ids",
    suffixes=(".betae", ".jsonl", ".json"),
    carries=frozenset(
        {
            Feature.COMPLEMENT,
            Feature.UNION,
            Feature.ANY_OF,
            Feature.SEVERAL,
        }
    ),
    sniff=_sniff,
    read=_read,
    write=_write,
)
"""BetaE's nested tuples."""
