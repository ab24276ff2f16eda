"""Reads the questions of any set: JSONL, JSON, CSV or TSV, with fields of any name."""

from __future__ import annotations

import base64
import binascii
import hashlib
import itertools
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphkit.errors import FormatError, InputError, Problem
from graphkit.formats import strict_json
from graphkit.formats.lines import TextSource, as_source, plain_suffix
from graphkit.formats.reading import Broken, OnError, collect, iter_records
from synthesis.field_paths import MISSING, FieldPath
from synthesis.spreadsheets import csv_rows

__all__ = ["ForeignQuestion", "ForeignSet", "SetFields", "language_of", "read_set", "sample_set"]

_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_USUAL = {
    "question": ("question", "Question", "problem", "query", "prompt"),
    "answer": ("answer", "Answer", "answers", "gold", "final_answer"),
    "chain": ("reasoning_chain", "evidences", "question_decomposition", "formalization"),
    "id": ("id", "_id", "question_id", "qid", "uid"),
    "domain": ("domain", "topic", "problem_topic", "category"),
}
"""Names that fields go by, tried in this order where none is given."""


@dataclass(frozen=True, slots=True)
class SetFields:
    """Where the parts of a question stand in a record; see :class:`FieldPath`.

    Attributes:
        question: The question; by default the first of the usual names that the record has. So
            the next.
        answer: The answer; a list is taken as one text with semicolons.
        chain: The reasoning chain, in any form.
        id: The id; else the number of the record.
        domain: The domain.
        language: The language; else it is told by the script.
        records: The list of records in a JSON document; by default the document itself, or the
            only list of objects in it.
        canary: The field with the canary of a set that is encrypted as BrowseComp is: question and
            answer are Base64 of the text XORed with the SHA-256 of the canary.
    """

    question: str | None = None
    answer: str | None = None
    chain: str | None = None
    id: str | None = None
    domain: str | None = None
    language: str | None = None
    records: str | None = None
    canary: str | None = None


@dataclass(frozen=True, slots=True)
class ForeignQuestion:
    """A question of a set.

    Attributes:
        id: Its id in the set, or its number from 1.
        question: The question.
        answer: Its answer; None where the set has none.
        chain: Its reasoning chain, as plain data.
        language: Its language: ``en``, ``zh``, or as the set says.
        domain: Its domain, if the set says so.
        line: The line that it begins in, if that is known.
    """

    id: str
    question: str
    answer: str | None = None
    chain: tuple[Any, ...] = ()
    language: str = "en"
    domain: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class ForeignSet:
    """The questions of a set.

    Attributes:
        questions: Those that could be read.
        skipped: How many records were skipped.
        fields: Which field each part was found in, for those that were.
    """

    questions: tuple[ForeignQuestion, ...]
    skipped: int = 0
    fields: Mapping[str, str] = field(default_factory=dict)


def language_of(text: str) -> str:
    """Return the language of a text by its script.

    ``zh`` where there are more Han signs than words in letters, ``ja`` and ``ko`` where
    their own letters occur, else ``en``.

    >>> language_of("\\u8c01\\u53d1\\u660e\\u4e86 Radio?"), language_of("Who is \\u738b?")
    ('zh', 'en')
    """
    names = [unicodedata.name(sign, "") for sign in text if sign.isalpha() and not sign.isascii()]
    if any(name.startswith(("HIRAGANA", "KATAKANA")) for name in names):
        return "ja"
    if any(name.startswith("HANGUL") for name in names):
        return "ko"
    han = sum(name.startswith("CJK") for name in names)
    return "zh" if han > len(_LATIN.findall(text)) else "en"


