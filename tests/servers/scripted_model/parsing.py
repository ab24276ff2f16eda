"""Plays who parses: a question into a graph; names of relations onto known ones; advice."""

from __future__ import annotations

import re
from typing import Any

from graphkit.question import QuestionGraph
from scripted_model.conversation import Task
from scripted_model.page_reader import canonical, family
from scripted_model.writing import read_question

__all__ = ["direction", "parse", "relations"]

_BEYOND = re.compile(
    r"\b(?:how many|most|largest|smallest|oldest|longest|highest number|second|third|total)\b"
    r"|最大|最多|第几|多少|总数",
    re.IGNORECASE,
)
_NAMED = re.compile(r"[A-Z][\w'-]+(?: (?:of|the|and|[A-Z][\w'-]+))*(?<! of)(?<! the)(?<! and)")


def parse(task: Task) -> dict[str, Any]:
    """Return the graph of a question in the paper's JSON, or what cannot be expressed."""
    question = task.text("question")
    beyond = _BEYOND.search(question)
    graph = read_question(question)
    if graph is None and beyond:
        return {"not_expressible": beyond[0]}
    return _record(graph, task) if graph is not None else _guess(question, task)


def _record(graph: QuestionGraph, task: Task) -> dict[str, Any]:
    answer = task.text("answer")
    chinese = task.language == "zh"
    nodes = []
    for node in graph.nodes:
        root = node.node_id == graph.root_node_id
        record = {
            "node_id": node.node_id,
            "label": node.label or ("the answer" if root else "what is described"),
            "known_entities": list(node.known_entities) or None,
            "reference_entities": [answer] if root and answer else None,
            "is_root": root,
        }
        if node.entity_type and not chinese:
            record["entity_type"] = node.entity_type
        nodes.append(record)
    edges = [
        {
            "edge_id": edge.edge_id,
            "source_ids": list(edge.source_ids),
            "target_id": edge.target_id,
            "op": edge.op.value,
            "relation": edge.relation,
            "direction": edge.direction.value if edge.direction else None,
        }
        for edge in graph.edges
    ]
    return {
        "question": task.text("question"),
        "answer": answer,
        "root_node_id": graph.root_node_id,
        "nodes": nodes,
        "edges": edges,
    }


def _guess(question: str, task: Task) -> dict[str, Any]:
    """Return a rough graph of a question of another hand: every name is joined to the answer."""
    starts = {question[:1]}
    names = [name for name in _NAMED.findall(question) if name not in starts]
    names = [name for name in dict.fromkeys(names) if not question.startswith(name)][:6]
    names = names or [question.split()[-1].strip("?？.") or "it"]
    nodes: list[dict[str, Any]] = []
    edges: list[dict[str, Any]] = []
    for place, name in enumerate(names):
        nodes.append({"node_id": f"n{2 * place}", "label": name, "known_entities": [name]})
        nodes.append({"node_id": f"n{2 * place + 1}", "label": f"has to do with {name}"})
        edges.append(
            {
                "edge_id": f"e{place}",
                "source_ids": [f"n{2 * place}"],
                "target_id": f"n{2 * place + 1}",
                "op": "projection",
                "relation": "related to",
                "direction": "backward",
            }
        )
    root = f"n{2 * len(names)}" if len(names) > 1 else "n1"
    if len(names) > 1:
        nodes.append({"node_id": root, "label": "the answer"})
        edges.append(
            {
                "edge_id": f"e{len(names)}",
                "source_ids": [f"n{2 * place + 1}" for place in range(len(names))],
                "target_id": root,
                "op": "intersection",
                "relation": None,
                "direction": None,
            }
        )
    for node in nodes:
        node.setdefault("known_entities", None)
        node["reference_entities"] = None
        node["is_root"] = node["node_id"] == root
    return {
        "question": question,
        "answer": task.text("answer"),
        "root_node_id": root,
        "nodes": nodes,
        "edges": edges,
    }


def relations(task: Task) -> dict[str, Any]:
    """Match names of relations by what they stand for."""
    known: dict[str, str] = {}
    names = [str(name) for name in task.data("known_relations")]
    for name in names:
        known.setdefault(canonical(name), name)
    mapping = []
    for item in task.data("unresolved"):
        given = str(item.get("relation"))
        found = family(given)
        usual = found.name if found is not None else None
        target = known.get(usual) if usual else None
        if target == given:
            others = [name for name in names if canonical(name) == usual and name != given]
            target = others[0] if others else None
        mapping.append(
            {
                "edge_id": str(item.get("edge_id")),
                "relation": target,
                "direction": item.get("direction") or "forward",
            }
        )
    return {"mapping": mapping}


_OPERATION = {
    "Complement": "complement",
    "Inverse Projection": "projection",
    "Projection Extension": "projection",
    "Intersection Expansion": "intersection",
    "Drop Constraint": "intersection",
    "Widen Anchor": "projection",
}


def direction(task: Task) -> dict[str, Any]:
    """Look at a question as a reader, and pick a change: as a rule the first that is offered."""
    question = task.text("question")
    offers = [item for item in task.data("offers") if isinstance(item, dict)]
    findings = [item for item in task.data("findings") if isinstance(item, dict)]
    redundant = [str(item["constraint"]) for item in findings if item.get("kind") == "redundant"]
    sees = task.chance("sees") < 0.7
    picked = _picked(offers, task)
    strategy = str(picked["strategy"]) if picked else "Intersection Expansion"
    operation = str(picked["operation"]) if picked else "intersection"
    span = _span(question, task.data("graph_json"))
    return {
        "seen": {
            "redundant": redundant if sees else [],
            "shortcuts": [],
            "ambiguous": False,
            "reason": "Each condition was held against the others.",
        },
        "offer": picked["offer"] if picked else None,
        "expansion_advice": {
            "target_text_span": span,
            "suggested_operation": _OPERATION.get(strategy, operation),
            "selected_strategy": strategy,
            "reasoning": "A searcher has to follow one more condition that no single page states.",
            "semantic_suggestion": str(picked["condition"]) if picked else "add a condition",
        },
    }


def _picked(offers: list[dict[str, Any]], task: Task) -> dict[str, Any] | None:
    """Return the change to make: the first that is offered, at times the second."""
    if len(offers) > 1 and task.chance("second") < 0.05:
        return offers[1]
    return offers[0] if offers else None


def _span(question: str, graph: Any) -> str:
    """Return words of the question that a change may concern: a name in it, else its end."""
    nodes = graph.get("nodes") if isinstance(graph, dict) else None
    for node in nodes or ():
        for name in node.get("known_entities") or ():
            if name in question:
                return str(name)
    return question.split("。")[-1] if "。" in question else question.split(". ")[-1]
