"""Which model an agent asks, where, and how."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Budget", "ModelSettings"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelSettings(_Frozen):
    """A model behind an OpenAI-compatible endpoint, and how it is asked.

    Attributes:
        model: Its name at the endpoint.
        base_url: The endpoint, for instance ``http://127.0.0.1:8080/v1``; OpenAI's without it.
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
        extra: Further fields of the request, for instance ``{"reasoning_effort": "low"}``.

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