def read_set(
    path: str | os.PathLike[str] | TextSource,
    fields: SetFields | None = None,
    *,
    language: str | None = None,
    keep_going: bool = False,
    on_error: OnError | None = None,
) -> ForeignSet:
    """Read the questions of a set.

    Args:
        path: JSONL, JSON, CSV or TSV, told by suffix and content; gzip by its suffix.
        fields: Where the parts of a question stand.
        language: The language of all questions; by default told for each.
        keep_going: Skip broken records, and count them.
        on_error: Called with every problem of a record that is skipped.

    Raises:
        FormatError: Everything that is wrong in the file, each with its line.
        InputError: A field is named by what is no path.

    >>> found = read_set(TextSource.of('{"problem": "Who?", "answer": ["A", "B"]}', "x.jsonl"))
    >>> found.questions[0].answer, found.fields["question"]
    ('A; B', 'problem')
    """
    reader = _SetReader(fields or SetFields(), language)
    with as_source(path) as source:
        reading = collect(reader.read(source), keep_going=keep_going, on_error=on_error)
    return ForeignSet(reading.records, reading.skipped, dict(sorted(reader.used.items())))


@dataclass(frozen=True, slots=True)
class _Row:
    data: Mapping[str, Any]
    line: int | None
    place: int


class _SetReader:
    def __init__(self, fields: SetFields, language: str | None) -> None:
        self._paths = {
            name: FieldPath(text)
            for name in SetFields.__slots__
            if (text := getattr(fields, name)) is not None
        }
        self._language = language
        self._file = ""
        self.used: dict[str, str] = {name: path.text for name, path in self._paths.items()}

    def read(self, source: TextSource) -> Iterator[ForeignQuestion | Broken]:
        self._file = source.name
        seen: dict[str, int] = {}
        for row in self._rows(source):
            if isinstance(row, Broken):
                yield row
                continue
            try:
                found = self._question(row)
            except InputError as error:
                yield Broken(tuple(p.at(self._file, row.line) for p in error.problems))
                continue
            first = seen.setdefault(found.id, row.place)
            if first != row.place:
                yield Broken(
                    (
                        Problem(
                            f"the id is that of record number {first} already, expected each id "
                            "once",
                            code="duplicate_question",
                            file=self._file,
                            line=row.line,
                            subject=f"question {found.id}",
                        ),
                    )
                )
            else:
                yield found

    # ---- rows -----------------------------------------------------------------------------------

    def _rows(self, source: TextSource) -> Iterator[_Row | Broken]:
        suffix = plain_suffix(source.name)
        head = source.head().lstrip()
        if suffix in (".csv", ".tsv") or (suffix != ".json" and head[:1] not in ("{", "[")):
            delimiter = "\t" if suffix == ".tsv" else None
            for place, row in enumerate(csv_rows(source, (), delimiter=delimiter), 1):
                yield _Row(row.cells, row.line, place)
        elif suffix == ".json" or "records" in self._paths:
            yield from self._document(source)
        else:
            for item in iter_records(source, "a question"):
                if isinstance(item, Broken):
                    yield item
                else:
                    yield _Row(item.data, item.line, item.place)

    def _document(self, source: TextSource) -> Iterator[_Row | Broken]:
        text = source.text()
        data = strict_json.parse(text, self._file)
        path: tuple[str, ...] = ()
        if "records" in self._paths:
            data = self._paths["records"].find(data)
        elif isinstance(data, dict) and not self._has_question(data):
            lists = [
                key
                for key, value in data.items()
                if isinstance(value, list) and value and all(isinstance(i, dict) for i in value)
            ]
            if len(lists) == 1:
                path = (lists[0],)
                self.used["records"] = lists[0]
                data = data[lists[0]]
        rows = [data] if isinstance(data, dict) else data
        if not isinstance(rows, list):
            raise FormatError(
                Problem(
                    "there is no list of records; name the field that holds it",
                    code="records",
                    file=self._file,
                )
            )
        lines = strict_json.locate(text, 1, len(path) + 1) if "records" not in self._paths else {}
        for place, row in enumerate(rows, 1):
            line = strict_json.line_of(lines, (*path, place - 1)) if lines else None
            if isinstance(row, dict):
                yield _Row(row, line, place)
            else:
                yield Broken(
                    (
                        Problem(
                            f"record number {place} is no object",
                            code="record",
                            file=self._file,
                            line=line,
                        ),
                    )
                )

    def _has_question(self, data: Mapping[str, Any]) -> bool:
        return self._value(data, "question") is not MISSING

    # ---- one question ---------------------------------------------------------------------------

    def _value(self, data: Mapping[str, Any], part: str) -> Any:
        path = self._paths.get(part)
        if path is not None:
            return path.find(data)
        for name in _USUAL.get(part, ()):
            if data.get(name) not in (None, ""):
                self.used.setdefault(part, name)
                return data[name]
        return MISSING

    def _question(self, row: _Row) -> ForeignQuestion:
        given = self._value(row.data, "id")
        name = str(given) if isinstance(given, str | int) and str(given).strip() else str(row.place)
        text = self._value(row.data, "question")
        if text is MISSING or text is None or not isinstance(text, str) or not text.strip():
            there = ", ".join(list(row.data)[:8])
            wanted = self._paths.get("question")
            looked = f'"{wanted.text}"' if wanted else "one of " + ", ".join(_USUAL["question"])
            raise FormatError(
                Problem(
                    f"no question as text in {looked}; the record has {there or 'nothing'}",
                    code="question",
                    subject=f"question {name}",
                )
            )
        answer = _answer_text(self._value(row.data, "answer"), name)
        if "canary" in self._paths:
            canary = self._paths["canary"].find(row.data)
            if not isinstance(canary, str) or not canary:
                raise FormatError(
                    Problem("has no canary to decrypt with", "canary", subject=f"question {name}")
                )
            text = _decrypted(text, canary, f"question {name}")
            answer = answer and _decrypted(answer, canary, f"answer of question {name}")
        domain = self._value(row.data, "domain")
        spoken = self._value(row.data, "language") if "language" in self._paths else MISSING
        language = self._language or (
            spoken.strip() if isinstance(spoken, str) and spoken.strip() else language_of(text)
        )
        return ForeignQuestion(
            id=name,
            question=text.strip(),
            answer=answer,
            chain=_chain(self._value(row.data, "chain")),
            language=language,
            domain=domain if isinstance(domain, str) and domain.strip() else None,
            line=row.line,
        )


