"""``graphkit rubric trajectories``: in which order agents search and write, and at what cost."""

from __future__ import annotations

import click

from cli import render
from cli.commands.rubric_options import as_csv, one_format, points, print_csv
from cli.commands.rubric_people import read_records
from cli.commands.rubric_reading import parameters_of
from cli.endings import finish
from cli.options import as_json, keep_going, limit_rows

__all__ = ["trajectories"]

_SHARES = ("first_write", "last_search", "search_after_write")
_COUNTS = ("write_blocks", "steps", "tool_calls", "tool_errors", "hours", "tokens")


@click.command
@click.argument("files", nargs=-1, required=True, metavar="TRAJECTORIES...")
@click.option("--each", is_flag=True, help="Tell of each trace, not of each configuration.")
@click.option(
    "--ignore-messages", is_flag=True, help="A message does not interrupt a block of writing."
)
@click.option(
    "--settings", "settings_file", metavar="FILE", help="A TOML file with a table [rubric]."
)
@keep_going
@as_json
@as_csv
def trajectories(
    files: tuple[str, ...],
    each: bool,
    ignore_messages: bool,
    settings_file: str | None,
    keep_going: bool,
    json_: bool,
    csv_: bool,
) -> None:
    """Describe traces: where writing starts, how much is searched after it, what it costs.

    Figures of a configuration are medians over its traces; a trace without a figure is left out
    of its median, and --json counts it. A configuration is interleaved when its median share of
    searches after the first write is at least 30 % and its median number of blocks 4.
    """
    from rubric.statistics import configuration_profiles, read_trajectories, trace_profile

    one_format(json_=json_, csv_=csv_)
    settings = parameters_of(settings_file=settings_file).settings
    traces = read_records(read_trajectories, files, keep_going=keep_going)
    ignored = frozenset({"message"} if ignore_messages else ())
    if each:
        records = [trace_profile(trace, ignored).to_record() for trace in traces]
        if json_:
            render.document({"traces": records})
            finish()
        heads = ("task_id", "system", *_SHARES, *_COUNTS)
        rows = [[record[name] for name in heads] for record in records]
        if csv_:
            print_csv(heads, rows)
        else:
            click.echo(render.table([name.replace("_", " ") for name in heads], limit_rows(rows)))
        finish()
    found = configuration_profiles(
        traces,
        min_share=settings.interleaved_share,
        min_blocks=settings.interleaved_blocks,
        ignore=ignored,
    )
    if json_:
        render.document({"configurations": [item.to_record() for item in found]})
        finish()
    names = (*_SHARES, *_COUNTS)
    if csv_:
        print_csv(
            ("system", "traces", *names, "interleaved"),
            [
                (p.system, p.traces, *(p.medians[name].value for name in names), p.interleaved)
                for p in found
            ],
        )
        finish()
    shown = [
        (
            item.system,
            item.traces,
            *(points(item.medians[name].value, 1, "%") for name in _SHARES),
            *(item.medians[name].value for name in _COUNTS[:-1]),
            _whole(item.medians["tokens"].value),
            render.mark(item.interleaved),
        )
        for item in found
    ]
    titles = ("system", "traces", *(name.replace("_", " ") for name in names), "interleaved")
    click.echo(render.table(titles, shown))
    finish()


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)
