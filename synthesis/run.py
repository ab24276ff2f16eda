"""A synthesis run: many seeds side by side, stopped at any moment, taken up again without loss."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from graphkit.errors import (
    BudgetError,
    ExchangeLogError,
    GraphkitError,
    JournalError,
    ModelAccessError,
)
from graphkit.evidence import EvidenceRecord
from graphkit.models import Budget, ExchangeLog, ModelDoor
from graphkit.models.endpoint import RequestRefusedError
from synthesis.account import account
from synthesis.agents.gathering import Errand
from synthesis.journal import Journal
from synthesis.run_folder import RunFolder, RunPlan
from synthesis.seed_loop import ACCEPTED, SeedLoop
from synthesis.seeds import Seed, deduplicated
from synthesis.settling import Settled, settle
from synthesis.web import WebTools
from synthesis.web.errors import WebError

__all__ = ["RunProgress", "RunResult", "run_seeds"]

_REFUSALS = 3
"""So many seeds in a row whose requests are refused end a run."""


@dataclass(frozen=True)
class RunProgress:
    """How far a run is.

    Attributes:
        done: Seeds that are finished.
        total: All seeds.
        outcomes: How many ended how.
        calls: Calls of models that were paid for, in earlier sessions too.
        money: What they cost; None where a price is not known.
    """

    done: int
    total: int
    outcomes: Mapping[str, int]
    calls: int
    money: float | None


@dataclass
class RunResult:
    """What a session of a run came to.

    Attributes:
        settled: The questions, and those set aside.
        seeds: How many seeds the run has.
        outcomes: How many seeds ended how.
        missing: What was missing where a seed was given up, counted.
        unfinished: Seed -> why it is not finished; resuming takes them up again.
        stopped: Why the run stopped before its end, if it did.
        mendable: Whether it stopped since an endpoint cannot be asked as the settings have it.
        costs: What calls cost, by agent and model.
        web: What was searched for and visited, counted.
        agreement: How often the model's view agreed with the computed checks.
        account: What was repaired and what was refused, see :func:`synthesis.account.account`.
        cut_off: Calls of earlier sessions that were cut off: paid for, perhaps, and lost; of models
            (``model``) and of a search provider that wants a key (``search``).
    """

    settled: Settled
    seeds: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    missing: Counter[str] = field(default_factory=Counter)
    unfinished: dict[str, str] = field(default_factory=dict)
    stopped: str | None = None
    mendable: bool = False
    costs: list[dict[str, Any]] = field(default_factory=list)
    web: dict[str, int] = field(default_factory=dict)
    agreement: dict[str, dict[str, int]] = field(default_factory=dict)
    account: dict[str, dict[str, int]] = field(default_factory=dict)
    cut_off: dict[str, int] = field(default_factory=dict)

    @property
    def perhaps_paid(self) -> int:
        """How many calls of earlier sessions were cut off and may be paid for."""
        return sum(self.cut_off.values())

    def to_record(self) -> dict[str, Any]:
        """Return the summary as plain data."""
        return {
            "seeds": self.seeds,
            "questions": len(self.settled.questions),
            "set_aside": len(self.settled.set_aside),
            "outcomes": dict(sorted(self.outcomes.items())),
            "missing": dict(self.missing.most_common()),
            "unfinished": dict(sorted(self.unfinished.items())),
            "stopped": self.stopped,
            "costs": self.costs,
            "web": self.web,
            "agreement": self.agreement,
            "account": self.account,
            "identity": self.settled.identity,
            "perhaps_paid": self.perhaps_paid,
            "cut_off": self.cut_off,
        }


class _Session:
    """One session of a run: the seeds that are still open, worked on side by side."""

    def __init__(
        self,
        folder: RunFolder,
        journal: Journal,
        door: ModelDoor,
        web: WebTools,
        told: Callable[[RunProgress], None] | None,
    ) -> None:
        self.folder = folder
        self.journal = journal
        self.door = door
        loop = folder.plan.loop
        self.errand = Errand.of(door, web, loop)
        self.sheet = folder.plan.relations
        self.told = told
        self.seeds = deduplicated(folder.plan.seeds)
        self.unfinished: dict[str, str] = {}
        self.stopped: str | None = None
        self.mendable = False
        self.refusals = 0
        self.outcomes = Counter(
            str(self.journal.ended[seed.id]["status"])
            for seed in self.seeds
            if seed.id in self.journal.ended
        )

    async def run(self) -> None:
        """Work on all seeds that have no outcome yet."""
        waiting = (seed for seed in self.seeds if seed.id not in self.journal.ended)
        self._tell()
        try:
            async with asyncio.TaskGroup() as tasks:
                for _ in range(min(self.folder.plan.loop.parallel, max(1, len(self.seeds)))):
                    tasks.create_task(self._work(waiting))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None

    async def _work(self, waiting: Iterator[Seed]) -> None:
        for seed in waiting:
            if self.stopped is not None:
                return
            await self._one(seed)
            self._tell()

    async def _one(self, seed: Seed) -> None:
        number = iter(range(10**9))

        def record(step: str, data: Mapping[str, Any]) -> None:
            self.journal.write(seed.id, next(number), step, data)
            self._tell()

        loop = SeedLoop(seed, self.errand, self.folder.plan.loop, record, self.sheet)
        try:
            outcome = await loop.run()
        except RequestRefusedError as error:
            self._refused(seed, str(error))
            return
        except (BudgetError, ModelAccessError, WebError, ExchangeLogError) as error:
            # It would be the same for every other seed.
            self._stop(str(error), mendable=isinstance(error, (ModelAccessError, WebError)))
            self.unfinished[seed.id] = str(error)
            return
        except JournalError:
            raise
        except GraphkitError as error:
            self.unfinished[seed.id] = str(error)
            return
        except Exception as error:
            self.unfinished[seed.id] = f"internal error: {type(error).__name__}: {error}"
            return
        told = outcome.to_record()
        if loop.desk.pool.held:
            told["evidence"] = self.folder.keep_evidence(seed.id, loop.desk.pool.held)
        record("outcome", {"entity": seed.entity_name, **told})
        self.outcomes[outcome.status] += 1
        self.refusals = 0

    def _refused(self, seed: Seed, why: str) -> None:
        """Leave a seed whose request the endpoint refuses, or stop where all are refused.

        A conversation may have grown too long for the model, or hold words that a filter does not
        let pass: that concerns one seed. A setting that the endpoint does not take concerns all:
        then nothing was ever answered, or one seed after the other is refused.
        """
        self.unfinished[seed.id] = why
        self.refusals += 1
        answered = any(row.calls for row in self.door.costs())
        if self.refusals >= _REFUSALS or not answered:
            self._stop(why, mendable=True)

    def _stop(self, why: str, *, mendable: bool) -> None:
        if self.stopped is None:
            self.stopped, self.mendable = why, mendable

    def _tell(self) -> None:
        if self.told is None:
            return
        rows = self.door.costs()
        prices = [row.money for row in rows]
        self.told(
            RunProgress(
                sum(self.outcomes.values()) + len(self.unfinished),
                len(self.seeds),
                dict(self.outcomes),
                sum(row.calls for row in rows),
                None if None in prices else sum(price or 0.0 for price in prices),
            )
        )


async def run_seeds(
    folder: RunFolder,
    *,
    budget: Budget | None = None,
    told: Callable[[RunProgress], None] | None = None,
) -> RunResult:
    """Work through the seeds of a run, as far as it has not done so, and write its results.

    Seeds that are finished are not touched. Unfinished ones are gone through again from their
    beginning; what was asked of the outside world before is answered from the log, so that
    nothing is paid for twice. However a session ends, by its last seed, a budget, an interruption
    or a kill, the next one goes on.

    Args:
        folder: The run.
        budget: What may be used, earlier sessions included.
        told: Called after every step and whenever a seed is finished.

    Returns:
        What the run has come to so far; it is also written into the folder.

    Raises:
        ExchangeLogError: Another process works on the run, or its log is damaged.
        JournalError: The journal is damaged, or no longer what happens.
        OperationError: Results cannot be written.
    """
    with ExchangeLog.open(folder.file("exchanges.jsonl"), run=folder.run) as log:
        cut_off = _perhaps_paid(log.cut_off(), folder.plan)
        with Journal.open(folder.file("journal.jsonl"), run=folder.run) as journal:
            plan = folder.plan
            async with (
                ModelDoor(plan.models, log=log, budget=budget) as door,
                WebTools(plan.web, log=log, snapshots=folder.file("snapshots")) as web,
            ):
                session = _Session(folder, journal, door, web, told)
                await session.run()
                costs = [asdict(row) for row in door.costs()]
            result = _settled(folder, journal, session)
            result.costs = costs
            result.web = dict(sorted(web.counts.items()))
            result.cut_off = cut_off
    _write(folder, result)
    return result


def _perhaps_paid(cut_off: Mapping[str, int], plan: RunPlan) -> dict[str, int]:
    """Return what of the calls that were cut off costs something: visits never do."""
    kinds = ("model",) if plan.web.key_variable is None else ("model", "search")
    return {kind: cut_off.get(kind, 0) for kind in kinds}


def _settled(folder: RunFolder, journal: Journal, session: _Session) -> RunResult:
    finished = []
    others: list[list[EvidenceRecord]] = []
    missing: Counter[str] = Counter()
    agreement: dict[str, Counter[str]] = {}
    known = {seed.id for seed in session.seeds}
    for seed in session.seeds:
        ended = journal.ended.get(seed.id)
        if ended is None:
            continue
        missing.update(ended["missing"])
        outcome = journal.outcome(seed.id)
        if ended["status"] != ACCEPTED and outcome.get("evidence"):
            others.append(folder.kept_evidence(seed.id))
        if ended["status"] == ACCEPTED:
            finished.append((outcome["question"], folder.kept_evidence(seed.id)))
            for view in outcome["question"]["synthesis"]["agreement"]:
                for name in ("redundancy", "shortcuts"):
                    word = {True: "agree", False: "differ", None: "not computed"}[view[name]]
                    agreement.setdefault(name, Counter())[word] += 1
    loop = folder.plan.loop
    return RunResult(
        settle(finished, session.sheet, loop.goals, others=others),
        len(session.seeds),
        session.outcomes,
        missing,
        session.unfinished,
        session.stopped,
        session.mendable,
        agreement={name: dict(sorted(found.items())) for name, found in agreement.items()},
        account=account(step for step in journal.steps() if step["seed"] in known),
    )


def _told(record: EvidenceRecord) -> dict[str, Any]:
    """Return a record without what is not known; whether it is fresh is always said."""
    found = record.model_dump(mode="json", exclude_none=True)
    return {key: value for key, value in found.items() if value not in ("", {})}


def _write(folder: RunFolder, result: RunResult) -> None:
    folder.write_lines("questions.jsonl", result.settled.questions)
    folder.write_lines("set_aside.jsonl", result.settled.set_aside)
    folder.write_lines(
        "evidence.jsonl",
        (_told(item) for item in result.settled.evidence),
    )
    folder.write_json("costs.json", result.costs)
    folder.write_json("summary.json", result.to_record())
