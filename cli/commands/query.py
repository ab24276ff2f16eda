"""``graphkit query``: Cypher over the store."""

from __future__ import annotations

import csv
import io
import json
import sys
from typing import Any

import click

from cli import render
from cli.endings import finish, note
from cli.options import as_json, limit_rows, opened_store, progress, takes_store

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
    with opened_store(store, read_only=not write) as opened, progress("running the query"):
        rows = (
            opened.write(cypher, values, timeout=timeout)
            if write
            else opened.read(cypher, values, limit=limit, timeout=timeout)
        )
        found = list(rows)
    for text in rows.notes:
        note(text)
    if json_:
        render.document(
            {
                "columns": list(rows.columns),
                "rows": found,
                "truncated": rows.truncated,
                "counters": dict(rows.counters),
                "notes": list(rows.notes),
            }
        )
    elif csv_:
        _print_csv(rows.columns, found)
    elif rows.columns:
        shown = limit_rows(found)
        click.echo(render.table(rows.columns, ([row[c] for c in rows.columns] for row in shown)))
        click.echo(f"{len(found):,} row{'' if len(found) == 1 else 's'}", err=True)
    if rows.truncated and not json_:
        note(f"--limit left rows out: {len(found):,} are shown")
    changed = {name: count for name, count in rows.counters.items() if count}
    if changed and not json_:
        note(", ".join(f"{name.replace('_', ' ')}: {count}" for name, count in changed.items()))
    finish()


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
        except ValueError:
            values[name] = value
    return values


def _print_csv(columns: tuple[str, ...], rows: list[dict[str, Any]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_csv_cell(row[column]) for column in columns])
    sys.stdout.write(text.getvalue())


def _csv_cell(value: Any) -> Any:
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool):
        return "true" if value else "false"
    return value
