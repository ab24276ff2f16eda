"""``graphkit rubric import``: rubrics of other sets, and a reason for each row left behind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli import render
from cli.endings import complain, finish, note
from cli.options import as_json, keep_going, limit_rows, progress
from cli.state import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphkit.errors import Problem
    from rubric.formats import Conversion, Imported

__all__ = ["import_"]


@click.command("import")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format",
    "format_",
    metavar="NAME",
    help="paperbench, drbench, healthbench, weighted or csv; by default told by the content.",
)
@click.option("-o", "--output", metavar="FILE", help="Write the rubrics, a line each (JSONL).")
@click.option(
    "--to",
    type=click.Choice(["weighted", "tree"]),
    default="weighted",
    show_default=True,
    help="Write them with their own weights, or as rubric trees of ours where they can be.",
)
@click.option(
    "--direction",
    "directions",
    multiple=True,
    metavar="[ID=]DIRECTION",
    help="With --to tree: the direction of a criterion, of a group's criteria, or of all.",
)
@click.option(
    "--ignore-weights", is_flag=True, help="With --to tree: carry rows whose weight is lost."
)
@click.option(
    "--rename-duplicates", is_flag=True, help="Give ids that are used twice a suffix (id#2)."
)
@click.option("--rows", "show_rows", is_flag=True, help="Show every row that is not carried.")
@keep_going
@as_json
def import_(
    files: tuple[str, ...],
    format_: str | None,
    output: str | None,
    to: str,
    directions: tuple[str, ...],
    ignore_weights: bool,
    rename_duplicates: bool,
    show_rows: bool,
    keep_going: bool,
    json_: bool,
) -> None:
    """Import PaperBench task trees, DeepResearch Bench criteria, point lists and CSV.

    Weighted rubrics keep their own aggregation; the root of a graded one is recomputed. An atom
    of ours counts once and never subtracts, so --to tree cannot carry every row: each that is
    left behind is told by id and reason.
    """
    from graphkit.errors import FormatError, GraphkitError
    from rubric.formats import Options, import_file

    chosen = _directions(directions)
    if to == "tree" and not chosen:
        raise click.UsageError("--to tree needs --direction, for instance --direction C-AP")
    if to != "tree" and (chosen or ignore_weights):
        raise click.UsageError("--direction and --ignore-weights are for --to tree")
    problems: list[Problem] = []
    found: list[tuple[str, Imported]] = []
    with progress("importing", "files") as told:
        for number, file in enumerate(files):
            told(number, len(files))
            try:
                made = import_file(file, format_, Options(rename_duplicates), keep_going=True)
            except GraphkitError as error:
                problems += error.problems
                continue
            if not made.rubrics and not made.problems:
                problems += FormatError("holds no rubric").at(file).problems
            problems += made.problems
            found.append((file, made))
    if problems:
        if not keep_going:
            raise FormatError(problems)
        for problem in problems:
            complain(problem)
        State.current().skipped += len(problems)
    weights = "ignore" if ignore_weights else "exact"
    records, written = [], []
    for file, made in found:
        for remark in made.notes if not json_ else ():
            note(str(remark))
        for rubric in made.rubrics:
            record = _record(file, made, rubric)
            line: dict[str, Any] | None = rubric.to_record()
            if to == "tree":
                from rubric.formats import to_task_tree

                turned = to_task_tree(rubric, chosen, weights=weights)  # type: ignore[arg-type]
                record |= _turned(turned)
                line = turned.record
                _tell_rows(turned, show=show_rows and not json_)
            if line is not None:
                written.append(line)
            records.append(record)
    if output is not None:
        _write(output, written)
    if json_:
        render.document({"rubrics": records, "written": len(written) if output else 0})
    else:
        _print(records, to)
        if output is not None:
            note(f"{len(written)} rubrics are in {output}")
    finish()


def _directions(values: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in values:
        row, equals, direction = text.rpartition("=")
        found[row if equals else "*"] = direction
    return found


def _record(file: str, made: Imported, rubric: Any) -> dict[str, Any]:
    from rubric.formats import PointList, replay

    record: dict[str, Any] = {
        "file": file,
        "format": made.format,
        "id": rubric.id,
        "language": rubric.language,
        "criteria": len(rubric.items if isinstance(rubric, PointList) else rubric.leaves),
        "notes": [str(item) for item in made.notes],
    }
    if isinstance(rubric, PointList):
        record["possible"] = float(rubric.possible)
        record["score"] = float(rubric.score()) if rubric.graded else None
        return record
    record["groups"] = len(rubric.nodes) - len(rubric.leaves)
    if rubric.graded and rubric.by_id[rubric.root].recorded is not None:
        again = replay(rubric)
        record |= {
            "recorded": again.recorded,
            "recomputed": again.root,
            "exact": str(again.exact),
            "matches": again.matches and again.root == again.recorded,
        }
    elif rubric.graded:
        exact = rubric.aggregate().score
        record |= {"score": float(exact), "exact": str(exact)}
    return record


def _turned(turned: Conversion) -> dict[str, Any]:
    return {
        "carried": len(turned.carried),
        "same_score": turned.exact,
        "left": [
            {"id": (row.subject or "").removeprefix("row "), "code": row.code,
             "reason": row.message}
            for row in turned.rows
        ],
    }  # fmt: skip


def _tell_rows(turned: Conversion, *, show: bool) -> None:
    if show:
        for row in turned.rows:
            note(str(row))


def _write(output: str, records: Sequence[dict[str, Any]]) -> None:
    import json

    from graphkit.formats import write_text

    if output != "-" and not Path(output).name:
        raise click.UsageError(f'-o "{output}" names no file')
    write_text(output, (json.dumps(item, ensure_ascii=False) + "\n" for item in records))


def _print(records: Sequence[dict[str, Any]], to: str) -> None:
    heads = ["rubric", "format", "criteria", "groups", "recorded", "recomputed", "score"]
    rows: list[list[Any]] = [
        [
            item["id"],
            item["format"],
            item["criteria"],
            item.get("groups"),
            _full(item.get("recorded")),
            _full(item.get("recomputed")),
            _full(item.get("score")),
        ]
        for item in records
    ]
    if to == "tree":
        heads += ["carried", "left", "same score"]
        for row, item in zip(rows, records, strict=True):
            row += [item["carried"], len(item["left"]), item["same_score"]]
    click.echo(render.table(heads, limit_rows(rows)))
    for item in records:
        if item.get("matches") is False:
            note(f"{item['id']}: the recorded root is not that of its children")
    if to == "tree":
        reasons: dict[str, int] = {}
        for item in records:
            for row in item["left"]:
                reasons[row["code"]] = reasons.get(row["code"], 0) + 1
        for code, count in sorted(reasons.items()):
            note(f"{count} rows left or carried without their weight: {code} (--rows shows each)")


def _full(value: float | None) -> str | None:
    """Return a number with all its digits, so that it can be compared."""
    return None if value is None else repr(value)
