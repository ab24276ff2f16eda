"""Question graphs in English that a person would ask, and that reads back to the same graph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from graphkit.compile.base import Compiled
from graphkit.compile.english_lexicon import EnglishLexicon
from graphkit.compile.english_terms import Term, term_of
from graphkit.compile.english_writer import Group, Style, Writer, bundles, conjuncts, is_atom
from graphkit.errors import FormatError, Problem, UnsupportedError
from graphkit.facts import FactStore
from graphkit.formats.english import parse_english
from graphkit.operations import Op
from graphkit.question import QuestionGraph
from graphkit.relations import RelationSheet

__all__ = ["compile_english", "english"]

_DEEPEST = 2  # relative clauses inside one another that a reader follows
_LONGEST = 34  # words of a sentence that a reader follows


def compile_english(
    graph: QuestionGraph,
    words: EnglishLexicon | RelationSheet,
    facts: FactStore | None = None,
    *,
    verify: bool = True,
) -> Compiled:
    """Return a question graph in English; see :func:`english`."""
    lexicon = words
    if isinstance(lexicon, RelationSheet):
        lexicon = EnglishLexicon.build(lexicon, facts)
    return Compiled(english(graph, lexicon, verify=verify))


def english(graph: QuestionGraph, lexicon: EnglishLexicon, *, verify: bool = True) -> str:
    """Write a question graph as an English question.

    Sets that are nested deeply, that have many conditions or that are used twice get a sentence
    of their own before the question. Words are those of the lexicon; a relation without phrases
    is written with its name in quotes.

    Args:
        graph: Any question graph; it is normalised first.
        lexicon: The words.
        verify: Read the question back, and take a more explicit wording where the plain one
            could be read as another graph.

    Raises:
        UnsupportedError: No wording reads back as this graph.

    >>> from graphkit.question import Edge, Node
    >>> sheet = RelationSheet.parse('''
    ... [types.city]
    ... [relations.capital]
    ... tail_type = "city"
    ... [relations.capital.phrases]
    ... forward = "is the capital of {}"
    ... backward = "has {} as its capital"
    ... ''')
    >>> graph = QuestionGraph(root_node_id="x", nodes=[
    ...     Node(node_id="a", known_entities=["France"]), Node(node_id="x", entity_type="city")],
    ...     edges=[Edge(edge_id="e", source_ids=["a"], target_id="x", op="projection",
    ...                 relation="capital", direction="forward")])
    >>> english(graph, EnglishLexicon.build(sheet))
    'Which city is the capital of France?'
    """
    term = term_of(graph)
    typed = _anchors_are_typed(term, lexicon)
    texts: dict[str, None] = {}
    for style in _styles(typed):
        for eager in (False, True):
            text = _written(term, lexicon, style, eager=eager)
            if not verify:
                return text
            if text in texts:
                continue
            texts[text] = None
            if _reads_back(text, term, lexicon):
                return text
    raise UnsupportedError(
        Problem(
            f"no English wording of it reads back as the same graph; the closest is {text!r}",
            code="english",
            subject=f"graph {graph.id}" if graph.id else None,
        )
    )


def _styles(typed: bool) -> Iterator[Style]:
    yield Style(typed)
    yield Style(typed, nominals=False)
    yield Style(typed, nominals=False, quoted=True)
    yield Style(False, nominals=False, quoted=True)
    yield Style(False, nominals=False, quoted=True, mechanical=True)


def _reads_back(text: str, term: Term, lexicon: EnglishLexicon) -> bool:
    try:
        graph = parse_english(text, lexicon)
    except FormatError:
        return False
    return term_of(graph).text == term.text


def _anchors_are_typed(term: Term, lexicon: EnglishLexicon) -> bool:
    """Whether more anchors have the type of their place than have none."""
    if term.type is None:
        return False
    score = 0
    for item in _all_terms(term):
        if item.op is not Op.PROJECTION or not item.parts[0].names:
            continue
        slot = lexicon.end_type(item.relation, item.direction.reverse)
        if slot is not None:
            kind = item.parts[0].type
            score += 1 if kind == slot else -1 if kind is None else 0
    return score >= 0


def _all_terms(term: Term) -> Iterator[Term]:
    """Yield a term and all that it is made from, each once, parts before wholes."""
    seen: set[str] = set()
    stack = [(term, False)]
    while stack:
        item, entered = stack.pop()
        if entered:
            yield item
        elif item.text not in seen:
            seen.add(item.text)
            stack.append((item, True))
            stack.extend((part, False) for part in reversed(item.parts))


def _written(term: Term, lexicon: EnglishLexicon, style: Style, *, eager: bool) -> str:
    """Write all sentences; ``eager`` gives every set that is not simple its own."""
    plan = _Plan(lexicon, style, eager)
    plan.decide(term)
    groups = plan.groups()
    writer = Writer(lexicon, style, groups)
    sentences = [
        writer.introduction(item, also=number > 0) for number, item in enumerate(plan.chosen)
    ]
    return " ".join([*sentences, writer.question(term)])


@dataclass(eq=False)
class _Plan:
    """Decides which sets get a sentence of their own."""

    lexicon: EnglishLexicon
    style: Style
    eager: bool
    chosen: list[Term] = field(default_factory=list)
    depths: dict[str, int] = field(default_factory=dict)
    bodies: dict[str, int] = field(default_factory=dict)
    clauses: dict[str, int] = field(default_factory=dict)
    uses: dict[str, int] = field(default_factory=dict)

    def decide(self, term: Term) -> None:
        """Choose the groups of a question."""
        items = list(_all_terms(term))
        sources = {item.parts[0].text for item in items if item.op is Op.PROJECTION}
        for item in items:
            for part in item.parts:
                self.uses[part.text] = self.uses.get(part.text, 0) + 1
        for item in items:
            self.bodies[item.text] = self._body(item)
            if item is term or is_atom(item):
                continue
            if item.text in sources:
                self.depths[item.text] = self._depth_as_noun(item)
                heavy = self._is_heavy(item)
            else:
                heavy = self._depth(item) > _DEEPEST
            if heavy:
                self._choose(item)
        for item in (term, *self.chosen[::-1]):
            self._lighten(item)
        order = {item.text: number for number, item in enumerate(items)}
        self.chosen.sort(key=lambda item: order[item.text])

    def _choose(self, term: Term) -> None:
        self.chosen.append(term)
        self.depths[term.text] = self.clauses[term.text] = 0

    def groups(self) -> dict[str, Group]:
        """The groups by the text of their set: by noun when all nouns differ, else by letter."""
        nouns = [self.lexicon.noun(item.type) for item in self.chosen]
        lettered = len({noun.plural for noun in nouns}) < len(nouns)
        return {
            item.text: Group(noun, _letters(number) if lettered else "")
            for number, (item, noun) in enumerate(zip(self.chosen, nouns, strict=True))
        }

    def _body(self, term: Term) -> int:
        """Relative clauses inside one another in what is said of the members of a set."""
        if term.op is None:
            return 0
        if term.op is Op.PROJECTION:
            return self.depths.get(term.parts[0].text, 0)
        if term.op is Op.COMPLEMENT:
            inner = term.parts[0]
            if inner.type is None and (inner.op is Op.PROJECTION or is_atom(inner)):
                return self._depth(inner)
            return 1 + self.bodies[inner.text] if inner.text not in self.clauses else 0
        nested = any(part.op in (Op.INTERSECTION, Op.UNION) for part in term.parts)
        return nested + max(map(self._depth, term.parts))

    def _depth(self, term: Term) -> int:
        """The same for one conjunct, as a verb phrase."""
        known = self.clauses.get(term.text)
        if known is not None:
            return known
        return self.bodies[term.text] + (term.type is not None and not is_atom(term))

    def _depth_as_noun(self, term: Term) -> int:
        body = self.bodies[term.text]
        plain = term.op is Op.PROJECTION and self._is_nominal(term, term.type)
        return body if plain else 1 + body

    def _is_nominal(self, part: Term, kind: str | None) -> bool:
        return (
            self.style.nominals
            and part.op is Op.PROJECTION
            and part.type in (None, kind)
            and self.lexicon.end_type(part.relation, part.direction) == kind
            and self.lexicon.phrases.nominal(part.relation, part.direction) is not None
        )

    def _is_heavy(self, term: Term) -> bool:
        depth = self.depths[term.text]
        items = bundles(conjuncts(term))
        if self.eager or depth > _DEEPEST:
            return True
        said = len(items) - any(
            self._is_nominal(item[0], term.type) and bool(item[0].parts[0].names) for item in items
        )
        if said > 2 or (said == 2 and depth == _DEEPEST):
            return True
        return depth > 0 and self.uses[term.text] > 1

    def _lighten(self, term: Term) -> None:
        """Give sets inside a sentence one of their own, while it is deep or long."""
        parts = conjuncts(term)
        sources = {
            inner.parts[0].text: inner.parts[0]
            for part in parts
            for inner in ((part.parts[0] if part.op is Op.COMPLEMENT else part),)
            if inner.op is Op.PROJECTION and inner.type is None
        }
        while True:
            deep = [item for item in sources.values() if self.depths.get(item.text, 0) > 0]
            writer = Writer(self.lexicon, self.style, self.groups())
            clauses = sum(self._said(part) for part in parts)
            words = writer.question(term).count(" ")
            if not deep or (clauses <= _DEEPEST + (len(parts) == 1) and words < _LONGEST):
                return
            heaviest = max(
                deep,
                key=lambda item: (self.depths[item.text], len(writer.noun_phrase(item, None).text)),
            )
            self._choose(heaviest)

    def _said(self, part: Term) -> int:
        """The depth of a conjunct as it is now, after sets inside it got sentences."""
        inner = part.parts[0] if part.op is Op.COMPLEMENT else part
        if inner.op is Op.PROJECTION and inner.type is None:
            return self.depths.get(inner.parts[0].text, 0)
        return self._depth(part) if part.text in self.bodies else self._body(part)


def _letters(number: int) -> str:
    """A, B, ..., Z, AA, AB, ..."""
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("A") + rest) + text
    return text
