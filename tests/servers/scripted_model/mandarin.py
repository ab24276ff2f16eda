"""How the scripted model speaks Chinese: a small controlled language with its own reader.

::

    text      = group* question
    group     = "凡" conditions "者，归入" letter "组。"
    question  = "请问：" conditions "者是" ("谁" | "哪一个") "？"
    conditions = condition ("，且" condition)*
    condition = ["并非"] phrase of a relation around an end | ["并非"] "属于" letter "组"
    end       = "「" name "」" ("或「" name "」")* | letter "组之一"
"""

from __future__ import annotations

import re

from static_web.wording import RELATIONS

from graphkit.compile.english_terms import (
    Term,
    anchor,
    combination,
    complement,
    graph_of,
    projection,
    term_of,
)
from graphkit.errors import Problem, UnsupportedError
from graphkit.operations import Direction, Op
from graphkit.question import QuestionGraph
from scripted_model.english import in_usual_names
from scripted_model.page_reader import relation_of

__all__ = ["read_mandarin", "write_mandarin"]

_LETTERS = "甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉戌亥"


def write_mandarin(graph: QuestionGraph) -> str:
    """Say a graph in Chinese.

    Raises:
        UnsupportedError: It has something that there are no words for.
    """
    writer = _Writer()
    term = term_of(in_usual_names(graph))
    conditions = writer.conditions(term)
    who = "谁" if term.relation in ("head of government", "chief of state") else "哪一个"
    return "".join([*writer.sentences, f"请问：{conditions}者是{who}？"])


class _Writer:
    """Writes groups before they are used; equal sets are one group."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self.letters: dict[str, str] = {}

    def conditions(self, term: Term) -> str:
        parts = term.parts if term.op is Op.INTERSECTION else (term,)
        return "，且".join(self.condition(part) for part in parts)

    def condition(self, term: Term) -> str:
        if term.op is Op.COMPLEMENT:
            inner = term.parts[0]
            if inner.op is Op.PROJECTION:
                return f"并非{self.condition(inner)}"
            return f"并非属于{self.letter(inner)}组"
        if term.op is Op.PROJECTION:
            phrases = _PHRASES.get(term.relation)
            if phrases is None:
                raise _unsupported(f"the relation {term.relation!r}")
            phrase = phrases[term.direction is Direction.BACKWARD]
            return phrase.replace("{}", self.end(term.parts[0]))
        return f"属于{self.letter(term)}组"

    def end(self, term: Term) -> str:
        if term.op is None and term.names:
            return "或".join(f"「{name}」" for name in term.names)
        return f"{self.letter(term)}组之一"

    def letter(self, term: Term) -> str:
        if term.text not in self.letters:
            if term.op is None or term.op is Op.UNION:
                raise _unsupported("a free set or a union")
            conditions = self.conditions(term)
            if len(self.letters) == len(_LETTERS):
                raise _unsupported("so many groups")
            letter = self.letters[term.text] = _LETTERS[len(self.letters)]
            self.sentences.append(f"凡{conditions}者，归入{letter}组。")
        return self.letters[term.text]


def _unsupported(what: str) -> UnsupportedError:
    return UnsupportedError(Problem(f"there are no words for {what}", code="mandarin"))


_PHRASES = {item.name: item.chinese_phrases for item in RELATIONS if item.chinese_phrases[0]}
_END = r"(?P<end>「[^」]+」(?:或「[^」]+」)*|.组之一)"
_FORMS = [
    (re.compile("".join(_END if part == "{}" else re.escape(part) for part in parts)), name, way)
    for name, phrases in _PHRASES.items()
    for way, parts in (
        (Direction.FORWARD, re.split(r"(\{\})", phrases[0])),
        (Direction.BACKWARD, re.split(r"(\{\})", phrases[1])),
    )
]
_GROUP = re.compile(r"凡(.+)者，归入(.)组")
_QUESTION = re.compile(r"请问：(.+)者是(?:谁|哪一个)")


def read_mandarin(text: str) -> QuestionGraph | None:
    """Read a question, or return None where it is not of the kind that we write."""
    groups: dict[str, Term] = {}
    *introductions, question = re.split(r"[。？]", text.strip().rstrip("？"))
    try:
        for sentence in introductions:
            match = _GROUP.fullmatch(sentence.strip())
            if match is None:
                return None
            groups[match[2]] = _conditions(match[1], groups)
        match = _QUESTION.fullmatch(question.strip())
        return graph_of(_conditions(match[1], groups), question=text) if match else None
    except KeyError:
        return None


def _conditions(text: str, groups: dict[str, Term]) -> Term:
    terms = [_condition(part, groups) for part in re.split(r"，且(?![^「]*」)", text)]
    return terms[0] if len(terms) == 1 else combination(Op.INTERSECTION, terms)


def _condition(text: str, groups: dict[str, Term]) -> Term:
    if text.startswith("并非"):
        return complement(_condition(text[2:], groups))
    match = re.fullmatch(r"属于(.)组", text)
    if match:
        return groups[match[1]]
    for pattern, name, way in _FORMS:
        match = pattern.fullmatch(text)
        if match:
            end = match["end"]
            part = (
                anchor(re.findall(r"「([^」]+)」", end)) if end.startswith("「") else groups[end[0]]
            )
            return projection(relation_of(name).chinese_name, way, part)
    raise KeyError(text)
