"""Reads facts from RDF (N-Triples, Turtle, TriG): IRIs are ids, labels are names."""

from __future__ import annotations

import hashlib
import logging
import re
import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from graphkit.entities import iri_name
from graphkit.errors import FormatError, Problem
from graphkit.evidence import EvidenceRecord, nfc
from graphkit.formats.lines import TextSource, plain_suffix
from graphkit.formats.rdf_terms import ENTITY, VOCABULARY, key_parts, unminted
from graphkit.formats.reading import MAX_PROBLEMS, Broken

if TYPE_CHECKING:
    from rdflib import Dataset

__all__ = ["iter_rdf", "literal_name"]

_SYNTAX = {".nt": "nt", ".ttl": "turtle", ".trig": "trig"}
_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_XSD = "http://www.w3.org/2001/XMLSchema#"
_NAMES = (_RDFS + "label", _SKOS + "prefLabel")
_ALIASES = (_SKOS + "altLabel",)
_NUMBERS = """
    integer decimal double float int long short byte unsignedInt unsignedLong unsignedShort
    unsignedByte nonNegativeInteger positiveInteger nonPositiveInteger negativeInteger
"""
_DATATYPES = {
    **dict.fromkeys(("date", "dateTime", "dateTimeStamp", "gYearMonth"), "date"),
    **dict.fromkeys(_NUMBERS.split(), "number"),
    "gYear": "year",
}


def iter_rdf(source: TextSource) -> Iterator[EvidenceRecord | Broken]:
    """Yield one evidence record for every statement that is a fact.

    An IRI is an entity with that id; its name is its ``rdfs:label`` (or ``skos:prefLabel``), else
    the last part of the IRI; further labels are aliases. ``rdf:type`` gives the type; an entity
    with several types takes the first by name, and all of them are facts of the relation
    ``type``. A predicate is called by its label or the last part of its IRI, and by the whole IRI
    where two would be called alike. Dates, years and numbers become literals; other literals
    are entities called by their text. The graph of a statement is its source.

    What graphkit wrote comes back as it was: evidence as its records, facts with the entities'
    own keys.

    Args:
        source: The text; the suffix of its name says which notation, Turtle where it says none.

    Raises:
        FormatError: It cannot be parsed, or it holds no facts.
    """
    text = source.text()
    graph, labels = _parse(text, source.name, _SYNTAX.get(plain_suffix(source.name), "turtle"))
    kinds = {str(kind) for _, _, kind, _ in graph.quads((None, _uri(_RDF + "type"), None, None))}
    if VOCABULARY + "Evidence" in kinds:
        from graphkit.formats.rdf_evidence import evidence_from_rdf

        yield from evidence_from_rdf(graph, source.name)
        return
    if VOCABULARY + "Question" in kinds:
        raise FormatError(
            Problem("holds question graphs, expected facts", code="kind", file=source.name)
        )
    quads = _quads(graph, labels, text)
    names = _Names(quads)
    count = 0
    for quad in quads:
        record = names.record(*quad)
        if record is not None:
            count += 1
            yield record
    if not count:
        raise FormatError(Problem("no statement in it is a fact", code="empty", file=source.name))


_Quad = tuple[Any, Any, Any, str]
"""Subject, predicate, object and the IRI of the graph or an empty string."""


def _uri(iri: str) -> Any:
    from rdflib import URIRef

    return URIRef(iri)


def _quads(graph: Dataset, labels: dict[Any, str], text: str) -> list[_Quad]:
    """Return all statements in a fixed order, blank nodes called after the file's content.

    What our vocabulary says of entities is no fact and left out.
    """
    from rdflib import BNode

    scope = hashlib.sha256(text.encode()).hexdigest()[:10]

    def named(term: Any) -> Any:
        if not isinstance(term, BNode):
            return term
        label = labels.get(term) or "b" + str(term).rpartition("b")[2]
        return BNode(f"{scope}-{label}")

    found = []
    for subject, predicate, object_, context in graph.quads():
        if str(predicate).startswith(VOCABULARY):
            continue
        name = "" if context is None else str(getattr(context, "identifier", context))
        found.append(
            (
                named(subject),
                predicate,
                named(object_),
                name if name.startswith(("http:", "https:")) else "",
            )
        )
    return sorted(found, key=lambda quad: tuple(_order(term) for term in quad))


