"""Parameters, trees and verdicts that a rubric command was given: from files, else the store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from cli.endings import complain, note
from cli.options import opened_store, progress
from cli.state import State

if TYPE_CHECKING:
    from rubric.inputs import Inputs
    from rubric.inventory import Inventory
    from rubric.score import ReportScore
    from rubric.settings import Overrides, Settings
    from rubric.tree import Tree
    from rubric.verdicts import VerdictTable

__all__ = [
    "Judged",
    "Parameters",
    "judged_of",
    "open_judged",
    "parameters_of",
    "read_files",
    "scored",
    "tell_hygiene",
]


@dataclass(frozen=True)
class Parameters:
    """The parameters of scoring that a command was given.

    Attributes:
        settings: From the file, with the guard of the flag.
        overrides: From flags.
        inventory: The shared directions.
    """

    settings: Settings
    overrides: Overrides
    inventory: Inventory


@dataclass(frozen=True)
class Judged:
    """Trees and the verdicts on reports.

    Attributes:
        trees: The trees.
        verdicts: The verdicts.
        systems: The systems asked for; None for all.
        parameters: The parameters of scoring.
    """

    trees: tuple[Tree, ...]
    verdicts: VerdictTable
    systems: tuple[str, ...] | None
    parameters: Parameters


def parameters_of(
    guard: str | None = None,
    weights: str | None = None,
    tau: Sequence[str] = (),
    kappa: Sequence[str] = (),
    settings_file: str | None = None,
    inventory: str | None = None,
) -> Parameters:
    """Return the parameters that the flags and the settings file say.

    Raises:
        SettingsError: A parameter has no such name or value.
        UsageError: A flag is not of its form.
    """
    from rubric.inventory import default_inventory, load_inventory
    from rubric.settings import GuardMode

    settings = _settings(settings_file)
    if guard is not None:
        settings = settings.model_copy(update={"guard": GuardMode(guard)})
    return Parameters(
        settings,
        _overrides(weights, tau, kappa),
        load_inventory(inventory) if inventory else default_inventory(),
    )


def _settings(file: str | None) -> Settings:
    from pathlib import Path

    from graphkit.errors import FormatError, Problem
    from graphkit.settings import find_settings_file
    from rubric.settings import Settings

    place = file or State.current().settings_file or find_settings_file()
    if place is None:
        return Settings()
    try:
        text = Path(place).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise FormatError(Problem(f"cannot be read: {why}", "unreadable", str(place))) from error
    return Settings.parse(text, str(place))


def _overrides(weights: str | None, tau: Sequence[str], kappa: Sequence[str]) -> Overrides:
    from pydantic import ValidationError

    from graphkit.errors import Problem, SettingsError
    from rubric.settings import Overrides

    data: dict[str, Any] = {
        "tau": _by_direction(tau, "tau"),
        "kappa": _by_direction(kappa, "kappa"),
    }
    if weights is not None:
        parts = [part.strip() for part in weights.replace(",", "/").split("/")]
        if len(parts) != 3:
            raise click.UsageError(
                f'--weights "{weights}" is not three numbers such as 0.5/0.3/0.2'
            )
        names = ("content", "citation", "presentation")
        data["weights"] = dict(zip(names, parts, strict=True))
    try:
        return Overrides.model_validate(data)
    except ValidationError as error:
        raise SettingsError(
            Problem(
                str(item["msg"]).removeprefix("Value error, "),
                "settings",
                subject="--" + " ".join(str(part) for part in item["loc"]),
            )
            for item in error.errors()
        ) from error


def _by_direction(values: Sequence[str], name: str) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for text in values:
        direction, equals, value = text.rpartition("=")
        key = direction.strip() if equals else "*"
        if not key or key in found:
            why = "names no direction" if not key else f'gives "{key}" a value twice'
            raise click.UsageError(f'--{name} "{text}" {why}')
        found[key] = None if value.strip() in ("none", "null") else value.strip()
    return found


def open_judged(
    files: Sequence[str],
    parameters: Parameters,
    *,
    store: str | None = None,
    systems: Sequence[str] = (),
    keep_going: bool = False,
) -> Judged:
    """Read trees and verdicts from files, or from the store where no file is named.

    Raises:
        InputError: Everything that is wrong in the files, or something is missing.
    """
    if files and store is not None:
        raise click.UsageError("either files or --store, not both")
    if files:
        found = read_files(files, parameters, keep_going=keep_going)
        return judged_of(found, parameters, systems)
    trees, verdicts = _from_store(store)
    return Judged(trees, verdicts, _systems(systems, verdicts), parameters)


def judged_of(found: Inputs, parameters: Parameters, systems: Sequence[str] = ()) -> Judged:
    """Return the trees and verdicts of files; a mistake where one of them is missing."""
    if not found.trees:
        raise click.UsageError("no rubric tree among the files")
    if found.verdicts is None:
        raise click.UsageError("no verdicts among the files")
    return Judged(found.trees, found.verdicts, _systems(systems, found.verdicts), parameters)


def read_files(
    files: Sequence[str],
    parameters: Parameters,
    *,
    kinds: Iterable[str] = ("trees", "verdicts"),
    keep_going: bool = False,
) -> Inputs:
    """Read files of rubric work; lines that are left out are told and counted."""
    from rubric.inputs import read_inputs

    if list(files).count("-") > 1:
        raise click.UsageError('standard input ("-") can be read only once')
    with progress(f"reading {len(files)} files"):
        found = read_inputs(
            files,
            kinds=kinds,
            keep_going=keep_going,
            settings=parameters.settings,
            inventory=parameters.inventory,
        )
    for problem in found.problems:
        complain(problem)
    State.current().skipped += len(found.problems)
    return found


def _from_store(store: str | None) -> tuple[tuple[Tree, ...], VerdictTable]:
    from rubric.stored import read_trees, read_verdict_table

    with opened_store(store, read_only=True) as opened, progress("reading the store"):
        return read_trees(opened), read_verdict_table(opened)


def _systems(wanted: Sequence[str], verdicts: VerdictTable) -> tuple[str, ...] | None:
    if not wanted:
        return None
    for name in wanted:
        if name not in verdicts.system_names:
            from graphkit.errors import did_you_mean

            hint = did_you_mean(name, verdicts.system_names)
            note(f"no verdict speaks of system {name}{hint}: its reports are not run")
    return tuple(dict.fromkeys(wanted))


def scored(judged: Judged) -> tuple[ReportScore, ...]:
    """Score every report."""
    from rubric.score import score_reports

    with progress("scoring", "reports"):
        return score_reports(
            judged.trees,
            judged.verdicts,
            systems=judged.systems,
            settings=judged.parameters.settings,
            overrides=judged.parameters.overrides,
            inventory=judged.parameters.inventory,
        )


def tell_hygiene(verdicts: VerdictTable, reports: Iterable[ReportScore]) -> dict[str, Any]:
    """Tell on standard error what had to be noted about verdicts; return it as plain data."""
    listed = list(reports)
    extra = sum(len(report.extra) for report in listed)
    missing = sum(
        list(report.reasons.values()).count("not run")
        for report in listed
        if report.status not in ("not_run", "missing")
    )
    hygiene = verdicts.hygiene
    for problem in hygiene.notes:
        note(str(problem))
    counted = (
        (hygiene.duplicates, "repeated (of one file the last line counts)"),
        (hygiene.vote_conflicts, "whose votes decide otherwise than the verdict (the votes count)"),
        (extra, "for atoms that the tree does not have"),
        (missing, "missing: atoms without a line are skipped"),
    )
    told = [f"{count:,} {what}" for count, what in counted if count]
    told += [f"{count:,} skipped: {reason}" for reason, count in hygiene.reasons.items()]
    if told:
        note(f"verdicts: {'; '.join(told)}")
    return {**hygiene.to_dict(), "extra": extra, "missing": missing}
