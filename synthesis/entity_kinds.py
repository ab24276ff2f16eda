"""One name under several types: where it is surely one entity, surely two, and where it is open."""

from __future__ import annotations

import functools
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from graphkit.entities import fold
from graphkit.evidence import LITERAL_TYPES, EvidenceRecord
from graphkit.interning import canonical_relation
from graphkit.operations import Op
from graphkit.question import QuestionGraph
from graphkit.relations import RelationSheet

__all__ = ["JoinedKinds", "OpenKinds", "one_kind"]

_FEW = 5
_MOSTLY = 0.9
_COMMON = 2

Named = tuple[str, str]
"""(folded name, type)."""

Way = tuple[str, str]
"""(relation, the end that something stands at: ``head`` or ``tail``)."""

_OTHER = {"head": "tail", "tail": "head"}


class _End(NamedTuple):
    side: str
    name: str
    kind: str | None
    given: bool
    """Whether the record gives the type, and not the sheet."""
    bare: bool
    """Whether nothing says what it is: no type, no id, no literal."""


def _ends(record: EvidenceRecord, sheet: RelationSheet) -> tuple[str, tuple[_End, _End]]:
    """Return the relation of a record and its ends, as the relation reads them: head, tail.

    The type of an end is that of the record, else that which the sheet has. ``side`` is where the
    record has it. Ends with an id, and literals, have no type here: they are what they are.
    """
    relation, inverted = canonical_relation(record.relation, sheet)
    entry = sheet.relation(relation)
    kinds = (entry.tail_type, entry.head_type) if inverted else (entry.head_type, entry.tail_type)
    found = []
    for side, name, kind, said, ident in (
        ("head", record.head_entity, record.head_type, kinds[0], record.head_id),
        ("tail", record.tail_entity, record.tail_type, kinds[1], record.tail_id),
    ):
        read = kind or said or None
        fixed = ident is not None or read in LITERAL_TYPES
        bare = read is None and not fixed
        found.append(_End(side, fold(name), None if fixed else read, bool(kind), bare))
    one, other = found
    return relation, (other, one) if inverted else (one, other)