def _answer_text(value: Any, name: str) -> str | None:
    if value is MISSING or value is None or value == "" or value == []:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
        return "; ".join(str(item) for item in value)
    raise FormatError(
        Problem(
            "the answer is neither a text nor a list of texts; name the field that holds it",
            code="answer",
            subject=f"question {name}",
        )
    )


def _chain(value: Any) -> tuple[Any, ...]:
    """Return a chain as a list; the cell of a table may hold it as JSON."""
    if value is MISSING or value is None or value == "":
        return ()
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            value = strict_json.parse(value)
        except FormatError:  # then it is prose that begins with a bracket
            return (value,)
    return tuple(value) if isinstance(value, list) else (value,)


def _decrypted(text: str, canary: str, subject: str) -> str:
    try:
        data = base64.b64decode(text, validate=True)
        key = hashlib.sha256(canary.encode()).digest()
        plain = bytes(one ^ other for one, other in zip(data, itertools.cycle(key), strict=False))
        return plain.decode()
    except (binascii.Error, ValueError) as error:
        raise FormatError(
            Problem(
                "cannot be decrypted with its canary: it is not Base64, or not XORed with the "
                "SHA-256 of this canary",
                code="encrypted",
                subject=subject,
            )
        ) from error


def sample_set(questions: Sequence[ForeignQuestion], size: int, seed: int) -> list[ForeignQuestion]:
    """Draw questions: the same for the same seed, whatever their order; in the order of the set.

    Args:
        questions: All of them.
        size: How many.
        seed: Another seed draws others.
    """

    def lot(item: ForeignQuestion) -> tuple[str, str]:
        return hashlib.sha256(f"parse:{seed}:{item.id}".encode()).hexdigest(), item.id

    drawn = {item.id for item in sorted(questions, key=lot)[:size]}
    return [item for item in questions if item.id in drawn]
