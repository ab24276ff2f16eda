"""Strict reader and writer of question graphs in JSON: the contract of EvoBrowseComp, A.4."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphkit.errors import GraphError, Problem, UnsupportedError
from graphkit.formats import strict_json
from graphkit.formats.fields import Fields
from graphkit.formats.lines import TextSource
from graphkit.formats.notation import Feature, Notation
from graphkit.formats.reading import Broken, Placed, Record, iter_records, kind_of
from graphkit.operations import Direction, Op
from graphkit.question import QuestionGraph
from graphkit.structure import structure_problems

__all__ = [
    "EDGE_KEYS",
    "GRAPH_KEYS",
    "NODE_KEYS",
    "NOTATION",
    "graph_from_data",
    "graph_problems",
    "read",
    "write",
]

GRAPH_KEYS = tuple(QuestionGraph.model_fields)
"""The keys of a question graph that have a meaning."""

NODE_KEYS = (
    "node_id",
    "label",
    "known_entities",
    "reference_entities",
    "is_root",
    "entity_type",
)
"""The keys of a node that have a meaning."""

EDGE_KEYS = ("edge_id", "source_ids", "target_id", "op", "relation", "direction")
"""The keys of an edge that have a meaning."""

_OPS = tuple(Op)
_DIRECTIONS = tuple(Direction)
_NEEDS_OP = frozenset({"sources", "no_relation", "relation_on_set"})


@dataclass(frozen=True, slots=True)
class _DraftNode:
    node_id: str
    is_root: bool


@dataclass(frozen=True, slots=True)
class _DraftEdge:
    edge_id: str
    source_ids: tuple[str, ...]
    target_id: str
    op: Op
    relation: str | None


def graph_problems(record: Record) -> tuple[list[Problem], str | None]:
    """Check one record and return everything that is wrong, and the id of its root.

    Args:
        record: The record; its place goes into every problem.
    """
    problems: list[Problem] = []
    name = record.data.get("id")
    called = name if isinstance(name, str) else f"number {record.place}"
    prefix = None if record.alone else f"question {called}"
    top = Fields(record, record.data, (), prefix, problems, GRAPH_KEYS)
    for key in ("answer", "id", "language", "domain", "subdomain", "parent_id"):
        top.text(key, nullable=True)
    top.text("question")
    top.number("iteration")
    for key in ("evidence_ids", "aliases"):
        top.texts(key)
    nodes = _nodes(top)
    edges, unknown_op = _edges(top)
    root = _root(top, nodes)
    if root is not None and nodes:
        for problem in structure_problems(root, nodes, edges):
            if problem.subject in unknown_op and problem.code in _NEEDS_OP:
                continue
            subject = ", ".join(part for part in (prefix, problem.subject) if part)
            path = _path_of(record.data, problem.subject)
            problems.append(
                replace(
                    problem,
                    subject=subject or None,
                    file=record.file,
                    line=record.line_of(*path),
                )
            )
    return problems, root


def _subject(top: Fields, kind: str, ident: Any, place: int) -> str:
    name = f"{kind} {ident}" if isinstance(ident, str) and ident else f"{kind}s[{place}]"
    return f"{top.subject}, {name}" if top.subject else name


def _objects(top: Fields, key: str) -> Iterator[tuple[int, dict[str, Any]]]:
    if not top.has(key):
        return
    value = top.data[key]
    if not isinstance(value, list):
        top.complain(f"{key} is {kind_of(value)}, expected a list of objects", "type", key)
        return
    if key == "nodes" and not value:
        top.complain("nodes is an empty list, expected at least the answer node", "empty", key)
    for place, item in enumerate(value):
        if isinstance(item, dict):
            yield place, item
        else:
            top.complain(
                f"{key}[{place}] is {kind_of(item)}, expected an object", "type", key, place
            )


def _nodes(top: Fields) -> list[_DraftNode]:
    drafts: list[_DraftNode] = []
    for place, data in _objects(top, "nodes"):
        subject = _subject(top, "node", data.get("node_id"), place)
        fields = Fields(top.record, data, ("nodes", place), subject, top.problems, NODE_KEYS)
        ident = fields.text("node_id", required=True, filled=True)
        fields.text("label")
        fields.texts("known_entities")
        fields.texts("reference_entities")
        fields.text("entity_type", nullable=True, filled=True)
        is_root = fields.flag("is_root")
        if ident is not None:
            drafts.append(_DraftNode(ident, is_root))
    return drafts


def _edges(top: Fields) -> tuple[list[_DraftEdge], frozenset[str]]:
    drafts: list[_DraftEdge] = []
    unknown: set[str] = set()
    for place, data in _objects(top, "edges"):
        subject = _subject(top, "edge", data.get("edge_id"), place)
        fields = Fields(top.record, data, ("edges", place), subject, top.problems, EDGE_KEYS)
        ident = fields.text("edge_id", required=True, filled=True)
        before = len(top.problems)
        sources = fields.texts("source_ids", required=True, nullable=False)
        target = fields.text("target_id", required=True, filled=True)
        broken_ends = len(top.problems) > before
        op = fields.word("op", _OPS, required=True)
        relation = fields.text("relation", nullable=True)
        fields.word("direction", _DIRECTIONS, nullable=True)
        bad_relation = relation is None and data.get("relation") is not None
        if ident is None or target is None:
            continue
        if op is None or broken_ends or bad_relation:
            unknown.add(f"edge {ident}")
        drafts.append(_DraftEdge(ident, sources, target, Op(op or "complement"), relation))
    return drafts, frozenset(unknown)


def _root(top: Fields, nodes: Sequence[_DraftNode]) -> str | None:
    if top.data.get("root_node_id") is not None:
        return top.text("root_node_id", filled=True)
    flagged = [node.node_id for node in nodes if node.is_root]
    if len(flagged) == 1:
        return flagged[0]
    if flagged:
        top.complain(
            f"is_root is true for {', '.join(flagged)} and root_node_id is missing; "
            "expected exactly one root",
            "two_roots",
        )
    elif "nodes" in top.data:
        before = len(top.problems)
        if top.has("root_node_id"):
            top.complain("root_node_id is null, expected the id of the answer node", "no_root")
        else:
            missing = top.problems[before]
            top.problems[before] = replace(
                missing,
                code="no_root",
                message=f"{missing.message} and no node has is_root true; expected one root",
            )
    return None


def _path_of(data: dict[str, Any], subject: str | None) -> tuple[str | int, ...]:
    """Return where the last node or edge with this name stands."""
    kind, _, ident = (subject or "").partition(" ")
    items = data.get(f"{kind}s")
    if not isinstance(items, list):
        return ("root_node_id",)
    places = [
        place
        for place, item in enumerate(items)
        if isinstance(item, dict) and item.get(f"{kind}_id") == ident
    ]
    return (f"{kind}s", places[-1]) if places else ()


def graph_from_data(data: Any, file: str | None = None, line: int | None = None) -> QuestionGraph:
    """Build a question graph from plain data, strictly.

    Args:
        data: One question in the paper's contract.
        file: Where it comes from, for errors.
        line: Its line there.

    Raises:
        GraphError: Everything that is wrong with it, at once.

    >>> graph_from_data({"root_node_id": "n0", "nodes": [{"node_id": "n0"}], "edges": [
    ...     {"edge_id": "e0", "source_ids": ["n1"], "target_id": "n0", "op": "complement"}]})
    Traceback (most recent call last):
        ...
    graphkit.errors.GraphError: edge e0: source 'n1' is not a node of the graph
    """
    if not isinstance(data, dict):
        raise GraphError(
            Problem(f"found {kind_of(data)}, expected an object (a question graph)").at(file, line)
        )
    found = _graph(Record(data, file or "", line or 0, 1))
    if isinstance(found, Broken):
        raise GraphError(
            replace(problem, file=file, line=problem.line or None) for problem in found.problems
        )
    return found


def _graph(record: Record) -> QuestionGraph | Broken:
    problems, root = graph_problems(record)
    if problems or root is None:
        return Broken(tuple(problems))
    try:
        return QuestionGraph.model_validate({**record.data, "root_node_id": root})
    except (ValueError, GraphError) as error:
        found = error.problems if isinstance(error, GraphError) else (Problem(str(error)),)
        return Broken(tuple(problem.at(record.file, record.line) for problem in found))


def read(source: TextSource) -> Iterator[Placed[QuestionGraph] | Broken]:
    """Yield the question graphs of a file: one JSON object, an array, or JSONL.

    A question id that stands twice in the file is an error at its second place.
    """
    seen: dict[str, int] = {}
    for item in iter_records(source, "a question graph"):
        if isinstance(item, Broken):
            yield item
            continue
        graph = _graph(item)
        ident = item.data.get("id")
        if isinstance(ident, str):
            first = seen.setdefault(ident, item.place)
            if first != item.place:
                twice = Problem(
                    f"the id is that of question number {first} of this file already, "
                    "expected each id once",
                    code="duplicate_question",
                    file=item.file,
                    line=item.line_of("id"),
                    subject=f"question {ident}",
                )
                before = graph.problems if isinstance(graph, Broken) else ()
                graph = Broken((twice, *before))
        yield graph if isinstance(graph, Broken) else Placed(graph, item.line)


def write(graphs: Sequence[QuestionGraph], suffix: str = ".jsonl") -> Iterable[str]:
    """Return the text of a file: one graph a line, or for ``.json`` a document to be read.

    Args:
        graphs: The graphs.
        suffix: ``.json`` gives one indented object, or an array with one graph a line.

    Raises:
        UnsupportedError: A further key holds what JSON has no word for.
    """
    if suffix == ".json":
        if len(graphs) == 1:
            return [_dump(graphs[0], indent=2), "\n"]
        lines = ",\n".join(_dump(graph) for graph in graphs)
        return ["[\n", lines, "\n]\n"] if graphs else ["[]\n"]
    return (_dump(graph) + "\n" for graph in graphs)


def _dump(graph: QuestionGraph, indent: int | None = None) -> str:
    try:
        return strict_json.dumps(graph.to_record(), indent=indent)
    except (TypeError, ValueError) as error:
        raise UnsupportedError(
            Problem(
                f"a further key holds what JSON cannot carry: {error}",
                code="unsupported",
                subject=f"question {graph.id}" if graph.id else None,
            )
        ) from error


def _sniff(head: str) -> bool:
    text = head.lstrip()
    return text.startswith(("{", "[")) and '"nodes"' in text and '"edges"' in text


NOTATION = Notation(
    name="json",
    summary="question graphs in JSON or JSONL, the contract of EvoBrowseComp",
    suffixes=(".jsonl", ".json", ".ndjson"),
    carries=frozenset(Feature),
    sniff=_sniff,
    read=read,
    write=write,
)
"""Question graphs in JSON."""
