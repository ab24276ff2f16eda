"""``graphkit grow``: evidence in, proven questions out, without a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cli import render
from cli.endings import FAILED, complain, note
from cli.options import as_json, limit_rows, open_facts, progress, takes_facts
from cli.state import State

if TYPE_CHECKING:
    from synthesis.grow import GrownQuestion, Growth
    from synthesis.grow_settings import GrowSettings

__all__ = ["RELAXED", "SETTINGS", "grow"]

F = TypeVar("F", bound=Callable[..., Any])

RELAXED = {
    "back_and_forth": "a relation may be followed and then followed back",
    "entity_twice": "an entity may be named twice",
    "witness_anchors": "the answer or a witness may be named",
    "adjacent_anchors": "a fact may join the answer to a distant anchor",
    "one_to_one_counts": "one-to-one hops count towards the edges",
    "exclusion_complete": "an exclusion may use relations that are not complete",
    "complete_only": "any condition may, so that the basis may be open",
}
"""Rules that are on or off, each with what it means to relax it."""

_RULES_ON = ("exclusion_complete", "complete_only")

SETTINGS: tuple[tuple[str, Any, dict[str, Any]], ...] = (
    ("count", 10, {"help": "How many questions."}),
    ("seed", 0, {"help": "The same seed gives the same questions."}),
    ("min_edges", 5, {"help": "A question has at least this many edges."}),
    ("min_iterations", 5, {"help": "It took at least this many mutations."}),
    ("max_iterations", 12, {"help": "And at most this many."}),
    ("min_depth", 1, {"help": "It has at least this depth, in hops."}),
    (
        "lean",
        "mixed",
        {
            "type": click.Choice(["left", "right", "mixed"]),
            "help": "Conditions rather at the anchors (left), at the answer (right), or anywhere.",
        },
    ),
    (
        "balance",
        "type",
        {
            "type": click.Choice(["type", "none"]),
            "help": "Spread answers evenly over their types, or over all entities.",
        },
    ),
    ("max_answer_share", 0.02, {"help": "No answer has more than this share of the questions."}),
    ("max_relation_share", 0.4, {"help": "No relation has more than this share of the hops."}),
    ("near_duplicate", 0.6, {"help": "Two questions may not share this share of conditions."}),
    ("attempts", 100, {"help": "Attempts for each question wanted."}),
)
"""Options that are fields of ``GrowSettings``: name, default, the rest of the option."""

RULES: tuple[tuple[str, Any, str], ...] = (
    ("min_set", 3, "The set of a condition has at least this many members."),
    ("max_set", 60, "And at most this many."),
    ("max_candidates", 200, "No set on the way to the answer is larger."),
    ("min_removed", 2, "A condition that is not the last removes at least this many candidates."),
    ("exclusion_share", 0.1, "An exclusion removes at least this share of its own set."),
)
"""Options that are fields of ``Rules``: name, default, help."""


def _settings_options(command: F) -> F:
    for name, default, more in reversed(RULES):
        command = click.option(_flag(name), default=default, show_default=True, help=more)(command)
    for name, default, rest in reversed(SETTINGS):
        shown = None if name == "seed" else default
        command = click.option(
            _flag(name),
            name,
            type=rest.get("type", type(default)),
            default=shown,
            show_default=shown is not None,
            help=rest["help"],
        )(command)
    return command


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


@click.command
@takes_facts
@_settings_options
@click.option(
    "--mix",
    metavar="NAME=N,...",
    help="How often each operation is chosen, as ratios of complement, intersection, inverse and "
    "extension; by default complement=1,intersection=3,inverse=1.5,extension=1.5.",
)
@click.option(
    "--answer-type", "answer_types", multiple=True, metavar="TYPE", help="Only such answers."
)
@click.option(
    "--allow-relation", "allow", multiple=True, metavar="NAME", help="Only these relations."
)
@click.option(
    "--deny-relation", "deny", multiple=True, metavar="NAME", help="Never these relations."
)
@click.option(
    "--relax",
    multiple=True,
    type=click.Choice([name.replace("_", "-") for name in RELAXED]),
    metavar="RULE",
    help="Relax a rule of sensible questions: "
    + "; ".join(f"{name.replace('_', '-')} ({about})" for name, about in RELAXED.items())
    + ".",
)
@click.option(
    "--open-basis", is_flag=True, help="Keep questions that are unique on the evidence only."
)
@click.option("-o", "--output", metavar="FILE", help="Write JSONL there, all of it or nothing.")
@as_json
def grow(
    facts_files: tuple[str, ...],
    relations: str | None,
    store: str | None,
    output: str | None,
    json_: bool,
    **knobs: Any,
) -> None:
    """Grow multi-hop questions from facts, without a model.

    Each has one answer, no redundant condition and no shortcut, on a closed basis. --json and
    -o give one question graph a line, with checks (what was verified) and history (the
    mutations that made it). Why attempts failed is told at the end on standard error; with
    fewer questions than wanted the exit code is 1.

    Interrupted with -o FILE, what has been grown stays in FILE.part, as whole lines. The same
    command with the same seed begins with the same questions again.
    """
    settings = _settings(knobs)
    facts = open_facts(facts_files, relations, store)
    from synthesis.grow import Growth

    growth = Growth(facts, settings)
    if output is not None and output != "-":
        questions = _to_file(growth, output, json_=json_)
    else:
        questions = _run(growth, json_=json_ or output == "-")
    if not json_ and output != "-":
        _print_table(questions)
    _tell_misses(growth)
    wanted = settings.count
    if growth.grown < wanted:
        reasons = _missing_words(growth, 3)
        complain(
            f"{growth.grown} of {wanted} questions could be grown in {growth.attempts} attempts; "
            f"mostly missing: {'; '.join(reasons) or 'nothing to start from'}"
        )
        click.get_current_context().exit(FAILED)


def _settings(knobs: dict[str, Any]) -> GrowSettings:
    from graphkit.mutate import Rules
    from synthesis.grow_settings import GrowSettings

    relaxed = {name.replace("-", "_") for name in knobs["relax"]}
    rules = Rules(
        **{name: knobs[name] for name, _, _ in RULES},
        **{name: name not in _RULES_ON for name in relaxed},
        allow=frozenset(knobs["allow"]),
        deny=frozenset(knobs["deny"]),
    )
    fields = {name: knobs[name] for name, _, _ in SETTINGS}
    fields["seed"] = State.current().settings({"seed": knobs["seed"]}).seed
    if knobs["mix"]:
        fields["mix"] = _mix(knobs["mix"])
    if knobs["answer_types"]:
        fields["answer_types"] = tuple(knobs["answer_types"])
    return GrowSettings(
        **fields,
        rules=rules,
        require_closed=not (knobs["open_basis"] or "complete_only" in relaxed),
    )


def _mix(text: str) -> Any:
    from graphkit.errors import SettingsError, did_you_mean
    from synthesis.grow_settings import Mix

    names = tuple(Mix.__dataclass_fields__)
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if name not in names:
            hint = did_you_mean(name, names)
            raise SettingsError(f'--mix: "{name}" is not one of {", ".join(names)}{hint}')
        if name in found:
            raise SettingsError(f"--mix: {name} is given twice")
        try:
            found[name] = float(value)
        except ValueError:
            found[name] = float("nan")
        if not 0 <= found[name] < float("inf"):
            raise SettingsError(f'--mix: {name} is "{value}", expected a number of 0 or more')
    return Mix(**found)


def _run(growth: Growth, *, json_: bool) -> list[GrownQuestion]:
    State.current().go_on = "nothing was kept; with -o FILE what has been grown stays in FILE.part"
    questions: list[GrownQuestion] = []
    with progress("growing", "questions") as told:
        told(0, growth.settings.count)
        for question in growth:
            questions.append(question)
            if json_:
                render.line(question.to_record())
            told(len(questions), growth.settings.count)
    return questions


def _to_file(growth: Growth, output: str, *, json_: bool) -> list[GrownQuestion]:
    from synthesis.grow_file import grow_to_file, part_of

    part, count = part_of(output), growth.settings.count
    with progress("growing", "questions") as told:
        told(0, count)

        def each(question: GrownQuestion) -> None:
            told(growth.grown, count)
            State.current().go_on = (
                f"{growth.grown} of {count} questions are in {part}, each a whole line; the same "
                f"command with --seed {growth.settings.seed} grows the same ones first, then the "
                "rest"
            )
            if json_:
                render.line(question.to_record())

        return grow_to_file(growth, output, each=each)


def _print_table(questions: list[GrownQuestion]) -> None:
    for number, question in enumerate(limit_rows(questions), 1):
        profile = question.checks.profile
        signature = profile.shape.signature if profile else ""
        click.echo(f"{number}. {render.visible(question.graph.question)}")
        answer = render.paint(render.visible(question.graph.answer or ""), "green")
        click.echo(f"   {answer}    {signature}")


def _tell_misses(growth: Growth) -> None:
    words = _missing_words(growth, len(growth.missing))
    if words:
        note(
            f"{growth.attempts} attempts, {growth.grown} questions; the others ended because "
            + "; ".join(words)
        )


def _missing_words(growth: Growth, limit: int) -> list[str]:
    from synthesis.grow import MISSING

    return [
        f"{MISSING.get(word, word)} ({count})" for word, count in growth.missing.most_common(limit)
    ]
