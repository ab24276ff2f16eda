"""The relation sheet: types, relations, phrases, completeness; its tables: words/sheet.toml."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from vocabulary import table

LISTED = "listed"  # complete for the heads of which no entry had to be dropped


@dataclass(frozen=True)
class Relation:
    """One relation: its ends, its phrases and what is known about its completeness."""

    name: str
    head_type: str
    tail_type: str
    backward: str
    forward: str
    inverse: str
    complete: bool | str
    note: str
    functional: bool = False
    symmetric: bool = False
    aliases: tuple[str, ...] = ()
    datatype: str = ""
    unit: str = ""


_TABLES = table("sheet.toml")

TYPES: dict[str, tuple[str, str, str]] = {
    name: (plural, article, ask) for name, (plural, article, ask) in _TABLES["types"].items()
}
"""Type -> (plural, article, question words)."""


def _relation(name: str, said: Mapping[str, Any]) -> Relation:
    note = _TABLES["notes"].get(said["note"], said["note"])
    aliases = tuple(said.get("aliases", ()))
    return Relation(**{**said, "name": name, "note": note, "aliases": aliases})


RELATIONS: dict[str, Relation] = {
    name: _relation(name, said) for name, said in _TABLES["relations"].items()
}


def render(articles: Iterable[str], heads: Mapping[str, Iterable[str]]) -> str:
    """The sheet as TOML; `heads` are the subjects for which a listed relation is complete."""
    lines = [
        "# The relation sheet of the factbook facts: what relations mean and which are complete.",
        "# Written by build.py from sheet.py; edit that and build again.",
        "",
        "[articles]",
        "the = [",
        *(f"  {_quoted(name)}," for name in sorted(articles)),
        "]",
    ]
    for name, (plural, article, ask) in TYPES.items():
        lines += ["", f"[types.{_key(name)}]", f"plural = {_quoted(plural)}"]
        lines += [f"article = {_quoted(article)}", f"ask = {_quoted(ask)}"]
    for relation in RELATIONS.values():
        lines += ["", *_relation_lines(relation, heads.get(relation.name, ()))]
    return "\n".join(lines) + "\n"


def _relation_lines(relation: Relation, heads: Iterable[str]) -> list[str]:
    key = f"relations.{_key(relation.name)}"
    lines = [f"[{key}]"]
    if relation.aliases:
        lines.append(f"aliases = [{', '.join(_quoted(name) for name in relation.aliases)}]")
    if relation.symmetric:
        lines.append("symmetric = true")
    lines.append(f"functional = {str(relation.functional).lower()}")
    if relation.inverse:
        lines.append(f"inverse = {_quoted(relation.inverse)}")
    lines.append(f"head_type = {_quoted(relation.head_type)}")
    lines.append(f"tail_type = {_quoted(relation.tail_type)}")
    if isinstance(relation.complete, bool):
        lines.append(f"complete = {str(relation.complete).lower()}")
    else:
        lines += ["complete = [", *(f"  {_quoted(head)}," for head in sorted(heads)), "]"]
    lines.append(f"note = {_quoted(relation.note)}")
    lines += [f"[{key}.phrases]", f"backward = {_quoted(relation.backward)}"]
    lines.append(f"forward = {_quoted(relation.forward)}")
    return lines


def _key(name: str) -> str:
    return name if name.replace("-", "").isalnum() else _quoted(name)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
