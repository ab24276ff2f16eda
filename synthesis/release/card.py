"""The data card of a release: README.md with the head that dataset hubs read, and true numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from synthesis.release.tables import markdown_table

if TYPE_CHECKING:
    from synthesis.release.building import ReleaseSettings

__all__ = ["data_card", "size_category"]

_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)
_MOST_ROWS = 30
_FILES = {
    "questions.jsonl": "the questions: one graph a line, with answer, checks and history",
    "evidence.jsonl": "the evidence that the questions use, one record a line",
    "questions.trig": "the questions as RDF, a named graph each",
    "evidence.ttl": "the evidence as RDF, with the statements that it supports",
    "statistics.json": "all numbers of this page and more",
    "licences.csv": "the sources by root domain, with their licences",
    "domains.png": "questions by domain",
    "root_domains.png": "distinct root domains per question",
    "validation/expert_1.csv": "sheet for human validation, first expert",
    "validation/expert_2.csv": "sheet for human validation, second expert",
    "validation/discussion.csv": "sheet for what the two agree on",
    "release.json": "canary, seed, and the hash of every file",
}


def size_category(count: int) -> str:
    """Return the size of a set as dataset hubs name it.

    >>> size_category(800), size_category(1000)
    ('n<1K', '1K<n<10K')
    """
    return next((name for limit, name in _SIZES if count < limit), "n>10M")


def data_card(
    numbers: Mapping[str, Any],
    settings: ReleaseSettings,
    canary: str,
    files: Sequence[str],
) -> str:
    """Return the data card.

    Args:
        numbers: See :func:`synthesis.release.tables.release_statistics`.
        settings: Of the release.
        canary: Its canary sentence.
        files: The names of its other files.
    """
    parts = [_head(numbers, settings), f"# {settings.title}", _opening(numbers, settings)]
    rows = [(f"`{name}`", _FILES[name]) for name in _FILES if name in files]
    parts += ["## Files", markdown_table(("file", "holds"), rows)]
    if settings.sealed:
        parts.append(_SEALED)
    parts += ["## Size and complexity", _table_two(numbers), _checked(numbers["checks"])]
    parts.append(_quality(numbers["quality"]))
    parts += ["## Domains", _counts("domain", numbers["domains"])]
    if "domains.png" in files:
        parts.append("![Questions by domain](domains.png)")
    parts += ["## Evidence and sources", _evidence(numbers)]
    if "root_domains.png" in files:
        parts.append("![Distinct root domains per question](root_domains.png)")
    parts.append(_sources(numbers["sources"]))
    parts += ["## Personal data", _personal(numbers["personal_data"])]
    parts += ["## Licence", _licence(numbers, settings)]
    parts += ["## Canary", f"{_CANARY}\n\n> {canary}"]
    return "\n\n".join(part for part in parts if part) + "\n"


_SEALED = """\
Answers, graphs and evidence are sealed: `graphkit export decrypt FOLDER -o PLAIN` opens all of it.
The key comes from the canary below, which is public. Sealing keeps crawlers that store text as it
is from learning the answers; it is no secrecy."""

_CANARY = """\
Every record and file carries this sentence, so that makers of training sets can leave the data
out, and so that a model that completes it shows that they did not."""


def _head(numbers: Mapping[str, Any], settings: ReleaseSettings) -> str:
    languages = [name for name in numbers["languages"] if name != "unknown"]
    count = numbers["questions"]
    licence = settings.licence.casefold().replace(" ", "-")
    known = re.fullmatch(r"[a-z0-9.+-]+", licence) is not None
    lines = [
        "---",
        f"pretty_name: {_quoted(settings.title)}",
        f"version: {_quoted(settings.version)}",
    ]
    if known:
        lines.append(f"license: {licence}")
    else:
        lines += ["license: other", f"license_name: {_quoted(settings.licence)}"]
    lines += ["language:", *(f"- {_quoted(name)}" for name in languages or ["und"])]
    lines.append(f"multilinguality: {'multilingual' if len(languages) > 1 else 'monolingual'}")
    lines += ["annotations_creators:", "- machine-generated"]
    lines += ["language_creators:", "- machine-generated"]
    lines += ["source_datasets:", "- original"]
    lines += ["size_categories:", f"- {size_category(count)}"]
    lines += ["task_categories:", "- question-answering"]
    tags = ("search-agents", "multi-hop", "reasoning-graph", "benchmark", "graphkit")
    lines += ["tags:", *(f"- {tag}" for tag in tags)]
    lines += ["configs:", "- config_name: questions", "  default: true", "  data_files:"]
    lines += ["  - split: test", "    path: questions.jsonl"]
    if numbers["evidence"]["records"]:
        lines += ["- config_name: evidence", "  data_files:"]
        lines += ["  - split: test", "    path: evidence.jsonl"]
    return "\n".join([*lines, "---"])


def _quoted(text: str) -> str:
    """Return a text as a double-quoted YAML scalar; JSON strings are that."""
    return json.dumps(text, ensure_ascii=False)


def _opening(numbers: Mapping[str, Any], settings: ReleaseSettings) -> str:
    spoken = ", ".join(
        f"{item['questions']:,} in {name}" for name, item in numbers["languages"].items()
    )
    count = f"{numbers['questions']:,} question{'' if numbers['questions'] == 1 else 's'}"
    text = (
        f"{count} for search agents ({spoken}), each a graph of sets "
        f"with the evidence behind it; version {settings.version}."
    )
    return f"{settings.description.strip()}\n\n{text}" if settings.description.strip() else text


def _table_two(numbers: Mapping[str, Any]) -> str:
    rows = [
        (row["language"], row["scale"], row["length"], row["nodes"], row["nodes_as_given"])
        for row in numbers["table2"]
    ]
    heads = ("language", "questions", "mean length", "mean nodes", "mean nodes as given")
    note = (
        f"Length in tokens of {numbers['tokenizer']}. Nodes of the reasoning graph in its normal "
        "form, and as it was made or parsed."
    )
    more = [
        (name, numbers[name]["mean"], numbers[name]["min"], numbers[name]["max"])
        for name in ("edges", "hops", "depth", "anchors")
    ]
    ops = [(op, item["edges"], item["questions"]) for op, item in numbers["ops"].items()]
    return "\n\n".join(
        (
            markdown_table(heads, rows),
            note,
            markdown_table(("of a question", "mean", "min", "max"), more),
            markdown_table(("operation", "edges", "questions"), ops),
        )
    )


def _checked(checks: Mapping[str, Any]) -> str:
    if not checks["checked"]:
        return "No verdicts of checks on the graphs came with these questions."
    rows = [
        ("exactly one answer", checks["unique"]),
        ("the declared answer is among the answers", checks["faithful"]),
        ("no redundant condition", checks["irredundant"]),
        ("no shortcut found", checks["no_shortcut"]),
        ("all four", checks["sound"]),
        ("not checked", checks["unchecked"]),
    ]
    basis = ", ".join(f"{count:,} on {name}" for name, count in checks["basis"].items())
    return (
        markdown_table(("computed on the facts", "questions"), rows)
        + f"\n\nBasis of the verdicts: {basis}. Only on the basis `closed` are all facts known "
        "that could add an answer; on `evidence` a question is unique as far as was looked."
    )


def _quality(counts: Mapping[str, Mapping[str, int]]) -> str:
    if not counts:
        return ""
    states = sorted({state for found in counts.values() for state in found})
    rows = [
        (name.replace("_", " "), *(found.get(state, 0) for state in states))
        for name, found in counts.items()
    ]
    return markdown_table(("quality", *states), rows)


def _counts(head: str, counts: Mapping[str, int]) -> str:
    rows = list(counts.items())
    left = len(rows) - _MOST_ROWS
    more = f"\n\n{left} more are in `statistics.json`." if left > 0 else ""
    return markdown_table((head, "questions"), rows[:_MOST_ROWS]) + more


def _evidence(numbers: Mapping[str, Any]) -> str:
    evidence = numbers["evidence"]
    if not evidence["records"]:
        return "No evidence is released with these questions."
    parts = [
        f"{evidence['records']:,} evidence records, {evidence['fresh']:,} of them fresh "
        f"({100 * evidence['fresh_share']:.1f} %)."
    ]
    for key in ("reliability", "popularity"):
        told = ", ".join(f"{name}: {count:,}" for name, count in evidence[key].items())
        parts.append(f"{key.capitalize()}: {told}.")
    if evidence["questions_without"]:
        parts.append(f"{len(evidence['questions_without']):,} questions name no evidence.")
    if evidence["missing"]:
        parts.append(
            f"{len(evidence['missing']):,} records that questions name were not available and are "
            "not in the release; `statistics.json` lists them."
        )
    domains = numbers["root_domains"]
    if domains is not None:
        parts.append(
            f"A question rests on {domains['mean']:.1f} distinct root domains on average (from "
            f"{domains['min']} to {domains['max']}); {100 * domains['at_least_three']:.1f} % rest "
            "on at least three."
        )
    return " ".join(parts)


def _sources(sources: Sequence[Mapping[str, Any]]) -> str:
    if not sources:
        return ""
    rows = [
        (row["root_domain"], row["evidence"], row["questions"], row["licence"])
        for row in sources[:_MOST_ROWS]
    ]
    left = len(sources) - _MOST_ROWS
    more = f"\n\n{left} more sources are in `licences.csv`." if left > 0 else ""
    return markdown_table(("root domain", "evidence", "questions", "licence"), rows) + more


def _personal(found: Mapping[str, Any]) -> str:
    searched = (
        "Questions, answers and evidence were searched by patterns for e-mail addresses, telephone "
        "numbers, numbers of documents, accounts and cards, and street addresses"
    )
    if not found["kinds"]:
        return f"{searched}; nothing was found. Patterns do not find everything."
    told = ", ".join(f"{name}: {count:,}" for name, count in found["kinds"].items())
    return f"{searched}. Found were {told}; see `statistics.json`, and look at them."


def _licence(numbers: Mapping[str, Any], settings: ReleaseSettings) -> str:
    unknown = sum(row["licence"] == "unknown" for row in numbers["sources"])
    own = (
        "No licence of the set itself was named."
        if settings.licence == "unknown"
        else f"The set itself: {settings.licence}."
    )
    quoted = "Evidence quotes its sources, whose licences are in `licences.csv`"
    if not numbers["sources"]:
        return own
    left = f"; of {unknown:,} of {len(numbers['sources']):,} the licence is unknown"
    return f"{own} {quoted}{left if unknown else ''}."
