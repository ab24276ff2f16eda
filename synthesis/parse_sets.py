"""Turns the questions of a set into graphs with a model: resumable, many at a time, counted."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphkit.checks.tokens import count_tokens, tokenizer_name
from graphkit.errors import (
    BudgetError,
    FormatError,
    ModelAccessError,
    ModelError,
    ModelServerError,
    Problem,
    SettingsError,
)
from graphkit.formats import strict_json
from graphkit.formats.writing import write_text
from graphkit.patterns import shape
from graphkit.question import QuestionGraph
from synthesis.agents.parsing import ParsedQuestion, parse_question
from synthesis.foreign_sets import ForeignQuestion
from synthesis.prompting import prompt_digests

if TYPE_CHECKING:
    from graphkit.models import ModelDoor

__all__ = [
    "ParseRun",
    "ParsedSet",
    "SetResult",
    "kind_beyond",
    "parse_set",
]

_BEYOND = (
    (
        "a count",
        r"how many|number of|\bcount|\btotal\b|\u591a\u5c11|\u51e0\u4e2a|\u51e0\u4f4d|\u51e0\u6b21|"
        r"\u6570\u91cf|\u603b\u6570|\u8ba1\u6570",
    ),
    (
        "a ranking",
        r"ranking|\b(?:first|second|third|last|largest|smallest|highest|lowest|longest|shortest|"
        r"oldest|youngest|earliest|latest|biggest|most|least|fewest|top|best|worst|nth)\b|"
        r"\u6700|\u7b2c[\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341\d]+|"
        r"\u6392\u540d|\u6392\u5e8f",
    ),
    (
        "a comparison",
        r"comparison|\b(?:more|less|fewer|greater|larger|smaller|higher|lower|older|younger|earlier|"
        r"later|before|after|between|at least|at most|over|under|than|same)\b|\u6bd4|\u5927\u4e8e|"
        r"\u5c0f\u4e8e|\u65e9\u4e8e|\u665a\u4e8e|\u8d85\u8fc7|\u4e4b\u524d|\u4e4b\u540e|\u4ee5\u4e0a|"
        r"\u4ee5\u4e0b|\u4e4b\u95f4",
    ),
    (
        "arithmetic",
        r"arithmetic|\b(?:sum|average|mean|difference|percent\w*|ratio|plus|minus|times|divided|"
        r"multipl\w*|add\w*|subtract\w*)\b|\u5e73\u5747|\u4e4b\u548c|\u603b\u548c|\u5dee|"
        r"\u6bd4\u4f8b|\u767e\u5206",
    ),
)
_SILENT = 8
_KINDS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _BEYOND)


def kind_beyond(part: str) -> str:
    """Return what kind of thing the part of a question is that the operations cannot express.

    Told by its words: ``a count``, ``a ranking``, ``a comparison``, ``arithmetic``, else
    ``something else``.

    >>> kind_beyond("how many spectators"), kind_beyond("the largest lake"), kind_beyond("why")
    ('a count', 'a ranking', 'something else')
    """
    return next((kind for kind, words in _KINDS if words.search(part)), "something else")


@dataclass(frozen=True, slots=True)
class SetResult:
    """A question of a set and what became of it.

    Attributes:
        source: The question as it was read.
        parsed: What the parser made of it; None where the model was not asked or did not answer.
        problems: Why it was not.
    """

    source: ForeignQuestion
    parsed: ParsedQuestion | None
    problems: tuple[Problem, ...] = ()

    @property
    def status(self) -> str:
        """``parsed``, ``not_expressible``, ``failed`` or ``unasked``."""
        if self.parsed is not None:
            return self.parsed.status
        return "unasked" if not self.problems else "failed"

    @property
    def graph(self) -> QuestionGraph | None:
        """The graph in the paper's contract, with the id of the set and how it was parsed."""
        if self.parsed is None or self.parsed.graph is None:
            return None
        return self.parsed.graph.replace(
            id=self.source.id,
            domain=self.source.domain,
            parse={"repairs": list(self.parsed.repairs), "asks": self.parsed.asks},
        )

    def to_record(self) -> dict[str, Any]:
        """Return what became of it as plain data, without the graph."""
        found = self.parsed
        part = found.not_expressible if found else None
        return {
            "id": self.source.id,
            "question": self.source.question,
            "status": self.status,
            "not_expressible": part,
            "kind": kind_beyond(part) if part else None,
            "problems": [str(p) for p in (found.problems if found else self.problems)],
            "repairs": list(found.repairs) if found else [],
            "asks": found.asks if found else 0,
        }


