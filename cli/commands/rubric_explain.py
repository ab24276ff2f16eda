"""``graphkit rubric explain``: one score taken apart, atom by atom."""

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
)
from cli.commands.rubric_reading import (
    open_judged,
    parameters_of,
)
from cli.endings import finish, note
from cli.options import as_json, keep_going, takes_store

if TYPE_CHECKING:
    from rubric.breakdown import Breakdown

__all__ = ["explain"]


@click.command
@takes_files
@click.option("--task", metavar="ID", help="The task; needed where there are several trees.")
@click.option("--system", metavar="NAME", help="The system; needed where there are several.")
@click.option(
    "--top", type=click.IntRange(1), metavar="N", help="Only the N atoms that would add most."
)
@takes_parameters
@takes_store
@keep_going
@as_json
@as_csv
def explain(
    files: tuple[str, ...],
    task: str | None,
    system: str | None,
    top: int | None,
    store: str | None,
    keep_going: bool,
    json_: bool,
    csv_: bool,
    **flags: Any,
) -> None:
    """Explain the score of one report.

    Every atom with what it is worth now and what flipping it would change, the guard run again;
    the parts add up to the score. --json prints one document: task_id, system, score,
    score_exact, dimensions, directions, atoms.
    """
    from rubric.breakdown import break_down

    one_format(json_=json_, csv_=csv_)
    judged = open_judged(files, parameters_of(**flags), store=store, keep_going=keep_going)
    trees = {tree.task_id: tree for tree in judged.trees}
    chosen = _chosen(task, trees, "task")
    name = _chosen(system, dict.fromkeys(judged.verdicts.system_names), "system")
    made = break_down(
        trees[chosen],
        judged.verdicts,
        name,
        settings=judged.parameters.settings,
        overrides=judged.parameters.overrides,
        inventory=judged.parameters.inventory,
    )
    if json_:
        render.document(made.to_dict())
    elif csv_:
        print_csv(
            ("direction", "dimension", "atom_id", "outcome", "contribution", "gain", "question"),
            [
                (item.direction, made.dimension_of[item.direction], item.atom_id, item.outcome,
                 float(item.contribution), None if item.gain is None else float(item.gain),
                 made.question_of[item.atom_id])
                for item in made.atoms
            ],
        )  # fmt: skip
    else:
        _print(made, top)
    finish()


def _chosen(wanted: str | None, known: Any, kind: str) -> str:
    from graphkit.errors import InputError, did_you_mean

    names = sorted(known)
    if wanted is None and len(names) == 1:
        return str(names[0])
    shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    if wanted is None:
        raise click.UsageError(
            f"there are {len(names)} {kind}s: choose one with --{kind} ({shown})"
        )
    if wanted not in known:
        raise InputError(f"{kind} {wanted}: not among the {kind}s{did_you_mean(wanted, names)}")
    return wanted


def _print(made: Breakdown, top: int | None) -> None:
    click.echo(
        render.visible(f"task {made.task_id}, system {made.system}: ")
        + f"score {float(made.score):.2f} (exactly {made.score})"
    )
    click.echo()
    rows: list[tuple[Any, ...]] = [
        (item.id, float(item.weight), points(item.value, 4), points(item.points))
        for item in made.dimensions
    ]
    rows.append(("total", None, None, points(made.score)))
    click.echo(render.table(("dimension", "weight", "D", "points"), rows))
    click.echo()
    used = {item.direction for item in made.atoms}
    heads = ("direction", "role", "passed", "rate", "credited", "w", "g", "logic", "points")
    click.echo(
        render.table(
            heads,
            [
                (item.id, item.role, f"{item.passed}/{item.n}", points(item.rate, 3),
                 points(item.credited, 3), item.weight, item.gate, item.status,
                 points(item.points))
                for item in made.directions
                if item.id in used
            ],
        )
    )  # fmt: skip
    click.echo()
    atoms = list(made.atoms)
    if top is not None:
        atoms = sorted(
            (item for item in atoms if item.gain is not None and item.gain > 0),
            key=lambda item: (-(item.gain or 0), item.atom_id),
        )[:top]
    click.echo(
        render.table(
            ("direction", "atom", "outcome", "worth now", "would change", "question"),
            [
                (item.direction, item.atom_id, item.outcome, points(item.contribution),
                 points(item.gain, 2, "+"),
                 made.question_of[item.atom_id])
                for item in atoms
            ],
        )
    )  # fmt: skip
    if any(item.outcome == "na_guard" for item in made.atoms):
        note("na_guard: a failed citation of a fact that the report omits, turned N/A by the guard")
