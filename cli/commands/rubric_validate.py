"""``graphkit rubric validate``: the sixteen static checks, before any token is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli import render
from cli.commands.rubric_options import (
    as_csv,
    one_format,
    print_csv,
)
from cli.commands.rubric_reading import (
    parameters_of,
)
from cli.endings import finish, note
from cli.options import as_json, limit_rows, progress

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from graphkit.errors import Problem
    from rubric.fact_library import FactLibrary
    from rubric.facts import Fact
    from rubric.inputs import Content
    from rubric.validation import Validation

__all__ = ["validate"]


@click.command
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--facts",
    "facts_files",
    multiple=True,
    metavar="FILE",
    help="A fact library; by default the facts of each tree. May be given again.",
)
@click.option(
    "--empty-report",
    metavar="FILE",
    help="Verdicts of the machine checks on a valid report without content.",
)
@click.option(
    "--accept",
    multiple=True,
    metavar="CODE",
    help="Accept the warnings of a check, by its code; again for more.",
)
@click.option(
    "--settings", "settings_file", metavar="FILE", help="A TOML file with a table [rubric]."
)
@click.option("--inventory", metavar="FILE", help="Other shared directions than the 23 built in.")
@click.option("--checks", "show_checks", is_flag=True, help="Show how each of the checks ended.")
@as_json
@as_csv
def validate(
    files: tuple[str, ...],
    facts_files: tuple[str, ...],
    empty_report: str | None,
    accept: tuple[str, ...],
    settings_file: str | None,
    inventory: str | None,
    show_checks: bool,
    json_: bool,
    csv_: bool,
) -> None:
    """Run the sixteen static checks on rubric trees.

    Errors block. Warnings need a decision: --accept CODE. A check that needs a fact library or
    a report without content says so when it lacks it. --json prints one document: trees (each
    with task_id, file, valid, findings, checks) and valid. Exits 3 when a tree is not valid.
    """
    from graphkit.errors import FormatError, GraphkitError
    from rubric.fact_library import read_facts
    from rubric.inputs import contents_of
    from rubric.validation import validate as run

    one_format(json_=json_, csv_=csv_)
    parameters = parameters_of(settings_file=settings_file, inventory=inventory)
    library = read_facts(facts_files) if facts_files else None
    empty = _empty_report(empty_report) if empty_report else None
    found: list[Validation] = []
    problems: list[Problem] = []
    with progress("validating", "trees"):
        for name, text in _packages(contents_of(files, ("trees",))):
            try:
                found.append(
                    run(
                        text,
                        facts=_facts(text, library),
                        empty_report=empty,
                        accept=accept,
                        inventory=parameters.inventory,
                        settings=parameters.settings,
                        file=name,
                    )
                )
            except GraphkitError as error:
                problems += [problem.at(name) for problem in error.problems]
    if problems:
        raise FormatError(dict.fromkeys(problems))
    found = _repeated(found)
    if json_:
        render.document(
            {
                "trees": [item.to_dict() for item in found],
                "valid": all(item.valid for item in found),
            }
        )
    elif csv_:
        print_csv(_HEADS, _findings(found))
    else:
        _print(found, show_checks=show_checks)
    finish(found=not all(item.valid for item in found))


_HEADS = ("file", "task_id", "severity", "code", "subject", "message", "accepted")


def _findings(found: list[Validation]) -> list[tuple[Any, ...]]:
    return [
        (item.file, item.task_id, finding.severity.value, finding.code, finding.subject,
         finding.message, finding.accepted)
        for item in found
        for finding in item.findings
    ]  # fmt: skip


def _packages(contents: Iterable[Content]) -> Iterator[tuple[str, bytes]]:
    """Yield name and text of every tree; of JSONL each line by itself."""
    for item in contents:
        lines = [(n, text) for n, text in enumerate(item.data.split(b"\n"), 1) if text.strip()]
        if item.name.removesuffix(".gz").endswith(".jsonl") and len(lines) > 1:
            yield from ((f"{item.name}:{number}", text) for number, text in lines)
        else:
            yield item.name, item.data


def _facts(text: bytes, library: FactLibrary | None) -> tuple[Fact, ...] | None:
    """Return the facts of a tree with those of the library; None to take those of the tree."""
    if library is None:
        return None
    from rubric.tree_reader import fields_of

    tree, _, _ = fields_of(text)
    own = tree.facts if tree is not None else ()
    found = {fact.fact_id: fact for fact in library.of(tree.task_id if tree else None)}
    return tuple({**found, **{fact.fact_id: fact for fact in own}}.values())


def _empty_report(file: str) -> dict[str, str]:
    """Read the verdicts of the machine checks on an empty report: lines, or one object."""
    from graphkit.errors import FormatError, Problem
    from rubric.literals import read_json
    from rubric.tree_reader import read_bytes
    from rubric.verdicts import WORDS

    data = read_bytes(file)
    try:
        whole = read_json(data, file)
    except FormatError:
        lines = [(n, line) for n, line in enumerate(data.split(b"\n"), 1) if line.strip()]
        records = [read_json(line, file, number) for number, line in lines]
        whole = None
    else:
        records = [whole] if isinstance(whole, dict) and "atom_id" in whole else []
    if not records and isinstance(whole, dict):
        found = {str(atom): word for atom, word in whole.items()}
    else:
        found = {
            str(item.get("atom_id")): item.get("verdict")
            for item in records
            if isinstance(item, dict)
        }
    wrong = [
        Problem(f"{word!r} is not one of {', '.join(WORDS)}", "verdict", file,
                subject=f"atom {atom}")
        for atom, word in found.items()
        if word not in WORDS
    ]  # fmt: skip
    if wrong or not found:
        raise FormatError(wrong or Problem("holds no verdict", "verdict", file))
    return found


def _repeated(found: list[Validation]) -> list[Validation]:
    """Add an error to every tree whose task another tree has already."""
    from dataclasses import replace

    from rubric.validation import CheckResult, Finding, Severity

    first: dict[str, str | None] = {}
    made = []
    for item in found:
        if item.task_id is not None and item.task_id in first:
            text = f"task_id: {item.task_id!r} is also that of {first[item.task_id]}"
            item = replace(
                item,
                findings=(Finding("identifiers", Severity.ERROR, "tree", text), *item.findings),
                checks=tuple(
                    CheckResult(check.code, "failed") if check.code == "identifiers" else check
                    for check in item.checks
                ),
            )
        elif item.task_id is not None:
            first[item.task_id] = item.file
        made.append(item)
    return made


def _print(found: list[Validation], *, show_checks: bool) -> None:
    findings = [row for row in _findings(found) if not row[-1]]
    if findings:
        rows = [(row[0], row[2], row[3], row[4], row[5]) for row in findings]
        heads = ("file", "", "check", "where", "what")
        click.echo(render.table(heads, limit_rows(rows)))
        click.echo()
    if show_checks:
        ended = [
            (item.file, check.code, check.status, check.lacks)
            for item in found
            for check in item.checks
        ]
        click.echo(render.table(("file", "check", "ended", "lacks"), ended))
        click.echo()
    else:
        lacking: dict[tuple[str, str], int] = {}
        for item in found:
            for check in item.checks:
                if check.status == "not_run":
                    key = (check.code, check.lacks)
                    lacking[key] = lacking.get(key, 0) + 1
        for (code, lacks), count in lacking.items():
            trees = "" if len(found) == 1 else f" on {count} of {len(found)} trees"
            note(f"{code} was not run{trees}: it needs {lacks}")
    for item in found:
        severities = [one.severity.value for one in item.findings if not one.accepted]
        accepted = sum(one.accepted for one in item.findings)
        told = [
            f"{severities.count(name)} {name}{'' if severities.count(name) == 1 else 's'}"
            for name in ("error", "warning")
        ]
        told += [f"{accepted} accepted"] if accepted else []
        word = "valid" if item.valid else "not valid"
        name = item.task_id or item.file or "tree"
        click.echo(f"{render.visible(name)}: {word} ({', '.join(told)})")
    warnings = {row[3] for row in findings if row[2] == "warning"}
    if warnings and not any(row[2] == "error" for row in findings):
        flags = " ".join(f"--accept {code}" for code in sorted(warnings))
        note(f"to accept the warnings: {flags}")
