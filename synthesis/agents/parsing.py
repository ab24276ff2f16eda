"""Parses a question into its graph with a model: lenient, re-asked with its problems, honest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, WithJsonSchema

from graphkit.errors import ModelReplyError, Problem
from graphkit.formats.lenient import parse_model_output
from graphkit.lint.leak import find_leaks
from graphkit.question import Node, QuestionGraph
from synthesis.prompting import load_prompt

if TYPE_CHECKING:
    from graphkit.models import ModelDoor

__all__ = ["GraphReply", "ParsedQuestion", "parse_question", "settle_graph"]

_NAMES = {"type": ["array", "null"], "items": {"type": "string"}}
_NODE = {
    "type": "object",
    "properties": {
        "node_id": {"type": "string"},
        "label": {"type": "string"},
        "known_entities": _NAMES,
        "reference_entities": _NAMES,
        "is_root": {"type": "boolean"},
    },
    "required": ["node_id", "label", "known_entities", "reference_entities", "is_root"],
    "additionalProperties": False,
}
_EDGE = {
    "type": "object",
    "properties": {
        "edge_id": {"type": "string"},
        "source_ids": {"type": "array", "items": {"type": "string"}},
        "target_id": {"type": "string"},
        "op": {"type": "string", "enum": ["projection", "intersection", "complement"]},
        "relation": {"type": ["string", "null"]},
        "direction": {"type": ["string", "null"], "enum": ["forward", "backward", None]},
    },
    "required": ["edge_id", "source_ids", "target_id", "op", "relation", "direction"],
    "additionalProperties": False,
}
_TEXT = WithJsonSchema({"type": ["string", "null"]})


class GraphReply(BaseModel):
    """What the parser may reply, as told to the server; anything is let in, to be read leniently.

    The schema is the paper's graph, or ``not_expressible`` with the part of the question that
    the operations cannot express.
    """

    model_config = ConfigDict(
        frozen=True, extra="allow", json_schema_extra={"additionalProperties": False}
    )

    question: Annotated[Any, _TEXT] = None
    answer: Annotated[Any, _TEXT] = None
    root_node_id: Annotated[Any, _TEXT] = None
    nodes: Annotated[Any, WithJsonSchema({"type": ["array", "null"], "items": _NODE})] = None
    edges: Annotated[Any, WithJsonSchema({"type": ["array", "null"], "items": _EDGE})] = None
    not_expressible: Annotated[Any, _TEXT] = None


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """What became of a question.

    Attributes:
        graph: Its graph, or None.
        repairs: What in the replies was read as something else, a sentence each.
        problems: Why there is no graph; empty if there is one.
        not_expressible: The part of the question that the operations cannot express.
        asks: How often the model was asked.
    """

    graph: QuestionGraph | None
    repairs: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    not_expressible: str | None = None
    asks: int = 0

    @property
    def status(self) -> str:
        """``parsed``, ``not_expressible`` or ``failed``."""
        if self.graph is not None:
            return "parsed"
        return "failed" if self.not_expressible is None else "not_expressible"


async def parse_question(
    door: ModelDoor,
    question: str,
    answer: str | None,
    chain: Sequence[Any] = (),
    *,
    language: str = "en",
    vote: int = 0,
    agent: str = "parse",
    reasks: int = 2,
) -> ParsedQuestion:
    """Turn a question into its graph with a model (EvoBrowseComp, A.4).

    The reply is read leniently and every repair is told. What is wrong and must not be guessed is
    shown to the model, which is asked again. An entity is known only if the question names it:
    a known entity that does not stand in the question becomes a reference entity of its node;
    where that leaves the node with nothing, the model is told so, once.

    Args:
        door: The door to the model.
        question: The question.
        answer: Its answer; None where it is unknown.
        chain: The reasoning chain, as plain data; names only, never structure.
        language: The language of the prompt, ``en`` or ``zh``; others are asked in English.
        vote: Which of several independent parses this is.
        agent: Whose model settings are used.
        reasks: How often the model is shown its problems.

    Raises:
        ModelError: The model cannot be asked; that its replies are of no use is no error but a
            result without a graph.
        BudgetError: There is no budget left.
    """
    prompt = load_prompt("parse", "zh" if language.casefold().startswith("zh") else "en")
    messages = prompt.messages(question=question, answer=answer or "", reasoning_chain=list(chain))
    reading = _Reading(question, answer, language)
    try:
        answered = await door.ask(
            agent, messages, GraphReply, vote=vote, reasks=reasks, validate=reading.problems
        )
    except ModelReplyError as error:
        return reading.ended(error, reasks + 1)
    return reading.result(answered.repairs, answered.asks)


class _Reading:
    """Reads the replies of one parse; remembers what the last one came to."""

    def __init__(self, question: str, answer: str | None, language: str) -> None:
        self._question = question
        self._answer = answer
        self._language = language
        self._kept: ParsedQuestion | None = None
        self._failed: ParsedQuestion | None = None
        self._wished = False

    def problems(self, reply: GraphReply) -> Iterable[str]:
        """Return what the model is to mend; nothing if the reply is taken."""
        data = reply.model_dump(exclude_unset=True)
        found = parse_model_output(data)
        repairs = tuple(str(repair) for repair in found.repairs)
        if found.not_expressible:
            said = data.get("not_expressible")
            part = said if isinstance(said, str) and said.strip() else None
            self._kept = ParsedQuestion(
                None,
                repairs,
                found.not_expressible,
                part or "; ".join(problem.message for problem in found.not_expressible),
            )
            return ()
        if found.graph is None:
            self._failed = ParsedQuestion(None, repairs, found.problems)
            return [str(problem) for problem in found.problems]
        graph, moved, wishes = settle_graph(
            found.graph, self._question, self._answer, self._language
        )
        self._kept = ParsedQuestion(graph, repairs + moved)
        if wishes and not self._wished:
            self._wished = True
            return wishes
        return ()

    def result(self, repairs: Sequence[str], asks: int) -> ParsedQuestion:
        """Return what the accepted reply came to."""
        kept = self._kept or ParsedQuestion(None)
        return ParsedQuestion(
            kept.graph, (*repairs, *kept.repairs), kept.problems, kept.not_expressible, asks
        )

    def ended(self, error: ModelReplyError, asks: int) -> ParsedQuestion:
        """Return what is left when no reply was accepted."""
        if self._kept is not None:
            note = "the last reply could not be read; the graph of the one before it was taken"
            return ParsedQuestion(
                self._kept.graph,
                (*self._kept.repairs, note),
                self._kept.problems,
                self._kept.not_expressible,
                asks,
            )
        if self._failed is not None:
            return ParsedQuestion(None, self._failed.repairs, self._failed.problems, None, asks)
        return ParsedQuestion(None, (), error.problems, None, asks)


# ---- the graph and the wording of the question ------------------------------------------------

_MARKS = " \t\"'`.,;:!?\u2018\u2019\u201c\u201d\u300a\u300b\u3008\u3009\u300c\u300d\u300e\u300f()[]"
_ARTICLE = re.compile(r"(?:the|an|a)\s+", re.IGNORECASE)


def settle_graph(
    graph: QuestionGraph, question: str, answer: str | None, language: str | None = None
) -> tuple[QuestionGraph, tuple[str, ...], tuple[str, ...]]:
    """Bring a parsed graph in line with the question that it was parsed from.

    Question, answer and language become those that were asked for, and whatever else a model put
    at the top is left out. A known entity that does not stand in the question, not even without
    quotation marks or its article, becomes a reference entity (EvoBrowseComp, A.4: known is what
    is explicitly given in the question).

    Args:
        graph: The graph as a model gave it.
        question: The question.
        answer: Its answer; None keeps that of the graph.
        language: The language of the question.

    Returns:
        The graph, what was changed, and what a model should mend: nodes that hold nothing after
        that and are the source of an edge.

    >>> from graphkit.question import Edge, Node, QuestionGraph
    >>> graph = QuestionGraph(root_node_id="b", nodes=[
    ...     Node(node_id="a", known_entities=["France"]), Node(node_id="b", is_root=True)],
    ...     edges=[Edge(edge_id="e", source_ids=["a"], target_id="b", op="projection",
    ...                 relation="capital")])
    >>> settled, changes, wishes = settle_graph(graph, "Its capital?", "Paris")
    >>> settled.node("a").reference_entities, changes
    (('France',), ('node a: "France" does not stand in the question, read as a reference entity',))
    """
    repairs: list[str] = []
    nodes: list[Node] = []
    emptied: dict[str, list[str]] = {}
    if graph.question.strip() not in ("", question.strip()):
        repairs.append("question: worded otherwise, read as the question that was asked")
    if answer is not None and graph.answer not in (None, "", answer):
        repairs.append(f'answer: "{graph.answer}" read as "{answer}", the answer that was given')
    for node in graph.nodes:
        known: list[str] = []
        moved: list[str] = []
        for name in node.known_entities:
            spelled = _spelling(name, question)
            if spelled is None:
                moved.append(name)
                repairs.append(
                    f'node {node.node_id}: "{name}" does not stand in the question, read as a '
                    "reference entity"
                )
                continue
            if spelled != name:
                repairs.append(
                    f'node {node.node_id}: "{name}" read as "{spelled}", as the question has it'
                )
            known.append(spelled)
        references = tuple(dict.fromkeys((*node.reference_entities, *moved)))
        nodes.append(
            node.model_copy(
                update={
                    "known_entities": tuple(dict.fromkeys(known)),
                    "reference_entities": references,
                }
            )
        )
        bare = not known and not graph.incoming[node.node_id] and node.entity_type is None
        if moved and bare and graph.outgoing[node.node_id]:
            emptied[node.node_id] = moved
    settled = QuestionGraph(
        question=question,
        answer=answer if answer is not None else graph.answer,
        root_node_id=graph.root_node_id,
        nodes=tuple(nodes),
        edges=graph.edges,
        language=language,
    )
    wishes = tuple(
        f"node {node_id}: {', '.join(map(repr, names))} does not stand in the question; write a "
        "name as it stands there, or describe the set with edges from what the question names"
        for node_id, names in emptied.items()
    )
    return settled, tuple(repairs), wishes


def _spelling(name: str, question: str) -> str | None:
    """Return a name as it may stand in a question, or None if it does not."""
    plain = name.strip(_MARKS)
    for wanted in (name, plain, _ARTICLE.sub("", plain, count=1) if plain else ""):
        if wanted.strip() and find_leaks(question, [wanted]):
            return wanted
    return None
