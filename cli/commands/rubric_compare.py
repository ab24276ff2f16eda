"""``graphkit rubric compare``: systems side by side, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli import render
from cli.commands.rubric_options import (
    as_csv,
    check_output,
    one_format,
    points,
    print_csv,
    takes_files,
    takes_parameters,
    takes_picture,
    takes_systems,
)
from cli.commands.rubric_reading import (
    judged_of,
    open_judged,
    parameters_of,
    read_files,
    scored,
    tell_hygiene,
)
from cli.endings import finish, note
from cli.options import as_json, keep_going, limit_rows, progress, takes_store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rubric.statistics import Comparison, ScoreTable
    from rubric.tree import Tree

__all__ = ["compare"]


@click.command
@takes_files
@takes_parameters
@takes_systems
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the draws.")
@click.option("--replicates", type=click.IntRange(1), help="Of the bootstrap; by default 20,000.")
@click.option("--level", metavar="SHARE", help="Of the intervals, for instance 0.95, the default.")
@click.option(
    "--cluster-by",
    metavar="KEY",
    help="Draw whole clusters of tasks: the trees with one value of this key of theirs.",
)
@takes_picture
@takes_store
@keep_going
@as_json
@as_csv
def compare(
    files: tuple[str, ...],
    systems: tuple[str, ...],
    seed: int,
    replicates: int | None,
    level: str | None,
    cluster_by: str | None,
    output: str | None,
    store: str | None,
    keep_going: bool,
    json_: bool,
    csv_: bool,
    **flags: Any,
) -> None:
    """Compare systems: averages with bootstrap intervals, and every pair.

    FILES are trees and verdicts, or saved scores (rubric score --json). Failures count 0 in the
    average; avg. succ. is over reports that succeeded. --json prints one document: systems and
    pairs. -o draws a forest plot.
    """
    from rubric.statistics import compare as run

    one_format(json_=json_, csv_=csv_)
    check_output(output)
    parameters = parameters_of(**flags)
    table, trees = _table(files, parameters, systems, store, keep_going)
    settings = parameters.settings
    with progress("drawing replicates"):
        found = run(
            table,
            replicates=settings.replicates if replicates is None else replicates,
            level=settings.confidence if level is None else level,
            seed=seed,
            clusters=_clusters(cluster_by, trees, table),
        )
    _remarks(found, table)
    if output is not None:
        from rubric.pictures import forest

        forest(found, output)
    if json_:
        render.document(found.to_record())
    elif csv_:
        records = [item.to_record() for item in found.systems]
        print_csv(
            ("system", "average", "low", "high", "average_successful", "success_rate",
             "probability_best", "tasks", "status"),
            [
                (row["system"], row["average"], *(row["interval"] or (None, None)),
                 row["average_successful"], row["success_rate"], row["probability_best"],
                 row["tasks"], row["status"])
                for row in records
            ],
        )  # fmt: skip
    else:
        _print(found)
    finish()


def _table(
    files: Sequence[str], parameters: Any, systems: Sequence[str], store: str | None,
    keep_going: bool,
) -> tuple[ScoreTable, tuple[Tree, ...]]:  # fmt: skip
    """Return the scores: saved ones as they are, else those of trees and verdicts."""
    from rubric.statistics import score_table, table_from_records

    if files:
        if store is not None:
            raise click.UsageError("either files or --store, not both")
        kinds = ("trees", "verdicts", "scores")
        found = read_files(files, parameters, kinds=kinds, keep_going=keep_going)
        if found.scores:
            if found.verdicts is not None:
                raise click.UsageError("either saved scores or verdicts, not both")
            records = [
                record for record in found.scores if not systems or record["system"] in systems
            ]
            return table_from_records(records), found.trees
        judged = judged_of(found, parameters, systems)
    else:
        judged = open_judged(files, parameters, store=store, systems=systems)
    reports = scored(judged)
    tell_hygiene(judged.verdicts, reports)
    return score_table(reports), judged.trees


def _clusters(key: str | None, trees: Sequence[Tree], table: ScoreTable) -> dict[str, str] | None:
    from graphkit.errors import InputError, Problem

    if key is None:
        return None
    found: dict[str, str] = {}
    problems = []
    for tree in trees:
        value = tree.language if key == "language" else (tree.model_extra or {}).get(key)
        if isinstance(value, str) and value:
            found[tree.task_id] = value
    for task in table.tasks:
        if task not in found:
            problems.append(Problem(f"has no {key!r} in its tree to cluster by", "no_cluster",
                                    subject=f"task {task}"))  # fmt: skip
    if problems:
        raise InputError(problems)
    return found


def _remarks(found: Comparison, table: ScoreTable) -> None:
    """Say what the numbers alone do not: degenerate inputs, reports that are in no average."""
    words = {
        "one_task": "a single task: the interval is the point itself",
        "all_failed": "every report failed",
        "empty": "no report with a score",
    }
    for item in found.systems:
        for status in dict.fromkeys((item.interval.status.value, item.average.status.value)):
            if status != "ok":
                note(f"system {item.system}: {words.get(status, status)}")
    for system in table.systems:
        counts = table.counts(system)
        left = [f"{counts[name]} {name}" for name in ("not_run", "unscored") if counts[name]]
        if left:
            note(f"system {system}: {', '.join(left)}, in no average")


def _print(found: Comparison) -> None:
    share = f"{float(found.level):.0%}"
    ordered = sorted(found.systems, key=lambda item: (-(item.average.value or -1.0), item.system))
    click.echo(
        render.table(
            ("system", "average", share, "avg. succ.", "success", "best", "tasks"),
            [
                (item.system, points(item.average.value), _interval(item.interval.to_list()),
                 points(item.average_successful.value), points(item.success_rate.value, 1, "%"),
                 points(item.probability_best.value, 1, "%"), item.average.count)
                for item in ordered
            ],
        )
    )  # fmt: skip
    click.echo()
    rows = [
        (f"{pair.a} - {pair.b}", points(pair.difference.value, 2, "+"),
         _interval(pair.interval.to_list()),
         f"{pair.record.wins}/{pair.record.ties}/{pair.record.losses}",
         points(pair.successful.value, 2, "+"), _interval(pair.successful_interval.to_list()),
         points(pair.completion.p_value.value, 3))
        for pair in found.pairs
    ]  # fmt: skip
    heads = (
        "pair", "difference", share, "w/t/l", "succ. only", f"{share} ", "completion p",
    )  # fmt: skip
    click.echo(render.table(heads, limit_rows(rows)))
    click.echo(
        f"note: {found.replicates:,} replicates over {found.units} tasks or clusters, seed "
        f"{found.seed}",
        err=True,
    )


def _interval(found: Any) -> str:
    if not found or found[0] is None:
        return ""
    return f"{found[0]:.2f} to {found[1]:.2f}"
