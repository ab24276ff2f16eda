"""``graphkit check``: lint and grounded checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli import render
from cli.endings import finish, note
from cli.options import (
    Asked,
    as_json,
    limit_rows,
    no_store_yet,
    open_facts,
    open_questions,
    progress,
    takes_facts,
    takes_questions,
)
from cli.state import State

if TYPE_CHECKING:
    from graphkit.checks import CheckReport, Limits

__all__ = ["check"]


@click.command
@takes_questions
@takes_facts
@click.option(
    "--strict", is_flag=True, help="Exit 3 also for a question that is not sound, see below."
)
@click.option("--summary", is_flag=True, help="Print only the counts over all questions.")
@click.option("--save", is_flag=True, help="With --all: keep the verdicts in the store.")
@click.option("--max-length", type=int, help="The longest direct path looked for, in hops.")
@click.option("--max-fan-out", type=int, help="The largest set that this search follows.")
@click.option("--max-sets", type=int, help="Sets after which it gives an anchor up.")
@as_json
def check(
    files: tuple[str, ...],
    all_: bool,
    format_: str | None,
    keep_going: bool,
    facts_files: tuple[str, ...],
    relations: str | None,
    store: str | None,
    strict: bool,
    summary: bool,
    save: bool,
    max_length: int | None,
    max_fan_out: int | None,
    max_sets: int | None,
    json_: bool,
) -> None:
    """Check question graphs: lint, and what can be proven on facts.

    A question is sound when it has one answer, the declared one if there is one, no redundant
    condition, no shortcut and no lint error, and the search for shortcuts was complete; it is
    proven when it is sound and the basis is closed. Without any facts only lint runs.

    Exit code 3: lint found an error in a question; with --strict also: a question is not sound.
    --json prints one object a line and question.
    """
    from graphkit import checks

    if save and not all_:
        raise click.UsageError("--save keeps verdicts on the questions of the store: give --all")
    asked = open_questions(
        files, store, all_=all_, format_=format_, keep_going=keep_going, facts_files=facts_files
    )
    limits = _limits(max_length, max_fan_out, max_sets)
    facts = None
    if facts_files or not no_store_yet(store):
        facts = open_facts(facts_files, relations, store, keep_going=keep_going)
    else:
        note("no facts (--facts, or a store): only lint runs")
    reports: list[CheckReport] = []
    with progress("checking", "questions") as told:
        for item in asked:
            reports.append(checks.check(item.graph, facts, limits=limits))
            told(len(reports), len(asked))
            if json_ and not summary:
                render.line(reports[-1].to_record())
    if save:
        _save(store, asked, reports)
    if summary:
        _print_summary(reports, json_=json_)
    elif not json_:
        _print_table(asked, reports)
    bad = any(not report.valid for report in reports)
    finish(found=bad or (strict and any(not report.sound for report in reports)))


def _limits(max_length: int | None, max_fan_out: int | None, max_sets: int | None) -> Limits:
    from graphkit.checks import Limits

    flags = {
        "limits.max_length": max_length,
        "limits.max_fan_out": max_fan_out,
        "limits.max_sets": max_sets,
    }
    found = State.current().settings(flags).limits
    return Limits(found.max_length, found.max_fan_out, found.max_sets)


def _save(store: str | None, asked: list[Asked], reports: list[CheckReport]) -> None:
    from cli.options import opened_store
    from graphkit.stores import save_checks

    with opened_store(store) as opened:
        save_checks(opened, [(a.graph, r) for a, r in zip(asked, reports, strict=True)])


def _print_table(asked: list[Asked], reports: list[CheckReport]) -> None:
    rows = [
        (
            report.question_id,
            _verdict(report),
            report.answers_count,
            report.unique,
            report.faithful,
            None if report.redundant is None else len(report.redundant),
            None if report.shortcuts is None else len(report.shortcuts),
            report.basis.value,
        )
        for report in limit_rows(reports)
    ]
    heads = ("question", "verdict", "answers", "unique", "faithful", "redundant", "shortcuts")
    click.echo(render.table((*heads, "basis"), rows))
    lines = [text for item, report in zip(asked, reports, strict=True) for text in _told(report)]
    if lines:
        click.echo()
    for text in limit_rows(lines):
        click.echo(text)
    click.echo()
    _print_summary(reports, json_=False)


def _verdict(report: CheckReport) -> str:
    if not report.valid:
        return "invalid"
    if report.proven:
        return "proven"
    if report.sound:
        return "sound"
    return report.reason or "not sound"


def _told(report: CheckReport) -> list[str]:
    """Say what was found of one question, a line each."""
    found = [
        f"{item.severity.value} {item.code}: {', '.join(item.ids)}: {item.message}".replace(
            ": : ", ": "
        )
        for item in report.lint
        if item.severity.value != "info"
    ]
    if report.redundant:
        found.append(
            f"redundant: {', '.join(report.redundant)}: without it alone the answers are the same"
        )
    if report.core is not None and report.redundant:
        exact = "" if report.core.exact else " (searched greedily)"
        found.append(f"minimal core{exact}: {', '.join(report.core.ids) or 'nothing'}")
    for shortcut in report.shortcuts or ():
        shown = "; ".join(
            f"{name} {_listed(value)}" for name, value in shortcut.certificate.items()
        )
        found.append(f"shortcut {shortcut.kind}: {shown}")
    for name, search in report.searched.items():
        if not search["complete"]:
            found.append(f"the search for {name} was cut by its bounds")
    return [render.visible(f"{report.question_id}: {text}") for text in found]


def _listed(value: Any) -> str:
    return ", ".join(map(_listed, value)) if isinstance(value, list | tuple) else str(value)


def _print_summary(reports: list[CheckReport], *, json_: bool) -> None:
    from graphkit.checks import summarize

    counts = summarize(reports)
    if json_:
        render.document(counts)
        return
    total = counts.get("questions", 0)
    parts = [f"{total} question{'' if total == 1 else 's'}"]
    for name in ("valid", "sound", "proven"):
        parts.append(f"{counts.get(name, 0)} {name}")
    for name, words in (
        ("redundant", "with a redundant condition"),
        ("with_shortcut", "with a shortcut"),
    ):
        if counts.get(name):
            parts.append(f"{counts[name]} {words}")
    click.echo(", ".join(parts))
    for name in ("reasons", "lint"):
        if counts[name]:
            told = ", ".join(f"{key} {value}" for key, value in counts[name].items())
            click.echo(f"{name}: {told}")