@dataclass(frozen=True, slots=True)
class ParsedSet:
    """What became of the questions of a set, in its order.

    Attributes:
        results: A result a question.
        stopped: Why not all were asked, if so.
    """

    results: tuple[SetResult, ...]
    stopped: str | None = None

    @property
    def graphs(self) -> tuple[QuestionGraph, ...]:
        """The graphs of those that were parsed."""
        return tuple(graph for item in self.results if (graph := item.graph) is not None)

    def counts(self) -> dict[str, int]:
        """Return how many there are of each status."""
        found = Counter(item.status for item in self.results)
        names = ("parsed", "not_expressible", "failed", "unasked")
        return {name: found[name] for name in names}

    def to_record(self) -> dict[str, Any]:
        """Return the counts and Table 2 of EvoBrowseComp as plain data.

        ``length`` is that of all questions of a language, ``nodes`` that of those that were
        parsed: as the parser gave them, which is what the paper counts, and in normal form.
        """
        beyond = Counter(
            kind_beyond(item.parsed.not_expressible)
            for item in self.results
            if item.parsed is not None and item.parsed.not_expressible
        )
        parsed = [item.parsed for item in self.results if item.parsed is not None]
        return {
            "questions": len(self.results),
            **self.counts(),
            "beyond": dict(sorted(beyond.items(), key=lambda item: (-item[1], item[0]))),
            "asks": sum(item.asks for item in parsed),
            "repaired": sum(bool(item.repairs) for item in parsed),
            "repairs": sum(len(item.repairs) for item in parsed),
            "tokenizer": tokenizer_name(),
            "table2": self._table_two(),
            "stopped": self.stopped,
        }

    def _table_two(self) -> list[dict[str, Any]]:
        groups: dict[str, list[SetResult]] = {}
        for item in self.results:
            groups.setdefault(item.source.language, []).append(item)
        rows = []
        for language, items in sorted(groups.items()):
            graphs = [graph for item in items if (graph := item.graph) is not None]
            rows.append(
                {
                    "language": language,
                    "scale": len(items),
                    "length": _mean([count_tokens(item.source.question) for item in items]),
                    "parsed": len(graphs),
                    "nodes": _mean([len(graph.nodes) for graph in graphs]),
                    "nodes_normal": _mean([shape(graph).nodes for graph in graphs]),
                    "edges": _mean([len(graph.edges) for graph in graphs]),
                }
            )
        return rows


