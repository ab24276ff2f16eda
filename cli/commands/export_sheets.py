"""``graphkit export sheets`` and ``graphkit export tally``: validation by two experts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli import render
from cli.endings import finish, note
from cli.options import as_json, limit_rows
from cli.state import State

if TYPE_CHECKING:
    from synthesis.release import Tally

__all__ = ["sheets", "tally"]


@click.command
@click.argument("release", metavar="RELEASE")
@click.option("-o", "--output", metavar="DIR", required=True, help="The folder for the sheets.")
@click.option(
    "--size",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    metavar="N",
    help="How many questions of each language.",
)
@click.option("--seed", type=int, help="Another seed draws other questions.")
@click.option("--replace", is_flag=True, help="Put them in the place of what is in the folder.")
def sheets(release: str, output: str, size: int, seed: int | None, replace: bool) -> None:
    """Draw questions of a release and write the sheets of two experts and of their discussion.

    A row for each evidence record (is it correct?), and two for each question (is it consistent
    with its evidence and unambiguous? can the answer be inferred?). RELEASE is the folder of a
    release, sealed or not. The sheets hold answers and are not to be published.
    """
    from graphkit.formats.writing import encode
    from synthesis.release import canary_text, put_folder, read_release, validation_sheets

    content, settings = read_release(release)
    drawn = State.current().settings({"seed": seed}).seed
    found = validation_sheets(
        content, size=size, seed=drawn, canary=canary_text(settings.canary or "")
    )
    put_folder({name: encode(text) for name, text in found.items()}, output, replace=replace)
    click.echo(f"{render.visible(output)} holds {', '.join(found)}")
    finish()


@click.command
@click.argument("first", metavar="SHEET_A")
@click.argument("second", metavar="SHEET_B")
@click.argument("discussion", required=False, metavar="[DISCUSSION]")
@as_json
def tally(first: str, second: str, discussion: str | None, json_: bool) -> None:
    """Count what two experts say: agreement, and the share of questions that pass each check.

    A verdict stands where both give it; where they differ, the column after_discussion decides,
    in DISCUSSION or in either sheet. Rows that are still open are listed, count neither way, and
    make the exit code 3.
    """
    from synthesis.release import tally_sheets

    found = tally_sheets(first, second, discussion)
    if json_:
        render.document(found.to_record())
    else:
        _print(found)
    if found.open:
        note(f"{len(found.open):,} rows are open: to be judged, or to be discussed")
    finish(found=bool(found.open))


def _print(found: Tally) -> None:
    told = ", ".join(f"{count:,} in {name}" for name, count in found.languages.items())
    click.echo(f"{found.questions:,} questions ({told})\n")
    record = found.to_record()
    names = {
        "evidence": "all evidence is correct",
        "question": "consistent with it and unambiguous",
        "answer": "answer follows from it",
        "all": "all three",
    }
    rows = [_share_row(names[name], share) for name, share in record["shares"].items()]
    rows.append(_share_row("single evidence records", record["evidence_rows"]))
    heads = ["questions that pass", "passed", "failed", "open", "share", "95 % interval"]
    click.echo(render.table(heads, rows))
    click.echo()
    agreements = [
        (name, item["rows"], item["same"], _percent(item["share"]), item["kappa"])
        for name, item in record["agreement"].items()
    ]
    heads = ["rows of check", "both judged", "agree", "share", "Cohen's kappa"]
    click.echo(render.table(heads, agreements))
    for title, items in (("open", found.open), ("discussed", found.discussed)):
        if items:
            rows = [
                (
                    item.item_id,
                    item.question_id,
                    item.check,
                    *map(render.mark, item.verdicts),
                    item.about,
                )
                for item in limit_rows(items)
            ]
            click.echo()
            click.echo(render.table((title, "question", "check", "A", "B", "about"), rows))


def _share_row(name: str, share: dict[str, Any]) -> tuple[Any, ...]:
    low, high = share["interval"] or (None, None)
    between = "-" if low is None else f"{_percent(low)} to {_percent(high)}"
    return (
        name,
        share["passed"],
        share["failed"],
        share["undecided"],
        _percent(share["share"]),
        between,
    )


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"
