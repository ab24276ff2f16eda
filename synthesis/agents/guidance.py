"""The high-level guidance agent: what is computed and what a model sees, merged into one advice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from graphkit.mutate import Mutation, Strategy
from graphkit.operations import Direction, Op
from graphkit.question import Edge, QuestionGraph
from synthesis.advice import OPERATION_OF, Advice, ExpansionAdvice, Seen, first_span
from synthesis.agents.construction import QaRecord
from synthesis.offers import Offer, Standing
from synthesis.prompting import load_prompt

if TYPE_CHECKING:
    from graphkit.models import ModelDoor

__all__ = [
    "Agreement",
    "advise",
    "agreement",
    "begun_advice",
    "condition_words",
    "findings_told",
    "told_offer",
]

_WORDS = {
    "en": {
        Direction.FORWARD: "what {anchor} has as “{relation}”",
        Direction.BACKWARD: "what has {anchor} as “{relation}”",
        Strategy.COMPLEMENT: "leave out {hop}",
        Strategy.INTERSECTION_EXPANSION: "ask also that it is {hop}",
        Strategy.INVERSE_PROJECTION: "do not name {named}; describe it as {hop}",
        Strategy.WIDEN_ANCHOR: "instead of {named} allow all that is {hop}",
        Strategy.PROJECTION_EXTENSION: "ask one step further: {hop}",
        Strategy.DROP_CONSTRAINT: "take out the condition about {named}",
    },
    "zh": {
        Direction.FORWARD: "以“{relation}”与{anchor}相连者（{anchor}为头）",
        Direction.BACKWARD: "其“{relation}”为{anchor}者",
        Strategy.COMPLEMENT: "排除{hop}",
        Strategy.INTERSECTION_EXPANSION: "另须为{hop}",
        Strategy.INVERSE_PROJECTION: "不写出{named}，改写为{hop}",
        Strategy.WIDEN_ANCHOR: "把{named}放宽为全部{hop}",
        Strategy.PROJECTION_EXTENSION: "再问一步：{hop}",
        Strategy.DROP_CONSTRAINT: "删去关于{named}的条件",
    },
}

_BEGUN = {
    "en": (
        "From the question as it is no sound one can be reached; the new one begins with what its "
        "structure ends in.",
        "Write a new question of the structure given.",
    ),
    "zh": (
        "由现有的题目无法得到合格的题目；新题以其结构的末步为起点。",
        "按给定的结构另写一道新题。",
    ),
}
"""Why a question is begun anew, and what is to be done."""


class DirectionReply(BaseModel):
    """What the model replies: its view of the question, and advice in the paper's contract."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    seen: Seen = Seen()
    offer: str | None = None
    expansion_advice: ExpansionAdvice = ExpansionAdvice()


@dataclass(frozen=True)
class Agreement:
    """Whether the model sees what is computed.

    Attributes:
        redundancy: Both say that something is redundant, or both that nothing is; None where
            there is no computed verdict.
        shortcuts: The same for shortcuts.
        ambiguous: The model finds the wording ambiguous; only it can.
    """

    redundancy: bool | None
    shortcuts: bool | None
    ambiguous: bool

    def to_record(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "redundancy": self.redundancy,
            "shortcuts": self.shortcuts,
            "ambiguous": self.ambiguous,
        }


def agreement(seen: Seen, standing: Standing | None) -> Agreement:
    """Compare the model's view of a question with the computed checks."""
    report = standing.report if standing is not None else None
    redundant = None if report is None or report.redundant is None else bool(report.redundant)
    shortcuts = None if report is None or report.shortcuts is None else bool(report.shortcuts)
    return Agreement(
        None if redundant is None else redundant == bool(seen.redundant),
        None if shortcuts is None else shortcuts == bool(seen.shortcuts),
        seen.ambiguous,
    )


