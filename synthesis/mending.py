"""Mends a run that was begun with wrong settings, where nothing that was answered changes by it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from pydantic import BaseModel

from graphkit.errors import Problem, SettingsError
from graphkit.models import ExchangeLog, ModelSettings, PastUse
from graphkit.models.endpoint import address_of
from synthesis.loop_settings import LoopSettings
from synthesis.run_folder import RunFolder, RunPlan
from synthesis.web import WebSettings

__all__ = ["MODEL_WAYS", "WEB_WAYS", "Change", "Mend", "mend"]

MODEL_WAYS = frozenset(
    {
        "base_url", "api_key_env", "timeout", "retries", "longest_wait", "concurrency",
        "requests_per_minute", "tokens_per_minute",
        "input_price", "output_price", "cached_input_price",
    }
)  # fmt: skip
"""Settings of a model that say how it is reached and paid for, not what it answers."""

WEB_WAYS = frozenset(
    {
        "api_key_env", "base_url", "index_path", "search_delay", "search_concurrency",
        "user_agent", "timeout", "connect_timeout", "read_timeout", "retries", "retry_wait",
        "max_retry_after", "concurrency", "per_host_concurrency", "per_host_delay",
        "max_crawl_delay", "connect_to",
    }
)  # fmt: skip
"""Settings of the web tools that say how the outside is reached, not what it is asked."""

_DEFAULT = "default"
_LOGGED = "logged_url"


class Change(NamedTuple):
    """One setting of a run that is another now.

    Attributes:
        setting: Its name, for instance ``models.default.base_url``.
        was: What the run had.
        now: What it has from now on.
    """

    setting: str
    was: Any
    now: Any

    def __str__(self) -> str:
        return f"{self.setting} is {self.now!r} from now on, it was {self.was!r}"


@dataclass(frozen=True, slots=True)
class Mend:
    """What a run shall have from now on; None leaves a part as it is.

    Attributes:
        models: Agent -> its model, ``default`` for the rest: the whole of it.
        web: The settings of the web tools.
        parallel: How many seeds are worked on at a time.
    """

    models: Mapping[str, ModelSettings] | None = None
    web: WebSettings | None = None
    parallel: int | None = None


def mend(
    folder: RunFolder, wanted: Mend, *, origin: str | None = None
) -> tuple[RunFolder, tuple[Change, ...]]:
    """Give a run other settings, and write them into its ``run.json``.

    How endpoints are reached and paid for can always be changed: replies that are in the log are
    found again under the address where they were asked for. What a reply depends on, the name of a
    model above all, can be changed for agents that were never answered, and that of searches as
    long as there was no search and no visit.

    Args:
        folder: The run.
        wanted: What it shall have.
        origin: The file that it comes from, for errors.

    Returns:
        The run, and what has changed.

    Raises:
        SettingsError: Something that was answered would have been asked otherwise; all at once.
        ExchangeLogError: Another process works on the run, or its log is damaged.
    """
    plan = folder.plan
    models = plan.models if wanted.models is None else wanted.models
    web = plan.web if wanted.web is None else wanted.web
    loop = plan.loop
    if wanted.parallel is not None:
        loop = LoopSettings.checked({**loop.model_dump(), "parallel": wanted.parallel})
    changes = (
        *_model_changes(plan.models, models),
        *_changed("web", plan.web, web),
        *_changed("synthesis", plan.loop, loop),
    )
    if not changes:
        return folder, ()
    with ExchangeLog.open(folder.file("exchanges.jsonl"), run=folder.run) as log:
        earlier = log.earlier()
        problems = [*_mixed_models(plan.models, models, earlier, origin)]
        problems += _mixed_web(plan.web, web, earlier, origin)
        if problems:
            raise SettingsError(problems)
        answered = any(past.kind == "model" for past in earlier)
        new = {
            agent: _found_again(_of(plan.models, agent), settings) if answered else settings
            for agent in sorted({*plan.models, *models})
            if (settings := _of(models, agent)) is not None
        }
        mended = RunPlan.model_validate({**dict(plan), "models": new, "web": web, "loop": loop})
        return folder.mended(mended, [change._asdict() for change in changes]), changes


def _of(models: Mapping[str, ModelSettings], agent: str) -> ModelSettings | None:
    return models.get(agent) or models.get(_DEFAULT)


def _found_again(was: ModelSettings | None, now: ModelSettings) -> ModelSettings:
    """Return settings under which the replies of earlier sessions are found in the log."""
    if was is None:
        return now
    address = address_of(was.logged_url or was.base_url)
    moved = address != address_of(now.base_url)
    return now.model_copy(update={_LOGGED: address if moved else None})


def _changed(place: str, was: BaseModel | None, now: BaseModel | None) -> Iterator[Change]:
    """Yield the settings that differ; where an address is logged is no setting of the user."""
    if was is None or now is None:
        return
    for name in type(now).model_fields:
        before, after = getattr(was, name), getattr(now, name)
        if before != after and name != _LOGGED:
            yield Change(f"{place}.{name}", _plain(was, name), _plain(now, name))


def _plain(settings: BaseModel, name: str) -> Any:
    value = settings.model_dump(mode="json", include={name})[name]
    return address_of(value) if name == "base_url" and value is not None else value


def _model_changes(
    was: Mapping[str, ModelSettings], now: Mapping[str, ModelSettings]
) -> Iterator[Change]:
    """Yield what changes for the models; what an agent has from ``default`` is told there."""
    common = list(_changed("", was.get(_DEFAULT), now.get(_DEFAULT)))
    for agent in sorted({*was, *now}):
        for change in _changed("", _of(was, agent), _of(now, agent)):
            if agent == _DEFAULT or change not in common:
                yield change._replace(setting=f"models.{agent}{change.setting}")


def _mixed_models(
    was: Mapping[str, ModelSettings],
    now: Mapping[str, ModelSettings],
    earlier: tuple[PastUse, ...],
    origin: str | None,
) -> Iterator[Problem]:
    """Yield what would be asked otherwise of models than it was; agents alike in one problem."""
    answered = {past.agent: past.calls for past in earlier if past.kind == "model" and past.agent}
    found: dict[tuple[str, str, str], list[str]] = {}
    for agent in answered:
        for name, before, after in _changed("", _of(was, agent), _of(now, agent)):
            if name[1:] not in MODEL_WAYS:
                found.setdefault((name[1:], repr(before), repr(after)), []).append(agent)
    for (name, before, after), agents in sorted(found.items()):
        calls = sum(answered[agent] for agent in agents)
        tables = ", ".join(f"[models.{agent}]" for agent in agents)
        yield Problem(
            f"{name} is {after}, and {calls:,} calls of {', '.join(agents)} were answered with "
            f"{before}; a run never mixes what it asks of a model: expected {name} = {before} in "
            f"{tables}, or a new run",
            code="mixed_run",
            file=origin,
        )


def _mixed_web(
    was: WebSettings, now: WebSettings, earlier: tuple[PastUse, ...], origin: str | None
) -> Iterator[Problem]:
    """Yield what would be asked otherwise of the web than it was."""
    calls = sum(past.calls for past in earlier if past.kind in ("search", "visit"))
    for name, before, after in _changed("web", was, now) if calls else ():
        if name.removeprefix("web.") not in WEB_WAYS:
            yield Problem(
                f"{name} is {after!r}, and {calls:,} searches and visits were answered with "
                f"{before!r}; a run never mixes what it asks of the web: expected {before!r}, or a "
                "new run",
                code="mixed_run",
                file=origin,
            )
