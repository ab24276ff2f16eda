"""RDF as we write it: minted IRIs, terms, and a Turtle or TriG text in one fixed order.

Everything that we write is a sequence of :class:`Resource` values, in order. From there it goes
into a text (:func:`turtle_text`, :func:`trig_text`) that is the same for the same input, or into
an rdflib graph (:func:`add_to_graph`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote

from graphkit.errors import DependencyError

if TYPE_CHECKING:
    from rdflib import Graph

__all__ = [
    "ENTITY",
    "PREFIXES",
    "RELATION",
    "TYPE",
    "VOCABULARY",
    "Iri",
    "Items",
    "Resource",
    "Term",
    "Text",
    "add_to_graph",
    "entity_iri",
    "entity_key",
    "is_web_iri",
    "key_parts",
    "minted",
    "relation_iri",
    "require",
    "short",
    "trig_text",
    "turtle_text",
    "type_iri",
    "unminted",
]

VOCABULARY = "urn:graphkit:vocabulary#"
"""The namespace of our classes and properties; docs/vocabulary.md says what they mean."""

ENTITY = "urn:graphkit:entity:"
"""What an entity's IRI begins with, unless its id is a web address."""

RELATION = "urn:graphkit:relation:"
"""What a relation's IRI begins with."""

TYPE = "urn:graphkit:type:"
"""What the IRI of an entity type begins with."""

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
PROV = "http://www.w3.org/ns/prov#"
XSD = "http://www.w3.org/2001/XMLSchema#"

PREFIXES = {
    "gk": VOCABULARY,
    "entity": ENTITY,
    "prov": PROV,
    "rdf": RDF,
    "rdfs": RDFS,
    "relation": RELATION,
    "skos": SKOS,
    "type": TYPE,
    "xsd": XSD,
}
"""Prefix -> namespace, in the order in which a text declares those that it uses."""

_WEB = re.compile(
    r"https?://[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d{1,5})?"
    r"(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?"
    r"(?:\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?"
    r"(?:#(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?"
)
_WIDTH = 100
_LOCAL = re.compile(r"(?:[A-Za-z0-9_:]|%[0-9A-F]{2})(?:[A-Za-z0-9_:-]|%[0-9A-F]{2})*")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_TO_ESCAPE = re.compile('[\\\\"\\x00-\\x1f\\x7f-\\x9f\u2028\u2029\ufeff\ufffe\uffff]')


def minted(namespace: str, *parts: str) -> str:
    """Return an IRI for names: each percent-encoded, joined by slashes after the namespace.

    Letters, digits, ``_ . - ~`` of ASCII and the colon stand for themselves, every other
    character for the bytes of its UTF-8 form, so that different names have different IRIs and
    no name can end the IRI or the query it stands in.

    >>> minted("urn:graphkit:relation:", "capital of"), minted("x:", "a/b", "ü")
    ('urn:graphkit:relation:capital%20of', 'x:a%2Fb/%C3%BC')
    """
    return namespace + "/".join(quote(part, safe=":", errors="surrogatepass") for part in parts)


def unminted(iri: str, namespace: str) -> str | None:
    """Return the name that an IRI was minted for, or None if it has another namespace."""
    if not iri.startswith(namespace):
        return None
    return unquote(iri[len(namespace) :], errors="surrogatepass")


def is_web_iri(text: str) -> bool:
    """Whether a text can stand as an IRI as it is: an http or https address in plain ASCII."""
    return _WEB.fullmatch(text) is not None


def entity_iri(key: str) -> str:
    """Return the IRI of an entity.

    Args:
        key: Its :attr:`graphkit.entities.Entity.key`. An id that is a web address is its IRI;
            any other key is minted.

    >>> entity_iri("city:Paris"), entity_iri("#http://www.wikidata.org/entity/Q90")
    ('urn:graphkit:entity:city:Paris', 'http://www.wikidata.org/entity/Q90')
    """
    if key.startswith("#") and is_web_iri(key[1:]):
        return key[1:]
    return minted(ENTITY, key)


def entity_key(iri: str) -> str:
    """Return the key of the entity that an IRI stands for.

    >>> entity_key(entity_iri("city:Paris")), entity_key("http://www.wikidata.org/entity/Q90")
    ('city:Paris', '#http://www.wikidata.org/entity/Q90')
    """
    found = unminted(iri, ENTITY)
    return f"#{iri}" if found is None else found


def key_parts(key: str) -> tuple[str | None, str | None, str]:
    """Return (type, unit, name) of an entity key that is no id.

    >>> key_parts("number[m]:8848"), key_parts(":a:b")
    (('number', 'm', '8848'), (None, None, 'a:b'))
    """
    match = re.fullmatch(r"([^:\[]*)(?:\[([^\]]*)\])?:(.*)", key, re.DOTALL)
    if match is None:
        return None, None, key
    kind, unit, name = match.groups()
    return unquote(kind) or None, unquote(unit or "") or None, name


def relation_iri(name: str) -> str:
    """Return the IRI of a relation, which is a property."""
    return minted(RELATION, name)


def type_iri(name: str) -> str:
    """Return the IRI of an entity type, which is a class."""
    return minted(TYPE, name)


class Iri(NamedTuple):
    """An IRI."""

    value: str


