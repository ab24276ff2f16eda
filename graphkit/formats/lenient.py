"""The lenient parser for question graphs that a model wrote; it returns every repair it made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphkit.errors import GraphError, Problem, did_you_mean
from graphkit.formats.lenient_words import direction_of, is_nothing, not_expressible, op_of
from graphkit.formats.model_text import Repair, find_object
from graphkit.formats.question_json import graph_from_data
from graphkit.operations import Direction, Op
from graphkit.question import QuestionGraph

__all__ = ["LenientResult", "Repair", "parse_model_output"]

_WRAPPERS = ("graph", "question_graph", "questionGraph", "graph_json", "result", "output")
_TOP_KEYS = {"root": "root_node_id", "root_id": "root_node_id", "root_node": "root_node_id"}
_NODE_KEYS = {
    "id": "node_id",
    "nodeId": "node_id",
    "known_entity": "known_entities",
    "reference_entity": "reference_entities",
}
_EDGE_KEYS = {
    "id": "edge_id",
    "edgeId": "edge_id",
    **dict.fromkeys(("sources", "source", "source_id", "from", "sourceIds"), "source_ids"),
    **dict.fromkeys(("target", "to", "targetId"), "target_id"),
    **dict.fromkeys(("operation", "operator", "type"), "op"),
}
_TRUE = frozenset({"true", "yes", "1"})
_FALSE = frozenset({"false", "no", "0", "", "null", "none"})


@dataclass(frozen=True, slots=True)
class LenientResult:
    """What became of a model's output.

    Attributes:
        graph: The graph, or None where something is wrong that must not be guessed.
        repairs: Everything that was read as something else, in order.
        problems: What is wrong with it; empty if there is a graph.
    """

    graph: QuestionGraph | None
    repairs: tuple[Repair, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def not_expressible(self) -> tuple[Problem, ...]:
        """The parts of the question that the three operations cannot express."""
        return tuple(item for item in self.problems if item.code == "not_expressible")


def parse_model_output(output: str | Mapping[str, Any]) -> LenientResult:
    """Read a question graph from the output of a model, as far as nothing has to be guessed.

    Repaired are the layout (fences, prose, commas, quotes), the spelling of keys, operations and
    directions, one id instead of a list, numbers as ids, nothing in its many spellings, a root
    that only a node's flag names. A missing root or relation, unknown operations and text cut
    off are problems, and so is what the operations cannot express (``not_expressible``).

    Args:
        output: The text, or data that is parsed already.

    >>> result = parse_model_output('''Here you are:
    ... {"root_node_id": 1, "nodes": [{"node_id": 0, "label": "France", "known_entities": "France"},
    ...   {"node_id": 1, "label": "city"}], "edges": [{"edge_id": "e0", "source_ids": 0,
    ...   "target_id": 1, "op": "Project", "relation": "capital", "direction": "forward"}]}''')
    >>> result.graph.edges[0].source_ids
    ('0',)
    >>> print(*result.repairs[-3:], sep="\\n")
    edges[0].op: "Project" read as "projection"
    root_node_id: 1 read as "1"
    node 1.is_root: null read as true
    """
    repairs: list[Repair] = []
    if isinstance(output, str):
        found = find_object(output, ("nodes", "edges", "not_expressible"))
        repairs.extend(found.repairs)
        if found.data is None:
            return LenientResult(None, tuple(repairs), found.problems)
        data: Mapping[str, Any] = found.data
    else:
        data = output
    for key in _WRAPPERS:
        inner = data.get(key)
        if isinstance(inner, dict) and "nodes" not in data and "nodes" in inner:
            repairs.append(Repair(key, "an object around the graph", "the graph in it", "wrapper"))
            data = inner
            break
    return _Reader(dict(data), repairs).result()


@dataclass(eq=False)
class _Reader:
    """Brings the data of one graph into the contract, step by step."""

    data: dict[str, Any]
    repairs: list[Repair]
    problems: list[Problem] = field(default_factory=list)

    def result(self) -> LenientResult:
        self._declared()
        if self.problems and "nodes" not in self.data:
            return LenientResult(None, tuple(self.repairs), tuple(self.problems))
        self._keys("", self.data, _TOP_KEYS)
        nodes = self._items("nodes", "node_id")
        edges = self._items("edges", "edge_id")
        for place, node in enumerate(nodes):
            self._node(f"nodes[{place}]", node)
        if nodes:
            self.data["nodes"] = nodes = self._without_copies(nodes)
        ids = {node["node_id"] for node in nodes if isinstance(node.get("node_id"), str)}
        labels = {str(node.get("node_id")): str(node.get("label") or "") for node in nodes}
        for place, edge in enumerate(edges):
            self._edge(f"edges[{place}]", edge, place, ids, labels)
        self._top(nodes)
        try:
            graph = graph_from_data(self.data)
        except GraphError as error:
            told = {problem.subject for problem in self.problems if problem.subject}
            self.problems += [
                problem
                for problem in error.problems
                if not (problem.subject in told and problem.code == "unknown_op")
            ]
            graph = None
        if self.problems:
            graph = None
        return LenientResult(graph, tuple(self.repairs), tuple(self.problems))

    # ---- steps --------------------------------------------------------------------------------

    def _repair(self, place: str, before: Any, after: Any, code: str) -> None:
        self.repairs.append(Repair(place, before, after, code))

    def _declared(self) -> None:
        """Take up a part of the question that the model itself says it cannot express."""
        said = self.data.get("not_expressible")
        parts = said if isinstance(said, list) else [said]
        for part in parts:
            if is_nothing(part) or part is False:
                continue
            what = part if isinstance(part, str) else self.data.get("question") or "the question"
            self.problems.append(
                Problem(
                    f"the three operations cannot express this part: {what}", code="not_expressible"
                )
            )

    def _keys(self, place: str, data: dict[str, Any], names: Mapping[str, str]) -> None:
        for old, new in names.items():
            if old in data and new not in data:
                data[new] = data.pop(old)
                self._repair(f"{place}.{old}".lstrip("."), old, new, "key")

    def _items(self, key: str, ident: str) -> list[dict[str, Any]]:
        value = self.data.get(key)
        if isinstance(value, dict):
            value = [
                {ident: name, **item} if isinstance(item, dict) else item
                for name, item in value.items()
            ]
            self._repair(key, "an object by id", "a list", "list")
        elif value is None and key == "edges":
            self._repair(key, None, [], "list")
            value = []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            return []
        self.data[key] = items = [dict(item) for item in value]
        return items

    def _ident(self, place: str, value: Any) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            self._repair(place, value, str(value), "id")
            return str(value)
        if isinstance(value, str) and value != value.strip():
            self._repair(place, value, value.strip(), "id")
            return value.strip()
        return value

    def _names(self, place: str, data: dict[str, Any], key: str) -> None:
        if key not in data:
            return
        value = data[key]
        if is_nothing(value):
            if value is not None and value != []:
                self._repair(f"{place}.{key}", value, None, "nothing")
            data[key] = None
            return
        items = value if isinstance(value, list) else [value]
        names = [
            str(item) if isinstance(item, int | float) and not isinstance(item, bool) else item
            for item in items
            if not is_nothing(item)
        ]
        if names != value:
            self._repair(f"{place}.{key}", value, names or None, "names")
            data[key] = names or None

    def _node(self, place: str, node: dict[str, Any]) -> None:
        self._keys(place, node, _NODE_KEYS)
        if "node_id" in node:
            node["node_id"] = self._ident(f"{place}.node_id", node["node_id"])
        if "label" in node and node["label"] is None:
            self._repair(f"{place}.label", None, "", "nothing")
            node["label"] = ""
        elif isinstance(node.get("label"), int | float):
            self._repair(f"{place}.label", node["label"], str(node["label"]), "text")
            node["label"] = str(node["label"])
        self._names(place, node, "known_entities")
        self._names(place, node, "reference_entities")
        if "entity_type" in node and is_nothing(node["entity_type"]):
            if node["entity_type"] is not None:
                self._repair(f"{place}.entity_type", node["entity_type"], None, "nothing")
            node["entity_type"] = None
        flag = node.get("is_root", False)
        if not isinstance(flag, bool):
            word = str(flag).strip().casefold()
            if word in _TRUE | _FALSE:
                self._repair(f"{place}.is_root", flag, word in _TRUE, "flag")
                node["is_root"] = word in _TRUE

    def _without_copies(self, nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        kept: list[dict[str, Any]] = []
        for place, node in enumerate(nodes):
            if node in kept:
                self._repair(f"nodes[{place}]", node, None, "copy")
            else:
                kept.append(node)
        return kept

    def _edge(
        self,
        place: str,
        edge: dict[str, Any],
        number: int,
        ids: set[str],
        labels: Mapping[str, str],
    ) -> None:
        self._keys(place, edge, _EDGE_KEYS)
        if is_nothing(edge.get("edge_id")):
            self._repair(f"{place}.edge_id", edge.get("edge_id"), f"e{number}", "edge_id")
            edge["edge_id"] = f"e{number}"
        edge["edge_id"] = self._ident(f"{place}.edge_id", edge["edge_id"])
        self._sources(place, edge, ids)
        target = edge.get("target_id")
        if isinstance(target, list) and len(target) == 1:
            self._repair(f"{place}.target_id", target, target[0], "list")
            target = target[0]
        if "target_id" in edge:
            edge["target_id"] = self._ident(f"{place}.target_id", target)
        op = self._op(place, edge, labels)
        if op is None:
            return
        relation = edge.get("relation")
        if relation is not None and is_nothing(relation):
            if op is not Op.PROJECTION:
                self._repair(f"{place}.relation", relation, None, "nothing")
            edge["relation"] = None
        elif op is not Op.PROJECTION and isinstance(relation, str):
            found = op_of(relation)
            if found is not None and found[0] is op:
                self._repair(f"{place}.relation", relation, None, "relation")
                edge["relation"] = None
        self._direction(place, edge, op)

    def _sources(self, place: str, edge: dict[str, Any], ids: set[str]) -> None:
        if "source_ids" not in edge:
            return
        value = edge["source_ids"]
        items = value if isinstance(value, list) else [value]
        if isinstance(value, str) and value.strip() not in ids and "," in value:
            parts = [part.strip() for part in value.split(",")]
            if all(part in ids for part in parts):
                items = parts
        if items is not value:
            self._repair(f"{place}.source_ids", value, items, "list")
        items = [self._ident(f"{place}.source_ids[{at}]", item) for at, item in enumerate(items)]
        if all(isinstance(item, str) for item in items):
            distinct = list(dict.fromkeys(items))
            if distinct != items:
                self._repair(f"{place}.source_ids", items, distinct, "copy")
                items = distinct
        edge["source_ids"] = items

    def _op(self, place: str, edge: dict[str, Any], labels: Mapping[str, str]) -> Op | None:
        text = edge.get("op")
        subject = f"edge {edge['edge_id']}"
        if not isinstance(text, str):
            return None
        if text in tuple(Op):
            return Op(text)
        beyond = not_expressible(text)
        if beyond is not None:
            part = labels.get(str(edge.get("target_id"))) or edge.get("relation") or "the question"
            self.problems.append(
                Problem(
                    f'op "{text}" is {beyond}, which projection, intersection and complement '
                    f"cannot express; the part concerned: {part}",
                    code="not_expressible",
                    subject=subject,
                )
            )
            return None
        found = op_of(text)
        if found is None:
            words = ", ".join(Op)
            self.problems.append(
                Problem(
                    f'op "{text}" is not one of {words}{did_you_mean(text.lower(), Op)}',
                    code="unknown_op",
                    subject=subject,
                )
            )
            return None
        op, direction = found
        self._repair(f"{place}.op", text, op.value, "op")
        edge["op"] = op.value
        if direction is not None and is_nothing(edge.get("direction")):
            self._repair(f"{place}.direction", edge.get("direction"), direction.value, "direction")
            edge["direction"] = direction.value
        return op

    def _direction(self, place: str, edge: dict[str, Any], op: Op) -> None:
        value = edge.get("direction")
        if op is not Op.PROJECTION:
            if value is not None:
                self._repair(f"{place}.direction", value, None, "direction")
                edge["direction"] = None
            return
        if is_nothing(value):
            self._repair(f"{place}.direction", value, Direction.FORWARD.value, "direction")
            edge["direction"] = Direction.FORWARD.value
        elif isinstance(value, str) and value not in tuple(Direction):
            found = direction_of(value)
            if found is not None:
                self._repair(f"{place}.direction", value, found.value, "direction")
                edge["direction"] = found.value

    def _top(self, nodes: list[dict[str, Any]]) -> None:
        data = self.data
        for key in ("question", "answer"):
            value = data.get(key)
            if isinstance(value, int | float) and not isinstance(value, bool):
                self._repair(key, value, str(value), "text")
                data[key] = str(value)
        if isinstance(data.get("answer"), list) and len(data["answer"]) == 1:
            self._repair("answer", data["answer"], data["answer"][0], "list")
            data["answer"] = data["answer"][0]
        if "question" in data and data["question"] is None:
            self._repair("question", None, "", "nothing")
            data["question"] = ""
        root = data.get("root_node_id")
        if isinstance(root, list) and len(root) == 1:
            self._repair("root_node_id", root, root[0], "list")
            root = root[0]
        root = self._ident("root_node_id", root)
        flagged = [node.get("node_id") for node in nodes if node.get("is_root") is True]
        if is_nothing(root):
            data.pop("root_node_id", None)
            if len(flagged) == 1:
                self._repair("root_node_id", root, flagged[0], "root")
                data["root_node_id"] = flagged[0]
            return
        data["root_node_id"] = root
        if not flagged:
            for node in nodes:
                if node.get("node_id") == root:
                    self._repair(f"node {root}.is_root", node.get("is_root"), True, "root")
                    node["is_root"] = True
