"""``graphkit rubric verify``: do saved scores follow the guard, and the intended order?"""

from __future__ import annotations

from typing import Any

import click

from cli import render
from cli.commands.rubric_options import (
    as_csv,
    one_format,
    print_csv,
    takes_files,
    takes_parameters,
)
from cli.commands.rubric_reading import parameters_of, read_files
from cli.endings import finish
from cli.options import as_json, limit_rows, opened_store, progress, takes_store

__all__ = ["verify"]


@click.command
@takes_files
@takes_parameters
@click.option(
    "--strict", is_flag=True, help="Also exit 3 where the guard itself breaks the intended order."
)
@takes_store
@as_json
@as_csv
def verify(
    files: tuple[str, ...],
    strict: bool,
    store: str | None,
    json_: bool,
    csv_: bool,
    **flags: Any,
) -> None:
    """Verify saved scores: the na-order check.

    FILES are trees and saved scores (rubric score --json); without files those of the store.
    Every outcome is read back, the guard is run again, each reading and score is compared
    exactly; the guard is that of each result. intended_order is no mistake of a result: there
    the published guard scores a report that says more lower. Exits 3 when a result is wrong.
    """
    from rubric.na_order import verify_na_order

    one_format(json_=json_, csv_=csv_)
    parameters = parameters_of(**flags)
    if files:
        if store is not None:
            raise click.UsageError("either files or --store, not both")
        found = read_files(files, parameters, kinds=("trees", "scores"))
        trees, scores = found.trees, found.scores
    else:
        from rubric.stored import read_scores, read_trees

        with opened_store(store, read_only=True) as opened, progress("reading the store"):
            trees, scores = read_trees(opened), tuple(read_scores(opened))
    if not trees:
        raise click.UsageError("no rubric tree among the files")
    if not scores:
        raise click.UsageError(
            "no saved scores: rubric score --json prints them, --save keeps them"
        )
    with progress("verifying", "reports"):
        findings = verify_na_order(
            scores,
            trees,
            settings=parameters.settings,
            overrides=parameters.overrides,
            inventory=parameters.inventory,
        )
    wrong = [item for item in findings if item.code != "intended_order"]
    if json_:
        render.document(
            {
                "verified": len(scores),
                "valid": not wrong,
                "findings": [item.to_dict() for item in findings],
            }
        )
    else:
        rows = [(item.task_id, item.system, item.code, item.message) for item in findings]
        heads = ("task_id", "system", "code", "message")
        if csv_:
            print_csv(heads, rows)
        else:
            if rows:
                click.echo(render.table(heads, limit_rows(rows)))
                click.echo()
            order = len(findings) - len(wrong)
            click.echo(
                f"{len(scores):,} scores: {len(wrong):,} mistakes; in {order:,} places the guard "
                "breaks the intended order"
            )
    finish(found=bool(wrong) or (strict and bool(findings)))
