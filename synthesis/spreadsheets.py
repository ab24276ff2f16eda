"""CSV files for people with a spreadsheet: any script, and no cell is taken for a formula."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphkit.errors import FormatError, Problem, did_you_mean
from graphkit.formats.lines import TextSource, open_source

__all__ = ["SheetRow", "csv_rows", "csv_text", "read_csv"]

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row of a CSV file.

    Attributes:
        cells: Cells by the name of their column, without white space around them.
        file: The file.
        line: The line that it begins in.
    """

    cells: Mapping[str, str]
    file: str
    line: int


def csv_text(heads: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as CSV with a byte order mark, which spreadsheets need for UTF-8.

    A cell that a spreadsheet would run as a formula begins with an apostrophe. Missing cells and
    None are empty.

    Args:
        heads: The names of the columns, in order.
        rows: The cells by column.

    >>> csv_text(["a", "b"], [{"a": 1, "b": "=1+1"}])[1:]
    "a,b\\r\\n1,'=1+1\\r\\n"
    """
    text = io.StringIO()
    text.write(_BOM)
    writer = csv.writer(text)
    writer.writerow(heads)
    for row in rows:
        writer.writerow([_cell(row.get(head)) for head in heads])
    return text.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = str(value).replace("\x00", "\ufffd")
    return f"'{text}" if isinstance(value, str) and text.startswith(_FORMULA) else text


def read_csv(
    path: str | os.PathLike[str], required: Sequence[str], *, delimiter: str | None = None
) -> list[SheetRow]:
    """Read a CSV file with a head, also as spreadsheets save it: with semicolons or tabs.

    Args:
        path: The file; gzip by its suffix.
        required: Columns that it must have.
        delimiter: What separates cells; by default told by the first line.

    Raises:
        FormatError: It cannot be read, or a column is missing.
    """
    return list(csv_rows(open_source(path), required, delimiter=delimiter))


def csv_rows(
    source: TextSource, required: Sequence[str], *, delimiter: str | None = None
) -> Iterator[SheetRow]:
    """Yield the rows of a CSV file with a head; see :func:`read_csv`.

    Raises:
        FormatError: It cannot be read, or a column is missing.
    """
    name = source.name
    text = source.text()
    first = text.split("\n", 1)[0]
    if delimiter is None:
        delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        heads = [head.strip().lstrip(_BOM) for head in next(reader, [])]
        missing = [head for head in required if head not in heads]
        if missing:
            raise FormatError(
                Problem(
                    f"there is no column {head}, expected {', '.join(required)}"
                    f"{did_you_mean(head, heads)}",
                    code="column",
                    file=name,
                    line=1,
                )
                for head in missing
            )
        before = reader.line_num
        for cells in reader:
            line, before = before + 1, reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) > len(heads) and any(cell.strip() for cell in cells[len(heads) :]):
                raise FormatError(
                    Problem(
                        f"{len(cells)} cells, expected {len(heads)}",
                        code="cells",
                        file=name,
                        line=line,
                    )
                )
            padded = [*cells, *[""] * (len(heads) - len(cells))]
            found = {head: cell.strip() for head, cell in zip(heads, padded, strict=False)}
            yield SheetRow(found, name, line)
    except csv.Error as error:
        raise FormatError(
            Problem(f"not CSV: {error}", code="csv", file=name, line=reader.line_num)
        ) from error
