"""``graphkit query``: Cypher over the store."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from cli import render
from cli.endings import finish, note
from cli.options import (
    as_json,
    opened_store,
    progress,
    rows_of_a_table,
    takes_store,
    tell_more_rows,
)

if TYPE_CHECKING:
    from graphkit.stores.base import Stream

__all__ = ["query"]


@click.command
@click.argument("cypher", metavar="CYPHER")
@click.option(
    "-p",
    "--param",
    "params",
    multiple=True,
    metavar="NAME=VALUE",
    help="A value that stands in the query as $NAME: JSON, else text; may be given again.",
)
@click.option("--write", is_flag=True, help="Allow the query to change the store.")
@click.option("--limit", type=click.IntRange(0), help="The most rows.")
@click.option("--timeout", type=click.FloatRange(0), help="The most seconds; 0 is no limit.")
@click.option("--csv", "csv_", is_flag=True, help="Print CSV with a line of column names.")
@takes_store
@as_json
def query(
    cypher: str,
    params: tuple[str, ...],
    write: bool,
    limit: int | None,
    timeout: float | None,
    csv_: bool,
    store: str | None,
    json_: bool,
) -> None:
    """Run a Cypher query over the store.

    CYPHER "-" reads it from standard input. --json prints one document: columns, rows (an
    object each), truncated, counters, notes.
    """
    if csv_ and json_:
        raise click.UsageError("either --json or --csv, not both")
    if write and limit is not None:
        raise click.UsageError("--limit is for queries that read")
    if cypher == "-":
        from graphkit.formats.lines import open_source

        with open_source("-") as source:
            cypher = source.text()
    values = _values(params)
    if write:
        from graphkit.stores.base import Stream

        with opened_store(store) as opened, progress("running the query"):
            rows = opened.write(cypher, values, timeout=timeout)
        found = Stream(rows.columns, rows.source, notes=rows.notes)
        _show(found, rows.counters, csv_, json_)
    else:
        with (
            opened_store(store, read_only=True) as opened,
            progress("running the query"),
            opened.stream(cypher, values, limit=limit, timeout=timeout) as found,
        ):
            _show(found, {}, csv_, json_)
    finish()


def _show(found: Stream, counters: Mapping[str, int], csv_: bool, json_: bool) -> None:
    """Print rows as they come, then what is to be said of all of them."""
    if json_:
        render.document_of_rows(
            {"columns": list(found.columns)},
            "rows",
            found,
            lambda: {
                "truncated": found.truncated,
                "counters": dict(counters),
                "notes": list(found.notes),
            },
        )
    elif csv_:
        writer = csv.writer(sys.stdout)
        writer.writerow(found.columns)
        for row in found:
            writer.writerow([_csv_cell(row[column]) for column in found.columns])
    elif found.columns:
        rows = iter(found)
        shown = list(islice(rows, rows_of_a_table()))
        for _ in rows:
            continue
        tell_more_rows(found.count - len(shown))
        click.echo(render.table(found.columns, ([row[c] for c in found.columns] for row in shown)))
        click.echo(f"{found.count:,} row{'' if found.count == 1 else 's'}", err=True)
    for text in found.notes:
        note(text)
    if found.truncated and not json_:
        note(f"--limit left rows out: {found.count:,} are shown")
    changed = {name: count for name, count in counters.items() if count}
    if changed and not json_:
        note(", ".join(f"{name.replace('_', ' ')}: {count}" for name, count in changed.items()))


def _values(params: tuple[str, ...]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for text in params:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise click.UsageError(f'-p "{text}" is not NAME=VALUE')
        if name in values:
            raise click.UsageError(f'-p gives a value for "{name}" twice')
        try:
            values[name] = json.loads(value)
        except (ValueError, RecursionError):
            values[name] = value
    return values


def _csv_cell(value: Any) -> Any:
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool):
        return "true" if value else "false"
    return value