async def advise(
    door: ModelDoor,
    qa: QaRecord,
    graph: QuestionGraph,
    standing: Standing,
    offers: Sequence[Offer],
    *,
    language: str,
    vote: int = 0,
) -> tuple[Advice, Offer | None]:
    """Return one advice and the offer that it follows: the model's own, else the best computed.

    The model sees the question, its graph, the computed findings and the offers. Its advice must
    name a span that stands in the question and an operation that fits the strategy; a picked offer
    must be one of those offered and of that strategy. A change of its own gives way to the best
    offer of its strategy. What does not hold is replaced by what is computed, and recorded as a
    repair.

    Args:
        door: The models.
        qa: The question as it stands.
        graph: Its graph, grounded.
        standing: How it stands on the evidence.
        offers: What could be done, best first.
        language: ``en`` or ``zh``.
        vote: Tells repeated calls apart.

    Raises:
        ModelError: The model gives no usable reply.
        BudgetError: A budget is spent.
    """
    messages = load_prompt("direction", language).messages(
        question=qa.question,
        answer=qa.answer,
        graph_json=graph.to_record(),
        findings=findings_told(standing),
        offers=[_listed(offer, graph, language) for offer in offers],
    )
    answered = await door.ask("direction", messages, DirectionReply, vote=vote)
    reply = answered.value
    repairs = list(answered.repairs)
    by_name = {offer.name: offer for offer in offers}
    picked = by_name.get(reply.offer or "")
    if reply.offer and picked is None:
        repairs.append(f"offer {reply.offer!r} is not one of those offered")
    faults = reply.expansion_advice.problems(qa.question)
    repairs += faults
    origin = "model"
    if picked is None:
        picked = _fitting(reply.expansion_advice, offers) if not faults else None
        origin = "model_free" if picked is not None else "computed"
        picked = picked or (offers[0] if offers else None)
    if picked is None:
        nothing = Advice(
            kind="gather",
            origin="computed",
            problems=standing.missing,
            repairs=tuple(repairs),
            seen=reply.seen,
        )
        return nothing, None
    computed = computed_advice(qa.question, graph, picked, language)
    own = origin == "model_free"  # its words are about another change than the graph of the offer
    if faults or own or reply.expansion_advice.strategy is not picked.strategy:
        if own:
            repairs.append(
                f"a change of the model's own, {reply.expansion_advice.semantic_suggestion!r}, "
                f"read as {picked.name}, the best offer of its strategy"
            )
        elif not faults:
            repairs.append(
                f"selected_strategy {reply.expansion_advice.selected_strategy!r} is not that of "
                f"{picked.name}, {picked.strategy.value}"
            )
        expansion = computed.model_copy(
            update={
                "reasoning": reply.expansion_advice.reasoning or computed.reasoning,
            }
        )
    else:
        expansion = reply.expansion_advice
    advice = Advice(
        kind="repair" if picked.repairs else "grow",
        origin=origin,
        expansion_advice=expansion,
        offer=told_offer(picked, graph, language),
        problems=standing.missing,
        repairs=tuple(repairs),
        seen=reply.seen,
    )
    return advice, picked


def _fitting(advice: ExpansionAdvice, offers: Iterable[Offer]) -> Offer | None:
    """Return the best offer of the strategy that the model asks for."""
    return next((offer for offer in offers if offer.strategy is advice.strategy), None)


def computed_advice(
    question: str, graph: QuestionGraph, offer: Offer, language: str
) -> ExpansionAdvice:
    """Write an offer as advice in the paper's contract."""
    strategy = offer.strategy
    return ExpansionAdvice(
        target_text_span=first_span(question, _names_near(graph, offer.mutation.node_id)),
        suggested_operation=_operation(offer.mutation, strategy),
        selected_strategy=strategy.value,
        reasoning=offer.mutation.reason,
        semantic_suggestion="; ".join(_steps(offer.mutation, graph, language)),
    )


def begun_advice(question: str, graph: QuestionGraph, language: str) -> ExpansionAdvice:
    """Write a new beginning as advice in the paper's contract.

    A beginning expands nothing; its operation and strategy are those that its graph ends in, so
    that whoever follows the advice knows what the new question is to be built with.

    Args:
        question: The question that is given up.
        graph: The first question of a plan.
        language: ``en`` or ``zh``.
    """
    ops = {edge.op for edge in graph.edges}
    last = next(iter(graph.incoming[graph.root_node_id]), None)
    if Op.COMPLEMENT in ops:
        strategy = Strategy.COMPLEMENT
    elif Op.INTERSECTION in ops:
        strategy = Strategy.INTERSECTION_EXPANSION
    elif last is not None and last.reads is Direction.BACKWARD:
        strategy = Strategy.INVERSE_PROJECTION
    else:
        strategy = Strategy.PROJECTION_EXTENSION
    why, wanted = _BEGUN[language]
    return ExpansionAdvice(
        target_text_span=first_span(question, ()),
        suggested_operation=OPERATION_OF[strategy][0],
        selected_strategy=strategy.value,
        reasoning=why,
        semantic_suggestion=wanted,
    )


