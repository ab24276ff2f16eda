"""Names, aliases and evidence of a saved fact store, each decoded when it is asked for."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import overload

import numpy as np

from graphkit.adjacency import PLAIN
from graphkit.entities import Entity, NameIndex, fold
from graphkit.evidence import EvidenceRecord
from graphkit.mapped.sections import Array

__all__ = ["Entities", "Records", "Sources", "Strings", "TextLists", "Tier", "hash_of", "packed"]


def packed(texts: Iterable[str]) -> tuple[Array, Array]:
    """Return texts as (ends, bytes) of one array."""
    parts = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = np.cumsum([0, *(len(part) for part in parts)], dtype=np.int64)
    return ends, np.frombuffer(b"".join(parts), dtype=np.uint8)


def hash_of(text: str) -> int:
    """Return a number by which a name is found; others may have it too."""
    data = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little", signed=True)


class Strings(Sequence[str]):
    """Texts in one array of bytes."""

    def __init__(self, ends: Array, data: Array) -> None:
        self._ends = ends
        self._data = data.data

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        data = self._data[int(self._ends[place]) : int(self._ends[place + 1])]
        return str(data, "utf-8", "surrogatepass")


class TextLists(Mapping[int, tuple[str, ...]]):
    """Number -> some texts, for a few numbers."""

    def __init__(self, numbers: Array, ends: Array, texts: Strings) -> None:
        self._numbers = numbers
        self._ends = ends
        self._texts = texts

    def __getitem__(self, number: int) -> tuple[str, ...]:
        place = int(self._numbers.searchsorted(number))
        if place == len(self._numbers) or self._numbers[place] != number:
            raise KeyError(number)
        return tuple(self._texts[int(self._ends[place]) : int(self._ends[place + 1])])

    def __iter__(self) -> Iterator[int]:
        return iter(self._numbers.tolist())

    def __len__(self) -> int:
        return len(self._numbers)


class Entities(Sequence[Entity]):
    """All entities by number."""

    def __init__(
        self,
        names: Strings,
        kinds: Array,
        idents: Array,
        units: Array,
        texts: tuple[Sequence[str], Sequence[str], Sequence[str]],
    ) -> None:
        self._names = names
        self._kinds = kinds
        self._idents = idents
        self._units = units
        self._texts = texts

    def __len__(self) -> int:
        return len(self._names)

    @overload
    def __getitem__(self, number: int) -> Entity: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[Entity, ...]: ...
    def __getitem__(self, number: int | slice) -> Entity | tuple[Entity, ...]:
        if isinstance(number, slice):
            return tuple(self[place] for place in range(*number.indices(len(self))))
        if number < 0:
            number += len(self)
        if not 0 <= number < len(self):
            raise IndexError(f"no entity {number}, there are {len(self)}")
        kind, ident, unit = (
            texts[int(places[number])] if places[number] >= 0 else None
            for texts, places in zip(
                self._texts, (self._kinds, self._idents, self._units), strict=True
            )
        )
        return Entity(self._names[number], kind, ident, unit)


class Tier(Mapping[str, tuple[int, ...]]):
    """One tier of a name index: looked up by hash, compared with the names themselves."""

    def __init__(
        self,
        hashes: Array,
        numbers: Array,
        said: Callable[[int], Iterable[str]],
        whole: Callable[[], Mapping[str, tuple[int, ...]]],
    ) -> None:
        self._hashes = hashes
        self._numbers = numbers
        self._said = said
        self._whole = whole

    def __getitem__(self, name: str) -> tuple[int, ...]:
        number = hash_of(name)
        low, high = (int(self._hashes.searchsorted(number, side)) for side in ("left", "right"))
        near = self._numbers[low:high].tolist()
        found = tuple(item for item in near if name in self._said(item))
        if not found:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole())

    def __len__(self) -> int:
        return len(self._whole())


def name_index(
    entities: Entities, aliases: Mapping[int, tuple[str, ...]], arrays: Mapping[str, Array]
) -> NameIndex:
    """Return the index of the names; it is built in full only when its names are listed."""

    @functools.cache
    def full() -> NameIndex:
        return NameIndex.build(tuple(entities), aliases)

    def tier(name: str, said: Callable[[int], Iterable[str]]) -> Tier:
        hashes, numbers = arrays[f"{name} hashes"], arrays[f"{name} numbers"]
        return Tier(hashes, numbers, said, lambda: getattr(full(), name))

    return NameIndex(
        ids=tier("ids", lambda number: (entities[number].id or "",)),
        exact=tier("exact", lambda number: spoken(entities[number])),
        folded=tier("folded", lambda number: map(fold, spoken(entities[number]))),
        alias=tier("alias", lambda number: map(fold, aliases.get(number, ()))),
    )


def spoken(entity: Entity) -> set[str]:
    """Return the ways in which an entity's own name is printed."""
    return {entity.name, entity.text}


class Records(Mapping[str, EvidenceRecord]):
    """The evidence records by id."""

    def __init__(self, ids: Strings, texts: Strings) -> None:
        self._ids = ids
        self._texts = texts

    @functools.cached_property
    def _places(self) -> dict[str, int]:
        return {ident: place for place, ident in enumerate(self._ids)}

    def __getitem__(self, ident: str) -> EvidenceRecord:
        return EvidenceRecord.model_validate_json(self._texts[self._places[ident]])

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._ids)


class Sources(Mapping[int, tuple[str, ...]]):
    """Packed (head, tail) pair -> the ids of its evidence records, for one relation."""

    def __init__(self, pairs: Array, ends: Array, places: Array, ids: Strings) -> None:
        self._pairs = pairs
        self._ends = ends
        self._places = places
        self._ids = ids

    def __getitem__(self, pair: int) -> tuple[str, ...]:
        place = int(self._pairs.searchsorted(pair))
        if place == len(self._pairs) or self._pairs[place] != pair:
            raise KeyError(pair)
        records = self._places[int(self._ends[place]) : int(self._ends[place + 1])].tolist()
        return tuple(PLAIN if record < 0 else self._ids[record] for record in records)

    def __iter__(self) -> Iterator[int]:
        return iter(self._pairs.tolist())

    def __len__(self) -> int:
        return len(self._pairs)