def _mean(values: Sequence[int]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


async def parse_set(
    door: ModelDoor,
    questions: Iterable[ForeignQuestion],
    *,
    parallel: int = 16,
    on_done: Callable[[SetResult], None] | None = None,
    agent: str = "parse",
) -> ParsedSet:
    """Parse the questions of a set, several at a time.

    One that fails is named and does not stop the others. No further question is begun when the
    budget is used up, or when the server has not answered many questions in a row.

    Args:
        door: The door to the model.
        questions: The questions.
        parallel: How many are asked at a time.
        on_done: Called with each result, in the order in which they end.
        agent: Whose model settings are used.

    Raises:
        ModelAccessError: The model cannot be asked at all.
        ExchangeLogError: The log cannot be written.
    """
    asked = list(questions)
    results: list[SetResult] = [SetResult(item, None) for item in asked]
    waiting = iter(range(len(asked)))
    stopped: list[str] = []
    fatal: list[ModelAccessError] = []
    silent = 0

    async def worker() -> None:
        nonlocal silent
        for place in waiting:
            if stopped or fatal:
                return
            source = asked[place]
            try:
                parsed = await parse_question(
                    door,
                    source.question,
                    source.answer,
                    source.chain,
                    language=source.language,
                    agent=agent,
                )
            except BudgetError as error:
                stopped.append(str(error))
                return
            except ModelAccessError as error:
                fatal.append(error)
                return
            except ModelError as error:
                results[place] = SetResult(source, None, error.problems)
                silent += isinstance(error, ModelServerError)
                if silent >= max(_SILENT, parallel) and not stopped:
                    stopped.append(f"the server did not answer {silent} questions in a row")
            else:
                results[place] = SetResult(source, parsed)
                silent = 0
            if on_done is not None:
                on_done(results[place])

    async with asyncio.TaskGroup() as group:
        for _ in range(max(1, min(parallel, len(asked)))):
            group.create_task(worker())
    if fatal:
        raise fatal[0]
    return ParsedSet(tuple(results), stopped[0] if stopped else None)


@dataclass(frozen=True, slots=True)
class ParseRun:
    """The folder of a parse: ``run.json``, ``exchanges.jsonl``, and at the end the results.

    Attributes:
        folder: The folder.
        plan: All that the replies depend on: the set, its fields, the models, the sample.
        name: The name of the run, told by the plan and the prompts.
    """

    folder: Path
    plan: Mapping[str, Any]
    name: str = field(default="")

    @classmethod
    def begin(cls, folder: Path, plan: Mapping[str, Any]) -> ParseRun:
        """Begin a run in a new folder, or take it up again in the folder where it was begun.

        Args:
            folder: The folder; made if it does not exist.
            plan: Plain data.

        Raises:
            SettingsError: Another run was begun there; what differs is named.
            FormatError: There is a ``run.json`` that is none.
            OperationError: It cannot be written.
        """
        prompts = {k: v for k, v in prompt_digests().items() if k.startswith("parse.")}
        record = {"kind": "parse", "plan": dict(plan), "prompts": prompts}
        text = json.dumps(record, sort_keys=True, ensure_ascii=False, allow_nan=False)
        name = "parse-" + hashlib.sha256(text.encode()).hexdigest()[:12]
        file = folder / "run.json"
        if file.is_file():
            there = strict_json.parse(file.read_text(encoding="utf-8"), str(file))
            if not isinstance(there, dict) or there.get("kind") != "parse":
                raise FormatError(Problem("not the run of a parse", code="run", file=str(file)))
            if there.get("run") != name:
                changed = ", ".join(_changed(there, record)) or "the plan"
                raise SettingsError(
                    Problem(
                        f"{changed} differ from when this run began, and runs are not mixed; "
                        "name another folder",
                        code="other_run",
                        file=str(file),
                    )
                )
        else:
            folder.mkdir(parents=True, exist_ok=True)
            write_text(file, [strict_json.dumps({"run": name, **record}, indent=2), "\n"])
        return cls(folder, plan, name)

    def keep(self, found: ParsedSet, costs: Iterable[Any] = ()) -> None:
        """Write the results: graphs.jsonl, parsed.jsonl (every question), table.json, costs.json.

        Args:
            found: What became of the set.
            costs: The rows of :meth:`graphkit.models.ModelDoor.costs`.
        """
        lines = (strict_json.dumps(graph.to_record()) + "\n" for graph in found.graphs)
        write_text(self.folder / "graphs.jsonl", lines)
        told = (strict_json.dumps(item.to_record()) + "\n" for item in found.results)
        write_text(self.folder / "parsed.jsonl", told)
        for name, value in (("table.json", found.to_record()), ("costs.json", list(costs))):
            write_text(self.folder / name, [strict_json.dumps(value, indent=2), "\n"])


def _changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    plans = before.get("plan"), now["plan"]
    old = plans[0] if isinstance(plans[0], dict) else {}
    names = [key for key in sorted({*old, *plans[1]}) if old.get(key) != plans[1].get(key)]
    if before.get("prompts") != now["prompts"]:
        names.append("the prompts")
    return names
