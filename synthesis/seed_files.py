"""Seed files: names, single seeds, or replies of the seed agent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from graphkit.errors import FormatError, Problem
from graphkit.formats.lines import open_source
from synthesis.seeds import Seed, deduplicated

__all__ = ["read_seeds"]


def read_seeds(path: str | Path) -> list[Seed]:
    """Read seeds: JSONL with one seed or one reply of the seed agent a line, or a name a line.

    The contract of EvoBrowseComp, A.1 (``domain{primary, secondary}, seeds[{entity_name}]``) and
    single seeds (``entity_name, primary, secondary``) may be mixed.

    Args:
        path: The file; ``-`` for standard input.

    Raises:
        FormatError: The file cannot be read or a line is no seed; all problems at once.
    """
    source = open_source(path)
    found: list[Seed] = []
    problems: list[Problem] = []
    for line in source.lines():
        if isinstance(line, Problem):
            problems.append(line)
            continue
        text = line.text.strip()
        if not text:
            continue
        try:
            found += _seeds_of(json.loads(text) if text[:1] in "{[" else {"entity_name": text})
        except (ValueError, RecursionError) as error:
            problems.append(Problem(_why(error), "seed", source.name, line.number))
    if problems:
        raise FormatError(problems)
    if not found:
        raise FormatError(Problem("holds no seed", "empty", source.name))
    return deduplicated(found)


def _why(error: ValueError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return "not JSON: nested too deeply, expected a seed or a name"
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg}, expected a seed or a name"
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"no seed: {'.'.join(map(str, first['loc']))}: {first['msg'].lower()}"
    return str(error)


def _seeds_of(data: Any) -> list[Seed]:
    found = []
    for item in data if isinstance(data, list) else [data]:
        listed = item.get("seeds") if isinstance(item, dict) else None
        domain = (item.get("domain") or {}) if isinstance(item, dict) else None
        if not isinstance(domain, dict) or not isinstance(listed, list | None):
            raise ValueError("no seed, expected entity_name, or domain as an object and seeds")
        if listed is None:
            found.append(Seed.model_validate(item))
            continue
        names = {key: domain.get(key) or "" for key in ("primary", "secondary")}
        if not all(isinstance(seed, dict) for seed in listed):
            raise ValueError("no seed among its seeds, expected objects with entity_name")
        found += [Seed.model_validate({**names, **seed}) for seed in listed]
    return found
