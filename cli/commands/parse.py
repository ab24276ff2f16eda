"""``graphkit parse``: the questions of any set into graphs, with a model."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli import render
from cli.endings import FAILED, complain, finish, note
from cli.looping import until_done
from cli.model_options import LIMITS, model_settings, settings_file, spending, takes_models
from cli.options import as_json, keep_going, limit_rows, progress
from cli.state import State

if TYPE_CHECKING:
    from graphkit.models import Budget, ModelSettings
    from synthesis.foreign_sets import ForeignSet, SetFields
    from synthesis.parse_sets import ParsedSet, ParseRun, SetResult

__all__ = ["parse"]

_FIELDS = {
    "question": "The field with the question; by default one of the usual names. A field deep in "
    "the record: a.b, a[0].b, a[language=en].b.",
    "answer": "The field with the answer.",
    "chain": "The field with the reasoning chain, in any form.",
    "id": "The field with the id; else the number of the record.",
    "domain": "The field with the domain.",
    "language": "The field with the language.",
    "records": "The list of records in a JSON document.",
    "canary": "The field with the canary of a set that is encrypted as BrowseComp is.",
}

_SAMPLING = ("model", "base_url", "temperature", "top_p", "max_tokens", "seed")
"""Settings of a model that make a run another one."""


def _takes_fields(command: Any) -> Any:
    for name, about in reversed(_FIELDS.items()):
        flag = f"--{name}-field"
        command = click.option(flag, f"{name}_field", metavar="NAME", help=about)(command)
    return command


@click.command
@click.argument("file", metavar="FILE")
@click.option(
    "--run",
    "folder",
    metavar="DIR",
    help="The folder of the run, where the same command goes on; by default FILE.parse.",
)
@click.option("-o", "--output", metavar="FILE", help="Write the graphs there too, in any notation.")
@_takes_fields
@click.option(
    "--language",
    metavar="TAG",
    help="The language of all questions (en, zh); by default told by the script of each.",
)
@click.option(
    "--sample", type=click.IntRange(min=1), metavar="N", help="Parse only N questions, drawn."
)
@click.option("--seed", type=int, help="Another seed draws others.")
@click.option(
    "--parallel",
    type=click.IntRange(min=1),
    default=16,
    show_default=True,
    metavar="N",
    help="How many questions are asked at a time.",
)
@takes_models
@keep_going
@as_json
def parse(
    file: str,
    folder: str | None,
    output: str | None,
    language: str | None,
    sample: int | None,
    seed: int | None,
    parallel: int,
    model: str | None,
    base_url: str | None,
    keep_going: bool,
    json_: bool,
    **knobs: Any,
) -> None:
    """Parse the questions of any set into graphs, and print the set's row of Table 2.

    FILE is JSONL, JSON, CSV or TSV with a question a record, and an answer and a reasoning chain
    where there are any. A model turns each into a graph of sets; its output is read leniently,
    what is wrong is shown to it again, and nothing is guessed. Questions that projection,
    intersection and complement cannot express are counted by what they need beyond these.

    The folder of the run holds graphs.jsonl, parsed.jsonl (what became of each question, with
    repairs), table.json, costs.json and every exchange: the same command goes on where it
    stopped, and nothing is asked or paid for twice. The exit code is 1 when questions are left
    unasked or without a graph for want of a usable reply.
    """
    from synthesis.foreign_sets import SetFields, read_set, sample_set
    from synthesis.loop_settings import read_table
    from synthesis.parse_sets import ParseRun

    fields = SetFields(**{name: knobs[f"{name}_field"] for name in _FIELDS})
    if output == "-" and json_:
        raise click.UsageError(
            "-o - and --json both print to standard output, expected one of them"
        )
    if file == "-":
        raise click.UsageError("a set is read from a file, so that the run can be taken up again")
    models = model_settings(read_table(settings_file(), "models"), model, base_url)
    budget = spending({name: knobs[name] for name in LIMITS}, models)
    found = read_set(file, fields, language=language, keep_going=keep_going, on_error=complain)
    State.current().skipped += found.skipped
    drawn = State.current().settings({"seed": seed}).seed
    questions = found.questions if sample is None else sample_set(found.questions, sample, drawn)
    place = Path(folder) if folder else Path(f"{file}.parse")
    plan = _plan(file, fields, language, sample, drawn, models)
    run = ParseRun.begin(place, plan)
    State.current().go_on = f"the same command goes on in {place}"
    with progress("parsing", "questions") as told:
        count = 0

        def each(result: SetResult) -> None:
            nonlocal count
            count += 1
            told(count, len(questions))

        told(0, len(questions))
        parsed = until_done(_ask(run, models, budget, questions, parallel, each))
    if output is not None:
        from graphkit.formats import write_questions

        for problem in write_questions(parsed.graphs, output):
            note(str(problem))
    _report(run, found, parsed, json_=json_, quiet=output == "-")


def _plan(
    file: str,
    fields: SetFields,
    language: str | None,
    sample: int | None,
    seed: int,
    models: dict[str, ModelSettings],
) -> dict[str, Any]:
    """Return what the replies of a run depend on."""
    with open(file, "rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    used = models.get("parse") or models["default"]
    return {
        "set": {"file": os.path.basename(file), "sha256": digest},
        "fields": {name: getattr(fields, name) for name in _FIELDS},
        "language": language,
        "sample": None if sample is None else {"size": sample, "seed": seed},
        "model": {name: getattr(used, name) for name in _SAMPLING},
    }


async def _ask(
    run: ParseRun,
    models: dict[str, ModelSettings],
    budget: Budget,
    questions: Any,
    parallel: int,
    each: Callable[[SetResult], None],
) -> ParsedSet:
    from dataclasses import asdict

    from graphkit.models import ExchangeLog, ModelDoor
    from synthesis.parse_sets import parse_set

    with ExchangeLog.open(run.folder / "exchanges.jsonl", run=run.name) as log:
        if log.torn:
            note(f"an unfinished last line of {log.path} was cut off ({log.torn} bytes)")
        if log.unfinished:
            note(
                f"{log.unfinished} calls were under way when an earlier session ended; they are "
                "made again and may have been paid for"
            )
        async with ModelDoor(models, log=log, budget=budget) as door:
            parsed = await parse_set(door, questions, parallel=parallel, on_done=each)
            run.keep(parsed, [asdict(row) for row in door.costs()])
    return parsed


def _report(
    run: ParseRun, found: ForeignSet, parsed: ParsedSet, *, json_: bool, quiet: bool
) -> None:
    """Tell what came of a set; where its graphs go to standard output, nothing else does."""
    record = parsed.to_record()
    if json_:
        render.document({"run": str(run.folder), "fields": dict(found.fields), **record})
    elif not quiet:
        _print(record)
        told = ", ".join(f"{part} from {name}" for part, name in found.fields.items())
        click.echo(f"\n{render.visible(str(run.folder))} holds graphs.jsonl; read {told}")
    if parsed.stopped:
        complain(parsed.stopped)
    counts = parsed.counts()
    left = {name: counts[name] for name in ("failed", "unasked") if counts[name]}
    if left:
        words = {"failed": "without a usable reply", "unasked": "not asked"}
        complain(
            "; ".join(f"{count:,} questions {words[name]}" for name, count in left.items())
            + f"; see {run.folder / 'parsed.jsonl'}"
        )
        click.get_current_context().exit(FAILED)
    finish()


def _print(record: dict[str, Any]) -> None:
    heads = [
        "language",
        "scale",
        f"length ({record['tokenizer']})",
        "parsed",
        "nodes",
        "nodes (normal form)",
    ]
    keys = ("language", "scale", "length", "parsed", "nodes", "nodes_normal")
    rows = [tuple(row[key] for key in keys) for row in record["table2"]]
    click.echo(render.table(heads, rows))
    click.echo()
    names = ("parsed", "not_expressible", "failed", "unasked")
    counted = [(name.replace("_", " "), record[name]) for name in names]
    counted += [(f"  needs {kind}", count) for kind, count in record["beyond"].items()]
    counted += [("repaired", record["repaired"]), ("asks", record["asks"])]
    click.echo(render.table(("questions", "count"), limit_rows(counted)))
