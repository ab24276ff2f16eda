"""Which relation names of several seeds are one relation: what shows it, what speaks against."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from graphkit.evidence import EvidenceRecord
from graphkit.relations import Relation, RelationSheet
from synthesis.relation_classes import RelationClasses
from synthesis.relation_names import Pair, RelationBook, ends_of, plain_spelling

__all__ = ["JoinedRelations", "RelationLink", "join_relations"]

_SHARED, _HEADS, _TAILS = 5, 3, 2
"""Facts in common, and different heads and tails among them, that names nobody linked must have."""
_AGREE = 0.9
"""Share of the heads, and of the tails, known to both names that must have a fact in common."""
_CONTAINED = 0.8
"""Share of the facts of each, between ends known to the other, that the other must have too."""


@dataclass(frozen=True, slots=True)
class RelationLink:
    """A reason to take two names for one relation.

    Attributes:
        one: A name, or a spelling that some seed read as a name.
        other: The other.
        inverted: Whether head and tail change places.
        ground: ``form`` (only case, underscores and the like tell them apart), ``sheet`` (an alias
            of it), ``replayed`` (in some seed a model proposed it and a fact bore it out) or
            ``facts`` (nobody proposed it, and the facts coincide).
        seeds: How many seeds read one as the other.
        shared: How many facts coincide.
        dropped: Why it was not followed; None where it was.
    """

    one: str
    other: str
    inverted: bool
    ground: str
    seeds: int = 0
    shared: int = 0
    dropped: str | None = None

    def to_record(self) -> dict[str, Any]:
        """Return it as plain data, without what says nothing."""
        return {key: value for key, value in asdict(self).items() if value not in (None, 0, False)}


@dataclass(frozen=True)
class JoinedRelations:
    """The names that are one relation each.

    Attributes:
        classes: Name of the relation -> its other names, each with whether it is read inverted.
        links: What showed it.
        dropped: What was not followed, and why.
    """

    classes: Mapping[str, tuple[tuple[str, bool], ...]] = field(default_factory=dict)
    links: tuple[RelationLink, ...] = ()
    dropped: tuple[RelationLink, ...] = ()

    def sheet(self, sheet: RelationSheet) -> RelationSheet:
        """Return a relation sheet that also has the other names, as aliases.

        Facts that are read with it stand under one name, and questions that use another name find
        them: nothing needs to be rewritten.
        """
        entries = dict(sheet.relations)
        for name, others in self.classes.items():
            entry = entries.get(name, Relation())
            known = {*entry.aliases, *entry.inverse_aliases, entry.inverse}
            straight = [text for text, turned in others if not turned and text not in known]
            inverse = [text for text, turned in others if turned and text not in known]
            entries[name] = entry.model_copy(
                update={
                    "aliases": (*entry.aliases, *straight),
                    "inverse_aliases": (*entry.inverse_aliases, *inverse),
                }
            )
        return RelationSheet(
            meta=sheet.meta, types=sheet.types, relations=entries, articles=sheet.articles
        )

    def to_record(self) -> dict[str, Any]:
        """Return what was joined and what was not as plain data."""
        return {
            "joined": [
                {
                    "relation": name,
                    "aliases": [text for text, turned in others if not turned],
                    "inverse_aliases": [text for text, turned in others if turned],
                }
                for name, others in self.classes.items()
            ],
            "links": [link.to_record() for link in self.links],
            "dropped": [link.to_record() for link in self.dropped],
        }


def join_relations(
    seeds: Iterable[Sequence[EvidenceRecord]], sheet: RelationSheet
) -> JoinedRelations:
    """Find the names that are one relation across the evidence of several seeds.

    Within a seed names are brought together already. Across seeds two names are linked where the
    sheet says so, where they differ in form only, where some seed read one as the other, or both
    as one and the same spelling, and where nobody said so but the facts coincide. A link is
    dropped where the sheet has both names, where a relation with one tail a head would have
    others, where it would make a relation its own inverse, and where more seeds keep both names,
    with a fact in common, than read one as the other: they could have joined them and did not. So
    facts alone join only names that no seed holds side by side; "exports to" and "imports from"
    coincide where little is known.

    Args:
        seeds: The evidence of each seed, under the names that it keeps.
        sheet: The relation sheet.
    """
    table = _Table(sheet)
    for records in seeds:
        table.take(records)
    classes = RelationClasses(table.pairs, sheet)
    followed: list[RelationLink] = []
    dropped: list[RelationLink] = []
    # One after the other: facts are compared when what seeds have read is joined.
    links = itertools.chain(table.sheet_links(), table.read_links(), table.fact_links(classes))
    for link in links:
        why = classes.join(
            link.one,
            link.other,
            link.inverted,
            against=table.against(link, classes),
            certain=link.ground == "sheet",
        )
        if why is None:
            followed.append(link)
        elif why:
            dropped.append(RelationLink(**{**asdict(link), "dropped": why}))
    joined = table.named(classes)
    told = _telling(followed, joined)
    return JoinedRelations(joined, (*table.alike(), *told), tuple(dropped))


def _telling(
    links: Sequence[RelationLink], joined: Mapping[str, Sequence[tuple[str, bool]]]
) -> list[RelationLink]:
    """Return the links between kept names, direct or by a spelling that several were read from."""
    kept = {
        plain_spelling(text)
        for name, others in joined.items()
        for text in (name, *(other for other, _ in others))
    }
    ends = Counter(name for link in links for name in (link.one, link.other))
    return [
        link
        for link in links
        if {link.one, link.other} & kept
        and all(name in kept or ends[name] > 1 for name in (link.one, link.other))
    ]


class _Table:
    """What the evidence says of names; a name is known by its plain spelling.

    Attributes:
        names: Plain spelling -> the kept names that have it, in the order in which they came.
        pairs: Plain spelling -> the pairs of folded ends of its facts.
        read: (spelling, name, inverted?) -> how many seeds read the spelling as the name.
        apart: (name, name, inverted?) -> how many seeds keep both with a fact in common.
    """

    def __init__(self, sheet: RelationSheet) -> None:
        self.sheet = sheet
        self.names: dict[str, dict[str, None]] = {}
        self.pairs: dict[str, dict[Pair, None]] = {}
        self.read: Counter[tuple[str, str, bool]] = Counter()
        self.apart: Counter[tuple[str, str, bool]] = Counter()

    def take(self, records: Sequence[EvidenceRecord]) -> None:
        """Take in the evidence of one seed."""
        own: dict[str, dict[Pair, None]] = {}
        read: dict[tuple[str, str, bool], None] = {}
        for record in records:
            plain = plain_spelling(record.relation)
            self.names.setdefault(plain, {})[record.relation] = None
            pair = ends_of(record)
            own.setdefault(plain, {})[pair] = None
            self.pairs.setdefault(plain, {})[pair] = None
            more = record.model_extra or {}
            found, turned = more.get("relation_as_found"), more.get("relation_turned")
            if isinstance(found, str) and isinstance(turned, bool):
                spelling = plain_spelling(found)
                if spelling and (spelling, turned) != (plain, False):
                    read[spelling, plain, turned] = None
        self.read.update(read.keys())
        self.apart.update(_common(own).keys())

    def alike(self) -> Iterator[RelationLink]:
        """Yield the names that only their form tells apart."""
        for first, *others in self.names.values():
            for other in others:
                yield RelationLink(first, other, False, "form")

    def sheet_links(self) -> Iterator[RelationLink]:
        """Yield the names that the sheet reads as others."""
        book = RelationBook(self.sheet)
        for plain, names in list(self.names.items()):
            spelling = book.read(next(iter(names)))
            if spelling is None:
                continue
            known = plain_spelling(spelling.relation)
            self.names.setdefault(known, {})[spelling.relation] = None
            if known != plain:
                yield RelationLink(plain, known, spelling.inverted, "sheet")

    def read_links(self) -> Iterator[RelationLink]:
        """Yield what seeds read as what, what most of them say first."""
        for (one, other, turned), seeds in sorted(self.read.items(), key=lambda item: -item[1]):
            yield RelationLink(one, other, turned, "replayed", seeds=seeds)

    def fact_links(self, classes: RelationClasses) -> Iterator[RelationLink]:
        """Yield names whose facts coincide, those that share most first.

        Args:
            classes: What is joined already; names that are one relation are looked at as one.
        """
        pairs = {root: dict.fromkeys(classes.pairs(root)) for root in classes.roots()}
        order = {root: place for place, root in enumerate(pairs)}
        common = sorted(_common(pairs).items(), key=lambda item: -len(item[1]))
        for (one, other, turned), shared in common:
            theirs = {(b, a) if turned else (a, b): None for a, b in pairs[other]}
            if order[one] < order[other] and _coincide(pairs[one], theirs, shared):
                yield RelationLink(one, other, turned, "facts", shared=len(shared))

    def against(self, link: RelationLink, classes: RelationClasses) -> str | None:
        """Return what speaks against a link: more seeds hold both names apart than joined them."""
        if link.ground == "sheet":
            return None
        apart = max(
            (
                self.apart[one, other, turned ^ link.inverted ^ way]
                for one, turned in classes.members(link.one)
                for other, way in classes.members(link.other)
            ),
            default=0,
        )
        if apart <= link.seeds:
            return None
        return f"held side by side, with a fact in common, by seeds: {apart}"

    def named(self, classes: RelationClasses) -> dict[str, tuple[tuple[str, bool], ...]]:
        """Return the classes of more than one kept name, by the name of the sheet or the first."""
        found: dict[str, tuple[tuple[str, bool], ...]] = {}
        places = {name: place for place, name in enumerate(self._in_order())}
        for root in classes.roots():
            kept = [
                (name, turned)
                for plain, turned in classes.members(root)
                for name in self.names.get(plain, ())
            ]
            kept.sort(key=lambda item: places[item[0]])
            first = next((item for item in kept if item[0] in self.sheet.relations), None)
            name, way = first or (kept[0] if kept else ("", False))
            others = tuple(
                (text, turned != way)
                for text, turned in kept
                if text != name and not self._in_sheet(text)
            )
            if others:
                found[name] = others
        return found

    def _in_order(self) -> Iterator[str]:
        return (name for names in self.names.values() for name in names)

    def _in_sheet(self, name: str) -> bool:
        """Whether the sheet says what a name is, letter for letter."""
        return name in self.sheet.relations or name in self.sheet.aliases


def _common(
    pairs: Mapping[str, Mapping[Pair, None]],
) -> dict[tuple[str, str, bool], dict[Pair, None]]:
    """Return the pairs that two names have in common, straight and inverted, both ways round."""
    holders: dict[Pair, list[str]] = defaultdict(list)
    for name, own in pairs.items():
        for pair in own:
            holders[pair].append(name)
    found: dict[tuple[str, str, bool], dict[Pair, None]] = {}
    for pair, names in holders.items():
        for turned in (False, True):
            there = names if not turned else holders.get((pair[1], pair[0]), [])
            for one in names:
                for other in there:
                    if one != other:
                        found.setdefault((one, other, turned), {})[pair] = None
    return found


def _coincide(
    ours: Mapping[Pair, None], theirs: Mapping[Pair, None], shared: Mapping[Pair, None]
) -> bool:
    """Whether facts of two names coincide on so much that they are one relation."""
    for side, least in ((0, _HEADS), (1, _TAILS)):
        same = {pair[side] for pair in shared}
        both = {pair[side] for pair in ours} & {pair[side] for pair in theirs}
        if len(same) < least or len(same) < _AGREE * len(both):
            return False
    return len(shared) >= _SHARED and all(
        len(shared) >= _CONTAINED * sum(1 for pair in one if pair[0] in heads and pair[1] in tails)
        for one, other in ((ours, theirs), (theirs, ours))
        for heads, tails in [({h for h, _ in other}, {t for _, t in other})]
    )