class Text(NamedTuple):
    """A literal: its characters, and the IRI of its datatype if it is not a string."""

    value: str
    datatype: str | None = None


@dataclass(frozen=True, slots=True)
class Items:
    """An RDF list."""

    members: tuple[Iri | Text, ...]


Term = Iri | Text | Items


@dataclass(frozen=True, slots=True)
class Resource:
    """A subject with what is said of it, in order.

    Attributes:
        iri: The subject.
        said: Pairs of a predicate and an object.
    """

    iri: str
    said: list[tuple[str, Term]] = field(default_factory=list)

    def add(self, predicate: str, term: Term) -> None:
        """Say one thing more."""
        self.said.append((predicate, term))


def short(iri: str, used: set[str] | None = None) -> str:
    """Return an IRI as Turtle and SPARQL write it: with a prefix where that is plain, else whole.

    Args:
        iri: The IRI.
        used: Takes up the prefix, if one is used.

    >>> short("urn:graphkit:relation:part%20of"), short("urn:graphkit:relation:a.b")
    ('relation:part%20of', '<urn:graphkit:relation:a.b>')
    """
    for prefix, namespace in PREFIXES.items():
        if iri.startswith(namespace) and _LOCAL.fullmatch(iri, len(namespace)):
            if used is not None:
                used.add(prefix)
            return f"{prefix}:{iri[len(namespace) :]}"
    return f"<{iri}>"


def _quoted(text: str) -> str:
    return f'"{_TO_ESCAPE.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    sign = match.group()
    return _ESCAPES.get(sign) or f"\\u{ord(sign):04X}"


def _written(term: Term, used: set[str]) -> str:
    if isinstance(term, Iri):
        return short(term.value, used)
    if isinstance(term, Text):
        if term.datatype is None:
            return _quoted(term.value)
        if term.datatype == XSD + "boolean" and term.value in ("true", "false"):
            return term.value
        if term.datatype == XSD + "integer" and re.fullmatch(r"[+-]?[0-9]+", term.value):
            return term.value
        return f"{_quoted(term.value)}^^{short(term.datatype, used)}"
    inner = [_written(item, used) for item in term.members]
    if sum(map(len, inner)) > _WIDTH and len(inner) > 1:
        return "(\n" + "".join(f"        {item}\n" for item in inner) + "    )"
    return f"( {' '.join(inner)} )" if inner else "()"


def _block(resource: Resource, used: set[str], indent: str) -> str:
    lines = []
    for predicate, term in resource.said:
        name = "a" if predicate == RDF + "type" else short(predicate, used)
        text = _written(term, used).replace("\n", f"\n{indent}")
        lines.append(f"{indent}    {name} {text}")
    return f"{indent}{short(resource.iri, used)}\n" + " ;\n".join(lines) + " .\n"


def _prefixed(body: Sequence[str], used: set[str]) -> Iterator[str]:
    """Yield the declarations of the prefixes that a text uses, then the text."""
    for prefix, namespace in PREFIXES.items():
        if prefix in used:
            yield f"@prefix {prefix}: <{namespace}> .\n"
    for part in body:
        yield "\n" + part


def turtle_text(resources: Iterable[Resource]) -> Iterator[str]:
    """Yield a Turtle text: the resources in their order, each in one block."""
    used: set[str] = set()
    body = [_block(resource, used, "") for resource in resources if resource.said]
    return _prefixed(body, used)


def trig_text(graphs: Iterable[tuple[str | None, Sequence[Resource]]]) -> Iterator[str]:
    """Yield a TriG text.

    Args:
        graphs: Pairs of the IRI of a named graph, None for the default graph, and its resources.
    """
    used: set[str] = set()
    body = []
    for name, resources in graphs:
        indent = "" if name is None else "    "
        blocks = [_block(resource, used, indent) for resource in resources if resource.said]
        if name is None:
            body += blocks
        elif blocks:
            inner = "\n".join(blocks)
            body.append(f"{short(name, used)} {{\n{inner}}}\n")
    return _prefixed(body, used)


def add_to_graph(graph: Graph, resources: Iterable[Resource]) -> None:
    """Add resources to an rdflib graph."""
    from rdflib import RDF as RDF_TERMS
    from rdflib import BNode, Literal, URIRef

    def atom(term: Iri | Text) -> URIRef | Literal:
        if isinstance(term, Iri):
            return URIRef(term.value)
        kind = None if term.datatype is None else URIRef(term.datatype)
        return Literal(term.value, datatype=kind, normalize=False)

    for resource in resources:
        subject = URIRef(resource.iri)
        for predicate, term in resource.said:
            if not isinstance(term, Items):
                graph.add((subject, URIRef(predicate), atom(term)))
                continue
            cells = [BNode() for _ in term.members]
            graph.add((subject, URIRef(predicate), cells[0] if cells else RDF_TERMS.nil))
            for place, (cell, item) in enumerate(zip(cells, term.members, strict=True)):
                after = cells[place + 1] if place + 1 < len(cells) else RDF_TERMS.nil
                graph.add((cell, RDF_TERMS.first, atom(item)))
                graph.add((cell, RDF_TERMS.rest, after))


def require(package: str, extra: str) -> DependencyError:
    """Return the error for an optional package that is missing."""
    return DependencyError(
        f"the package {package} is not installed; pip install reasoning-graphkit[{extra}]"
    )
