"""Plays who writes: a first question from the evidence, and the same question changed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from graphkit.errors import GraphkitError
from graphkit.formats.lenient import parse_model_output
from graphkit.operations import Direction, Op
from graphkit.question import Edge, Node, QuestionGraph
from scripted_model.conversation import Task, draw
from scripted_model.english import read_english, write_english
from scripted_model.mandarin import read_mandarin, write_mandarin
from scripted_model.page_reader import canonical, family
from scripted_model.witness import Evidence, chain_of, evidence_of

__all__ = ["construct", "read_question", "revise", "write_question"]

_ANCHORED = ("member of", "takes part in", "exports", "natural resource", "borders", "lies on")
_BETWEEN = ("exports to", "imports from")
_GROUP = 6
_WIDTH = 12


def write_question(graph: QuestionGraph, language: str, *, other: bool = False) -> str:
    """Say a graph in a language.

    Args:
        graph: The graph.
        language: ``en`` or ``zh``.
        other: In other words than usual, where there are some.

    Raises:
        GraphkitError: It cannot be said.
    """
    return write_mandarin(graph) if language == "zh" else write_english(graph, other=other)


def read_question(text: str) -> QuestionGraph | None:
    """Read a question in either language, or return None."""
    return read_mandarin(text) if "请问" in text else read_english(text)


def _reply(
    graph: QuestionGraph, evidence: Evidence, answer: str, language: str, *, other: bool = False
) -> dict[str, Any]:
    chain = chain_of(graph, evidence, answer)
    order = ["fresh" if hop["is_fresh_knowledge"] else "nonfresh" for hop in chain]
    return {
        "questions": [
            {
                "id": "qa_001",
                "question": write_question(graph, language, other=other),
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
    widths: dict[str, int] = {}
    for score, graph, answer in _chains(evidence):
        key = str([edge.relation for edge in graph.edges]) + str(graph.nodes[0].known_entities)
        if key not in widths:
            widths[key] = len(evidence.values(graph)[graph.root_node_id].names)
        fit = abs(math.log(widths[key] / _WIDTH))
        ranked = score + draw(task.opening, answer, key) - fit
        if best is None or ranked > best[0]:
            best = ranked, graph, answer
    if best is None:
        return {"questions": []}
    return _reply(best[1], evidence, best[2], task.language)


def _chains(evidence: Evidence) -> Iterator[tuple[float, QuestionGraph, str]]:
    """Yield (score, graph, answer): a small group <- who deals with one of it -> who leads that.

    For every member of the group it must be known who deals with it. Shorter chains, from a list
    that a country is on to its leader, are there for want of better ones.
    """
    lists: dict[str, int] = {}
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    dealing: dict[str, list[dict[str, Any]]] = {}
    leaders: dict[str, list[dict[str, Any]]] = {}
    for item in evidence.items:
        known = family(item["relation"])
        usual = canonical(item["relation"])
        if usual in _ANCHORED:
            lists[item["head_entity"]] = lists.get(item["head_entity"], 0) + 1
            groups.setdefault((item["relation"], item["tail_entity"]), []).append(item)
        if usual in _BETWEEN and item.get("is_fresh_knowledge"):
            dealing.setdefault(item["tail_entity"], []).append(item)
        if known is not None and known.functional and item.get("is_fresh_knowledge"):
            leaders.setdefault(item["head_entity"], []).append(item)
    kinds: dict[str, set[str]] = {}
    for (relation, _), members in groups.items():
        kinds.setdefault(relation, set()).update(item["head_entity"] for item in members)
    for (relation, anchor), members in groups.items():
        names = {item["head_entity"] for item in members}
        for item in members:
            country = item["head_entity"]
            for last in leaders.get(country, ()):
                yield -2.0 + 0.3 * lists[country], _chain((item, last)), last["tail_entity"]
        if not 2 <= len(names) <= _GROUP or not names <= dealing.keys():
            continue
        near, far = _who_deals(names, dealing), _who_deals(kinds[relation], dealing)
        for start in members:
            for item in dealing.get(start["head_entity"], ()):
                country = item["head_entity"]
                for last in leaders.get(country, ()):
                    if country not in names and country != anchor:
                        score = 0.3 * lists.get(country, 0)
                        if near[item["relation"]] == far[item["relation"]]:
                            score -= 3.0  # whoever deals with any group deals with this one
                        yield score, _chain((start, item, last)), last["tail_entity"]


def _who_deals(
    names: Iterable[str], dealing: dict[str, list[dict[str, Any]]]
) -> dict[str, set[str]]:
    """Return who deals with any of some countries, by relation."""
    found: dict[str, set[str]] = {}
    for name in names:
        for item in dealing.get(name, ()):
            found.setdefault(item["relation"], set()).add(item["head_entity"])
    return found


def _chain(items: Sequence[dict[str, Any]]) -> QuestionGraph:
    """Return the graph of a chain: from the tail of the first backwards, the last step forwards."""
    length = len(items)
    nodes = [
        Node(
            node_id=f"n{place}",
            label=items[0]["tail_entity"] if place == 0 else "",
            known_entities=(items[0]["tail_entity"],) if place == 0 else (),
            entity_type=(
                items[0].get("tail_type")
                if place == 0
                else items[-1].get("tail_type")
                if place == length
                else None
            ),
            is_root=place == length,
        )
        for place in range(length + 1)
    ]
    edges = [
        Edge(
            edge_id=f"e{place}",
            source_ids=(f"n{place}",),
            target_id=f"n{place + 1}",
            op=Op.PROJECTION,
            relation=item["relation"],
            direction=Direction.FORWARD if place == length - 1 else Direction.BACKWARD,
        )
        for place, item in enumerate(items)
    ]
    return QuestionGraph(root_node_id=f"n{length}", nodes=tuple(nodes), edges=tuple(edges))


def revise(task: Task) -> dict[str, Any]:
    """Return the question as the advice wants it: the graph of the offer, said in words."""
    evidence = evidence_of(task.blocks.get("evidence_list", ""))
    advice = task.data("advice")
    offer = advice.get("offer") if isinstance(advice, dict) else None
    answer = task.text("answer")
    graph = None
    if isinstance(offer, dict) and isinstance(offer.get("graph"), dict):
        graph = parse_model_output(offer["graph"]).graph
        answer = str(offer.get("answer") or answer)
    if graph is None:
        graph = read_question(task.text("question"))
        answer = _answer(graph, evidence, answer, task) if graph is not None else answer
    if graph is None:
        return {"questions": [{"question": task.text("question"), "answer": answer}]}
    try:
        reply = _reply(graph, evidence, answer, task.language)
        if reply["questions"][0]["question"] == task.text("question"):
            return _reply(graph, evidence, answer, task.language, other=True)
        return reply
    except GraphkitError:
        return {"questions": [{"question": task.text("question"), "answer": task.text("answer")}]}


def _answer(graph: QuestionGraph, evidence: Evidence, answer: str, task: Task) -> str:
    """Return the answer given, or one that the evidence has, where it does not have that one."""
    value = evidence.values(graph)[graph.root_node_id]
    if value.complemented or not value.names or answer in value.names:
        return answer
    return min(value.names, key=lambda name: draw(task.opening, name))
