"""Reading trees from JSON text and from files; this file does I/O."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from graphkit.errors import FormatError, GraphkitError, Problem
from rubric.errors import RubricError
from rubric.inventory import Inventory, default_inventory
from rubric.literals import is_finite_data, read_json
from rubric.plan import duplicate_problems, plan_problems
from rubric.settings import Overrides, Settings
from rubric.tree import Tree

__all__ = [
    "fields_of",
    "load_tree",
    "load_trees",
    "parse_tree",
    "parse_trees",
    "read_bytes",
    "trees_of",
]


def parse_tree(
    data: str | bytes | Mapping[str, Any],
    file: str | None = None,
    *,
    inventory: Inventory | None = None,
    settings: Settings | None = None,
    line: int | None = None,
) -> Tree:
    """Read a tree and check everything that section 1 of the semantics forbids.

    Args:
        data: JSON text or plain data.
        file: Its name, for errors.
        inventory: The shared directions; those that ship with the package if not given.
        settings: The settings it will be scored with; they can name directions too.
        line: Its line, when the file is JSONL.

    Raises:
        FormatError: It is not JSON.
        RubricError: It is not a tree, or outside a domain; every problem at once, each with file,
            atom or direction, and field.

    >>> parse_tree({"task_id": "t1", "atoms": [
    ...     {"id": "a", "direction": "C-FCC", "expected": "yes", "evaluator": "J"}]}, "t1.json")
    Traceback (most recent call last):
    rubric.errors.RubricError: t1.json: atom a: direction: 'C-FCC' is neither in the tree nor in
    the inventory (did you mean C-FC?)
    """
    tree, _, problems = fields_of(data, file, line)
    if tree is not None:
        problems += plan_problems(
            tree, settings or Settings(), Overrides(), inventory or default_inventory()
        )
    if tree is None or problems:
        raise RubricError(problem.at(file, line) for problem in dict.fromkeys(problems))
    return tree


def fields_of(
    data: Tree | Mapping[str, Any] | str | bytes, file: str | None = None, line: int | None = None
) -> tuple[Tree | None, Any, list[Problem]]:
    """Read a tree and check its fields only.

    Returns:
        The tree, or nothing if its fields are not valid; the data; what is wrong with the fields.

    Raises:
        FormatError: It is not JSON.
    """
    if isinstance(data, Tree):
        return data, None, []
    raw = data if isinstance(data, Mapping) else read_json(data, file, line)
    if not isinstance(raw, Mapping):
        return None, raw, [Problem("expected a JSON object, a rubric tree", "tree")]
    tree, problems = _validated(raw)
    return tree, raw, problems if tree is not None else problems + _repeated(raw)


def load_tree(
    path: str | Path, *, inventory: Inventory | None = None, settings: Settings | None = None
) -> Tree:
    """Read one tree from a JSON file, gzip by suffix; see :func:`parse_tree`.

    Raises:
        FormatError: The file cannot be read, or is not JSON.
        RubricError: It is not a tree, or outside a domain.
    """
    return parse_tree(read_bytes(path), str(path), inventory=inventory, settings=settings)


def load_trees(
    paths: str | Path | Iterable[str | Path],
    *,
    inventory: Inventory | None = None,
    settings: Settings | None = None,
) -> tuple[Tree, ...]:
    """Read trees from JSON files, JSONL files and folders of these, in the order of their names.

    Args:
        paths: A file, a folder, or several.
        inventory: The shared directions.
        settings: The settings they will be scored with.

    Raises:
        FormatError: A file cannot be read, or is not JSON.
        RubricError: A tree is outside a domain, or two trees have one ``task_id``; the problems
            of all files at once.
    """
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    contents: list[tuple[str, bytes]] = []
    problems: list[Problem] = []
    for path in (item for entry in given for item in _files(Path(entry))):
        try:
            contents.append((str(path), read_bytes(path)))
        except GraphkitError as error:
            problems += error.problems
    return trees_of(contents, inventory=inventory, settings=settings, problems=problems)


def trees_of(
    contents: Iterable[tuple[str, bytes]],
    *,
    inventory: Inventory | None = None,
    settings: Settings | None = None,
    problems: Iterable[Problem] = (),
) -> tuple[Tree, ...]:
    """Read trees from the contents of files; see :func:`load_trees`.

    Args:
        contents: Names and contents; a name that ends in ``.jsonl`` has a tree a line.
        inventory: The shared directions.
        settings: The settings they will be scored with.
        problems: What is wrong already, to be told together with the rest.
    """
    trees: list[Tree] = []
    places: dict[str, str] = {}
    found = list(problems)
    for name, data in contents:
        try:
            made = parse_trees(data, name, inventory=inventory, settings=settings)
        except GraphkitError as error:
            found += error.problems
            continue
        for tree in made:
            if tree.task_id in places:
                found.append(
                    Problem(
                        f"task_id: also that of {places[tree.task_id]}",
                        "duplicate_id",
                        name,
                        subject=f"tree {tree.task_id}",
                    )
                )
            places.setdefault(tree.task_id, name)
            trees.append(tree)
    if found:
        raise RubricError(found)
    return tuple(trees)


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    suffixes = (".json", ".jsonl", ".json.gz", ".jsonl.gz")
    return sorted(item for item in path.iterdir() if item.name.endswith(suffixes))


def parse_trees(
    data: bytes, file: str, *, inventory: Inventory | None = None, settings: Settings | None = None
) -> tuple[Tree, ...]:
    """Read the trees of one file: one a line if its name ends in ``.jsonl``, else one.

    Raises:
        FormatError: It is not JSON.
        RubricError: A tree is outside a domain; the problems of all lines at once.
    """
    if not file.removesuffix(".gz").endswith(".jsonl"):
        return (parse_tree(data, file, inventory=inventory, settings=settings),)
    problems: list[Problem] = []
    trees = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            trees.append(
                parse_tree(line, file, inventory=inventory, settings=settings, line=number)
            )
        except GraphkitError as error:
            problems += error.problems
    if problems:
        raise RubricError(problems)
    return tuple(trees)


def read_bytes(path: str | Path) -> bytes:
    """Return the bytes of a file, unpacked if its name ends with ``.gz``.

    Raises:
        FormatError: It cannot be read or unpacked.
    """
    try:
        data = Path(path).read_bytes()
        return gzip.decompress(data) if str(path).endswith(".gz") else data
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(Problem(f"cannot be read: {error}", "read", str(path))) from error


def _validated(raw: Mapping[str, Any]) -> tuple[Tree | None, list[Problem]]:
    try:
        tree = Tree.model_validate(dict(raw))
    except ValidationError as error:
        return None, [_problem(item, raw) for item in error.errors()]
    holders: list[tuple[str, BaseModel]] = [("tree", tree)]
    holders += [(f"direction {item.id}", item) for item in tree.directions]
    holders += [(f"atom {item.id}", item) for item in tree.atoms]
    holders += [(f"fact {item.fact_id}", item) for item in tree.facts]
    return tree, [
        Problem(f"{key}: holds NaN or infinity, which is not JSON", "not_finite", subject=subject)
        for subject, holder in holders
        for key, value in (holder.model_extra or {}).items()
        if not is_finite_data(value)
    ]


_KINDS = {"atoms": ("atom", "id"), "directions": ("direction", "id"), "facts": ("fact", "fact_id")}


def _repeated(raw: Mapping[str, Any]) -> list[Problem]:
    """Repeated ids in data that is no tree for other reasons, so that all is said at once."""
    found = []
    for key, (kind, name) in _KINDS.items():
        items = raw.get(key)
        if isinstance(items, list | tuple):
            ids = [item.get(name) if isinstance(item, Mapping) else item for item in items]
            found += duplicate_problems(kind, [item for item in ids if isinstance(item, str)])
    return found


def _problem(item: Any, raw: Mapping[str, Any]) -> Problem:
    place: list[Any] = list(item["loc"])
    subject = "tree"
    if place and place[0] in _KINDS:
        kind, name = _KINDS[place[0]]
        if len(place) > 1 and isinstance(place[1], int):
            entry = raw[place[0]][place[1]]
            known = entry.get(name) if isinstance(entry, Mapping) else entry
            subject = f"{kind} {known}" if isinstance(known, str) else f"{place[0]}[{place[1]}]"
            place = place[2:]
    message = str(item["msg"]).removeprefix("Value error, ")
    if item["type"] == "enum":
        expected = str(item["ctx"]["expected"]).replace("'", "")
        message = f"{item['input']!r} is not one of {expected}"
    elif item["type"] == "missing":
        message = "missing"
    words = ".".join(str(part) for part in place)
    return Problem(
        ": ".join(filter(None, (words, message))),
        "missing_field" if item["type"] == "missing" else "field",
        subject=subject,
    )
