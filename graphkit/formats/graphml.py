"""GraphML through networkx, both ways without loss: operations become nodes of their own.

A question graph is a hypergraph, GraphML knows only arcs between two nodes. The encoding: every
node becomes a GraphML node with ``kind`` ``entity_set``; every edge becomes one with ``kind``
``operation``, with an arc from each source (``position`` keeps their order) and an arc to its
target. Strings stand as they are under their key; lists, further keys, and strings that XML
cannot hold stand as JSON under the key with ``.json`` added.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import ParseError, tostring

from graphkit.errors import FormatError, GraphError, Problem, UnsupportedError
from graphkit.formats.lines import TextSource
from graphkit.formats.notation import Feature, Notation
from graphkit.formats.question_json import EDGE_KEYS, GRAPH_KEYS, NODE_KEYS, graph_from_data
from graphkit.formats.reading import Broken
from graphkit.question import QuestionGraph

if TYPE_CHECKING:
    import networkx

__all__ = ["NOTATION", "from_networkx", "to_networkx"]

_JSON = ".json"
_UNSAFE = re.compile(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ID = "graphkit_id"
_SET, _OPERATION = "entity_set", "operation"


def to_networkx(graph: QuestionGraph) -> networkx.DiGraph[str]:
    """Return a question graph as a networkx graph; see the head of this module.

    Raises:
        UnsupportedError: A further key holds what JSON has no word for.
    """
    import networkx

    record = graph.to_record()
    nodes, edges = record.pop("nodes"), record.pop("edges")
    ident = {_ID: record.pop("id")} if "id" in record else {}  # GraphML has an id of its own
    found: networkx.DiGraph[str] = networkx.DiGraph(
        **_pack({**ident, **record}, (_ID, *GRAPH_KEYS))
    )
    names = {}
    for place, node in enumerate(nodes):
        names[node["node_id"]] = f"n{place}"
        found.add_node(f"n{place}", kind=_SET, **_pack(node, NODE_KEYS))
    for place, edge in enumerate(edges):
        name = f"e{place}"
        sources, target = edge.pop("source_ids"), edge.pop("target_id")
        found.add_node(name, kind=_OPERATION, **_pack(edge, EDGE_KEYS))
        for position, source in enumerate(sources):
            found.add_edge(names[source], name, position=position)
        found.add_edge(name, names[target])
    return found


def from_networkx(found: networkx.DiGraph[str], file: str | None = None) -> QuestionGraph:
    """Return the question graph that a networkx graph stands for.

    Args:
        found: A graph in the encoding of :func:`to_networkx`.
        file: Where it comes from, for errors.

    Raises:
        FormatError: It is not in that encoding.
        GraphError: The question graph in it breaks the rules; all problems at once.
    """
    problems: list[Problem] = []
    attributes = {key: value for key, value in found.graph.items() if key != "id"}
    record = _unpack(attributes, problems)
    if _ID in record:
        record["id"] = record.pop(_ID)
    sets: dict[Any, dict[str, Any]] = {}
    operations: dict[Any, dict[str, Any]] = {}
    for name, data in found.nodes(data=True):
        content = dict(data)
        kind = content.pop("kind", None)
        if kind not in (_SET, _OPERATION):
            what = "no kind" if kind is None else f"kind {kind!r}"
            problems.append(
                Problem(
                    f"{what}, expected {_SET} or {_OPERATION}", code="kind", subject=f"node {name}"
                )
            )
        (sets if kind == _SET else operations)[name] = _unpack(content, problems)
    if not problems:
        for name, operation in operations.items():
            _ends(found, name, operation, sets, problems)
    if problems:
        raise FormatError(problem.at(file) for problem in problems)
    record["nodes"] = list(sets.values())
    record["edges"] = list(operations.values())
    return graph_from_data(record, file)


def _ends(
    found: networkx.DiGraph[str],
    name: str,
    operation: dict[str, Any],
    sets: Mapping[Any, dict[str, Any]],
    problems: list[Problem],
) -> None:
    """Read sources and target of an operation from its arcs."""
    before = sorted(
        found.in_edges(name, data=True), key=lambda arc: (arc[2].get("position", 0), str(arc[0]))
    )
    after = list(found.out_edges(name))
    ends = [arc[0] for arc in before] + [arc[1] for arc in after]
    strangers = [end for end in ends if end not in sets]
    if strangers or len(after) != 1:
        what = (
            f"an arc joins it to {strangers[0]}, expected only nodes of kind {_SET}"
            if strangers
            else f"{len(after)} arcs lead out of it, expected one, to its target"
        )
        problems.append(Problem(what, code="arcs", subject=f"node {name}"))
        return
    operation["source_ids"] = [sets[arc[0]].get("node_id") for arc in before]
    operation["target_id"] = sets[after[0][1]].get("node_id")


def _pack(record: Mapping[str, Any], known: Sequence[str]) -> dict[str, Any]:
    """Return a record as GraphML attributes; what is null is left out."""
    packed: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for key, value in record.items():
        if key not in known:
            extra[key] = value
        elif (isinstance(value, str) and not _UNSAFE.search(value)) or isinstance(value, bool):
            packed[key] = value
        elif value is not None:
            packed[key + _JSON] = _dump(value)
    if extra:
        packed["extra" + _JSON] = _dump(extra)
    return packed


def _dump(value: Any) -> str:
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise UnsupportedError(
            Problem(
                f"a further key holds what JSON cannot carry: {error}",
                code="unsupported",
                subject="format graphml",
            )
        ) from error


def _unpack(packed: Mapping[Any, Any], problems: list[Problem]) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for key, value in packed.items():
        if not isinstance(key, str) or key in ("node_default", "edge_default"):
            continue
        if not key.endswith(_JSON):
            record[key] = value
            continue
        try:
            content = json.loads(value)
        except (TypeError, ValueError, RecursionError) as error:
            problems.append(Problem(f"{key} is not JSON: {error}", code="json"))
            continue
        if key == "extra" + _JSON and isinstance(content, dict):
            record.update(content)
        else:
            record[key.removesuffix(_JSON)] = content
    return record


def _write(graphs: Sequence[QuestionGraph], suffix: str) -> Iterable[str]:
    from networkx.readwrite.graphml import GraphMLWriter

    writer = GraphMLWriter(prettyprint=True)
    for graph in graphs:
        writer.add_graph_element(to_networkx(graph))
        writer.attributes.clear()  # else each graph writes the attributes of all before it again
    writer.indent(writer.xml)
    text = tostring(writer.xml, encoding="unicode")
    return ['<?xml version="1.0" encoding="utf-8"?>\n', text.rstrip(), "\n"]


def _read(source: TextSource) -> Iterator[QuestionGraph | Broken]:
    import networkx
    from networkx.readwrite.graphml import GraphMLReader

    text = source.text()
    body = re.sub(r"^\s*<\?xml[^>]*\?>", "", text, count=1)  # already decoded
    try:
        graphs = list(GraphMLReader()(string=body))
    except ParseError as error:
        raise FormatError(
            Problem(f"not XML: {error}", code="xml", file=source.name, line=error.position[0])
        ) from error
    except (networkx.NetworkXError, KeyError, ValueError, TypeError) as error:
        raise FormatError(
            Problem(f"not GraphML: {error}", code="graphml", file=source.name)
        ) from error
    if not graphs:
        raise FormatError(
            Problem("no graph in it, expected GraphML", code="empty", file=source.name)
        )
    seen: dict[str, int] = {}
    for place, found in enumerate(graphs, 1):
        try:
            graph = from_networkx(found, source.name)
        except (FormatError, GraphError) as error:
            yield Broken(error.problems)
            continue
        first = seen.setdefault(graph.id, place) if graph.id is not None else place
        if first != place:
            twice = Problem(
                f"the id is that of question number {first} of this file already, "
                "expected each id once",
                code="duplicate_question",
                file=source.name,
                subject=f"question {graph.id}",
            )
            yield Broken((twice,))
        else:
            yield graph


def _sniff(head: str) -> bool:
    return "<graphml" in head


NOTATION = Notation(
    name="graphml",
    summary="GraphML with a node for each operation, for networkx, Gephi, yEd, Cytoscape",
    suffixes=(".graphml",),
    carries=frozenset(Feature),
    sniff=_sniff,
    read=_read,
    write=_write,
)
"""Question graphs in GraphML."""
