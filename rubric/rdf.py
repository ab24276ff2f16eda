"""Rubric trees as RDF (Turtle, TriG) and back without loss; the words are graphkit's vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from graphkit.errors import GraphkitError, Problem
from graphkit.formats.rdf_facts import parse_rdf
from graphkit.formats.rdf_records import Field, RecordReader, RecordWriter, Shape, gk, numbered
from graphkit.formats.rdf_tables import dataset_of
from graphkit.formats.rdf_terms import (
    PROV,
    Iri,
    Resource,
    is_web_iri,
    minted,
    trig_text,
    turtle_text,
)
from rubric.errors import RubricError
from rubric.tree import Tree, dump_tree
from rubric.tree_reader import parse_tree

if TYPE_CHECKING:
    from rdflib import Dataset, Graph

__all__ = ["Syntax", "parse_trees_rdf", "tree_iri", "trees_from_rdf", "trees_text", "trees_to_rdf"]

Syntax = Literal["turtle", "trig"]

TREE = "urn:graphkit:rubric:"


def tree_iri(task_id: str) -> str:
    """Return the IRI of the tree of a task."""
    return minted(TREE, task_id)


def _source_links(record: Mapping[str, Any], resource: Resource) -> None:
    url = record.get("url")
    if isinstance(url, str) and is_web_iri(url):
        resource.add(PROV + "hadPrimarySource", Iri(url))


def _atom_links(record: Mapping[str, Any], resource: Resource) -> None:
    tree = resource.iri.partition("/atom/")[0]
    direction, facts = record.get("direction"), record.get("fact_ids")
    if isinstance(direction, str):
        resource.add(gk("inDirection"), Iri(minted(f"{tree}/direction/", direction)))
    for fact in facts if isinstance(facts, list | tuple) else ():
        if isinstance(fact, str):
            resource.add(gk("boundTo"), Iri(minted(f"{tree}/fact/", fact)))


def _words(*names: str) -> dict[str, Field]:
    """Return a plain field for each key, its word in camel case."""
    found = {}
    for name in names:
        first, *rest = name.split("_")
        found[name] = Field(first + "".join(part.capitalize() for part in rest))
    return found


_SOURCE = Shape((gk("FactSource"),), None, "source",
                _words("url", "tier", "published", "quote"), _source_links)  # fmt: skip
_RELATION = Shape((gk("FactRelation"),), None, "relation", _words("type", "target"))
_FACT = Shape(
    (gk("RubricFact"), PROV + "Entity"), "fact_id", "fact",
    {
        **_words("fact_id", "claim", "type", "origin", "video_ref"),
        "sources": Field("sources", parts=lambda: _SOURCE),
        **_words("conflicts_with", "status", "relevance"),
        "relations": Field("relations", parts=lambda: _RELATION),
    },
)  # fmt: skip
_DIRECTION = Shape((gk("RubricDirection"),), "id", "direction",
                   _words("id", "dimension", "role", "logic", "tau", "kappa",
                          "na_reason"))  # fmt: skip
_ATOM = Shape(
    (gk("Atom"),), "id", "atom",
    _words("id", "direction", "question", "expected", "evaluator", "level", "fact_ids", "impact"),
    _atom_links,
    links=frozenset({"inDirection", "boundTo"}),
)  # fmt: skip
_TREE = Shape(
    (gk("RubricTree"),), "task_id", "rubric",
    {
        **_words("task_id", "language", "weights", "tau", "kappa"),
        "directions": Field("directions", parts=lambda: _DIRECTION),
        "atoms": Field("atoms", parts=lambda: _ATOM),
        "facts": Field("facts", parts=lambda: _FACT),
    },
)  # fmt: skip


def _resources(trees: Iterable[Tree]) -> Iterator[tuple[str, list[Resource]]]:
    """Yield every tree as (IRI, resources)."""
    trees = tuple(trees)
    seen: set[str] = set()
    for place, tree in enumerate(trees, 1):
        iri = tree_iri(tree.task_id)
        if iri in seen:
            raise RubricError(
                Problem(
                    "task_id: also that of another tree",
                    "duplicate_id",
                    subject=f"tree {tree.task_id}",
                )
            )
        seen.add(iri)
        found = RecordWriter({iri}).resources(dump_tree(tree), _TREE, iri)
        yield iri, list(numbered(found, place)) if len(trees) > 1 else found


def trees_text(trees: Iterable[Tree], syntax: Syntax = "turtle") -> Iterator[str]:
    """Yield trees as RDF text, the same for the same trees.

    Args:
        trees: The trees.
        syntax: ``turtle``, or ``trig`` with a named graph for each tree.

    Raises:
        RubricError: Two trees have one ``task_id``.

    >>> tree = parse_tree({"task_id": "t1", "atoms": [
    ...     {"id": "a", "direction": "C-FC", "expected": "yes", "evaluator": "J"}]})
    >>> parse_trees_rdf("".join(trees_text([tree]))) == (tree,)
    True
    """
    if syntax == "trig":
        return trig_text(_resources(trees))
    return turtle_text(item for _, found in _resources(trees) for item in found)


def trees_to_rdf(trees: Iterable[Tree]) -> Dataset:
    """Return trees as an rdflib dataset with a named graph for each.

    Raises:
        RubricError: Two trees have one ``task_id``.
    """
    return dataset_of(_resources(trees))


def trees_from_rdf(graph: Graph, file: str | None = None) -> tuple[Tree, ...]:
    """Return the trees in an rdflib graph or dataset; other statements in it are left alone.

    Args:
        graph: What was parsed.
        file: Where it comes from, for errors.

    Raises:
        RubricError: Everything that is wrong with the trees, at once; or there is none.
    """
    reader = RecordReader(graph, file)
    trees: list[Tree] = []
    problems: list[Problem] = []
    subjects = reader.of_class(gk("RubricTree"))
    for subject in subjects:
        record = reader.record(subject, _TREE)
        if reader.problems:
            problems += reader.problems
            reader.problems.clear()
            continue
        try:
            trees.append(parse_tree(record, file))
        except GraphkitError as error:
            problems += error.problems
    if not subjects:
        problems.append(Problem("no rubric tree in it, expected a gk:RubricTree", "empty", file))
    if problems:
        raise RubricError(problems)
    return tuple(trees)


def parse_trees_rdf(text: str, syntax: Syntax = "turtle", file: str = "<text>") -> tuple[Tree, ...]:
    """Read trees from RDF text.

    Args:
        text: Turtle or TriG.
        syntax: Which of them.
        file: Its name, for errors.

    Raises:
        FormatError: It cannot be parsed.
        RubricError: Everything that is wrong with the trees, at once; or there is none.
    """
    return trees_from_rdf(parse_rdf(text, file, syntax), file)