def parse_rdf(text: str, file: str, syntax: str) -> Dataset:
    """Parse RDF.

    Args:
        text: The text.
        file: Where it comes from, for errors.
        syntax: ``nt``, ``turtle`` or ``trig``.

    Raises:
        FormatError: It cannot be parsed.
    """
    return _parse(text, file, syntax)[0]


def _parse(text: str, file: str, syntax: str) -> tuple[Dataset, dict[Any, str]]:
    """Return the statements, and the label of every blank node that the syntax keeps."""
    import rdflib
    from rdflib.exceptions import ParserError
    from rdflib.plugins.parsers.notation3 import BadSyntax

    labels: dict[str, Any] = {}
    options: dict[str, Any] = {"bnode_context": labels} if syntax == "nt" else {}
    log = logging.getLogger("rdflib.term")
    level = log.level
    log.setLevel(logging.ERROR)  # a literal that does not fit its datatype is kept as it stands
    try:
        with warnings.catch_warnings():  # rdflib warns about its own use of its old names
            warnings.simplefilter("ignore", DeprecationWarning)
            graph = rdflib.Dataset(default_union=True)
            graph.parse(data=text, format=syntax, publicID="urn:graphkit:base/", **options)
    except BadSyntax as error:
        line = getattr(error, "lines", None)
        why = getattr(error, "_why", None) or str(error)
        raise FormatError(
            Problem(
                f"not {syntax}: {why}",
                code="rdf",
                file=file,
                line=None if line is None else int(line) + 1,
            )
        ) from error
    except (ParserError, ValueError, SyntaxError, IndexError) as error:
        if syntax == "nt":
            raise FormatError(_broken_lines(text, file)) from error
        why = (str(error).splitlines() or ["cannot be parsed"])[0]
        if isinstance(error, IndexError):  # rdflib reads on behind the end of a cut text
            why = "the text ends too early"
        raise FormatError(Problem(f"not {syntax}: {why}", code="rdf", file=file)) from error
    finally:
        log.setLevel(level)
    return graph, {term: label for label, term in labels.items()}


def _broken_lines(text: str, file: str) -> list[Problem]:
    """Return every line of an N-Triples text that is none, up to a thousand."""
    from rdflib.exceptions import ParserError
    from rdflib.plugins.parsers.ntriples import W3CNTriplesParser

    problems: list[Problem] = []
    for number, line in enumerate(text.split("\n"), 1):
        try:
            W3CNTriplesParser().parsestring(line)
        except (ParserError, ValueError) as error:
            why = (str(error).splitlines() or ["cannot be parsed"])[0]
            problems.append(Problem(f"not nt: {why}", code="rdf", file=file, line=number))
        if len(problems) >= MAX_PROBLEMS:
            break
    return problems or [Problem("not nt", code="rdf", file=file)]


def _order(term: Any) -> tuple[str, str, str, str]:
    return (
        type(term).__name__,
        str(term),
        str(getattr(term, "datatype", "") or ""),
        str(getattr(term, "language", "") or ""),
    )


