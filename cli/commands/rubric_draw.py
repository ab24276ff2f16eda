"""``graphkit rubric draw``: rubric trees, with what passed and failed where there are verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli.commands.rubric_options import check_output, takes_files, takes_parameters
from cli.commands.rubric_reading import judged_of, parameters_of, read_files
from cli.endings import finish, note
from cli.options import keep_going, opened_store, takes_store

if TYPE_CHECKING:
    from rubric.breakdown import Breakdown
    from rubric.tree import Tree
    from rubric.verdicts import VerdictTable

__all__ = ["draw"]


@click.command
@takes_files
@click.option(
    "-o", "--output", required=True, metavar="FILE", help="A picture: .png, .svg or .html."
)
@click.option("--task", metavar="ID", help="Which tree, where there are several.")
@click.option("--system", metavar="NAME", help="Whose report, where there are verdicts.")
@click.option("--title", help="The title of a .html.")
@click.option(
    "--scale", type=click.FloatRange(0.1, 10), default=2.0, show_default=True, help="Of a .png."
)
@takes_parameters
@takes_store
@keep_going
def draw(
    files: tuple[str, ...],
    output: str,
    task: str | None,
    system: str | None,
    title: str | None,
    scale: float,
    store: str | None,
    keep_going: bool,
    **flags: Any,
) -> None:
    """Draw rubric trees as PNG, SVG or one HTML page.

    With --system the leaves show what passed, failed or was set apart, and every box its
    points. A page shows any number of trees.
    """
    from rubric.pictures import draw_tree, draw_trees_page

    check_output(output, ("png", "svg", "html"))
    parameters = parameters_of(**flags)
    verdicts: VerdictTable | None = None
    if files:
        if store is not None:
            raise click.UsageError("either files or --store, not both")
        found = read_files(files, parameters, keep_going=keep_going)
        trees, verdicts = found.trees, found.verdicts
        if not trees:
            raise click.UsageError("no rubric tree among the files")
        if verdicts is not None:
            judged_of(found, parameters, [system] if system else ())
    else:
        from rubric.stored import read_trees, read_verdict_table

        with opened_store(store, read_only=True) as opened:
            trees = read_trees(opened)
            verdicts = read_verdict_table(opened) if system else None
    if system is not None and verdicts is None:
        raise click.UsageError("--system needs verdicts among the files")
    chosen = _chosen(trees, task)
    if len(chosen) > 1 and not output.lower().endswith(".html"):
        raise click.UsageError(
            f"a picture shows one tree, these are {len(chosen)}: choose one with --task ID, or "
            "draw a .html"
        )
    drawn = [(tree, _breakdown(tree, verdicts, system, parameters)) for tree in chosen]
    if output.lower().endswith(".html"):
        draw_trees_page(
            drawn, output, inventory=parameters.inventory, title=title or "Rubric trees"
        )
    else:
        tree, breakdown = drawn[0]
        draw_tree(tree, output, breakdown, inventory=parameters.inventory, scale=scale)
    finish()


def _chosen(trees: tuple[Tree, ...], task: str | None) -> list[Tree]:
    from graphkit.errors import InputError, did_you_mean

    if task is None:
        return list(trees)
    found = [tree for tree in trees if tree.task_id == task]
    if not found:
        hint = did_you_mean(task, [tree.task_id for tree in trees])
        raise InputError(f"task {task}: not among the trees{hint}")
    return found


def _breakdown(
    tree: Tree, verdicts: VerdictTable | None, system: str | None, parameters: Any
) -> Breakdown | None:
    """Take the score of a report apart; a report without a score is drawn without outcomes."""
    from rubric.breakdown import break_down
    from rubric.errors import RubricError

    if verdicts is None or system is None:
        return None
    try:
        return break_down(
            tree,
            verdicts,
            system,
            settings=parameters.settings,
            overrides=parameters.overrides,
            inventory=parameters.inventory,
        )
    except RubricError as error:
        note(f"{error}; the tree is drawn without outcomes")
        return None
