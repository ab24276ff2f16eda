"""Whole runs of the loop on loopback: the scripted model, the static web, and what came of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripted_model import Faults, Mistakes, ScriptedModel
from scripted_model.browsing import Seen, evidence_item
from scripted_model.conversation import Task
from static_web import SINCE, StaticWeb
from static_web.pages import Page
from static_web.search import SearchEngine

from graphkit.models import Budget, ModelSettings
from synthesis.loop_settings import LoopSettings
from synthesis.run import RunProgress, RunResult, run_seeds
from synthesis.run_folder import RunFolder, RunPlan
from synthesis.seeds import Seed
from synthesis.web import WebSettings

__all__ = ["RUN", "SMALL", "Led", "Servers", "journal_of", "records_of", "servers"]
__all__ += ["verdicts_of", "whole_run"]

RUN = "loopback"
"""The name of every run here: keys of calls follow from it."""

SMALL = {
    "min_iterations": 3,
    "max_iterations": 8,
    "min_edges": 4,
    "min_hops": 3,
    "fresh_share": 0.0,
    "fresh_last_hop": False,
    "gatherings": 2,
    "more_gatherings": 1,
    "rival_rounds": 1,
}
"""Parameters of a loop that is whole but soon at its end."""


class Led(ScriptedModel):
    """A model that opens certain pages before all others when it gathers about a seed.

    Args:
        lead: Seed -> the addresses that it opens.
        believes: Whether it reports all that these pages say.
        **options: As for the scripted model.
    """

    def __init__(
        self, lead: Mapping[str, Sequence[str]], *, believes: bool, **options: Any
    ) -> None:
        super().__init__(**options)
        self.lead = lead
        self.believes = believes

    def _turn(self, task: Task) -> Any:
        urls = self.lead.get(task.text("seed").strip(), ()) if task.role == "gather" else ()
        if urls and task.tools and not task.used:
            return [("visit", {"url": url, "goal": ""}) for url in urls]
        turn = super()._turn(task)
        if urls and self.believes and isinstance(turn, dict):
            seen = Seen.of(task.used)
            for page in (seen.pages[url] for url in urls if url in seen.pages):
                turn["evidence"] += [
                    evidence_item(claim, page, len(turn["evidence"]) + place, task, {})
                    for place, claim in enumerate(page.claims, 1)
                ]
        return turn


@dataclass(frozen=True)
class Servers:
    """A static web and a scripted model, and what a run needs to know of them."""

    web: StaticWeb
    model: ScriptedModel

    def web_settings(self, **changes: Any) -> WebSettings:
        """Return settings of the web tools that wait for nothing."""
        values: dict[str, Any] = {
            "provider": "searxng",
            "base_url": self.web.search_url,
            "connect_to": self.web.connect_to,
            "per_host_delay": 0,
            "per_host_concurrency": 16,
            "timeout": 5,
            "read_timeout": 5,
            "retry_wait": 0.02,
        }
        return WebSettings(**values | changes)

    def model_settings(self, **changes: Any) -> ModelSettings:
        """Return settings of the scripted model."""
        values = {"model": "scripted", "api_key_env": "TEST_MODEL_KEY", **changes}
        return ModelSettings(base_url=self.model.base_url, **values)

    def plan(
        self,
        names: Iterable[str],
        *,
        web: WebSettings | None = None,
        model: ModelSettings | None = None,
        **loop: Any,
    ) -> RunPlan:
        """Return the plan of a small run over these servers.

        Args:
            names: Entities to start from.
            web: Settings of the web tools.
            model: The model of every agent.
            **loop: Parameters of the loop, over those of ``SMALL``.
        """
        return RunPlan(
            loop=LoopSettings(**{"since": SINCE, **SMALL, **loop}),
            web=web or self.web_settings(),
            models={"default": model or self.model_settings()},
            seeds=tuple(Seed(entity_name=name) for name in names),
        )

    def settings_text(self, **model: Any) -> str:
        """Return a settings file of a small run over these servers.

        Args:
            **model: Settings of the model of every agent, over those that fit.
        """
        web = self.web_settings().model_dump(mode="json", exclude_defaults=True)
        hosts = dict(self.web.connect_to)
        web.pop("connect_to", None)
        prices = {"input_price": 1.0, "output_price": 1.0}
        default = {"model": "scripted", "base_url": self.model.base_url, **prices, **model}
        return "".join(
            f"[{table}]\n"
            + "".join(f"{json.dumps(key)} = {json.dumps(value)}\n" for key, value in rows.items())
            for table, rows in (
                ("synthesis", {"since": SINCE, **SMALL}),
                ("models.default", default),
                ("web", web),
                ("web.connect_to", hosts),
            )
        )

    def run(
        self,
        folder: Path,
        names: Iterable[str] = (),
        *,
        budget: Budget | None = None,
        told: Callable[[RunProgress], None] | None = None,
        **plan: Any,
    ) -> RunResult:
        """Begin a run in a folder, or go on with the one that is there, as far as it goes."""
        if (folder / "run.json").exists():
            run = RunFolder.open(folder)
        else:
            run = RunFolder.create(folder, self.plan(names, **plan), run=RUN)
        result = asyncio.run(run_seeds(run, budget=budget, told=told))
        assert self.model.stats["crashes"] == []
        return result


@contextmanager
def servers(
    *,
    mistakes: Mistakes | None = None,
    faults: Faults | None = None,
    latency: float = 0.0,
    slow_seconds: float = 3.0,
    lead: Mapping[str, Sequence[str]] | None = None,
    believes: bool = False,
    pages: Callable[[Page], Page | None] | None = None,
) -> Iterator[Servers]:
    """Start both servers, in threads of this process; by default the model makes no mistakes.

    Args:
        mistakes: The errors of the model.
        faults: What goes wrong with its calls.
        latency: How long it thinks, in seconds.
        slow_seconds: How long the slow host takes.
        lead: What the model opens first, by seed.
        believes: Whether it reports all that these pages say.
        pages: What becomes of each page of the web; None takes it away.
    """
    web = StaticWeb(seed=1, slow_seconds=slow_seconds)
    if pages is not None:
        web.pages = [page for page in map(pages, web.pages) if page is not None]
        web._by_place = {(page.host, page.path): page for page in web.pages}
        web._engine = SearchEngine(web.pages)
    model = Led(
        lead or {},
        believes=believes,
        mistakes=mistakes or Mistakes.none(),
        faults=faults,
        latency=latency,
    )
    with web, model:
        yield Servers(web, model)


def whole_run(folder: Path, names: Iterable[str]) -> Path:
    """Make a run in which nothing fails, to its end, in a folder; return the folder."""
    with servers() as outside:
        result = outside.run(folder, names)
    assert result.unfinished == {}
    assert result.settled.questions
    return folder


def records_of(file: Path) -> list[dict[str, Any]]:
    """Return the records of a JSONL file."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def journal_of(folder: Path, *steps: str) -> list[dict[str, Any]]:
    """Return the steps of a run in the order of the journal, of some kinds only."""
    found = records_of(folder / "journal.jsonl")
    return [item for item in found if not steps or item["step"] in steps]


def verdicts_of(folder: Path) -> list[dict[str, Any]]:
    """Return every verdict on fresh evidence in a run, from gathering and from rival searches."""
    found: list[dict[str, Any]] = []
    for step in journal_of(folder, "gathered", "rivals"):
        parts: Sequence[dict[str, Any]] = step.get("conversations") or [step]
        for part in parts:
            found += part.get("reliability") or []
    return found
