"""The numbers of a release: Table 2 of EvoBrowseComp, its distributions, its sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from graphkit.checks.statistics import statistics
from graphkit.checks.tokens import count_tokens, tokenizer_name
from graphkit.patterns import shape
from graphkit.question import QuestionGraph
from synthesis.privacy import find_private
from synthesis.release.content import ReleaseContent
from synthesis.release.licences import SourceRow

__all__ = [
    "check_counts",
    "markdown_table",
    "personal_data",
    "quality_counts",
    "release_statistics",
    "table_two",
]


def table_two(graphs: Iterable[QuestionGraph]) -> list[dict[str, Any]]:
    """Return Table 2 of EvoBrowseComp: a row a language.

    Args:
        graphs: The questions.

    Returns:
        ``language``, ``scale`` (questions), ``length`` (mean tokens), ``nodes`` (mean, of the
        normal form) and ``nodes_as_given`` (mean, as the graphs were made or parsed).
    """
    groups: dict[str, list[QuestionGraph]] = {}
    for graph in graphs:
        groups.setdefault(graph.language or "unknown", []).append(graph)
    return [
        {
            "language": name,
            "scale": len(group),
            "length": _mean([count_tokens(graph.question) for graph in group]),
            "nodes": _mean([shape(graph).nodes for graph in group]),
            "nodes_as_given": _mean([len(graph.nodes) for graph in group]),
        }
        for name, group in sorted(groups.items())
    ]


def _mean(values: Sequence[int]) -> float:
    return round(sum(values) / len(values), 4)


def release_statistics(content: ReleaseContent, sources: Sequence[SourceRow]) -> dict[str, Any]:
    """Return all numbers of a release as plain data.

    Args:
        content: What is released.
        sources: Its sources.
    """
    found = statistics(content.questions, content.by_id)
    fresh = sum(record.is_fresh_knowledge for record in content.evidence)
    count = len(content.evidence)
    return {
        "tokenizer": tokenizer_name(),
        "table2": table_two(content.questions),
        "evidence": {
            "records": count,
            "fresh": fresh,
            "fresh_share": round(fresh / count, 4) if count else None,
            "reliability": _states(record.reliability for record in content.evidence),
            "popularity": _states(record.popularity for record in content.evidence),
            "missing": [{"question": q, "evidence": e} for q, e in content.missing],
            "questions_without": list(content.unsupported),
        },
        "sources": [row.to_record() for row in sources],
        "checks": check_counts(content.questions),
        "quality": quality_counts(content.questions),
        "personal_data": personal_data(content),
        **found,
    }


def check_counts(graphs: Sequence[QuestionGraph]) -> dict[str, Any]:
    """Count what the recorded checks of questions say; what was not checked is counted apart.

    Args:
        graphs: The questions, each with its verdicts under ``checks``, if it has any.

    Returns:
        ``checked``, ``unchecked``, and of those checked ``unique``, ``faithful``,
        ``irredundant``, ``no_shortcut`` and ``sound`` (all four), and ``basis`` counted.
    """
    found = [checks for graph in graphs if (checks := _checks(graph)) is not None]
    verdicts = [
        {
            "unique": checks.get("unique") is True,
            "faithful": checks.get("faithful") is True,
            "irredundant": checks.get("redundant") == [],
            "no_shortcut": checks.get("shortcuts") == [],
        }
        for checks in found
    ]
    total = {
        name: sum(verdict[name] for verdict in verdicts)
        for name in ("unique", "faithful", "irredundant", "no_shortcut")
    }
    return {
        "checked": len(found),
        "unchecked": sum(_checks(graph) is None for graph in graphs),
        **total,
        "sound": sum(all(verdict.values()) for verdict in verdicts),
        "basis": _states(str(checks.get("basis") or "none") for checks in found),
    }


def personal_data(content: ReleaseContent) -> dict[str, Any]:
    """Search questions, answers and evidence for what may expose a person; see ``find_private``.

    Args:
        content: What is released.

    Returns:
        ``kinds`` (kind -> how often it was found) and ``places``, each with its kind, and the
        question or the evidence record that it is in.
    """
    places: list[dict[str, str]] = []
    for graph in content.questions:
        texts = {"question": graph.question, "answer": graph.answer or ""}
        places += [{"kind": m.kind, "question": str(graph.id)} for m in find_private(texts)]
    for record in content.evidence:
        names = f"{record.head_entity}\n{record.tail_entity}"
        texts = {"text": record.evidence_text, "names": names}
        places += [{"kind": m.kind, "evidence": record.evidence_id} for m in find_private(texts)]
    return {"kinds": _states(place["kind"] for place in places), "places": places}


def quality_counts(graphs: Iterable[QuestionGraph]) -> dict[str, dict[str, int]]:
    """Count how the quality checks of questions ended: check -> state -> questions.

    Args:
        graphs: The questions, each with its report under ``quality``, or under ``synthesis`` as a
            run of the loop writes it. Those without are counted as ``not judged``.
    """
    counts: dict[str, Counter[str]] = {}
    total = 0
    for graph in graphs:
        total += 1
        for check in _quality(graph):
            if isinstance(check, dict) and isinstance(check.get("name"), str):
                counts.setdefault(check["name"], Counter())[str(check.get("state"))] += 1
    for found in counts.values():
        if found.total() < total:
            found["not judged"] = total - found.total()
    return {name: dict(sorted(found.items())) for name, found in counts.items()}


def _quality(graph: QuestionGraph) -> list[Any]:
    extra = graph.model_extra or {}
    inner = extra.get("synthesis")
    report = extra.get("quality") or (inner.get("quality") if isinstance(inner, dict) else None)
    checks = report.get("checks") if isinstance(report, dict) else None
    return checks if isinstance(checks, list) else []


def _checks(graph: QuestionGraph) -> dict[str, Any] | None:
    found = (graph.model_extra or {}).get("checks")
    return found if isinstance(found, dict) and found else None


def _states(values: Iterable[str | None]) -> dict[str, int]:
    counts = Counter(value or "not judged" for value in values)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as a Markdown table.

    >>> print(markdown_table(["name", "n"], [["a|b", 2.5]]))
    | name | n |
    | --- | --- |
    | a\\|b | 2.5 |
    """
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(_shown(cell) for cell in line)} |" for line in lines)


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return " ".join(str(value).replace("|", "\\|").split())
