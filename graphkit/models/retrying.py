"""When a failed attempt is made again: which failures pass, and how long to wait."""

from __future__ import annotations

import datetime
import email.utils
import random
from collections.abc import Mapping

__all__ = ["asked_wait", "backoff", "passes"]

_FIRST_WAIT = 0.5
_LONGEST_BACKOFF = 60.0
_PASSING = frozenset((408, 409, 425, 429))
_LASTING = frozenset((501, 505))


def passes(status: int) -> bool:
    """Whether a failure with this HTTP status may pass by itself.

    >>> [status for status in (400, 401, 404, 408, 409, 429, 500, 501, 503, 529) if passes(status)]
    [408, 409, 429, 500, 503, 529]
    """
    return status in _PASSING or (status >= 500 and status not in _LASTING)


def asked_wait(headers: Mapping[str, str], now: datetime.datetime | None = None) -> float | None:
    """Return the seconds that a server asks to wait, or None where it does not say.

    Args:
        headers: The headers of its answer, names in lower case: ``retry-after`` in seconds or as
            a date, or ``retry-after-ms``.
        now: The time that a date is compared with.

    Source: RFC 9110, section 10.2.3.

    >>> asked_wait({"retry-after": "2"}), asked_wait({"retry-after-ms": "250"}), asked_wait({})
    (2.0, 0.25, None)
    >>> noon = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC)
    >>> asked_wait({"retry-after": "Mon, 30 Nov 2026 12:00:30 GMT"}, noon)
    30.0
    """
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name, "").strip()
        if text and text.replace(".", "", 1).isascii() and text.replace(".", "", 1).isdigit():
            return float(text) * scale
    text = headers.get("retry-after", "").strip()
    try:
        date = email.utils.parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # OverflowError: a zone that no clock has
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=datetime.UTC)
    return max(0.0, (date - (now or datetime.datetime.now(datetime.UTC))).total_seconds())


def backoff(attempt: int, chance: random.Random | None = None) -> float:
    """Return the wait after a failed attempt, in seconds: doubled each time, half of it by chance.

    Args:
        attempt: How many attempts have failed, from 1.
        chance: Where the chance comes from; it changes waits only, never a result.

    >>> [0.25 <= backoff(1) <= 0.5, 4 <= backoff(5) <= 8, 30 <= backoff(50) <= 60]
    [True, True, True]
    """
    longest = min(_LONGEST_BACKOFF, _FIRST_WAIT * 2.0 ** min(attempt - 1, 20))
    return longest * (0.5 + (chance or random).random() / 2)
