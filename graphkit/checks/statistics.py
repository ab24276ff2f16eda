"""Statistics of a set of questions: size, operations, length, domains, sources."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphkit.evidence import EvidenceRecord
from graphkit.operations import Op
from graphkit.patterns import shape
from graphkit.question import QuestionGraph

__all__ = ["statistics", "token_count"]

_TOKEN = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*|[^\w\s]|_")
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL SYLLABLE", "THAI", "LAO", "KHMER", "MYANMAR")


def token_count(text: str) -> int:
    """Return the length of a question in tokens that need no model: words and signs.

    A word is a run of letters and digits, a punctuation mark counts as one; of scripts that are
    written without spaces every character counts as one.

    >>> token_count("Which country borders France?"), token_count("\\u54ea\\u4e2a\\uff1f")
    (5, 3)
    """
    total = 0
    for match in _TOKEN.finditer(text):
        word = match.group()
        unspaced = 0 if word.isascii() else sum(map(_is_unspaced, word))
        total += unspaced + (len(word) > unspaced)
    return total


def _is_unspaced(sign: str) -> bool:
    return unicodedata.name(sign, "").startswith(_UNSPACED)


def statistics(
    graphs: Iterable[QuestionGraph], records: Mapping[str, EvidenceRecord] | None = None
) -> dict[str, Any]:
    """Describe a set of questions: Table 2 and figures 4 and 5 of EvoBrowseComp, and more.

    Nodes and edges are counted on the normal form.

    Args:
        graphs: The questions.
        records: Evidence by id, to look up the sources of each question; without it, or for
            questions that name no evidence, root domains are not counted.

    Returns:
        ``questions``; ``nodes``, ``edges``, ``hops``, ``depth``, ``anchors`` and ``length``
        (words and signs, see :func:`token_count`), each with mean, min, max and counts; ``ops``;
        ``tokens`` (of a public tokenizer, with its name and the mean by language);
        ``languages``; ``domains``; ``root_domains`` (None where no source is known);
        ``signatures``; ``trees``; ``answers``.
    """
    kept = list(graphs)
    shapes = [shape(graph) for graph in kept]
    lengths = [token_count(graph.question) for graph in kept]
    spoken = [graph.language or "unknown" for graph in kept]
    sources = [found for graph in kept if (found := _root_domains(graph, records)) is not None]
    answers = Counter(graph.answer for graph in kept if graph.answer is not None)
    return {
        "questions": len(kept),
        "nodes": _spread([item.nodes for item in shapes]),
        "edges": _spread([item.edges for item in shapes]),
        "hops": _spread([item.hops for item in shapes]),
        "depth": _spread([item.depth for item in shapes]),
        "anchors": _spread([item.anchors for item in shapes]),
        "length": _spread(lengths),
        "tokens": _tokens([graph.question for graph in kept], spoken),
        "ops": {
            op.value: {
                "edges": sum(item.ops.get(op.value, 0) for item in shapes),
                "questions": sum(item.ops.get(op.value, 0) > 0 for item in shapes),
            }
            for op in Op
        },
        "languages": {
            name: {
                "questions": spoken.count(name),
                "length": _mean([n for n, own in zip(lengths, spoken, strict=True) if own == name]),
                "nodes": _mean(
                    [item.nodes for item, own in zip(shapes, spoken, strict=True) if own == name]
                ),
            }
            for name in sorted(set(spoken))
        },
        "domains": _counted(graph.domain or "unknown" for graph in kept),
        "root_domains": None if not sources else _sources(sources),
        "signatures": _counted(item.signature for item in shapes),
        "trees": _counted(item.tree for item in shapes),
        "answers": {
            "different": len(answers),
            "largest_share": max(answers.values()) / len(kept) if answers else None,
        },
    }


def _tokens(questions: Sequence[str], spoken: Sequence[str]) -> dict[str, Any]:
    from graphkit.checks.tokens import count_tokens, tokenizer_name

    sizes = [count_tokens(text) for text in questions]
    return {
        "tokenizer": tokenizer_name(),
        **_spread(sizes),
        "languages": {
            name: _mean([n for n, own in zip(sizes, spoken, strict=True) if own == name])
            for name in sorted(set(spoken))
        },
    }


def _root_domains(
    graph: QuestionGraph, records: Mapping[str, EvidenceRecord] | None
) -> set[str] | None:
    """Return the root domains of the evidence that a question names; None when none is known."""
    if records is None:
        return None
    found = [records[name] for name in graph.evidence_ids if name in records]
    return {record.root_domain for record in found} - {""} if found else None


def _sources(sources: Sequence[set[str]]) -> dict[str, Any]:
    sizes = [len(found) for found in sources]
    return {
        **_spread(sizes),
        "at_least_three": sum(size >= 3 for size in sizes) / len(sizes),
        "domains": _counted(name for found in sources for name in found),
    }


def _spread(values: Sequence[int]) -> dict[str, Any]:
    return {
        "mean": _mean(values),
        "min": min(values, default=None),
        "max": max(values, default=None),
        "counts": {str(value): count for value, count in sorted(Counter(values).items())},
    }


def _mean(values: Sequence[int]) -> float | None:
    return sum(values) / len(values) if values else None


def _counted(names: Iterable[str]) -> dict[str, int]:
    """Count names, the most frequent first, then by name."""
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))
