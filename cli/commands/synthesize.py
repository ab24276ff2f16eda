"""``graphkit synthesize``: the three-agent loop with models and web tools."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli import render
from cli.endings import FAILED, complain, note
from cli.looping import until_done
from cli.model_options import LIMITS, model_settings, settings_file, spending, takes_models
from cli.options import as_json, limit_rows, progress
from cli.state import State

if TYPE_CHECKING:
    from synthesis.run import RunProgress, RunResult
    from synthesis.run_folder import RunFolder, RunPlan

__all__ = ["synthesize"]

_REASONS = 5
_MENDING = (
    "a wrong address, key variable or model that never answered can be mended: graphkit --settings "
    "FILE synthesize --resume {}"
)
_PAID = {"model": "models", "search": "the search provider"}
_COSTS = ("agent", "model", "calls", "from log", "in", "kept", "out", "thought", "cost")
_BASIS = {"closed": "unique, its relations are complete", "evidence": "unique on the evidence"}


@click.command
@click.option(
    "--seeds",
    "seeds_file",
    metavar="FILE",
    help="Entities to start from: a name a line, or JSONL of seeds; see docs/synthesis.md.",
)
@click.option(
    "--entity", "entities", multiple=True, metavar="NAME", help="One entity to start from."
)
@click.option(
    "--find-seeds", type=click.IntRange(1), metavar="N", help="Let the seed agent find so many."
)
@click.option("--domains", metavar="FILE", help="Domains and sub-domains, in place of ours.")
@click.option("--run", "folder", metavar="DIR", help="The folder of the run, new or empty.")
@click.option("--resume", metavar="DIR", help="Go on with the run in this folder.")
@click.option("--relations", metavar="FILE", help="A relation sheet: aliases, types, directions.")
@click.option("--since", metavar="DATE", help="The timestamp t: what is known since then is fresh.")
@click.option("--language", type=click.Choice(["en", "zh"]), help="The language of everything.")
@click.option("--min-iterations", type=int, help="At least so many questions one after the other.")
@click.option("--max-iterations", type=int, help="After that many a seed is given up.")
@click.option("--min-edges", type=int, help="Edges of a finished question, at least.")
@click.option("--parallel", type=int, help="Seeds that are worked on at a time.")
@click.option("--rivals/--no-rivals", default=None, help="Search the web for other answers.")
@takes_models
@as_json
def synthesize(
    seeds_file: str | None,
    entities: tuple[str, ...],
    find_seeds: int | None,
    domains: str | None,
    folder: str | None,
    resume: str | None,
    relations: str | None,
    model: str | None,
    base_url: str | None,
    json_: bool,
    **knobs: Any,
) -> None:
    """Grow questions from the live web with a language model, each with its history and checks.

    Three agents work on each seed: one gathers evidence and writes, one filters what is not
    reliable or too well known, one parses the question into a graph, checks it on the evidence
    and says how it should grow. See docs/synthesis.md for the settings tables [synthesis], [web]
    and [models.*] of graphkit.toml.

    Everything lies in the folder of the run. It can be stopped at any moment; --resume goes on,
    and nothing is asked or paid for twice. The exit code is 1 while seeds are unfinished.

    A wrong endpoint, key variable, price or limit is mended on the way: with "graphkit --settings
    FILE synthesize --resume DIR", or with --base-url, --model and --parallel beside --resume. The
    model of an agent that has answered already stays.
    """
    from synthesis.readiness import require_ready
    from synthesis.run_folder import RunFolder

    limits = {name: knobs.pop(name) for name in LIMITS}
    if resume is not None:
        given = {
            "seeds": seeds_file,
            "entity": entities,
            "find_seeds": find_seeds,
            "domains": domains,
            "run": folder,
            "relations": relations,
            **{name: value for name, value in knobs.items() if name != "parallel"},
        }
        _only_resume(given)
        run = _opened(Path(resume), model, base_url, knobs["parallel"])
    else:
        if folder is None:
            raise click.UsageError("--run DIR is missing: the folder in which the run is kept")
        if not (seeds_file or entities or find_seeds):
            raise click.UsageError(
                "no seeds: expected --seeds FILE, --entity NAME or --find-seeds N"
            )
        plan = _plan(relations, model, base_url, knobs)
        plan = plan.model_copy(
            update={
                "seeds": _given_seeds(seeds_file, entities),
                "find_seeds": find_seeds or 0,
                "domains": _domains(domains) if find_seeds else (),
            }
        )
        require_ready(plan)
        spending(limits, plan.models)
        run = RunFolder.create(Path(folder), plan)
    budget = spending(limits, run.plan.models)
    State.current().go_on = f"graphkit synthesize --resume {run.path} goes on"
    result = until_done(_run(run, budget))
    if json_:
        render.document(result.to_record())
    else:
        _tell(run, result)
    _complain(run, result)
    if result.unfinished or result.stopped:
        click.get_current_context().exit(FAILED)


def _complain(run: RunFolder, result: RunResult) -> None:
    """Say why seeds are not finished: the reason of all of them, else those of the first few."""
    reasons = [] if result.stopped else list(result.unfinished.items())
    if result.stopped:
        complain(f"the run stopped: {result.stopped}")
    names = {seed.id: f"{seed.entity_name} ({seed.id})" for seed in run.plan.seeds}
    for seed, reason in reasons[:_REASONS]:
        complain(f"seed {names.get(seed, seed)} is not finished: {reason}")
    left = result.seeds - sum(result.outcomes.values())
    if left:
        complain(
            f"{left:,} of {result.seeds:,} seeds are not finished; --resume {run.path} goes on"
        )
    if result.mendable:
        note(_MENDING.format(run.path))


def _only_resume(given: Mapping[str, Any]) -> None:
    """Refuse options that would change a run that has begun."""
    named = [name for name, value in given.items() if value not in (None, ())]
    if named:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in named)
        raise click.UsageError(
            f"{flags}: a run that is resumed keeps what it was begun with; expected --resume DIR, "
            "limits, and what says where models are asked: --model, --base-url, --parallel, and "
            "--settings FILE before synthesize"
        )


def _opened(folder: Path, model: str | None, base_url: str | None, parallel: int | None) -> Any:
    """Open a run that goes on, mended as the options want it."""
    from cli.mending import mended
    from graphkit.stores.schema import package_version
    from synthesis.run_folder import RunFolder

    run = RunFolder.open(folder)
    version = package_version()
    if run.graphkit != version:
        begun = run.graphkit or "a version that did not write its name down"
        note(
            f"the run was begun with graphkit {begun}, this is {version}: a step that comes out "
            "otherwise than it is written down ends it"
        )
    return mended(run, model, base_url, parallel)


def _plan(
    relations: str | None, model: str | None, base_url: str | None, knobs: Mapping[str, Any]
) -> RunPlan:
    from graphkit.formats.facts import read_sheet
    from synthesis.loop_settings import LoopSettings, read_table
    from synthesis.run_folder import RunPlan, web_settings

    file = settings_file()
    origin = str(file) if file else None
    settings = State.current().settings()
    table = {"seed": settings.seed, **read_table(file, "synthesis"), **_given(knobs)}
    if "language" not in table and settings.language.split("-")[0] == "zh":
        table["language"] = "zh"
    sheet = ""
    if relations is not None:
        read_sheet(relations)
        sheet = Path(relations).read_text(encoding="utf-8")
    loop, web, models = _all_at_once(
        lambda: LoopSettings.checked(table, origin=origin),
        lambda: web_settings(read_table(file, "web"), origin=origin),
        lambda: model_settings(read_table(file, "models"), model, base_url),
    )
    return RunPlan(loop=loop, web=web, models=models, sheet=sheet)


def _all_at_once(*readers: Callable[[], Any]) -> list[Any]:
    """Return what each table of settings comes to; what is wrong in any is told together."""
    from graphkit.errors import Problem, SettingsError

    found: list[Any] = []
    problems: list[Problem] = []
    for read in readers:
        try:
            found.append(read())
        except SettingsError as error:
            problems += error.problems
    if problems:
        raise SettingsError(problems)
    return found


def _given(knobs: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in knobs.items() if value is not None}


def _given_seeds(seeds_file: str | None, entities: tuple[str, ...]) -> tuple[Any, ...]:
    from pydantic import ValidationError

    from synthesis.seed_files import read_seeds
    from synthesis.seeds import Seed, deduplicated

    found = read_seeds(seeds_file) if seeds_file else []
    for name in entities:
        try:
            found.append(Seed(entity_name=name))
        except ValidationError as error:
            why = str(error.errors()[0]["msg"]).removeprefix("Value error, ")
            raise click.UsageError(f"--entity {name[:40]!r} is no seed: {why}") from error
    return tuple(deduplicated(found))


def _domains(file: str | None) -> tuple[Any, ...]:
    from synthesis.domains import read_domains

    return read_domains(Path(file) if file else None)


async def _run(run: RunFolder, budget: Any) -> RunResult:
    from graphkit.errors import BudgetError, ModelError
    from synthesis.run import run_seeds
    from synthesis.seed_search import find_run_seeds
    from synthesis.web import WebError

    if run.plan.find_seeds:
        try:
            with progress("finding seeds", "seeds") as told:
                run = await find_run_seeds(run, budget=budget, told=told)
        except (BudgetError, ModelError, WebError):
            complain(f"the search for seeds has not come to its end; --resume {run.path} goes on")
            note(_MENDING.format(run.path))
            raise
    with progress("synthesizing", "seeds") as told:
        start = time.monotonic()
        before: list[int] = []

        def each(state: RunProgress) -> None:
            if not before:
                before.append(state.done)
            told.unit = _so_far(state, state.done - before[0], time.monotonic() - start)
            told(state.done, state.total)

        return await run_seeds(run, budget=budget, told=each)


def _so_far(state: RunProgress, new: int, seconds: float) -> str:
    """Say how the seeds ended, what it cost, how fast it goes, and how long it will take."""
    parts = [f"{count} {word.replace('_', ' ')}" for word, count in sorted(state.outcomes.items())]
    parts.append(f"{state.calls:,} calls")
    if state.money:
        parts.append(f"cost {state.money:,.2f}")
    if new and seconds > 0:
        left = (state.total - state.done) * seconds / new
        parts.append(f"{60 * new / seconds:,.1f} a minute")
        parts.append(f"{_span(left)} left")
    return f"seeds ({', '.join(parts)})"


def _span(seconds: float) -> str:
    """Return a time in words, in hours and minutes, or in seconds.

    >>> _span(40), _span(5400)
    ('40 s', '1 h 30 min')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _tell(run: RunFolder, result: RunResult) -> None:
    for number, record in enumerate(limit_rows(result.settled.questions), 1):
        click.echo(f"{number}. {render.visible(record['question'])}")
        checks = record["checks"]
        basis = _BASIS.get(checks["basis"], "unique") if checks["unique"] else "not unique"
        answer = render.paint(render.visible(record["answer"]), "green")
        click.echo(f"   {answer}    {checks['profile']['signature']}    {basis}")
    rows = [(word.replace("_", " "), count) for word, count in sorted(result.outcomes.items())]
    if result.settled.set_aside:
        rows.append(("set aside on all evidence", len(result.settled.set_aside)))
    rows += [(f"missing: {word}", count) for word, count in result.missing.most_common(8)]
    rows += [
        (f"{name}: {word.replace('_', ' ')}", count)
        for name in ("repairs", "refused")
        for word, count in result.account[name].items()
    ]
    click.echo(render.pairs(rows))
    if result.costs:
        click.echo(
            render.table(
                _COSTS,
                [
                    (
                        row["agent"],
                        row["model"],
                        row["calls"],
                        row["cached"],
                        row["input_tokens"],
                        row["cached_tokens"],
                        row["output_tokens"],
                        row["reasoning_tokens"],
                        "unknown" if row["money"] is None else f"{row['money']:.4f}",
                    )
                    for row in result.costs
                ],
            )
        )
    if result.perhaps_paid:
        parts = [f"{count:,} of {_PAID[kind]}" for kind, count in result.cut_off.items() if count]
        note(f"calls of an earlier session were cut off and may be paid: {', '.join(parts)}")
    if result.settled.questions:
        note(f"{run.path}/questions.jsonl and evidence.jsonl can be loaded, checked and exported")
