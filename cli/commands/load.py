"""``graphkit load``: files into the store."""

from __future__ import annotations

import click

from cli import render
from cli.endings import complain, finish, note
from cli.options import as_json, keep_going, opened_store, progress, takes_store
from cli.state import State

__all__ = ["load"]


@click.command
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format",
    "kind",
    metavar="NAME",
    help="What the files hold: questions, evidence, triples, rdf, trees, rubric-facts, verdicts, "
    "scores, or the notation of questions (json, graphml, turtle, trig, sparql, efo, betae, "
    "webshaper, 2wiki, musique); by default told by suffix and content.",
)
@click.option(
    "--report",
    "report_file",
    metavar="FILE",
    help="Name every row of question files that is no graph, with its reason, in a JSON file, "
    "and load the others.",
)
@click.option(
    "--relations",
    metavar="FILE",
    help="The relation sheet; by default relations.toml beside the facts.",
)
@takes_store
@keep_going
@as_json
def load(
    files: tuple[str, ...],
    kind: str | None,
    report_file: str | None,
    relations: str | None,
    store: str | None,
    keep_going: bool,
    json_: bool,
) -> None:
    """Load question graphs, facts, rubric trees, verdicts and scores into the store.

    Loading again changes nothing; a load that was killed is completed by loading again. Facts
    go in before questions, trees before verdicts, these before scores. All files are read
    before anything is written.

    Question sets in other notations are imported: a row that no question graph can state is
    refused by name. With --report the refused rows are summed up there, and exit code 0 means
    that every row was loaded or named.
    """
    import rubric.stored  # noqa: F401  (so that the store takes trees, verdicts and scores)
    from graphkit.errors import FormatError, InputError, Problem
    from graphkit.formats import ImportReport, read_sheet, write_text
    from graphkit.formats.import_report import report_text
    from graphkit.stores import counts
    from graphkit.stores.files import load_files, read_file

    if files.count("-") > 1:
        raise click.UsageError('standard input ("-") can be read only once')
    State.current().go_on = (
        "what is in the store is whole; the same command again completes the load"
    )
    sheet = read_sheet(relations) if relations else None
    problems: list[Problem] = []
    found = []
    reports: list[ImportReport] = []
    with progress("reading files", "files") as told:
        for number, file in enumerate(files):
            told(number, len(files))
            try:
                found.append(
                    read_file(
                        file,
                        kind,
                        sheet=sheet,
                        keep_going=keep_going,
                        on_error=complain,
                        on_report=reports.append if report_file else None,
                    )
                )
            except InputError as error:
                problems += error.problems
    if problems:
        raise FormatError(problems)
    if report_file:
        write_text(report_file, [report_text(reports)])
        for report in reports:
            note(report.summary)
    named = sum(len(report.diagnostics) for report in reports)
    State.current().skipped += sum(item.reading.skipped for item in found) - named
    with opened_store(store) as opened, progress("loading", "records") as told:
        loaded = load_files(
            opened, found, sheet=sheet, progress=lambda _, done, total: told(done, total)
        )
        held = counts(opened)
        place = opened.capabilities().location
    if json_:
        render.document(
            {"store": place, "files": [item.to_record() for item in loaded], "holds": held}
        )
    else:
        rows = [(item.file, item.kind, item.records, item.changed) for item in loaded]
        click.echo(render.table(("file", "kind", "records", "new or changed"), rows))
        click.echo()
        told_counts = ", ".join(f"{count:,} {name}" for name, count in held.items() if count)
        click.echo(f"{render.visible(place)} holds {told_counts or 'nothing'}")
    finish()