class _Names:
    """What the terms of an RDF graph are called."""

    def __init__(self, quads: Iterable[_Quad]) -> None:
        from rdflib import BNode, Literal

        self._literal, self._bnode = Literal, BNode
        labels: dict[Any, list[Any]] = {}
        others: dict[Any, list[Any]] = {}
        types: dict[Any, list[Any]] = {}
        predicates: dict[Any, None] = {}
        for subject, predicate, object_, _ in quads:
            name = str(predicate)
            if name in _NAMES and isinstance(object_, Literal):
                labels.setdefault(subject, []).append(object_)
            elif name in _ALIASES and isinstance(object_, Literal):
                others.setdefault(subject, []).append(object_)
            elif name == _RDF + "type":
                types.setdefault(subject, []).append(object_)
            else:
                predicates[predicate] = None
        self._labels = {term: sorted(found, key=_preference) for term, found in labels.items()}
        self._others = others
        self._types = {
            term: sorted({self.name(kind) for kind in kinds}) for term, kinds in types.items()
        }
        # A thing that is called like an alias of another one stays itself: its own name is given
        # in its records, with or without further ones.
        self._alias_texts = {
            text for term in {*self._labels, *others} for text in self.aliases(term)
        }
        called: dict[str, list[Any]] = {}
        for predicate in predicates:
            called.setdefault(self.name(predicate), []).append(predicate)
        self._relations = {
            predicate: name if len(terms) == 1 else str(predicate)
            for name, terms in called.items()
            for predicate in terms
        }

    def name(self, term: Any) -> str:
        """Return what an entity, a class or a predicate is called."""
        for label in self._labels.get(term, ()):
            text = nfc(str(label))
            if text:
                return text
        return f"_:{term}" if isinstance(term, self._bnode) else iri_name(str(term))

    def aliases(self, term: Any) -> tuple[str, ...]:
        """Return the further names of an entity."""
        name = self.name(term)
        found = [nfc(str(label)) for label in self._labels.get(term, ())]
        found += [nfc(str(label)) for label in self._others.get(term, ())]
        return tuple(dict.fromkeys(text for text in found if text and text != name))

    def record(
        self, subject: Any, predicate: Any, object_: Any, context: str
    ) -> EvidenceRecord | None:
        """Return a statement as evidence, or None where it only says what something is called."""
        relation = self._relations.get(predicate)
        if relation is None:
            if str(predicate) != _RDF + "type" or len(self._types[subject]) < 2:
                return None
            relation = "type"
        data: dict[str, Any] = {
            "head_entity": self.name(subject),
            "head_id": self._ident(subject),
            "head_type": self._type(subject),
            "relation": relation,
            "source_url": context,
        }
        aliases = {self.name(subject): self.aliases(subject)}
        if isinstance(object_, self._literal):
            data["tail_entity"], data["tail_type"] = literal_name(object_)
        else:
            data["tail_entity"] = self.name(object_)
            data["tail_id"] = self._ident(object_)
            data["tail_type"] = self._type(object_)
            _, unit, value = key_parts(unminted(str(object_), ENTITY) or "")
            if unit is not None:
                data["tail_unit"], data["tail_entity"] = unit, value
            aliases.setdefault(self.name(object_), self.aliases(object_))
        data["aliases"] = {
            name: found for name, found in aliases.items() if found or name in self._alias_texts
        }
        if not data["tail_entity"]:
            return None
        text = "\x1f".join((*map(_n3, (subject, predicate, object_)), context))
        data["evidence_id"] = "rdf:" + hashlib.sha256(text.encode()).hexdigest()[:20]
        return EvidenceRecord(**data)

    def _type(self, term: Any) -> str | None:
        found = self._types.get(term)
        return found[0] if found else None

    def _ident(self, term: Any) -> str | None:
        if isinstance(term, self._bnode):
            return f"_:{term}"
        key = unminted(str(term), ENTITY)
        if key is None:
            return str(term)
        return key[1:] if key.startswith("#") else None


def _n3(term: Any) -> str:
    return str(term.n3())


def _preference(label: Any) -> tuple[int, str, str]:
    language = (label.language or "").lower()
    rank = 0 if language == "en" else 1 if not language else 2 if language.startswith("en-") else 3
    return rank, language, str(label)


def literal_name(term: Any) -> tuple[str, str | None]:
    """Return what a literal is called, and its type: date, number, year or None.

    Args:
        term: An ``rdflib.Literal``.
    """
    text = nfc(str(term))
    datatype = str(term.datatype or "")
    kind = _DATATYPES.get(datatype.removeprefix(_XSD)) if datatype.startswith(_XSD) else None
    if kind == "date" and "T" in text:
        day, _, time = text.partition("T")
        if re.fullmatch(r"00:00:00(?:\.0+)?(?:Z|[+-]00:00)?", time):
            text = day
    if kind in ("date", "year"):
        text = re.sub(r"(?<=\d)(?:Z|[+-]\d\d:\d\d)$", "", text) if "T" not in text else text
    return text, kind