@dataclass
class _Table:
    """What the evidence says of names that have several types."""

    sheet: RelationSheet
    kinds: dict[str, dict[str, None]] = field(default_factory=dict)
    spread: Counter[str] = field(default_factory=Counter)
    values: dict[Named, dict[Way, set[str]]] = field(default_factory=dict)
    linked: set[frozenset[Named]] = field(default_factory=set)
    all_values: dict[Way, dict[str, set[str]]] = field(default_factory=dict)
    _single: dict[Way, bool] = field(default_factory=dict)

    @classmethod
    def of(cls, records: Iterable[EvidenceRecord], sheet: RelationSheet) -> _Table:
        records = list(records)
        kinds: dict[str, dict[str, None]] = defaultdict(dict)
        spread: Counter[str] = Counter()
        read = [_ends(record, sheet) for record in records]
        for _, ends in read:
            for end in ends:
                if end.kind is not None and end.kind not in kinds[end.name]:
                    kinds[end.name][end.kind] = None
                    spread[end.kind] += 1
        split = {name: found for name, found in kinds.items() if len(found) > 1}
        table = cls(sheet, split, spread)
        if table.kinds:
            for relation, ends in read:
                table._take(relation, *ends)
        return table

    def _take(self, relation: str, head: _End, tail: _End) -> None:
        for place, end, other in (("head", head, tail), ("tail", tail, head)):
            way = relation, place
            self.all_values.setdefault(way, {}).setdefault(end.name, set()).add(other.name)
            if end.kind is not None and end.name in self.kinds:
                own = self.values.setdefault((end.name, end.kind), {})
                own.setdefault(way, set()).add(other.name)
        if head.name == tail.name and head.kind and tail.kind and head.kind != tail.kind:
            self.linked.add(frozenset([(head.name, head.kind), (tail.name, tail.kind)]))

    def single(self, way: Way) -> bool:
        """Whether what stands at an end of a relation has one other end.

        The sheet says so, or at least five names show it, nine in ten of them.
        """
        if self._said_single(way):
            return True
        if way not in self._single:
            values = self.all_values.get(way, {}).values()
            alone = sum(1 for found in values if len(found) == 1)
            self._single[way] = len(values) >= _FEW and alone >= _MOSTLY * len(values)
        return self._single[way]

    def _said_single(self, way: Way) -> bool:
        return way[1] == "head" and self.sheet.relation(way[0]).functional

    def _common_ways(self, one: Named, other: Named) -> Iterator[tuple[Way, set[str], set[str]]]:
        theirs = self.values.get(other, {})
        for way, found in self.values.get(one, {}).items():
            if way in theirs:
                yield way, found, theirs[way]

    def apart(self, one: Named, other: Named) -> bool:
        """Whether two readings of a name are surely two things.

        A fact leads from one to the other, or a relation that the sheet calls functional has other
        tails for them.
        """
        return frozenset([one, other]) in self.linked or any(
            self._said_single(way) and ours.isdisjoint(theirs)
            for way, ours, theirs in self._common_ways(one, other)
        )

    def same(self, one: Named, other: Named) -> bool:
        """Whether it is borne out that two readings of a name are one thing.

        A fact that only one thing can have holds of both, and none contradicts it; or two facts
        hold of both, and of more kinds of facts they have some in common than have none.
        """
        if self.apart(one, other):
            return False
        unique = contradicted = False
        common = agreeing = differing = 0
        for way, ours, theirs in self._common_ways(one, other):
            shared = ours & theirs
            common += len(shared)
            agreeing += bool(shared)
            differing += not shared
            contradicted = contradicted or (self.single(way) and len(ours | theirs) > 1)
            unique = unique or (bool(shared) and self.single((way[0], _OTHER[way[1]])))
        return (unique and not contradicted) or (common >= _COMMON and agreeing > differing)

    def groups(self, name: str, *, sure: bool) -> list[list[str]]:
        """Return the types of a name in groups of one entity each, the type of most names first.

        Args:
            name: A folded name with several types.
            sure: Join what is borne out to be one; else all that is not surely apart.
        """
        groups = [[kind] for kind in self.kinds[name]]
        for one, other in itertools.combinations(list(self.kinds[name]), 2):
            mine, theirs = (next(g for g in groups if kind in g) for kind in (one, other))
            if mine is theirs or (sure and not self.same((name, one), (name, other))):
                continue
            if not any(self.apart((name, a), (name, b)) for a in mine for b in theirs):
                mine += theirs
                groups.remove(theirs)
        return [sorted(group, key=lambda kind: -self.spread[kind]) for group in groups]


@dataclass(frozen=True)
class JoinedKinds:
    """What is borne out to be one entity under several types: it has that which most names have.

    Attributes:
        sheet: The relation sheet.
        change: (folded name, type) -> the type that it has.
    """

    sheet: RelationSheet
    change: Mapping[Named, str] = field(default_factory=dict)

    @classmethod
    def of(cls, records: Iterable[EvidenceRecord], sheet: RelationSheet) -> JoinedKinds:
        """Collect the names that have several types.

        These are one entity if a fact that only one thing can have holds under both: the tail of
        a relation that gives a head one tail, by the sheet or as far as the evidence shows it, or
        the other way round; or if two facts hold under both, and most that can be compared agree.
        """
        table = _Table.of(records, sheet)
        change = {
            (name, kind): group[0]
            for name in table.kinds
            for group in table.groups(name, sure=True)
            for kind in group[1:]
        }
        return cls(sheet, change)

    def read(self, records: Iterable[EvidenceRecord]) -> list[EvidenceRecord]:
        """Return the evidence with these types; what it had stays as ``head_type_as_found``."""
        if not self.change:
            return list(records)
        return [_retyped(item, _ends(item, self.sheet)[1], self.change) for item in records]

    def asked(self, graph: QuestionGraph) -> QuestionGraph:
        """Return a question with these types; one that no longer tells things apart is left out."""
        gone = {kind for _, kind in self.change}
        return _asked(graph, self.change, lambda kind: kind in gone) if gone else graph

    def named_openly(self, graph: QuestionGraph) -> QuestionGraph:
        """Return a question in which a name that has joined types has none: it means them all."""
        names = {name for name, _ in self.change}
        nodes = tuple(
            node.model_copy(update={"entity_type": None})
            if names & {fold(name) for name in node.known_entities}
            else node
            for node in graph.nodes
        )
        return graph.replace(nodes=nodes)

    def to_record(self) -> list[dict[str, str]]:
        """Return what was joined as plain data."""
        return [
            {"name": name, "type": kind, "read_as": kept}
            for (name, kind), kept in self.change.items()
        ]


