"""Saved fact stores: size, saving, opening, against reading the facts as text."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from measuring import Row, milliseconds

from graphkit.facts import FactStore
from graphkit.mapped import open_mapped, save_mapped


def wall(job: Callable[[], object], rounds: int) -> float:
    """Return the shortest time of a job, waiting included."""
    found = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        job()
        found = min(found, time.perf_counter() - start)
    return found


def measure(name: str, load: Callable[[], FactStore]) -> Iterator[Row]:
    """Yield how long a store takes to be loaded, saved and opened."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "facts.graphkit"
        start = time.perf_counter()
        facts = load()
        loading = time.perf_counter() - start
        saving = wall(lambda: save_mapped(facts, path), 1)
        size = path.stat().st_size
        checked, bare = (
            wall(lambda verify=verify: open_mapped(path, verify=verify), 9)
            for verify in (True, False)
        )
    text = milliseconds(loading)
    yield Row(
        f"{name}: open a saved store",
        milliseconds(checked),
        "load from text",
        text,
        loading / checked,
    )
    yield Row(
        f"{name}: open, checksum not read",
        milliseconds(bare),
        "load from text",
        text,
        loading / bare,
    )
    yield Row(f"{name}: save", milliseconds(saving), "load from text", text, loading / saving)
    yield Row(
        f"{name}: file, {size:,} bytes",
        f"{size / len(facts):.1f} B/fact",
        "facts",
        f"{len(facts):,}",
        size / len(facts),
    )
