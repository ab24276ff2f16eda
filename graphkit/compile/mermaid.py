"""Question graphs as Mermaid flowcharts, which many Markdown viewers draw."""

from __future__ import annotations

import unicodedata

from graphkit.compile.base import Compiled
from graphkit.operations import Direction, Op
from graphkit.question import Edge, Node, QuestionGraph

__all__ = ["compile_mermaid"]

_SAFE = frozenset(" .,:-'/()+_?!\u2190")
_MARKS = {Op.INTERSECTION: "and", Op.UNION: "or", Op.COMPLEMENT: "not"}
_CLASSES = (
    "classDef anchor fill:#e8f0fe,stroke:#3367d6,color:#111",
    "classDef answer fill:#fde293,stroke:#b06000,stroke-width:3px,color:#111",
)


def compile_mermaid(graph: QuestionGraph) -> Compiled:
    """Return a question graph as a Mermaid flowchart.

    Anchors are stadiums, the answer node is a double-framed, highlighted box, other nodes are
    plain boxes. Edges carry the operation: the relation of a projection (with an arrow to the
    left when it is read from tails to heads), ``and``, ``or``, or ``not`` on a dotted edge. Ids
    and names of the graph appear in escaped labels only, so that none can break the drawing.

    >>> from graphkit.question import Edge, Node, QuestionGraph
    >>> graph = QuestionGraph(root_node_id="x", nodes=[
    ...     Node(node_id="a", known_entities=["France"]), Node(node_id="x", entity_type="city")],
    ...     edges=[Edge(edge_id="e", source_ids=["a"], target_id="x", op="projection",
    ...                 relation="capital", direction="forward")])
    >>> print(compile_mermaid(graph).text.split("classDef")[0].rstrip())
    flowchart LR
        n0(["France"])
        n1[["x<br/>city"]]
        n0 -->|"capital"| n1
    """
    places = {node.node_id: f"n{number}" for number, node in enumerate(graph.nodes)}
    lines = ["flowchart LR"]
    lines += [f"    {places[node.node_id]}{_box(node, graph)}" for node in graph.nodes]
    for edge in graph.edges:
        lines += [
            f"    {places[source]} {_arrow(edge)} {places[edge.target_id]}"
            for source in edge.source_ids
        ]
    lines += [f"    {line}" for line in _CLASSES]
    anchors = [places[node.node_id] for node in graph.anchors if node.node_id != graph.root_node_id]
    if anchors:
        lines.append(f"    class {','.join(anchors)} anchor")
    lines.append(f"    class {places[graph.root_node_id]} answer")
    return Compiled("\n".join(lines) + "\n")


def _box(node: Node, graph: QuestionGraph) -> str:
    shown = [" or ".join(node.known_entities) or node.label or node.node_id]
    if node.entity_type is not None and node.entity_type != shown[0]:
        shown.append(node.entity_type)
    text = "<br/>".join(_escaped(line) for line in shown)
    if node.node_id == graph.root_node_id:
        return f'[["{text}"]]'
    return f'(["{text}"])' if node.known_entities else f'["{text}"]'


def _arrow(edge: Edge) -> str:
    if edge.op is Op.PROJECTION:
        label = edge.relation or ""
        if edge.reads is Direction.BACKWARD:
            label = f"\u2190 {label}"
        return f'-->|"{_escaped(label)}"|'
    line = "-.->" if edge.op is Op.COMPLEMENT else "-->"
    return f'{line}|"{_MARKS[edge.op]}"|'


def _escaped(text: str) -> str:
    """Return a text that is only a text inside a Mermaid label.

    Letters, digits, marks and harmless signs stay; line breaks become breaks; other signs become
    character codes; what cannot be seen (controls, changes of the writing direction) becomes the
    replacement sign.
    """
    return "".join(map(_escaped_sign, text.replace("\r\n", "\n")))


def _escaped_sign(sign: str) -> str:
    if sign == "\n":
        return "<br/>"
    if sign in _SAFE:
        return sign
    category = unicodedata.category(sign)
    if category[0] in "LMN":
        return sign
    if category[0] == "C":
        return "\ufffd"
    return " " if category[0] == "Z" else f"#{ord(sign)};"
