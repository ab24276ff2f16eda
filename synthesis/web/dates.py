"""Reads the dates that pages and providers write: ISO, RFC 2822, English, Chinese, relative."""

from __future__ import annotations

import email.utils
import re
from datetime import UTC, date, datetime, timedelta

__all__ = ["iso_date", "utc_now"]

_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)")
_SLASHES = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})(?!\d)")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T\d|$)")
_CHINESE = re.compile(r"(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*日")
_MONTH_FIRST = re.compile(r"([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})")
_DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?\s+([A-Za-z]{3,9})\.?,?\s+(\d{4})")
_AGO = re.compile(
    r"(\d{1,3}|an?)\s*(?:个\s*)?(second|minute|min|hour|day|week|month|year|秒|分钟|小时|天|周|月|年)"
    r"s?\s*(?:ago|前)",
    re.IGNORECASE,
)
_DAYS = {
    "day": 1, "天": 1, "week": 7, "周": 7, "month": 30, "月": 30, "year": 365, "年": 365,
}  # fmt: skip
_HOURS = {"hour": 1.0, "小时": 1.0, "minute": 1 / 60, "min": 1 / 60, "分钟": 1 / 60}
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


def iso_date(text: str | None, now: datetime | None = None) -> str | None:
    """Return the day that a text names, as ``YYYY-MM-DD``, or None.

    Args:
        text: A date, with or without a time. Days are taken as they are written, in whatever zone.
        now: What ``3 days ago`` is measured from; without it such a date is not read.

    >>> iso_date("2026-05-04T23:30:00+02:00"), iso_date("Mon, 04 May 2026 10:00:00 GMT")
    ('2026-05-04', '2026-05-04')
    >>> iso_date("May 4, 2026"), iso_date("2026年5月4日"), iso_date("last week")
    ('2026-05-04', '2026-05-04', None)
    >>> iso_date("3 days ago", datetime(2026, 5, 4))
    '2026-05-01'
    """
    text = (text or "").strip()[:100]
    for pattern in (_ISO, _SLASHES, _CHINESE, _COMPACT):
        match = pattern.match(text)
        if match:
            return _day(int(match[1]), int(match[2]), int(match[3]))
    then = _of_mail(text)
    if then is not None:
        return _day(then.year, then.month, then.day)
    match = _MONTH_FIRST.search(text)
    if match and match[1][:3].lower() in _MONTHS:
        return _day(int(match[3]), _MONTHS.index(match[1][:3].lower()) + 1, int(match[2]))
    match = _DAY_FIRST.search(text)
    if match and match[2][:3].lower() in _MONTHS:
        return _day(int(match[3]), _MONTHS.index(match[2][:3].lower()) + 1, int(match[1]))
    match = _AGO.search(text)
    if match and now is not None:
        then = _ago(match, now)
        return None if then is None else _day(then.year, then.month, then.day)
    return None


def _ago(match: re.Match[str], now: datetime) -> datetime | None:
    """Return when a time ago was; None if that is before the first year."""
    count = int(match[1]) if match[1].isdigit() else 1
    unit = match[2].lower()
    if unit in _DAYS:
        span = timedelta(days=count * _DAYS[unit])
    else:
        span = timedelta(hours=count * _HOURS.get(unit, 0.0))
    try:
        return now - span
    except OverflowError:
        return None


def _day(year: int, month: int, day: int) -> str | None:
    try:
        found = date(year, month, day)
    except ValueError:
        return None
    return found.isoformat() if 1900 <= year <= 2100 else None


def utc_now() -> str:
    """Return the time in UTC, ISO 8601 to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _of_mail(text: str) -> datetime | None:
    """Return a date as headers of mail and HTTP write it; None if it is none."""
    try:
        return email.utils.parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
