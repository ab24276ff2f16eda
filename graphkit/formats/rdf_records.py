"""Plain records as RDF and back without loss, by a table that says how each key is written.

A :class:`Shape` names a class and a property for each key. A value that fits becomes what RDF
has for it: a string, a number, a list, a resource of its own. Whatever does not fit, a key that
the table does not have included, stands as JSON, so that every record comes back as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graphkit.errors import FormatError, Problem, UnsupportedError, did_you_mean
from graphkit.formats import strict_json
from graphkit.formats.rdf_terms import (
    RDF,
    VOCABULARY,
    XSD,
    Iri,
    Items,
    Resource,
    Term,
    Text,
    minted,
    unminted,
)

if TYPE_CHECKING:
    from rdflib import Graph

__all__ = ["JSON", "Field", "RecordReader", "RecordWriter", "Shape", "gk", "ordered"]

JSON = RDF + "JSON"
"""The datatype of what stands as JSON."""

_INTEGER, _BOOLEAN = XSD + "integer", XSD + "boolean"


def gk(name: str) -> str:
    """Return the IRI of a word of our vocabulary."""
    return VOCABULARY + name


EXTRA = gk("extra")
IS_NULL = gk("isNull")


@dataclass(frozen=True)
class Field:
    """How one key is written.

    Attributes:
        name: The property, a word of our vocabulary or a whole IRI.
        parts: The shape of the records in its list; they become resources of their own.
        refers: The segment of the records that its strings name, for instance ``node``.
        words: The strings that are individuals of our vocabulary.
    """

    name: str
    parts: Callable[[], Shape] | None = None
    refers: str | None = None
    words: frozenset[str] = frozenset()

    @property
    def predicate(self) -> str:
        """The IRI of the property."""
        return self.name if ":" in self.name else gk(self.name)


Also = Callable[[Mapping[str, Any], Resource], None]
"""Adds statements that follow from a record; they are not read back."""


@dataclass(frozen=True)
class Shape:
    """How one kind of record is written.

    Attributes:
        classes: The classes of its resources, ours first.
        key: The key that names a record among its neighbours; None for its place.
        segment: What stands before the name in the IRI.
        fields: Key -> how it is written, in the order of the text.
        also: Adds statements that follow from a record.
        loose: Keys of the table whose place among the further keys of a record is kept.
        links: Words of our vocabulary that ``also`` says.
    """

    classes: tuple[str, ...]
    key: str | None
    segment: str
    fields: Mapping[str, Field]
    also: Also | None = None
    loose: frozenset[str] = frozenset()
    links: frozenset[str] = frozenset()


def ordered(record: Mapping[str, Any], shape: Shape) -> dict[str, Any]:
    """Return a record with its keys in the order in which :class:`RecordReader` gives them."""
    found = {key: record[key] for key in shape.fields if key in record and key not in shape.loose}
    found.update((key, value) for key, value in record.items() if key not in found)
    for key, how in shape.fields.items():
        if how.parts is not None and _are_records(found.get(key)):
            inner = how.parts()
            found[key] = [ordered(item, inner) for item in found[key]]
    return found


def _are_records(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _dump(value: Any) -> Text:
    try:
        return Text(strict_json.dumps(value), JSON)
    except (TypeError, ValueError) as error:
        raise UnsupportedError(
            Problem(
                f"a further key holds what JSON cannot carry: {error}",
                code="unsupported",
                subject="format turtle",
            )
        ) from error


@dataclass
class RecordWriter:
    """Writes records, each null told from a missing key; remembers which IRIs are taken.

    Attributes:
        taken: The IRIs that stand for a record already.
    """

    taken: set[str] = field(default_factory=set)

    def resources(self, record: Mapping[str, Any], shape: Shape, iri: str) -> list[Resource]:
        """Return a record as resources: itself, then its parts in the order of their lists."""
        return list(self._resources(record, shape, iri, iri))

    def _resources(
        self, record: Mapping[str, Any], shape: Shape, iri: str, base: str
    ) -> Iterator[Resource]:
        resource = Resource(iri, [(RDF + "type", Iri(kind)) for kind in shape.classes])
        parts: list[tuple[Mapping[str, Any], Shape, str]] = []
        for key, how in shape.fields.items():
            if key not in record:
                continue
            value = record[key]
            if value is None:
                if key not in shape.loose:
                    resource.add(IS_NULL, Iri(how.predicate))
                continue
            if how.parts is not None and _are_records(value):
                inner = how.parts()
                found = [(item, inner, self._name(iri, inner, item, n)) for n, item in
                         enumerate(value, 1)]  # fmt: skip
                resource.add(how.predicate, Items(tuple(Iri(name) for _, _, name in found)))
                parts += found
            else:
                resource.add(how.predicate, _term(value, how, base))
        extra = {
            key: None if key in shape.loose else value
            for key, value in record.items()
            if key not in shape.fields or key in shape.loose
        }
        if any(key not in shape.loose or record[key] is None for key in extra) or len(extra) > 1:
            resource.add(EXTRA, _dump(extra))
        if shape.also is not None:
            shape.also(record, resource)
        yield resource
        for item, inner, name in parts:
            yield from self._resources(item, inner, name, iri)

    def _name(self, iri: str, shape: Shape, record: Mapping[str, Any], place: int) -> str:
        value = None if shape.key is None else record.get(shape.key)
        text = value if isinstance(value, str) and value else f"{place}"
        mark = "" if isinstance(value, str) and value else ";"
        name = wanted = minted(f"{iri}/{shape.segment}/{mark}", text)
        number = 1
        while name in self.taken:
            number += 1
            name = f"{wanted};{number}"
        self.taken.add(name)
        return name


def _term(value: Any, how: Field, base: str) -> Term:
    if isinstance(value, bool):
        return Text("true" if value else "false", _BOOLEAN)
    if isinstance(value, int):
        return Text(str(value), _INTEGER)
    if isinstance(value, str):
        return _string(value, how, base)
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return Items(tuple(_string(item, how, base) for item in value))
    return _dump(value)


def _string(value: str, how: Field, base: str) -> Iri | Text:
    if how.refers is not None and value:
        return Iri(minted(f"{base}/{how.refers}/", value))
    if value in how.words:
        return Iri(gk(value))
    return Text(value)


class RecordReader:
    """Reads records from the statements of an rdflib graph.

    Args:
        graph: The graph; of a dataset all its graphs together.
        file: Where it comes from, for errors.
    """

    def __init__(self, graph: Graph, file: str | None = None) -> None:
        from rdflib import BNode, Literal, URIRef

        self.problems: list[Problem] = []
        self._file = file
        self._bnode, self._literal, self._nil = BNode, Literal, URIRef(RDF + "nil")
        said: dict[Any, dict[str, dict[Any, None]]] = {}
        quads = getattr(graph, "quads", None)  # of a dataset all graphs, whatever its default
        for subject, predicate, term, *_ in graph if quads is None else quads():
            said.setdefault(subject, {}).setdefault(str(predicate), {})[term] = None
        self._said = said

    def of_class(self, kind: str) -> list[Any]:
        """Return the resources of a class, by their ``gk:place``, then by IRI."""
        found = [
            subject
            for subject, said in self._said.items()
            if any(str(term) == kind for term in said.get(RDF + "type", ()))
        ]
        return sorted(found, key=lambda subject: (self._place(subject), str(subject)))

    def with_property(self, predicate: str) -> list[Any]:
        """Return the resources that have a property, by IRI."""
        return sorted((s for s, said in self._said.items() if predicate in said), key=str)

    def _place(self, subject: Any) -> int:
        for term in self._said[subject].get(gk("place"), ()):
            if str(term).isdecimal():
                return int(term)
        return 0

    def record(self, subject: Any, shape: Shape) -> dict[str, Any]:
        """Return the record that a resource stands for; what is wrong goes to ``problems``."""
        return self._record(subject, shape, ())

    def _record(self, subject: Any, shape: Shape, above: tuple[Any, ...]) -> dict[str, Any]:
        said = self._said.get(subject, {})
        found: dict[str, Any] = {}
        nulls = {str(term) for term in said.get(IS_NULL, ())}
        for key, how in shape.fields.items():
            terms = list(said.get(how.predicate, ()))
            if len(terms) > 1:
                self._complain(subject, how.predicate, f"stands {len(terms)} times, expected once")
            elif terms:
                found[key] = self._value(subject, terms[0], how, (*above, subject))
            elif how.predicate in nulls:
                found[key] = None
        for term in said.get(EXTRA, ()):
            extra = self._json(subject, EXTRA, term)
            if isinstance(extra, dict):
                found = {**{k: v for k, v in found.items() if k not in extra}, **{
                    k: found.get(k, v) for k, v in extra.items()}}  # fmt: skip
        self._check_words(subject, said, shape)
        return found

    def _check_words(self, subject: Any, said: Mapping[str, Any], shape: Shape) -> None:
        known = {how.predicate for how in shape.fields.values()} | _GENERAL
        known |= {gk(name) for name in shape.links}
        for predicate in said:
            if predicate.startswith(VOCABULARY) and predicate not in known:
                words = [name.removeprefix(VOCABULARY) for name in known]
                word = predicate.removeprefix(VOCABULARY)
                self._complain(
                    subject,
                    predicate,
                    f"is no property of a {shape.classes[0].removeprefix(VOCABULARY)}"
                    f"{did_you_mean(word, words)}",
                )

    def _value(self, subject: Any, term: Any, how: Field, above: tuple[Any, ...]) -> Any:
        if isinstance(term, self._literal):
            return self._scalar(subject, term, how)
        members = self._members(subject, term, how)
        if members is None:
            return self._name(term, how)
        if how.parts is not None:
            if any(item in above for item in members):
                self._complain(subject, how.predicate, "holds itself, expected a tree")
                return []
            return [self._record(item, how.parts(), above) for item in members]
        return [
            self._scalar(subject, item, how)
            if isinstance(item, self._literal)
            else self._name(item, how)
            for item in members
        ]

    def _members(self, subject: Any, term: Any, how: Field) -> list[Any] | None:
        """Return the members of an RDF list, or None for a term that is none."""
        if term != self._nil and RDF + "first" not in self._said.get(term, {}):
            return None
        found: list[Any] = []
        seen: set[Any] = set()
        while term != self._nil:
            cell = self._said.get(term, {})
            first, rest = list(cell.get(RDF + "first", ())), list(cell.get(RDF + "rest", ()))
            if len(first) != 1 or len(rest) != 1 or term in seen:
                self._complain(subject, how.predicate, "is no well-formed list")
                break
            seen.add(term)
            found.append(first[0])
            term = rest[0]
        return found

    def _scalar(self, subject: Any, term: Any, how: Field) -> Any:
        text, datatype = str(term), str(term.datatype or "")
        if datatype == JSON:
            return self._json(subject, how.predicate, term)
        if datatype == _BOOLEAN and text in ("true", "false", "0", "1"):
            return text in ("true", "1")
        if datatype == _INTEGER and text.lstrip("+-").isdecimal():
            return int(text)
        return text

    def _name(self, term: Any, how: Field) -> str:
        """Return the string that an IRI stands for."""
        text = str(term)
        if how.refers is not None:
            for name in self._said.get(term, {}).get(gk(f"{how.refers}Id"), ()):
                return str(name)
            _, mark, last = text.rpartition(f"/{how.refers}/")
            return unminted(last, "") or text if mark else text
        word = text.removeprefix(VOCABULARY)
        return word if word in how.words else text

    def _json(self, subject: Any, predicate: str, term: Any) -> Any:
        try:
            return strict_json.parse(str(term))
        except FormatError as error:
            self._complain(subject, predicate, str(error.problems[0].message))
            return None

    def _complain(self, subject: Any, predicate: str, message: str) -> None:
        name = predicate.replace(VOCABULARY, "gk:")
        self.problems.append(
            Problem(f"{name} {message}", code="rdf", file=self._file, subject=f"<{subject}>")
        )


_GENERAL = frozenset({EXTRA, IS_NULL, gk("place"), gk("history")})


def numbered(resources: list[Resource], place: int) -> Iterable[Resource]:
    """Return the resources of one record of several, the first with its place among them."""
    first = resources[0]
    first.said.insert(len([1 for name, _ in first.said if name == RDF + "type"]),
                      (gk("place"), Text(str(place), _INTEGER)))  # fmt: skip
    return resources
