"""Finds the evidence that ships with graphkit: facts of the World Factbook with their sheet."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

from graphkit.errors import DependencyError

__all__ = ["bundled_evidence"]

_DISTRIBUTION = "reasoning-graphkit"
_CHECKOUT = Path(__file__).resolve().parents[2] / "examples" / "factbook" / "evidence.jsonl"
_INSTALLED = ("share", "graphkit", "factbook", "evidence.jsonl")


def bundled_evidence() -> Path:
    """Return the path of the bundled evidence; ``relations.toml`` is beside it.

    In a checkout it is in ``examples/factbook``, else where the installed distribution keeps its
    data.

    Raises:
        DependencyError: It is in neither place.

    >>> bundled_evidence().name
    'evidence.jsonl'
    """
    if _CHECKOUT.is_file():
        return _CHECKOUT
    try:
        files = metadata.files(_DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.parts[-len(_INSTALLED) :] == _INSTALLED:
            path = Path(str(file.locate())).resolve()
            if path.is_file():
                return path
    raise DependencyError(
        "the bundled evidence (share/graphkit/factbook/evidence.jsonl) is not installed; install "
        f"{_DISTRIBUTION} from its wheel, or name facts with --facts"
    )
