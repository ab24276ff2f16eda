"""Questions and evidence for tests of releases: two languages, three sources, odd names."""

from __future__ import annotations

from typing import Any

from parse_model import chain_graph

from graphkit.evidence import EvidenceRecord
from graphkit.question import QuestionGraph
from synthesis.release import ReleaseContent, gather_content

HOSTS = ("www.one.org", "two.org", "news.three.co.uk")


def record(number: int, **changes: Any) -> EvidenceRecord:
    """Evidence number so and so, from one of three sources in turn."""
    values = {
        "evidence_id": f"e{number}",
        "head_entity": f"Secret Head {number}",
        "relation": "leads to",
        "tail_entity": f"Secret Tail {number}",
        "evidence_text": f"=Secret Head {number} leads to Secret Tail {number}.",
        "source_url": f"https://{HOSTS[number % 3]}/page/{number}",
        "is_fresh_knowledge": number % 2 == 0,
    }
    return EvidenceRecord.model_validate({**values, **changes})


def question(number: int, language: str = "en", **changes: Any) -> QuestionGraph:
    """Question number so and so with three evidence records of its own."""
    words = {
        "en": f"Which place {number} does Land{number} lead to?",
        "zh": f"国{number}通向何处？",
    }
    data = chain_graph(f"Land{number}" if language == "en" else f"国{number}", "leads to", "and on")
    data["nodes"][1]["reference_entities"] = [f"Secret Middle {number}"]
    data |= {
        "id": f"q{number}",
        "question": words[language],
        "answer": f"Secret Answer {number}",
        "aliases": [f"Secret Alias {number}"],
        "language": language,
        "domain": ["art", "law", "海洋"][number % 3],
        "evidence_ids": [f"e{3 * number + place}" for place in range(3)],
        "checks": {
            "unique": True,
            "faithful": True,
            "redundant": [],
            "shortcuts": [],
            "basis": "closed" if number % 2 else "evidence",
        },
        "reasoning_chain": [{"hop": 1, "evidence_id": f"e{3 * number}", "entity": "Secret Head"}],
        **changes,
    }
    return QuestionGraph.model_validate(data)


def content(count: int = 6, unused: int = 4) -> ReleaseContent:
    """Questions, every other one Chinese, with evidence that some of it nobody uses."""
    graphs = [question(n, "zh" if n % 2 else "en") for n in range(count)]
    records = [record(n) for n in range(3 * count + unused)]
    return gather_content(graphs, {item.evidence_id: item for item in records})
