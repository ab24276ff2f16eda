"""One name for one relation: spellings of gathered evidence are brought together, on proof."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from graphkit.entities import fold
from graphkit.evidence import EvidenceRecord
from graphkit.relations import RelationSheet

__all__ = ["Pair", "RelationBook", "Spelling", "ends_of", "plain_spelling"]

Pair = tuple[str, str]
"""The folded names of head and tail."""


def plain_spelling(relation: str) -> str:
    """Return a relation as it is compared: case, underscores and inner capitals do not matter.

    >>> plain_spelling("capitalOf"), plain_spelling("Capital_of")
    ('capital of', 'capital of')
    """
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", relation)
    return " ".join(fold(text.replace("_", " ").replace("-", " ")).split())


@dataclass(frozen=True, slots=True)
class Spelling:
    """What a spelling stands for.

    Attributes:
        relation: The name that is kept.
        inverted: Whether head and tail change places.
        ground: ``first`` (it is the name), ``folded``, ``sheet`` or ``replayed`` (a model proposed
            it, and a fact that is known under the name has the same two ends).
    """

    relation: str
    inverted: bool = False
    ground: str = "first"


@dataclass(frozen=True)
class RelationBook:
    """The spellings met so far; adding one returns a new book.

    Attributes:
        sheet: The relation sheet of the user, if there is one.
        known: Plain spelling -> what it stands for.
    """

    sheet: RelationSheet = field(default_factory=RelationSheet)
    known: Mapping[str, Spelling] = field(default_factory=dict)

    def names(self) -> tuple[str, ...]:
        """Return the names that are kept, each once, in the order in which they came."""
        return tuple(dict.fromkeys(item.relation for item in self.known.values()))

    def read(self, relation: str) -> Spelling | None:
        """Return what a spelling stands for, or None if it is new.

        >>> from graphkit.relations import RelationSheet
        >>> book = RelationBook().named("capital of")
        >>> book.read("Capital_Of").relation, book.read("seat of")
        ('capital of', None)
        """
        plain = plain_spelling(relation)
        return self.known.get(plain) or self._of_sheet.get(plain)

    @functools.cached_property
    def _of_sheet(self) -> dict[str, Spelling]:
        """The names and the unambiguous aliases of the sheet, in plain spelling."""
        found: dict[str, set[tuple[str, bool]]] = defaultdict(set)
        for alias, meanings in self.sheet.aliases.items():
            found[plain_spelling(alias)].update(meanings)
        table = {
            plain: Spelling(*next(iter(meanings)), ground="sheet")
            for plain, meanings in found.items()
            if len(meanings) == 1
        }
        table.update(
            (plain_spelling(name), Spelling(name, ground="sheet")) for name in self.sheet.relations
        )
        return table

    def named(self, relation: str) -> RelationBook:
        """Return the book with a spelling as a name of its own."""
        return self._with(relation, Spelling(relation))

    def joined(self, relation: str, spelling: Spelling) -> RelationBook:
        """Return the book with a spelling that stands for another."""
        return self._with(relation, spelling)

    def _with(self, relation: str, spelling: Spelling) -> RelationBook:
        return RelationBook(self.sheet, {**self.known, plain_spelling(relation): spelling})

    def new_spellings(self, records: Iterable[EvidenceRecord]) -> dict[str, list[EvidenceRecord]]:
        """Return the spellings that the book does not know, each with its records."""
        found: dict[str, list[EvidenceRecord]] = defaultdict(list)
        first: dict[str, str] = {}
        for record in records:
            if self.read(record.relation) is None:
                plain = plain_spelling(record.relation)
                found[first.setdefault(plain, record.relation)].append(record)
        return dict(found)

    def objection(
        self,
        records: Iterable[EvidenceRecord],
        known: Iterable[EvidenceRecord],
        spelling: Spelling,
    ) -> str | None:
        """Return what speaks against a proposed reading; None where facts bear it out.

        A known fact must have the same two ends under the name. Where two or more of the new
        facts lie between ends that the name knows, so that two could be known, two must be: one
        may be chance. Where the sheet calls the relation functional no head may have another tail.

        Args:
            records: Records under the new spelling.
            known: Records whose relations are kept names.
            spelling: What the new spelling is said to stand for.
        """
        pairs = {ends_of(item) for item in known if item.relation == spelling.relation}
        new = {ends_of(item, spelling.inverted) for item in records}
        borne_out = len(new & pairs)
        if not borne_out:
            return "no fact bears it out"
        tails: dict[str, set[str]] = defaultdict(set)
        for head, tail in pairs:
            tails[head].add(tail)
        if self.sheet.relation(spelling.relation).functional:
            others = [head for head, tail in new if tail not in tails.get(head, {tail})]
            if others:
                return f"a head has one tail, and {min(others)!r} has another"
        ends = {tail for _, tail in pairs}
        if borne_out == 1 < sum(1 for head, tail in new if head in tails and tail in ends):
            return "only one fact bears it out"
        return None

    def rewrite(self, record: EvidenceRecord) -> EvidenceRecord:
        """Return a record under the name that is kept.

        The spelling stays as ``relation_as_found``; ``relation_turned`` says whether head and tail
        have changed places.

        Raises:
            KeyError: The book does not know the spelling.
        """
        spelling = self.read(record.relation)
        if spelling is None:
            raise KeyError(record.relation)
        if spelling.relation == record.relation and not spelling.inverted:
            return record
        change: dict[str, object] = {
            "relation": spelling.relation,
            "relation_as_found": record.relation,
            "relation_turned": spelling.inverted,
        }
        if spelling.inverted:
            change.update(
                head_entity=record.tail_entity,
                tail_entity=record.head_entity,
                head_type=record.tail_type,
                tail_type=record.head_type,
                head_id=record.tail_id,
                tail_id=record.head_id,
            )
        return record.model_copy(update=change)


def ends_of(record: EvidenceRecord, inverted: bool = False) -> Pair:
    """Return the two ends of a record as they are compared, turned round if wanted."""
    pair = fold(record.head_entity), fold(record.tail_entity)
    return (pair[1], pair[0]) if inverted else pair
