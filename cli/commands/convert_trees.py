"""Rubric trees between JSON and RDF, for ``graphkit convert``."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rubric.tree import Tree

__all__ = ["TREES", "read_trees", "write_trees"]

TREES = "trees"
"""What ``--from`` calls them."""

_SYNTAX = {"turtle": "turtle", "trig": "trig", ".ttl": "turtle", ".trig": "trig"}
_JSON = ("json", ".json", ".jsonl", ".ndjson")


def read_trees(file: str, from_: str | None) -> tuple[Tree, ...] | None:
    """Return the rubric trees of a file; None where it is for others to read.

    Args:
        file: A path; ``-`` holds trees only where ``from_`` says so.
        from_: What ``--from`` said; by default trees are told by the content.

    Raises:
        InputError: Everything that is wrong with the trees.
    """
    from graphkit.formats.lines import open_source, plain_suffix
    from rubric.inputs import kind_of
    from rubric.rdf import parse_trees_rdf
    from rubric.tree_reader import trees_of

    if from_ not in (None, TREES) or (file == "-" and from_ is None):
        return None
    with open_source(file) as source:
        suffix, head = plain_suffix(file), source.head()
        in_rdf = suffix in _SYNTAX or (from_ and not head.lstrip().startswith(("{", "[")))
        if from_ is None and not in_rdf and kind_of(head.encode("utf-8", "replace")) != TREES:
            return None
        text = source.text()
        if in_rdf and from_ is None and ("RubricTree" not in text or "gk:Question" in text):
            return None
        if in_rdf:
            return parse_trees_rdf(text, "trig" if suffix == ".trig" else "turtle", source.name)
        return trees_of([(source.name, text.encode("utf-8"))])


def write_trees(trees: Iterable[Tree], file: str, to: str | None) -> None:
    """Write rubric trees as JSON (one), JSONL, Turtle or TriG.

    Raises:
        UsageError: Trees cannot be written in this notation.
        InputError: There are several trees, and the file is for one.
    """
    from graphkit.errors import InputError
    from graphkit.formats.lines import plain_suffix
    from graphkit.formats.writing import write_text
    from rubric.rdf import trees_text

    kept = tuple(trees)
    suffix = plain_suffix(file)
    if to is None and os.fspath(file) == "-":
        suffix = ".jsonl"
    chosen = to or suffix
    if chosen in _SYNTAX:
        write_text(file, trees_text(kept, "trig" if _SYNTAX[chosen] == "trig" else "turtle"))
        return
    if chosen not in _JSON:
        raise click.UsageError(
            f'rubric trees cannot be written as "{chosen}", expected json, turtle or trig'
        )
    if suffix == ".json" and len(kept) != 1:
        raise InputError(f"{file}: .json holds one tree, there are {len(kept)}; write .jsonl")
    write_text(file, _json(kept, indent=2 if suffix == ".json" else None))


def _json(trees: tuple[Tree, ...], indent: int | None) -> Iterator[str]:
    from rubric.tree import dump_tree

    for tree in trees:
        yield json.dumps(dump_tree(tree), ensure_ascii=False, indent=indent) + "\n"
