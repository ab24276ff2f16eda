"""Names as replies and files give them, in the form in which they are kept."""

from __future__ import annotations

import unicodedata

from graphkit.evidence import nfc

__all__ = ["LONGEST_NAME", "visible_name"]

LONGEST_NAME = 200
"""What has more characters is no name."""

_JOINERS = "\u200c\u200d"


def visible_name(text: str) -> str:
    r"""Return a name with single spaces and without characters that nobody sees.

    Joiners stay: scripts and emoji need them.

    >>> visible_name(" New\u202e\n York\x00 ")
    'New York'
    """
    shown = (sign for sign in " ".join(nfc(text).split()) if sign in _JOINERS or _shows(sign))
    return nfc("".join(shown)).strip(_JOINERS)


def _shows(sign: str) -> bool:
    return unicodedata.category(sign) not in ("Cc", "Cf", "Cs")
