"""Options of commands that ask language models: which model, where, and what it may cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cli.state import State

if TYPE_CHECKING:
    from graphkit.models import Budget, ModelSettings

__all__ = ["LIMITS", "model_settings", "settings_file", "spending", "takes_models"]

F = TypeVar("F", bound=Callable[..., Any])

LIMITS = ("max_tokens", "max_calls", "max_cost", "max_minutes")
"""The names of the options that limit what a run may use."""


def takes_models(command: F) -> F:
    """Give a command ``--model``, ``--base-url`` and the limits of what it may use."""
    for name, kind, text in (
        ("--max-minutes", click.FloatRange(min=0), "Stop after that many minutes."),
        (
            "--max-cost",
            click.FloatRange(min=0),
            "Stop before more than this money is spent; needs prices.",
        ),
        ("--max-calls", click.IntRange(min=0), "Stop before more calls of models than this."),
        ("--max-tokens", click.IntRange(min=0), "Stop before more tokens than this, in and out."),
    ):
        command = click.option(name, type=kind, help=text)(command)
    command = click.option(
        "--base-url",
        metavar="URL",
        help="An OpenAI-compatible endpoint; else OPENAI_BASE_URL, else OpenAI.",
    )(command)
    return click.option(
        "--model",
        metavar="NAME",
        help="The model of every agent that has none of its own in [models.*] of graphkit.toml.",
    )(command)


def settings_file() -> Path | None:
    """Return the settings file of this call, if there is one."""
    from graphkit.settings import find_settings_file

    named = State.current().settings_file
    return Path(named) if named is not None else find_settings_file()


def model_settings(
    table: Mapping[str, Any], model: str | None, base_url: str | None
) -> dict[str, ModelSettings]:
    """Return the models of a call: those of the settings file, over them the flags.

    An agent's table adds to ``default``.

    Args:
        table: The table ``[models]``: agent -> its settings.
        model: The model of the flag.
        base_url: The endpoint of the flag.

    Raises:
        SettingsError: There is no model, a table is of no agent, or a setting does not fit; all
            at once.
    """
    import os

    from pydantic import ValidationError

    from graphkit.errors import Problem, SettingsError, did_you_mean
    from graphkit.models import ModelSettings
    from graphkit.models.wrong_setting import wrong_setting
    from synthesis.prompting import roles

    file = settings_file()
    place = str(file) if file is not None else None
    problems: list[Problem] = []
    found: dict[str, ModelSettings] = {}
    given = table.get("default", {})
    default = dict(given) if isinstance(given, Mapping) else {}
    address = base_url or default.get("base_url") or os.environ.get("OPENAI_BASE_URL")
    flags = {"model": model, "base_url": address}
    default.update({name: value for name, value in flags.items() if value})
    if "model" not in default:
        raise SettingsError(
            Problem(
                "no model: expected --model NAME, or [models.default] with model = ... in "
                "graphkit.toml",
                code="no_model",
            )
        )
    if not isinstance(given, Mapping):
        problems.append(
            Problem("models.default is no table, expected [models.default]", "type", place)
        )
    problems += [
        Problem(
            f"models.{agent}: there is no agent {agent}{did_you_mean(agent, roles())}; the agents "
            f"are {', '.join(roles())}",
            "agent",
            place,
        )
        for agent in table
        if agent not in ("default", *roles())
    ]
    for agent, own in {**table, "default": default}.items():
        if not isinstance(own, Mapping):
            problems.append(
                Problem(f"models.{agent} is no table, expected [models.{agent}]", "type", place)
            )
            continue
        try:
            found[agent] = ModelSettings.model_validate({**default, **own})
        except ValidationError as error:
            problems += [
                Problem(
                    wrong_setting(item, f"models.{agent}", ModelSettings.model_fields),
                    "value",
                    place,
                )
                for item in error.errors()
            ]
    if problems:
        raise SettingsError(problems)
    return found


def spending(limits: Mapping[str, Any], models: Mapping[str, ModelSettings]) -> Budget:
    """Return the budget of the options.

    Args:
        limits: Option -> value, as :func:`takes_models` gives them.
        models: Agent -> its model; a limit of money needs their prices.

    Raises:
        SettingsError: There is a limit of money, and a model without a price.
    """
    from graphkit.errors import Problem, SettingsError

    unpriced = [
        name for name, of in models.items() if of.input_price is None or of.output_price is None
    ]
    if limits.get("max_cost") is not None and unpriced:
        tables = ", ".join(f"[models.{name}]" for name in unpriced)
        raise SettingsError(
            Problem(
                f"--max-cost needs input_price and output_price in {tables} of graphkit.toml",
                code="no_price",
            )
        )
    from graphkit.models import Budget

    minutes = limits.get("max_minutes")
    return Budget(
        tokens=limits.get("max_tokens"),
        calls=limits.get("max_calls"),
        money=limits.get("max_cost"),
        seconds=None if minutes is None else 60.0 * minutes,
    )
