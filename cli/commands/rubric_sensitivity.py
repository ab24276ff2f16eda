"""``graphkit rubric sensitivity``: rankings under other weights, thresholds and caps."""

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
from cli.commands.rubric_reading import open_judged, parameters_of
from cli.endings import finish
from cli.options import as_json, keep_going, limit_rows, progress, takes_store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rubric.statistics import Point, Sensitivity

__all__ = ["sensitivity"]

_TAU = ("0.2", "0.25", "0.3", "0.35", "0.4", "0.5", "0.75", "none")
_KAPPA = ("4", "8", "12", "16", "none")
_STEPS = 5


@click.command
@takes_files
@takes_parameters
@takes_systems
@click.option(
    "--grid-weights",
    metavar="N|C/R/P,...",
    help="Weights to try: all multiples of 1/N, or triples with commas between them.",
)
@click.option("--grid-tau", metavar="V,...", help="Saturations to try; none is one of them.")
@click.option("--grid-kappa", metavar="V,...", help="Caps to try; none is one of them.")
@takes_picture
@takes_store
@keep_going
@as_json
@as_csv
def sensitivity(
    files: tuple[str, ...],
    systems: tuple[str, ...],
    grid_weights: str | None,
    grid_tau: str | None,
    grid_kappa: str | None,
    output: str | None,
    store: str | None,
    keep_going: bool,
    json_: bool,
    csv_: bool,
    **flags: Any,
) -> None:
    """Rank the systems under a grid of settings, one group of parameters at a time.

    Saved verdicts are aggregated again, the guard too; no judge is called. Without a grid: all
    weights in fifths, tau 0.2 to none, kappa 4 to none. --json prints one document: released,
    settings, largest_change. -o draws how ranks move.
    """
    from rubric.statistics import sensitivity as run
    from rubric.statistics.regrading import grid_of

    one_format(json_=json_, csv_=csv_)
    check_output(output)
    parameters = parameters_of(**flags)
    asked = _points(grid_weights, grid_tau, grid_kappa)
    judged = open_judged(files, parameters, store=store, systems=systems, keep_going=keep_going)
    from rubric.statistics.overriding import released_under

    with progress(f"scoring under {len(asked)} settings"):
        grid = grid_of(
            judged.trees,
            judged.verdicts,
            systems=judged.systems,
            settings=parameters.settings,
            inventory=parameters.inventory,
        )
        found = run(asked, released_under(parameters.overrides, grid))
    if output is not None:
        from rubric.pictures import rank_stability

        rank_stability(found, output)
    if json_:
        render.document(found.to_record())
    elif csv_:
        print_csv(
            ("group", "setting", "system", "average", "rank", "change"),
            [
                (row.point.group, row.point.label, name, row.averages[name], row.ranks[name],
                 row.changes[name])
                for row in (found.released, *found.rows)
                for name in row.averages
            ],
        )  # fmt: skip
    else:
        _print(found)
    finish()


def _points(weights: str | None, tau: str | None, kappa: str | None) -> list[Point]:
    from rubric.statistics import kappa_points, tau_points, weight_points

    if weights is None and tau is None and kappa is None:
        return [
            *weight_points(_STEPS),
            *tau_points(map(_none, _TAU)),
            *kappa_points(map(_cap, _KAPPA)),
        ]
    found: list[Point] = []
    if weights is not None:
        steps = weights.strip()
        if steps.isascii() and steps.isdigit():
            found += weight_points(int(steps))
        else:
            found += weight_points([part.split("/") for part in _listed(weights)])
    if tau is not None:
        found += tau_points(map(_none, _listed(tau)))
    if kappa is not None:
        found += kappa_points(map(_cap, _listed(kappa)))
    return found


def _listed(text: str) -> list[str]:
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise click.UsageError(f'"{text}" has an empty place between commas')
    return parts


def _none(text: str) -> str | None:
    return None if text == "none" else text


def _cap(text: str) -> int | None:
    if text == "none":
        return None
    if not (text.isascii() and text.isdigit()):
        raise click.UsageError(f'--grid-kappa "{text}" is not a whole number or none')
    return int(text)


def _print(found: Sensitivity) -> None:
    systems = sorted(
        found.released.ranks, key=lambda name: (found.released.ranks[name] or 10**6, name)
    )
    rows: list[Sequence[Any]] = [
        (
            row.point.label,
            *(_cell(row.averages[name], row.ranks[name]) for name in systems),
            row.largest_change,
            points(row.score_change),
        )
        for row in (found.released, *found.rows)
    ]
    heads = ("setting", *systems, "rank moves", "score moves")
    click.echo(render.table(heads, limit_rows(rows)))
    click.echo()
    for group, change in found.largest_change.items():
        told = (
            "no rank" if change is None else f"at most {change} place{'' if change == 1 else 's'}"
        )
        click.echo(f"{group}: a system moves {told}")


def _cell(average: float | None, rank: int | None) -> str:
    return "-" if average is None else f"{average:.2f} #{rank}"
