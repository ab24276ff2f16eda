"""Plays who writes: a first question from the evidence, and the same question changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scripted_model.conversation import Task, draw
from scripted_model.english import read_english, write_english
from scripted_model.mandarin import read_mandarin, write_mandarin
from scripted_model.page_reader import canonical, family
from scripted_model.witness import Evidence, chain_of, evidence_of

from graphkit.errors import GraphkitError
from graphkit.formats.lenient import parse_model_output
from graphkit.question import Edge, Node, QuestionGraph

__all__ = ["construct", "read_question", "revise", "write_question"]

_ANCHORED = ("member of", "takes part in", "exports", "natural resource", "borders", "lies on")
_BETWEEN = ("exports to", "imports from", "hosts refugees from")


def write_question(graph: QuestionGraph, language: str) -> str:
    """Say a graph in a language.

    Raises:
        GraphkitError: It cannot be said.
    """
    return write_mandarin(graph) if language == "zh" else write_english(graph)


def read_question(text: str) -> QuestionGraph | None:
    """Read a question in either language, or return None."""
    return read_mandarin(text) if "请问" in text else read_english(text)


def _reply(
    graph: QuestionGraph, evidence: Evidence, answer: str, language: str, number: str
) -> dict[str, Any]:
    chain = chain_of(graph, evidence, answer)
    order = ["fresh" if hop["is_fresh_knowledge"] else "nonfresh" for hop in chain]
    return {
        "questions": [
            {
                "id": number,
                "question": write_question(graph, language),
                "answer": answer,
                "hop_count": len(chain),
                "knowledge_order": "-".join(order),
                "reasoning_chain": chain,
            }
        ]
    }


def construct(task: Task) -> dict[str, Any]:
    """Return a first question: a chain of three hops, with more than one answer if there is one."""
    evidence = evidence_of(task.blocks.get("evidence_list", ""))
    best: tuple[float, QuestionGraph, str] | None = None
    for graph, answer in _chains(evidence):
        names = evidence.values(graph)[graph.root_node_id].names
        if answer not in names:
            continue
        wide = min(len(names), 8) / 8
        score = wide + draw(task.opening, answer, graph.to_record())
        if best is None or score > best[0]:
            best = score, graph, answer
    if best is None:
        return {"questions": []}
    return _reply(best[1], evidence, best[2], task.language, "qa_001")


def _chains(evidence: Evidence) -> Iterator[tuple[QuestionGraph, str]]:
    """Yield chains: something named <- country - country -> leader, all of them in the evidence."""
    by_head: dict[str, list[dict[str, Any]]] = {}
    leaders: dict[str, list[dict[str, Any]]] = {}
    for item in evidence.items:
        usual = canonical(item["relation"])
        if usual in _ANCHORED:
            by_head.setdefault(item["head_entity"], []).append(item)
        relation = family(item["relation"])
        if relation is not None and relation.functional and item.get("is_fresh_knowledge"):
            leaders.setdefault(item["head_entity"], []).append(item)
    for item in evidence.items:
        if canonical(item["relation"]) not in _BETWEEN or not item.get("is_fresh_knowledge"):
            continue
        for first, way in (("head_entity", "forward"), ("tail_entity", "backward")):
            near, far = item["tail_entity" if way == "forward" else "head_entity"], item[first]
            for last in leaders.get(near, ()):
                for start in by_head.get(far, ())[:6]:
                    if start["tail_entity"] in (near, far):
                        continue
                    yield _chain(start, item["relation"], way, last), last["tail_entity"]


def _chain(start: dict[str, Any], between: str, way: str, last: dict[str, Any]) -> QuestionGraph:
    """Return the graph: what has ``start``, what it is joined to, and who leads that."""

    def node(number: int, name: str | None = None, kind: str | None = None) -> Node:
        return Node(
            node_id=f"n{number}",
            label=name or kind or "",
            known_entities=(name,) if name else (),
            entity_type=kind,
            is_root=number == 3,
        )

    def edge(number: int, relation: str, direction: str) -> Edge:
        return Edge.model_validate(
            {
                "edge_id": f"e{number}",
                "source_ids": (f"n{number}",),
                "target_id": f"n{number + 1}",
                "op": "projection",
                "relation": relation,
                "direction": direction,
            }
        )

    return QuestionGraph(
        root_node_id="n3",
        nodes=(
            node(0, start["tail_entity"], start.get("tail_type")),
            node(1),
            node(2),
            node(3, kind=last.get("tail_type")),
        ),
        edges=(
            edge(0, start["relation"], "backward"),
            edge(1, between, way),
            edge(2, last["relation"], "forward"),
        ),
    )


def revise(task: Task) -> dict[str, Any]:
    """Return the question as the advice wants it: the graph of the offer, said in words."""
    evidence = evidence_of(task.blocks.get("evidence_list", ""))
    advice = task.data("advice")
    offer = advice.get("offer") if isinstance(advice, dict) else None
    answer = task.text("answer")
    graph: QuestionGraph | None = None
    if isinstance(offer, dict) and isinstance(offer.get("graph"), dict):
        graph = parse_model_output(offer["graph"]).graph
        answer = str(offer.get("answer") or answer)
    graph = graph or read_question(task.text("question"))
    if graph is None:
        return {"questions": [{"question": task.text("question"), "answer": answer}]}
    try:
        return _reply(graph, evidence, answer, task.language, "qa_001")
    except GraphkitError:
        return {"questions": [{"question": task.text("question"), "answer": task.text("answer")}]}
