"""The error of web tools that cannot go on."""

from __future__ import annotations

import importlib.util

from graphkit.errors import DependencyError, OperationError, Problem

__all__ = ["WebError", "check_packages"]

_PACKAGES = ("httpx2", "trafilatura", "protego", "tldextract", "lxml", "charset_normalizer")


class WebError(OperationError):
    """The web tools cannot go on: the key is refused, the plan is used up, the index is broken.

    It is raised and never kept as an answer, so that a resumed run asks again.
    """


class UnansweredError(OperationError):
    """A search had no answer, retries included; what needed it can be taken up again."""


def check_packages() -> None:
    """Refuse to begin where a package of the extra ``web`` is missing.

    Raises:
        DependencyError: One is; the message says how to install them.
    """
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise DependencyError(
            Problem(
                f"the web tools need {', '.join(missing)}, not installed here; "
                "pip install 'reasoning-graphkit[web]'",
                code="dependency",
            )
        )
