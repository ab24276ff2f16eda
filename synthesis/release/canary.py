"""Canary strings, and answers sealed with them: kept from crawlers, open to whoever wants them.

Sealing is an obfuscation. The key is derived from the canary, which is published with the data, so
anybody can open what is sealed; a crawler that keeps text as it is does not learn the answers, and
the canary tells the makers of training sets what to leave out. It follows the idea of BrowseComp
with a construction of our own: a synthetic nonce, so that the same text at the same place always
gives the same bytes, and a check on opening, so that a damaged or moved text is an error instead of
noise. The length is hidden up to a multiple of 32 bytes.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import uuid
from typing import Any

from graphkit.errors import FormatError, Problem
from graphkit.formats import strict_json

__all__ = ["PREFIX", "Sealer", "canary_guid", "canary_of", "canary_text", "is_canary"]

PREFIX = "gk1:"
"""What a sealed text begins with; the number is the version of the construction."""

_BLOCK = 32
_NONCE = 16
_SPACE = uuid.UUID("6b1f9f0c-95f6-5d0b-8a3e-2f6a7c1d4e90")


def canary_guid(content: bytes, seed: int = 0) -> str:
    """Return the GUID of a release: the same content and seed give the same one.

    Args:
        content: What is released, in any fixed form.
        seed: Another seed gives another GUID.

    >>> canary_guid(b"x") == canary_guid(b"x"), canary_guid(b"x") == canary_guid(b"x", 1)
    (True, False)
    """
    return str(uuid.uuid5(_SPACE, f"{seed}:{hashlib.sha256(content).hexdigest()}"))


def is_canary(text: str) -> bool:
    """Whether a text can be a canary GUID: one word, so that it is found again in its sentence.

    >>> is_canary(canary_guid(b"x")), is_canary("my own canary"), is_canary("")
    (True, False, False)
    """
    return re.fullmatch(r"[\w.-]+", text) is not None


def canary_text(guid: str) -> str:
    """Return the sentence that stands in every file of a release."""
    return f"Benchmark data: keep it out of training corpora. graphkit canary GUID {guid}"


def canary_of(text: str) -> str | None:
    """Return the canary GUID in a text, or None.

    >>> guid = canary_guid(b"x")
    >>> canary_of(canary_text(guid)) == guid, canary_of("no canary")
    (True, None)
    """
    _, found, rest = text.partition("graphkit canary GUID ")
    words = rest.split() if found else []
    return words[0] if words else None


class Sealer:
    """Seals values with a canary and opens them again.

    Args:
        canary: The canary GUID.

    >>> sealer = Sealer("c0ffee")
    >>> sealed = sealer.seal("Paris", "q1/answer")
    >>> sealed[:4], "Paris" in sealed, sealer.open(sealed, "q1/answer")
    ('gk1:', False, 'Paris')
    """

    def __init__(self, canary: str) -> None:
        root = hashlib.sha256(b"graphkit seal 1\x00" + canary.encode()).digest()
        self._stream_key = hmac.digest(root, b"stream", "sha256")
        self._check_key = hmac.digest(root, b"check", "sha256")

    def seal(self, value: Any, place: str) -> str:
        """Return a value as sealed text.

        Args:
            value: Plain data.
            place: Where it belongs, for instance ``q1/answer``; it opens only there.
        """
        plain = json.dumps(value, ensure_ascii=True, allow_nan=False).encode()
        plain += b" " * (-len(plain) % _BLOCK)
        nonce = self._nonce(plain, place)
        data = nonce + self._mixed(plain, nonce)
        return PREFIX + base64.urlsafe_b64encode(data).decode().rstrip("=")

    def open(self, sealed: str, place: str) -> Any:
        """Return the value of a sealed text.

        Raises:
            FormatError: It is no sealed text, is damaged, belongs to another place, or was sealed
                with another canary.
        """
        body = sealed.removeprefix(PREFIX)
        try:
            data = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            data = b""
        nonce, mixed = data[:_NONCE], data[_NONCE:]
        plain = self._mixed(mixed, nonce)
        whole = sealed.startswith(PREFIX) and len(mixed) > 0
        if not whole or not hmac.compare_digest(nonce, self._nonce(plain, place)):
            raise FormatError(
                Problem(
                    "cannot be opened: it is damaged, belongs elsewhere, or was sealed with "
                    "another canary",
                    code="sealed",
                    subject=place,
                )
            )
        return strict_json.parse(plain.decode())

    def _nonce(self, plain: bytes, place: str) -> bytes:
        where = place.encode()
        return hmac.digest(self._check_key, len(where).to_bytes(8) + where + plain, "sha256")[
            :_NONCE
        ]

    def _mixed(self, data: bytes, nonce: bytes) -> bytes:
        """Return data mixed with the stream of a nonce; mixing twice gives the data again."""
        blocks = -(-len(data) // _BLOCK)
        stream = b"".join(
            hmac.digest(self._stream_key, nonce + number.to_bytes(8), "sha256")
            for number in range(blocks)
        )
        return bytes(one ^ other for one, other in zip(data, stream, strict=False))
