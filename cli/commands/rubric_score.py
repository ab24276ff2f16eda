"""``graphkit rubric score``: reports scored exactly, from files or from the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli import render
from cli.commands.rubric_options import (
    as_csv,
    one_format,
    points,
    print_csv,
    takes_files,
    takes_parameters,
    takes_systems,
)
from cli.commands.rubric_reading import (
    Parameters,
    open_judged,
    parameters_of,
    scored,
    tell_hygiene,
)
from cli.endings import finish, note
from cli.options import as_json, keep_going, limit_rows, opened_store, takes_store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rubric.score import ReportScore

__all__ = ["score"]


@click.command
@takes_files
@takes_parameters
@takes_systems
@takes_store
@click.option("--save", is_flag=True, help="Keep the scores in the store, beside the verdicts.")
@keep_going
@as_json
@as_csv
def score(
    files: tuple[str, ...],
    systems: tuple[str, ...],
    store: str | None,
    save: bool,
    keep_going: bool,
    json_: bool,
    csv_: bool,
    **flags: Any,
) -> None:
    """Score every report, exactly.

    --json prints one document: reports (task_id, system, status, score, score_exact,
    dimensions, directions, counts, bounds, na_guard, flags, outcomes, skipped), verdicts (what
    had to be noted about them) and parameters. Save it, and "rubric verify" checks it later. A
    task and system without any line is not_run; a missing report scores 0.
    """
    one_format(json_=json_, csv_=csv_)
    parameters = parameters_of(**flags)
    if save and files:
        raise click.UsageError("--save keeps scores of what is in the store: name no files")
    judged = open_judged(files, parameters, store=store, systems=systems, keep_going=keep_going)
    reports = scored(judged)
    hygiene = tell_hygiene(judged.verdicts, reports)
    if save:
        from rubric.stored import save_scores

        with opened_store(store) as opened:
            kept = save_scores(opened, [report.to_dict() for report in reports])
        note(f"{kept} scores are in the store")
    if json_:
        render.document(
            {
                "reports": [report.to_dict() for report in reports],
                "verdicts": hygiene,
                "parameters": parameter_record(parameters),
            }
        )
    elif csv_:
        print_csv(_HEADS, [_row(report) for report in reports])
    else:
        _print(reports)
    finish()


_HEADS = (
    "task_id", "system", "status", "score", "content", "citation", "presentation", "low", "high",
    "yes", "no", "na", "skipped", "guard_candidates", "guard_applied", "flags",
)  # fmt: skip


def _row(report: ReportScore) -> list[Any]:
    data = report.to_dict()
    return [
        report.task_id,
        report.system,
        report.status,
        data["score"],
        *(data["dimensions"].get(name) for name in ("content", "citation", "presentation")),
        data["bounds"]["low"],
        data["bounds"]["high"],
        *(report.counts[word] for word in ("yes", "no", "na", "skipped")),
        len(data["na_guard"]["candidate_ids"]),
        len(data["na_guard"]["applied_ids"]),
        " ".join(report.flags),
    ]


def _print(reports: Sequence[ReportScore]) -> None:
    heads = (
        "task", "system", "score", "status", "content", "citation", "present.", "bounds",
        "yes", "no", "na", "skip", "guard", "flags",
    )  # fmt: skip
    rows = []
    for report in limit_rows(reports):
        row = dict(zip(_HEADS, _row(report), strict=True))
        low, high = row["low"], row["high"]
        open_ = low is not None and low != high
        guard = f"{row['guard_applied']}/{row['guard_candidates']}"
        rows.append(
            (
                row["task_id"],
                row["system"],
                points(row["score"]),
                report.status,
                *(points(row[name], 3) for name in ("content", "citation", "presentation")),
                f"{low:.2f} to {high:.2f}" if open_ else "",
                *(row[word] for word in ("yes", "no", "na", "skipped")),
                guard if row["guard_candidates"] else "",
                row["flags"],
            )
        )
    click.echo(render.table(heads, rows))


def parameter_record(parameters: Parameters) -> dict[str, Any]:
    """Return the parameters of scoring as plain data: values, and which are assumed."""
    from rubric.settings import parameters as listed

    names = ("weights", "tau", "kappa", "guard", "coverage")
    settings = parameters.settings.model_dump(mode="json", include=set(names))
    settings["coverage"] = sorted(settings["coverage"])
    assumed = [item.name for item in listed(parameters.settings) if item.assumed]
    return {
        "settings": settings,
        "overrides": parameters.overrides.model_dump(mode="json", exclude_unset=True),
        "assumed": [name for name in assumed if name in names],
    }
