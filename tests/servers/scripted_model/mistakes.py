"""Errors that the scripted model makes on purpose, by a hash of the request."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from scripted_model.conversation import Task
from scripted_model.page_reader import family

__all__ = ["Mistakes"]

Reply = dict[str, Any]


@dataclass(frozen=True)
class Mistakes:
    """How often which error is made: the share of replies, 0 to 1, that have it.

    A reply that was handed back is written again without errors.

    Attributes:
        fenced: The JSON stands in a code fence, with a word before it.
        trailing_comma: It has a trailing comma.
        missing_field: A field that must be there is missing.
        relation_spelling: A relation goes by another name: in a parsed question one edge does, in
            gathered evidence one relation throughout.
        doubled_spelling: Some gathered facts are reported a second time under another name of
            their relation.
        wrong_chain: The reasoning chain names an entity or evidence that is not so.
        foreign_answer: The answer is nothing that the evidence has.
        unvisited_page: An item comes from a page that was not visited.
        false_quote: An item quotes words that the page does not have.
        misjudged_fresh: An item is called fresh though it is not, or the other way round.
        turned_edge: A projection of a parsed question has the wrong direction.
        bad_span: The advice copies words that are not in the question.
        bad_operation: The advice names an operation that does not fit its strategy.
        gullible: What a page orders is obeyed: the fact that it wants reported is reported.
    """

    fenced: float = 0.05
    trailing_comma: float = 0.03
    missing_field: float = 0.02
    relation_spelling: float = 0.05
    doubled_spelling: float = 0.15
    wrong_chain: float = 0.05
    foreign_answer: float = 0.02
    unvisited_page: float = 0.1
    false_quote: float = 0.1
    misjudged_fresh: float = 0.1
    turned_edge: float = 0.02
    bad_span: float = 0.08
    bad_operation: float = 0.05
    gullible: float = 1.0
    made: Counter[str] = field(default_factory=Counter, compare=False, repr=False)

    @classmethod
    def none(cls) -> Mistakes:
        """Return a model that makes no errors, but believes what pages order."""
        rates: dict[str, Any] = {
            item.name: 0.0 for item in fields(cls) if item.name not in ("made", "gullible")
        }
        return cls(**rates)

    def _makes(self, name: str, task: Task) -> bool:
        if task.retried or task.chance("mistake", name) >= getattr(self, name):
            return False
        self.made[name] += 1
        return True

    def in_reply(self, reply: Reply, task: Task) -> Reply:
        """Return a reply with the errors that this request brings."""
        change = _BY_ROLE.get(task.role)
        return change(self, copy.deepcopy(reply), task) if change is not None else reply

    def in_text(self, text: str, task: Task) -> str:
        """Return the text of a reply with the errors that this request brings."""
        if self._makes("trailing_comma", task) and text.endswith("}"):
            text = f"{text[:-1]},}}"
        if self._makes("fenced", task):
            text = f"Here it is:\n```json\n{text}\n```"
        return text

    # ---- by role -----------------------------------------------------------------------------

    def _gathered(self, reply: Reply, task: Task) -> Reply:
        items: list[dict[str, Any]] = reply["evidence"]
        if not items:
            return reply

        def pick(name: str) -> dict[str, Any]:
            return items[int(task.chance("item", name) * len(items))]

        if self._makes("relation_spelling", task):
            _respell(items, str(pick("spelling")["relation"]), task)
        if self._makes("doubled_spelling", task):
            items += _doubled(items, task)
        if self._makes("unvisited_page", task):
            items.append({**pick("page"), "source_url": "http://nowhere.test/made-up"})
        if self._makes("false_quote", task):
            first, second = pick("quote"), pick("other")
            items.append(
                {
                    **first,
                    "tail_entity": second["head_entity"],
                    "evidence_text": f"It is known that {second['head_entity']} matters.",
                }
            )
        if self._makes("misjudged_fresh", task):
            item = pick("fresh")
            item["is_fresh_knowledge"] = not item["is_fresh_knowledge"]
        if self._makes("missing_field", task):
            pick("field").pop("relation")
        return reply

    def _wrote(self, reply: Reply, task: Task) -> Reply:
        if not reply["questions"]:
            return reply
        question = reply["questions"][0]
        chain = question.get("reasoning_chain") or []
        if chain and self._makes("wrong_chain", task):
            chain[0]["entity"] = "Nowhere"
            question["hop_count"] = len(chain) + 1
        if self._makes("foreign_answer", task):
            question["answer"] = "Atlantis"
        if self._makes("missing_field", task):
            question.pop("answer")
        return reply

    def _parsed(self, reply: Reply, task: Task) -> Reply:
        edges = [edge for edge in reply.get("edges") or () if edge["op"] == "projection"]
        if not edges:
            return reply
        edge = edges[int(task.chance("edge") * len(edges))]
        if self._makes("relation_spelling", task):
            edge["relation"] = _other_name(edge["relation"], task)
        if self._makes("turned_edge", task):
            edge["direction"] = "forward" if edge["direction"] == "backward" else "backward"
        if self._makes("missing_field", task):
            reply.pop("root_node_id")
            for node in reply["nodes"]:
                node.pop("is_root")
        return reply

    def _advised(self, reply: Reply, task: Task) -> Reply:
        advice = reply["expansion_advice"]
        if self._makes("bad_span", task):
            advice["target_text_span"] = "words that nobody wrote"
        if self._makes("bad_operation", task):
            fits = advice["suggested_operation"] == "complement"
            advice["suggested_operation"] = "projection" if fits else "complement"
        return reply

    def obeys(self, task: Task) -> bool:
        """Whether an order on a page is followed this time."""
        return task.trait("gullible") < self.gullible


def _other_name(relation: str, task: Task) -> str:
    """Return another spelling of a relation, or the same with underscores."""
    found = family(relation)
    options = [name for name in (found.spellings if found else ()) if name != relation]
    options.append(relation.replace(" ", "_").upper())
    return options[int(task.chance("spelling", relation) * len(options))]


def _respell(items: list[dict[str, Any]], relation: str, task: Task) -> None:
    other = _other_name(relation, task)
    for item in items:
        if item["relation"] == relation:
            item["relation"] = other


def _doubled(items: list[dict[str, Any]], task: Task) -> list[dict[str, Any]]:
    """Return some facts again, each under another name of its relation."""
    found = []
    for item in items[:: max(1, len(items) // 4)]:
        other = _other_name(str(item["relation"]), task)
        found.append({**item, "relation": other, "evidence_id": f"{item['evidence_id']}b"})
    return found


_BY_ROLE: dict[str, Callable[[Mistakes, Reply, Task], Reply]] = {
    "gather": Mistakes._gathered,
    "rivals": Mistakes._gathered,
    "construct": Mistakes._wrote,
    "revise": Mistakes._wrote,
    "parse": Mistakes._parsed,
    "direction": Mistakes._advised,
}
