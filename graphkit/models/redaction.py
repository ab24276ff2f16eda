"""Takes secrets out of whatever is written down: by their look, their value, their name."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["REDACTED", "Redactor", "names_a_secret", "secrets_of"]

REDACTED = "[redacted]"
"""What stands where a secret was."""

_LOOKS = re.compile(
    r"""
    (?<![A-Za-z0-9/._-])sk-(?=[A-Za-z0-9_-]*[0-9A-Z])[A-Za-z0-9_-]{12,}   # OpenAI and its kin
    | (?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{20,}
    | (?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{30,}
    | (?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])
    | (?<![A-Za-z0-9])(?:tvly-|hf_|xox[abprs]-|BSA)[A-Za-z0-9_-]{20,}
    | (?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+
    """,
    re.VERBOSE,
)
_SIGNS = (
    "sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "AIza", "AKIA", "ASIA", "tvly-",
    "hf_", "xox", "BSA", "eyJ",
)  # fmt: skip
_BEARER = re.compile(r"\b(Bearer|Basic)\s+(?=\S*[0-9=])[A-Za-z0-9._~+/-]{12,}=*")
_PARAMETER = re.compile(
    r"(?i)([?&](?:api[_-]?key|access[_-]?token|subscription[_-]?token)=)[^&\s\"'<>]+"
)
_NAMES = frozenset(
    ("authorization", "proxy-authorization", "api-key", "x-api-key", "api_key", "apikey")
) | {"x-subscription-token", "cookie", "set-cookie"}
_QUIET_MARKS = ("key=", "token=", *(f'"{name}"' for name in sorted(_NAMES)))
_VARIABLE = re.compile(r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$")
_SHORTEST = 8
_SHORTEST_LOOK = 15


def secrets_of(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return the values of environment variables that are named like secrets.

    Args:
        environment: Variable -> value; the environment of the process without it.

    Returns:
        Values of at least eight characters that are no plain word of lower-case letters, in
        order of their variables.

    >>> secrets_of({"SEARCH_API_KEY": "0123456789", "HOME": "/home/somebody", "API_KEY": "short"})
    ('0123456789',)
    """
    variables = os.environ if environment is None else environment
    return tuple(
        value.strip()
        for name, value in sorted(variables.items())
        if _VARIABLE.search(name.upper())
        and len(value.strip()) >= _SHORTEST
        and not (value.strip().isalpha() and value.strip().islower())
    )


def names_a_secret(name: str) -> bool:
    """Whether a field or variable is named like one that holds a key, a token or a password.

    >>> [names_a_secret(name) for name in ("api_key", "X-API-Key", "apiKey", "hf_token")]
    [True, True, True, True]
    >>> [names_a_secret(name) for name in ("max_tokens", "prompt_cache_key", "keyword")]
    [False, False, False]
    """
    if name.lower() == "prompt_cache_key":  # a field of OpenAI's that names a cache
        return False
    return name.lower() in _NAMES or _VARIABLE.search(name.upper().replace("-", "_")) is not None


class Redactor:
    """Takes secrets out of plain data and of text.

    A secret is what is known as one, what looks like a key of a well-known service, what follows
    ``Bearer``, and what stands under a name such as ``Authorization``.

    Args:
        secrets: Values that are known to be secret; shorter ones than eight characters do not
            count, they would tear holes into ordinary text.

    >>> Redactor(["correct-horse"]).text("the key correct-horse, or sk-abcDEF0123456789")
    'the key [redacted], or [redacted]'
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._known: tuple[str, ...] = ()
        self._marks: tuple[str, ...] = ()
        self.learn(secrets)

    def learn(self, secrets: Iterable[str]) -> None:
        """Add values that are known to be secret; the longest are taken out first."""
        found = {secret for secret in secrets if len(secret) >= _SHORTEST}
        self._known = tuple(sorted(found | set(self._known), key=lambda item: (-len(item), item)))
        escaped = (json.dumps(item, ensure_ascii=False)[1:-1] for item in self._known)
        self._marks = (*_SIGNS, "Bearer", "Basic", *escaped)

    def suspects(self, text: str) -> bool:
        """Whether a JSON text may hold a secret; if not, :meth:`data` would change nothing in it.

        Args:
            text: JSON without needless escapes, as ``json.dumps(..., ensure_ascii=False)`` writes
                it.

        >>> Redactor().suspects('{"q": "Asia"}'), Redactor().suspects('{"Cookie": "x"}')
        (False, True)
        """
        if any(mark in text for mark in self._marks):
            return True
        lower = text.lower()
        return any(mark in lower for mark in _QUIET_MARKS)

    def text(self, text: str) -> str:
        """Return a text without its secrets."""
        if len(text) < _SHORTEST:
            return text
        for secret in self._known:
            if secret in text:
                text = text.replace(secret, REDACTED)
        if len(text) < _SHORTEST_LOOK:
            return text
        for sign in _SIGNS:
            if sign in text:
                text = _LOOKS.sub(REDACTED, text)
                break
        if "Bearer" in text or "Basic" in text:
            text = _BEARER.sub(rf"\1 {REDACTED}", text)
        return _PARAMETER.sub(rf"\1{REDACTED}", text) if "=" in text else text

    def data(self, value: Any) -> Any:
        """Return plain data (dicts, lists, tuples, scalars) with every text in it redacted.

        >>> Redactor().data({"Authorization": "abc", "q": ["x"]})
        {'Authorization': '[redacted]', 'q': ['x']}
        """
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {
                self.text(str(key)): REDACTED
                if str(key).lower() in _NAMES and isinstance(item, str)
                else self.data(item)
                for key, item in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self.data(item) for item in value]
        return value
