"""What ``graphkit doctor`` says of the loop: web packages, search provider, models of agents."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from graphkit.doctor import Finding
from graphkit.errors import DependencyError, GraphkitError, Problem, SettingsError
from synthesis.loop_settings import LoopSettings, read_table

if TYPE_CHECKING:
    from synthesis.run_folder import RunPlan
    from synthesis.web import WebSettings

__all__ = ["examine_synthesis", "require_ready"]


def examine_synthesis(file: Path | None, env: Mapping[str, str] | None = None) -> list[Finding]:
    """Look at what ``graphkit synthesize`` needs; nothing is asked over the network.

    Args:
        file: The settings file, if there is one.
        env: The environment; by default that of the process. Keys are looked for, never shown.
    """
    env = os.environ if env is None else env
    return [*_web(file, env), *_loop(file), *_models(file, env)]


def _web(file: Path | None, env: Mapping[str, str]) -> Iterator[Finding]:
    from synthesis.run_folder import web_settings
    from synthesis.web.errors import check_packages

    try:
        check_packages()
    except DependencyError as error:
        yield Finding("optional", "web tools", "note", *_told(error))
        return
    yield Finding("optional", "web tools", "ok", "the packages are there")
    try:
        settings = web_settings(read_table(file, "web"), origin=str(file) if file else None)
    except GraphkitError as error:
        yield Finding("optional", "search provider", "problem", str(error), "correct [web]")
        return
    variable = _key_wanted(settings)
    if variable is not None and not env.get(variable):
        yield Finding(
            "optional",
            "search provider",
            "note",
            f"{settings.provider}: {variable} is not set",
            "set it, or choose another provider in [web] of graphkit.toml; growing and checking "
            "need none",
        )
        return
    place = settings.index_path if settings.provider == "local" else settings.base_url
    yield Finding(
        "optional", "search provider", "ok", f"{settings.provider}{f' at {place}' if place else ''}"
    )


def _loop(file: Path | None) -> Iterator[Finding]:
    try:
        LoopSettings.checked(read_table(file, "synthesis"), origin=str(file) if file else None)
    except GraphkitError as error:
        yield Finding("optional", "loop settings", "problem", str(error), "correct [synthesis]")


def _models(file: Path | None, env: Mapping[str, str]) -> Iterator[Finding]:
    from graphkit.models import ModelSettings

    table = read_table(file, "models")
    default = dict(table.get("default") or {})
    for agent in table:
        try:
            model = ModelSettings.model_validate({**default, **table[agent]})
        except (ValueError, TypeError) as error:
            yield Finding(
                "optional", f"model of {agent}", "problem", str(error), "correct [models]"
            )
            continue
        where = urlsplit(model.base_url).hostname if model.base_url else "api.openai.com"
        keyless = model.base_url is None and not env.get(model.api_key_env)
        yield Finding(
            "optional",
            f"model of {agent}",
            "note" if keyless else "ok",
            f"{model.model} at {where}" + (f"; {model.api_key_env} is not set" if keyless else ""),
            f"set {model.api_key_env}" if keyless else "",
        )


def require_ready(plan: RunPlan, env: Mapping[str, str] | None = None) -> None:
    """Refuse a run that could not make its first call, before anything of it is written.

    Args:
        plan: The plan of the run.
        env: The environment; by default that of the process.

    Raises:
        DependencyError: A package of the web tools is missing.
        SettingsError: A key is missing; all of them at once, by the names of their variables. Or
            the local index is missing or something else.
    """
    from synthesis.web import LocalIndex
    from synthesis.web.errors import WebError, check_packages

    env = os.environ if env is None else env
    check_packages()
    problems = []
    if plan.web.provider == "local" and plan.web.index_path is not None:
        try:
            LocalIndex.open(plan.web.index_path).close()
        except WebError as error:
            problems += [replace(item, subject="web.index_path") for item in error.problems]
    variable = _key_wanted(plan.web)
    if variable is not None and not env.get(variable):
        problems.append(
            Problem(
                f"{variable} is not set, expected the key of {plan.web.provider}; [web] of "
                "graphkit.toml names another provider",
                code="no_key",
            )
        )
    wanted = {
        model.api_key_env: agent
        for agent, model in sorted(plan.models.items(), reverse=True)
        if model.base_url is None and not env.get(model.api_key_env)
    }
    problems += [
        Problem(
            f"{name} is not set, expected the key of the model of {agent}; --base-url names an "
            "endpoint that needs none",
            code="no_key",
        )
        for name, agent in sorted(wanted.items())
    ]
    if problems:
        raise SettingsError(problems)


def _key_wanted(web: WebSettings) -> str | None:
    """Return the variable of the key without which the provider cannot be asked.

    An endpoint of one's own may need none.
    """
    own = web.base_url is not None and web.api_key_env is None
    return None if own else web.key_variable


def _told(error: GraphkitError) -> tuple[str, str]:
    detail, _, advice = str(error).partition("; ")
    return detail, advice
