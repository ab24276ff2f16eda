"""``graphkit rubric agreement`` and ``calibrate``: what people and repeated runs say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli import render
from cli.commands.rubric_options import (
    as_csv,
    one_format,
    points,
    print_csv,
    takes_parameters,
)
from cli.commands.rubric_reading import judged_of, parameters_of, read_files, scored
from cli.endings import complain, finish
from cli.options import as_json, keep_going
from cli.state import State

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphkit.errors import Problem
    from rubric.statistics.calibration import CalibrationReport

__all__ = ["agreement", "calibrate"]


def read_records(
    read: Callable[..., Sequence[Any]], files: Sequence[str], *, keep_going: bool
) -> list[Any]:
    """Read records of several files; broken lines are told and counted with ``keep_going``.

    Raises:
        FormatError: Everything that is wrong in all the files, or a file without a record.
    """
    from graphkit.errors import FormatError, Problem

    problems: list[Problem] = []
    found: list[Any] = []
    for file in files:
        broken: list[Problem] = []
        records = read(file, broken)
        if not records and not broken:
            broken = [Problem("is empty; expected a record a line", "empty", file)]
            keep_going = False
        found += records
        problems += broken
    if problems and not keep_going:
        raise FormatError(problems)
    for problem in problems:
        complain(problem)
    State.current().skipped += len(problems)
    return found


@click.command
@click.argument("labels", nargs=-1, required=True, metavar="LABELS...")
@click.option(
    "--with",
    "judged_files",
    multiple=True,
    metavar="FILE",
    help="Verdicts, and trees for the scores, to compare people with; again for more.",
)
@click.option(
    "--raters", type=click.IntRange(2), default=3, show_default=True, help="An item needs so many."
)
@takes_parameters
@keep_going
@as_json
@as_csv
def agreement(
    labels: tuple[str, ...],
    judged_files: tuple[str, ...],
    raters: int,
    keep_going: bool,
    json_: bool,
    csv_: bool,
    **flags: Any,
) -> None:
    """Tell how far people agree with each other, and the judge with them.

    LABELS are human labels (JSONL). A figure that does not exist is named, never NaN: empty,
    one_rater, no_overlap, constant, tied, too_few.
    """
    from rubric.statistics import agreement_report, machine_decisions, read_human_labels

    one_format(json_=json_, csv_=csv_)
    parameters = parameters_of(**flags)
    people = read_records(read_human_labels, labels, keep_going=keep_going)
    machine: Any = None
    scores: Any = None
    if judged_files:
        inputs = read_files(judged_files, parameters, keep_going=keep_going)
        if inputs.verdicts is None:
            raise click.UsageError("--with names no verdicts")
        machine = machine_decisions(inputs.verdicts)
        if inputs.trees:
            reports = scored(judged_of(inputs, parameters))
            scores = {
                (report.task_id, report.system): report.score
                for report in reports
                if report.score is not None
            }
    found = agreement_report(people, machine, scores, raters)
    if json_:
        render.document(found.to_record())
        finish()
    rows = []
    for number, (correct, alike) in found.rounds.items():
        rows += [
            (f"item correctness, round {number}", correct),
            (f"unanimity, round {number}", alike),
        ]
    rows += [
        ("inter-rater agreement of decisions", found.inter_rater),
        ("machine and human majority", found.machine),
        ("Krippendorff's alpha of decisions", found.alpha),
        ("Krippendorff's alpha of ratings", found.holistic_alpha),
        ("Spearman of scores and ratings", found.correlation),
    ]
    heads = ("figure", "value", "count", "status")
    if csv_:
        print_csv(heads, [(name, m.value, m.count, m.status.value) for name, m in rows])
    else:
        shown = [(name, points(m.value, 4), m.count, m.status.value) for name, m in rows]
        click.echo(render.table(heads, shown))
    finish()


@click.command
@click.argument("files", nargs=-1, required=True, metavar="CALIBRATION...")
@click.option(
    "--trees",
    "tree_files",
    multiple=True,
    metavar="FILE",
    help="Trees, to score runs that have verdicts and no score; again for more.",
)
@click.option("--delta", metavar="POINTS", help="The gain that R3 needs over R1; default 10.")
@takes_parameters
@keep_going
@as_json
@as_csv
def calibrate(
    files: tuple[str, ...],
    tree_files: tuple[str, ...],
    delta: str | None,
    keep_going: bool,
    json_: bool,
    csv_: bool,
    **flags: Any,
) -> None:
    """Check that a rubric tells weak reports from strong ones: R1 < R2 < R3, and by enough.

    R1 saw the video only, R2 had all tools, R3 the fact library too. Exits 3 when a task does
    not pass, or lacks a report.
    """
    from rubric.statistics import calibrate as run
    from rubric.statistics import calibration_scorer, read_calibration

    one_format(json_=json_, csv_=csv_)
    parameters = parameters_of(**flags)
    lines = read_records(read_calibration, files, keep_going=keep_going)
    scorer = None
    if tree_files:
        trees = read_files(tree_files, parameters, kinds=("trees",)).trees
        scorer = calibration_scorer(trees, parameters.settings)
    found = run(lines, parameters.settings.delta_cal if delta is None else delta, scorer)
    if json_:
        render.document(found.to_record())
    else:
        _print(found, csv_=csv_)
    finish(found=bool(found.failed) or not found.tasks)


def _print(found: CalibrationReport, *, csv_: bool) -> None:
    heads = ("task", "R1", "R2", "R3", "gain", "passed", "why not", "R2 differs", "runs")
    rows = [
        (
            task.task_id,
            *(task.scores.get(name) for name in ("R1", "R2", "R3")),
            task.gain,
            task.passed,
            "; ".join(_why(task, float(found.delta))),
            task.non_unanimity.value,
            task.runs,
        )
        for task in found.tasks
    ]
    if csv_:
        print_csv(heads, rows)
        return
    shown = [
        (row[0], *map(points, row[1:5]), *row[5:7], points(row[7], 2, "%"), row[8]) for row in rows
    ]
    click.echo(render.table(heads, shown))
    click.echo()
    differs = found.non_unanimity
    told = "no task was scored twice" if differs.value is None else f"{differs.value:.2%} of atoms"
    click.echo(
        f"{len(found.tasks) - len(found.failed)} of {len(found.tasks)} tasks pass with a gain "
        f"above {float(found.delta):g}; scorings of R2 differ: {told}"
    )


def _why(task: Any, delta: float) -> list[str]:
    if task.missing:
        return [f"no score of {', '.join(task.missing)}"]
    found = [] if task.increasing else ["not R1 < R2 < R3"]
    return found if task.enough else [*found, f"gain not above {delta:g}"]
