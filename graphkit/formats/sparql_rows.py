"""SPARQL as a notation: a query in a file, rows with a query each, and the JSON of QALD."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from graphkit.errors import FormatError, InputError, Problem, UnsupportedError
from graphkit.formats import strict_json
from graphkit.formats.lines import TextSource, plain_suffix
from graphkit.formats.notation import Feature, Notation
from graphkit.formats.reading import Broken, Record, iter_records
from graphkit.formats.rows import broken_row, checked_rows, convert_row, row_id, row_text, text_of
from graphkit.formats.sparql_in import parse_sparql
from graphkit.formats.sparql_out import sparql_of
from graphkit.question import QuestionGraph

__all__ = ["NOTATION"]

_QUERY = (".rq", ".sparql")
_START = re.compile(r"(?:\s|#[^\n]*\n)*(?:PREFIX|BASE|SELECT|ASK|CONSTRUCT|DESCRIBE)\b", re.I)
_KEYS = ("sparql", "sparql_wikidata", "sparql_query", "query")


def _read(source: TextSource) -> Iterator[QuestionGraph | Broken]:
    if plain_suffix(source.name) in _QUERY or _START.match(source.head()):
        text = source.text()
        try:
            yield parse_sparql(text)
        except InputError as error:
            yield broken_row("1", error, source.name, 1)
        return
    yield from checked_rows(_rows(source), source.name)


def _rows(source: TextSource) -> Iterator[tuple[str, int | None, QuestionGraph | Broken]]:
    for item in iter_records(source, "a question with its SPARQL query"):
        if isinstance(item, Broken):
            yield "", None, item
        elif isinstance(item.data.get("questions"), list) and item.data["questions"]:
            yield from _qald(item)
        else:
            row = row_id(item, "id", "uid", "_id")
            yield row, item.line, convert_row(item, row, _convert)


def _qald(record: Record) -> Iterator[tuple[str, int | None, QuestionGraph | Broken]]:
    """Yield the questions of a QALD document, each with the line where it begins."""
    lines = {} if record.text is None else strict_json.locate(record.text, record.line, depth=2)
    for place, data in enumerate(record.data["questions"]):
        line = strict_json.line_of(lines, ("questions", place)) or record.line
        if not isinstance(data, dict):
            problem = Problem("found no object, expected a question", code="type")
            yield "", line, broken_row(str(place + 1), FormatError(problem), record.file, line)
            continue
        inner = Record(data, record.file, line, place + 1)
        row = row_id(inner)
        yield row, line, convert_row(inner, row, _convert)


def _convert(record: Record) -> QuestionGraph:
    data = record.data
    query = next((data[key] for key in _KEYS if data.get(key)), None)
    if isinstance(query, dict):
        query = query.get("sparql")
    if not isinstance(query, str) or not query.strip():
        raise FormatError(Problem("holds no SPARQL query", code="no_query"))
    question, language = _question(data.get("question"))
    return parse_sparql(
        query,
        id=row_id(record, "id", "uid", "_id"),
        question=question,
        language=language,
        answer=_answer(data),
    )


def _question(value: Any) -> tuple[str, str | None]:
    """Return the wording of a question and its language: of several the English one."""
    if isinstance(value, str):
        return value, None
    texts = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    texts = [item for item in texts if text_of(item, "string")]
    texts.sort(key=lambda item: item.get("language") != "en")
    return (
        (text_of(texts[0], "string"), text_of(texts[0], "language") or None)
        if texts
        else (
            "",
            None,
        )
    )


def _answer(data: dict[str, Any]) -> str | None:
    """Return the declared answer, where there is exactly one."""
    if isinstance(data.get("answer"), str):
        return text_of(data, "answer")
    answers = data.get("answers")
    if not isinstance(answers, list) or len(answers) != 1 or not isinstance(answers[0], dict):
        return None
    results = answers[0].get("results")
    rows = results.get("bindings") if isinstance(results, dict) else None
    if not isinstance(rows, list) or len(rows) != 1 or not isinstance(rows[0], dict):
        return None
    values = [text_of(value, "value") for value in rows[0].values()]
    return values[0] if len(values) == 1 and values[0] else None


def _write(graphs: Sequence[QuestionGraph], suffix: str) -> Iterable[str]:
    if suffix in _QUERY:
        if len(graphs) != 1:
            raise UnsupportedError(
                Problem(
                    f"a {suffix} file holds one query, expected one question and not "
                    f"{len(graphs)}; rows with a query each go to .jsonl",
                    code="unsupported",
                    subject="format sparql",
                )
            )
        return [sparql_of(graphs[0])]
    return [row_text(graph, "sparql", sparql_of(graph)) for graph in graphs]


def _sniff(head: str) -> bool:
    return bool(_START.match(head)) or '"sparql' in head


NOTATION = Notation(
    name="sparql",
    summary="SPARQL: one query (.rq), rows with a query each, or the JSON of QALD",
    suffixes=(".rq", ".sparql", ".jsonl", ".json"),
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
"""Question graphs in SPARQL."""
