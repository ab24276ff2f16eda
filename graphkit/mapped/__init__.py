"""Fact stores saved to a file that is mapped into memory: open again in milliseconds."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable
from typing import Any, cast

import numpy as np

from graphkit.adjacency import PLAIN, Adjacency, Table
from graphkit.entities import Entity, fold
from graphkit.entity_set import EntitySet
from graphkit.facts import FactStore
from graphkit.formats.writing import atomic_writer
from graphkit.interning import Spellings
from graphkit.mapped.sections import Array, read_sections, write_sections
from graphkit.mapped.views import (
    Entities,
    Records,
    Sources,
    Strings,
    TextLists,
    hash_of,
    name_index,
    packed,
    spoken,
)
from graphkit.relations import RelationSheet

__all__ = ["open_mapped", "save_mapped"]


def save_mapped(facts: FactStore, path: str | os.PathLike[str]) -> None:
    """Save a fact store, with its sheet, names, aliases and evidence.

    The file takes its name only when all is written; an old one stays as it was until then.

    Args:
        facts: The facts.
        path: Where to save them.

    Raises:
        InputError: The folder does not exist, or the path is a directory.
        OperationError: It cannot be written.
    """
    about = {
        "relations": list(facts.relations),
        "sheet": facts.sheet.model_dump(mode="json", exclude_unset=True),
        "types": list(facts.types),
        "facts": len(facts),
    }
    kinds = list(dict.fromkeys(item.type for item in facts.entities if item.type is not None))
    units = list(dict.fromkeys(item.unit for item in facts.entities if item.unit is not None))
    about["kinds"], about["units"] = kinds, units
    arrays: dict[str, Array] = {"degree": facts._degree}
    arrays |= _entity_arrays(facts, kinds, units)
    arrays |= _index_arrays(facts)
    arrays |= _table_arrays(facts)
    arrays |= _evidence_arrays(facts)
    members = [facts.types[kind].ids for kind in facts.types]
    arrays["type ends"] = _ends(members)
    arrays["type members"] = _joined(members, np.int32)
    with atomic_writer(path) as stream:
        write_sections(stream, about, arrays)


def _joined(parts: Iterable[Array], kind: Any) -> Array:
    return np.concatenate([np.zeros(0, dtype=kind), *parts]).astype(kind, copy=False)


def _ends(parts: Iterable[Any]) -> Array:
    return np.cumsum([0, *(len(part) for part in parts)], dtype=np.int64)


def _entity_arrays(facts: FactStore, kinds: list[str], units: list[str]) -> dict[str, Array]:
    arrays: dict[str, Array] = {}
    entities = tuple(facts.entities)
    arrays["name ends"], arrays["names"] = packed(entity.name for entity in entities)
    idents = [entity.id for entity in entities if entity.id is not None]
    arrays["ident ends"], arrays["idents"] = packed(idents)
    with_id = np.array([entity.id is not None for entity in entities], dtype=np.bool_)
    arrays["ident of"] = np.where(with_id, np.cumsum(with_id) - 1, -1).astype(np.int32)
    for name, texts in (("type", kinds), ("unit", units)):
        places = {text: place for place, text in enumerate(texts)}
        found = (places.get(getattr(entity, name), -1) for entity in entities)
        arrays[f"{name} of"] = np.fromiter(found, dtype=np.int32, count=len(entities))
    numbers = sorted(facts.aliases)
    others = [facts.aliases[number] for number in numbers]
    arrays["alias of"] = np.array(numbers, dtype=np.int32)
    arrays["alias counts"] = _ends(others)
    arrays["alias ends"], arrays["aliases"] = packed(text for part in others for text in part)
    return arrays


def _index_arrays(facts: FactStore) -> dict[str, Array]:
    found: dict[str, list[tuple[int, int]]] = {"ids": [], "exact": [], "folded": [], "alias": []}
    for number, entity in enumerate(facts.entities):
        names = spoken(entity)
        said = {
            "ids": [] if entity.id is None else [entity.id],
            "exact": names,
            "folded": {fold(name) for name in names},
            "alias": {fold(name) for name in facts.aliases.get(number, ())},
        }
        for tier, texts in said.items():
            found[tier] += [(hash_of(text), number) for text in texts]
    arrays: dict[str, Array] = {}
    for tier, pairs in found.items():
        pairs = sorted(set(pairs))
        arrays[f"{tier} hashes"] = np.array([pair[0] for pair in pairs], dtype=np.int64)
        arrays[f"{tier} numbers"] = np.array([pair[1] for pair in pairs], dtype=np.int32)
    return arrays


def _table_arrays(facts: FactStore) -> dict[str, Array]:
    tables = [
        table for adjacency in facts.adjacency for table in (adjacency.forward, adjacency.backward)
    ]
    return {
        "key ends": _ends(table.keys for table in tables),
        "value ends": _ends(table.values for table in tables),
        "keys": _joined((table.keys for table in tables), np.int32),
        "starts": _joined((table.starts for table in tables), np.int64),
        "values": _joined((table.values for table in tables), np.int32),
    }


def _evidence_arrays(facts: FactStore) -> dict[str, Array]:
    arrays: dict[str, Array] = {}
    arrays["record ends"], arrays["records"] = packed(facts.records)
    arrays["text ends"], arrays["texts"] = packed(
        record.model_dump_json(exclude_unset=True) for record in facts.records.values()
    )
    place_of = {ident: place for place, ident in enumerate(facts.records)} | {PLAIN: -1}
    pairs: list[Array] = []
    sources: list[list[int]] = []
    for adjacency in facts.adjacency:
        evidence = adjacency.evidence
        ordered = sorted(evidence)
        pairs.append(np.array(ordered, dtype=np.int64))
        sources += [[place_of[ident] for ident in evidence[pair]] for pair in ordered]
    arrays["pair ends"] = _ends(pairs)
    arrays["pairs"] = _joined(pairs, np.int64)
    arrays["source ends"] = _ends(sources)
    arrays["sources"] = np.array([item for part in sources for item in part], dtype=np.int32)
    return arrays


class MappedFacts(FactStore):
    """A fact store whose arrays lie in a mapped file; a change of it is an ordinary store."""

    @functools.cached_property
    def _spellings(self) -> Spellings:  # type: ignore[override]
        return Spellings.of(self.records.values(), self.sheet)


def open_mapped(path: str | os.PathLike[str], *, verify: bool = True) -> FactStore:
    """Open a saved fact store.

    It answers as the store that was saved. The file is mapped, so pages are read as they are
    needed and shared between processes; names are decoded when they are asked for. A saved store
    may be replaced by another while it is open.

    Args:
        path: The file.
        verify: Whether to read the file once to compare its checksum, some 0.3 seconds for a
            gigabyte that is cached; head and length are checked in any case.

    Raises:
        FormatError: The file is missing, of another kind or version, cut off or damaged.
    """
    about, arrays = read_sections(path, verify=verify)

    def strings(ends: str, data: str) -> Strings:
        return Strings(arrays[ends], arrays[data])

    texts = (about["kinds"], strings("ident ends", "idents"), about["units"])
    entities = Entities(
        strings("name ends", "names"),
        arrays["type of"],
        arrays["ident of"],
        arrays["unit of"],
        texts,
    )
    aliases = TextLists(
        arrays["alias of"], arrays["alias counts"], strings("alias ends", "aliases")
    )
    ids = strings("record ends", "records")
    store = MappedFacts(
        cast(tuple[Entity, ...], entities),
        tuple(about["relations"]),
        tuple(_adjacency(arrays, ids, number) for number in range(len(about["relations"]))),
        records=Records(ids, strings("text ends", "texts")),
        aliases=aliases,
        sheet=RelationSheet.model_validate(about["sheet"]),
        degree=arrays["degree"],
    )
    ends, members = arrays["type ends"], arrays["type members"]
    store.types = {
        kind: EntitySet(members[ends[place] : ends[place + 1]])
        for place, kind in enumerate(about["types"])
    }
    store.index = name_index(entities, aliases, arrays)
    return store


def _adjacency(arrays: dict[str, Array], ids: Strings, number: int) -> Adjacency:
    tables = []
    for place in (2 * number, 2 * number + 1):
        first, last = (int(end) for end in arrays["key ends"][place : place + 2])
        low, high = (int(end) for end in arrays["value ends"][place : place + 2])
        starts = arrays["starts"][first + place : last + place + 1]  # each table has one more
        tables.append(Table(arrays["keys"][first:last], starts, arrays["values"][low:high]))
    low, high = (int(end) for end in arrays["pair ends"][number : number + 2])
    sources: dict[int, tuple[str, ...]] | Sources = {}
    if low < high:
        ends = arrays["source ends"][low : high + 1]
        sources = Sources(arrays["pairs"][low:high], ends, arrays["sources"], ids)
    return Adjacency(tables[0], tables[1], sources)
