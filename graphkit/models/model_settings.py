"""Which model an agent asks, where, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

from graphkit.models.redaction import Redactor, names_a_secret

__all__ = ["Budget", "ModelSettings", "without_secrets"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


def without_secrets(url: str) -> str:
    """Return an address as it is, if it has no place where a secret may stand.

    Args:
        url: The address of a server; settings are written down, so it may hold no key.

    Raises:
        ValueError: It holds a name, a password, a query or a fragment; none is repeated.

    >>> without_secrets("http://127.0.0.1:8080/v1")
    'http://127.0.0.1:8080/v1'
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ValueError("an address that cannot be read") from None
    for found, what in (
        ("@" in parts.netloc, "a name or a password"),
        ("?" in url, "a query"),
        ("#" in url, "a fragment"),
    ):
        if found:
            raise ValueError(
                f"the address holds {what}, which would be written down; keys come from the "
                "environment variable named by api_key_env"
            )
    return url


class ModelSettings(_Frozen):
    """A model behind an OpenAI-compatible endpoint, and how it is asked.

    Attributes:
        model: Its name at the endpoint.
        base_url: The endpoint, for instance ``http://127.0.0.1:8080/v1``; OpenAI's without it.
            Without name, password and query: settings are written down.
        api_key_env: The environment variable that holds the key. Where ``base_url`` is given and
            the variable is not set, no key is sent.
        temperature: Sampling temperature; the server's default without it. So the next three.
        top_p: Nucleus sampling.
        max_tokens: The longest reply, in tokens.
        seed: Seed of the sampling, where the server honours it. The vote index is added to it.
        timeout: Seconds for one attempt, from sending to the last byte.
        retries: How often a failed attempt is made again.
        longest_wait: The longest wait that a server may ask for, in seconds; beyond it the call
            fails at once.
        concurrency: Calls under way at a time. Agents that share an endpoint share the lowest.
        requests_per_minute: Requests in any 60 seconds, spread evenly; of an endpoint, as above.
        tokens_per_minute: Tokens in and out a minute; of an endpoint, as above.
        structured: How a reply is made to fit a schema. ``auto`` tries ``json_schema`` first and
            remembers for each endpoint and model what it refuses.
        tools: How tools are offered. ``auto`` tries ``native`` first and emulates them where
            the server refuses them or the model does not use them.
        input_price: Money for a million tokens sent.
        output_price: Money for a million tokens received.
        cached_input_price: Money for a million of those tokens sent that the server had kept from
            an earlier call, as its ``usage`` tells; the input price without it.
        logged_url: The endpoint that stands in the keys of the log where it is not ``base_url``:
            replies of an earlier session, which asked there, are found under it.
        extra: Further fields of the request, for instance ``{"reasoning_effort": "low"}``; none
            that is named like a key, since settings are written down.

    >>> ModelSettings(model="m", base_url="http://127.0.0.1:8080/v1").structured
    'auto'
    """

    model: str = Field(min_length=1)
    base_url: str | None = Field(default=None, pattern=r"^https?://")
    api_key_env: str = "OPENAI_API_KEY"
    temperature: float | None = Field(default=None, ge=0)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1)
    seed: int | None = None
    timeout: float = Field(default=120.0, gt=0)
    retries: int = Field(default=5, ge=0)
    longest_wait: float = Field(default=300.0, ge=0)
    concurrency: int = Field(default=64, ge=1)
    requests_per_minute: float | None = Field(default=None, gt=0)
    tokens_per_minute: float | None = Field(default=None, gt=0)
    structured: Literal["auto", "json_schema", "json_object", "prompt"] = "auto"
    tools: Literal["auto", "native", "emulated"] = "auto"
    input_price: float | None = Field(default=None, ge=0)
    output_price: float | None = Field(default=None, ge=0)
    cached_input_price: float | None = Field(default=None, ge=0)
    logged_url: str | None = Field(default=None, pattern=r"^https?://")
    extra: Mapping[str, Any] = Field(default_factory=dict)

    @field_validator("base_url", "logged_url")
    @classmethod
    def _open(cls, value: str | None) -> str | None:
        return None if value is None else without_secrets(value)

    @field_validator("extra")
    @classmethod
    def _keyless(cls, value: Mapping[str, Any]) -> Mapping[str, Any]:
        found = sorted(set(_secret_places(value)))
        if found:
            raise ValueError(
                f"{', '.join(found)} would be written down; keys come from the environment "
                "variable named by api_key_env"
            )
        return value


def _secret_places(value: Any, place: str = "", secret: bool = False) -> Iterator[str]:
    """Yield where plain data holds what is named like a key or looks like one."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            inner = f"{place}.{name}" if place else str(name)
            yield from _secret_places(item, Redactor().text(inner), names_a_secret(str(name)))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _secret_places(item, place, secret)
    elif value not in (None, True, False) and (secret or Redactor().data(value) != value):
        yield place


class Budget(_Frozen):
    """What a run may use; a call that would exceed it is not made.

    Tokens, money and calls count over the whole run, what earlier sessions used included; replies
    that come from the log cost nothing. Seconds count from the opening of the door.

    Attributes:
        tokens: Tokens in and out.
        money: In the unit of the prices of the settings; every model needs its prices then.
        calls: Calls that were answered.
        seconds: Wall-clock time.
    """

    tokens: int | None = Field(default=None, ge=0)
    money: float | None = Field(default=None, ge=0)
    calls: int | None = Field(default=None, ge=0)
    seconds: float | None = Field(default=None, ge=0)
