"""``graphkit rubric rates``: pass rates by direction and level, means by group of tasks."""

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
from cli.commands.rubric_reading import open_judged, parameters_of, scored
from cli.endings import finish
from cli.options import as_json, keep_going, takes_store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rubric.statistics.rates import GroupMeans, RateRow
    from rubric.tree import Tree

__all__ = ["rates"]


@click.command
@takes_files
@click.option(
    "--by",
    type=click.Choice(["direction", "level", "category", "query-form"]),
    default="direction",
    show_default=True,
    help="Rates of atoms by direction or evidence level; mean scores of tasks by a key of theirs.",
)
@takes_parameters
@takes_systems
@takes_picture
@takes_store
@keep_going
@as_json
@as_csv
def rates(
    files: tuple[str, ...],
    by: str,
    systems: tuple[str, ...],
    output: str | None,
    store: str | None,
    keep_going: bool,
    json_: bool,
    csv_: bool,
    **flags: Any,
) -> None:
    """Tell pass rates by direction or level, or mean scores by category or query form.

    Rates are over evaluable reports, after the guard: a system's is the mean of its reports'
    rates; beside them the mean over systems and the share of all atoms together (pooled).
    Category means are over successful reports, query-form means count failures as 0. -o draws
    rates by direction as a heat map.
    """
    from rubric.statistics import (
        category_means,
        decisions,
        pass_rates,
        query_form_means,
        score_table,
    )

    one_format(json_=json_, csv_=csv_)
    check_output(output)
    if output is not None and by in ("category", "query-form"):
        raise click.UsageError("-o draws rates by direction or level")
    judged = open_judged(
        files, parameters_of(**flags), store=store, systems=systems, keep_going=keep_going
    )
    reports = scored(judged)
    rows: Sequence[RateRow | GroupMeans]
    if by == "direction" or by == "level":
        found = pass_rates(decisions(reports, judged.trees), by)  # type: ignore[arg-type]
        rows = _in_order(found, judged.trees) if by == "direction" else found
        if output is not None:
            from rubric.pictures import heat_map

            heat_map([row for row in rows if not _is_group(row)], output)
    else:
        groups = _groups(judged.trees, by.replace("-", "_"))
        means = category_means if by == "category" else query_form_means
        rows = means(score_table(reports), groups)
    if json_:
        render.document({"by": by, "rows": [row.to_record() for row in rows]})
    else:
        _show(rows, by, csv_=csv_)
    finish()


def _is_group(row: Any) -> bool:
    return hasattr(row, "group")


def _in_order(rows: Sequence[RateRow], trees: Sequence[Tree]) -> list[RateRow]:
    """Return rates by direction in the order of the inventory, others behind."""
    from rubric.inventory import default_inventory

    known = {name: place for place, name in enumerate(default_inventory().by_id)}
    return sorted(rows, key=lambda row: (known.get(row.key, len(known)), row.key))


def _groups(trees: Sequence[Tree], key: str) -> dict[str, str]:
    found = {}
    for tree in trees:
        value = (tree.model_extra or {}).get(key)
        if isinstance(value, str) and value:
            found[tree.task_id] = value
    return found


def _show(rows: Sequence[Any], by: str, *, csv_: bool) -> None:
    atoms = by in ("direction", "level")
    names = sorted({name for row in rows for name in _values(row)})
    heads = (by, *names, "mean", "pooled", "atoms" if atoms else "reports")
    table = [
        (
            row.key if atoms else row.group,
            *(_shown(_values(row).get(name), atoms, csv_) for name in names),
            _shown(row.mean_over_configurations if atoms else row.mean_over_systems, atoms, csv_),
            _shown(row.pooled, atoms, csv_),
            row.pooled.count,
        )
        for row in rows
    ]
    if csv_:
        print_csv(heads, table)
    else:
        click.echo(render.table(heads, table))


def _values(row: Any) -> Any:
    return row.systems if _is_group(row) else row.configurations


def _shown(measure: Any, atoms: bool, csv_: bool) -> Any:
    if measure is None or measure.value is None or csv_:
        return None if measure is None else measure.value
    return points(measure.value, 1, "%") if atoms else points(measure.value)