def _operation(mutation: Mutation, strategy: Strategy) -> str:
    parts = mutation.parts or (mutation,)
    excluding = any(edge.op is Op.COMPLEMENT for edge in parts[-1].edges)
    return (
        "complement"
        if excluding and strategy is Strategy.COMPLEMENT
        else (OPERATION_OF[strategy][-1])
    )


def _names_near(graph: QuestionGraph, node_id: str) -> list[str]:
    """Return the names given in a node and in what leads to it, nearest first."""
    if node_id not in graph.nodes_by_id:
        return []
    found: list[str] = []
    queue = [node_id]
    for here in queue:
        found += graph.node(here).known_entities
        queue += [
            source
            for edge in graph.incoming[here]
            for source in edge.source_ids
            if source not in queue
        ]
    return found


def _listed(offer: Offer, graph: QuestionGraph, language: str) -> dict[str, Any]:
    strategy = offer.strategy
    report = offer.standing.report
    return {
        "offer": offer.name,
        "strategy": strategy.value,
        "operation": _operation(offer.mutation, strategy),
        "target": offer.mutation.node_id,
        "condition": "; ".join(_steps(offer.mutation, graph, language)),
        "effect": {
            "answers": report.answers_count,
            "missing_afterwards": list(offer.standing.missing),
        },
    }


def told_offer(offer: Offer, graph: QuestionGraph, language: str) -> dict[str, Any]:
    """Return an offer as the synthesis agent is told it: in words and as the graph wanted."""
    wanted = offer.graph
    return {
        "strategy": offer.mutation.strategy.value,
        "drop": [
            text
            for part in _parts(offer.mutation)
            if part.strategy is Strategy.DROP_CONSTRAINT
            for text in _steps(part, graph, language)
        ],
        "conditions": _steps(offer.mutation, graph, language),
        "evidence_ids": list(offer.mutation.evidence_ids),
        "answer": wanted.answer,
        "graph": graph_told(wanted),
    }


def graph_told(graph: QuestionGraph) -> dict[str, Any]:
    """Return the structure of a graph, without a text that may be out of date."""
    record = graph.to_record()
    return {key: record[key] for key in ("root_node_id", "nodes", "edges")}


def _parts(mutation: Mutation) -> tuple[Mutation, ...]:
    return mutation.parts or (mutation,)


def _steps(mutation: Mutation, graph: QuestionGraph, language: str) -> list[str]:
    return [_step(part, graph, language) for part in _parts(mutation)]


def _step(mutation: Mutation, graph: QuestionGraph, language: str) -> str:
    words = _WORDS[language]
    anchors = {node.node_id: node for node in mutation.nodes if node.known_entities}
    hop = next((edge for edge in mutation.edges if edge.op is Op.PROJECTION), None)
    told = ""
    if hop is not None:
        source = anchors.get(hop.source_ids[0]) or graph.nodes_by_id.get(hop.source_ids[0])
        named = source.known_entities if source is not None else ()
        told = condition_words(hop, named[0] if named else None, language)
    gone = [
        name
        for node_id in (mutation.node_id, *mutation.removed_nodes)
        if node_id in graph.nodes_by_id
        for name in graph.node(node_id).known_entities
    ]
    template = words.get(mutation.strategy, "{hop}")
    unnamed = "这一部分" if language == "zh" else "this part"
    return template.format(hop=told, named=gone[0] if gone else unnamed)


def condition_words(edge: Edge, anchor: str | None, language: str) -> str:
    """Return a projection in words, for prompts.

    >>> edge = Edge(edge_id="e0", source_ids=["n0"], target_id="n1", op="projection",
    ...             relation="capital", direction="backward")
    >>> condition_words(edge, "Paris", "en")
    'what has Paris as “capital”'
    """
    unnamed = "前一步的对象" if language == "zh" else "the thing found before"
    return _WORDS[language][edge.reads].format(anchor=anchor or unnamed, relation=edge.relation)


def findings_told(standing: Standing) -> list[dict[str, Any]]:
    """Return what was computed about a question, as the model is told it."""
    report = standing.report
    found: list[dict[str, Any]] = [
        {"kind": "answers", "count": report.answers_count, "basis": report.basis.value},
        {"kind": "missing", "words": list(standing.missing)},
    ]
    found += [{"kind": "redundant", "constraint": item} for item in report.redundant or ()]
    found += [{"kind": "shortcut", **item.to_record()} for item in report.shortcuts or ()]
    return found