def one_kind(records: Sequence[EvidenceRecord], sheet: RelationSheet) -> list[EvidenceRecord]:
    """Return evidence in which what is borne out to be one entity has one type."""
    return JoinedKinds.of(records, sheet).read(records)


def _retyped(
    record: EvidenceRecord, ends: Iterable[_End], change: Mapping[Named, str]
) -> EvidenceRecord:
    update: dict[str, object] = {}
    for end in ends:
        kind = change.get((end.name, end.kind)) if end.kind is not None else None
        if kind is not None and kind != end.kind:
            update[f"{end.side}_type"] = kind
            if end.given:
                update[f"{end.side}_type_as_found"] = end.kind
    return record.model_copy(update=update) if update else record


@dataclass(frozen=True)
class OpenKinds:
    """The reading in which types choose nothing, as far as they do not surely tell things apart.

    A name is one entity under all its types, unless these are surely two; and what a question asks
    for may be of any type, since what one page calls a country is an island or a state to another.

    Attributes:
        sheet: The relation sheet.
        groups: Folded name -> its types, in groups of one entity each, where there are several.
    """

    sheet: RelationSheet
    groups: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, records: Iterable[EvidenceRecord], sheet: RelationSheet) -> OpenKinds:
        """Collect the names that have several types."""
        table = _Table.of(records, sheet)
        return cls(
            sheet,
            {
                name: tuple(tuple(group) for group in table.groups(name, sure=False))
                for name in table.kinds
            },
        )

    @functools.cached_property
    def _change(self) -> dict[Named, str]:
        """(folded name, type) -> the type that it has in this reading."""
        return {
            (name, kind): group[0]
            for name, found in self.groups.items()
            for group in found
            for kind in group
        }

    def read(self, records: Iterable[EvidenceRecord]) -> list[EvidenceRecord]:
        """Return the evidence in this reading.

        A name without a type that is several things may be any of them: its facts are there for
        each, under ids of their own.
        """
        result = []
        for record in records:
            ends = _ends(record, self.sheet)[1]
            if not any(end.name in self.groups for end in ends):
                result.append(record)
                continue
            typed = _retyped(record, ends, self._change)
            sides = [f"{end.side}_type" for end in ends]
            choices = itertools.product(*map(self._perhaps, ends))
            for place, chosen in enumerate(choices):
                update: dict[str, object] = {
                    side: kind for side, kind in zip(sides, chosen, strict=True) if kind is not None
                }
                if place:
                    update["evidence_id"] = f"{record.evidence_id}~{place}"
                result.append(typed.model_copy(update=update) if update else typed)
        return result

    def _perhaps(self, end: _End) -> list[str | None]:
        """Return the types that an end without one may have; None where it stays as it is."""
        found = self.groups.get(end.name, ()) if end.bare else ()
        return [group[0] for group in found] or [None]

    def asked(self, graph: QuestionGraph) -> QuestionGraph:
        """Return a question in this reading.

        Names that it gives have the types of the evidence, what it derives may be of any type. A
        complement keeps its type where nothing else bounds it.
        """
        return _asked(graph, self._change, lambda _: True)

    def to_record(self) -> list[dict[str, Any]]:
        """Return the names that have several types as plain data."""
        return [
            {"name": name, "one": [list(group) for group in found if len(group) > 1]}
            | ({"apart": [group[0] for group in found]} if len(found) > 1 else {})
            for name, found in self.groups.items()
        ]


def _asked(
    graph: QuestionGraph, change: Mapping[Named, str], open_kind: Callable[[str], bool]
) -> QuestionGraph:
    """Return a question whose names have other types, and whose derived nodes have fewer."""
    bounded = {
        source for edge in graph.edges if edge.op is Op.INTERSECTION for source in edge.source_ids
    }
    nodes = []
    for node in graph.nodes:
        kind = node.entity_type
        incoming = graph.incoming[node.node_id]
        excluding = all(edge.op is Op.COMPLEMENT for edge in incoming)
        if kind is not None and node.known_entities:
            told = ((fold(name), kind) for name in node.known_entities)
            kind = next((change[named] for named in told if named in change), kind)
        elif kind is not None and incoming and (node.node_id in bounded or not excluding):
            kind = None if open_kind(kind) else kind
        nodes.append(node.model_copy(update={"entity_type": kind}))
    return graph.replace(nodes=tuple(nodes))
