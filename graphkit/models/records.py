"""What of a model exchange is kept in the log, and what is made of it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphkit.models.costs import money_of
from graphkit.models.messages import Message, Reply, ToolCall, Usage
from graphkit.models.model_settings import ModelSettings

__all__ = ["parameters_of", "plain_message", "stored_reply", "usage_of", "use_of"]


def plain_message(message: Message) -> list[Any]:
    """Return a message as plain data: role and content, and what there is besides."""
    plain: list[Any] = [message.role, message.content]
    if message.tool_calls:
        plain.append([[call.id, call.name, call.arguments] for call in message.tool_calls])
    if message.tool_call_id is not None:
        plain.append(message.tool_call_id)
    return plain


def parameters_of(settings: ModelSettings) -> dict[str, Any]:
    """Return the settings that a reply depends on."""
    names = ("temperature", "top_p", "max_tokens", "seed", "structured", "tools")
    found = {name: getattr(settings, name) for name in names}
    return {**found, "extra": dict(settings.extra)}


def use_of(settings: ModelSettings, reply: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a reply used, as it stands in the head of its record."""
    usage = usage_of(reply)
    return {
        "model": settings.model,
        "input_tokens": usage.input_tokens,
        "cached_tokens": usage.cached_tokens,
        "output_tokens": usage.output_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "money": money_of(settings, usage),
        "source": usage.source,
    }


def usage_of(reply: Mapping[str, Any]) -> Usage:
    """Return the tokens of a reply as it is kept; older logs do not tell their parts."""
    return Usage(
        reply["input_tokens"],
        reply["output_tokens"],
        reply["source"],
        reply.get("cached_tokens", 0),
        reply.get("reasoning_tokens", 0),
    )


def stored_reply(stored: Mapping[str, Any], key: str, *, cached: bool) -> Reply:
    """Return the reply that was kept in the log."""
    thought = ("output: thoughts before the reply are left out",) if stored["thought_aloud"] else ()
    return Reply(
        text=stored["text"],
        tool_calls=tuple(ToolCall(id="", **call) for call in stored["tool_calls"]),
        finish=stored["finish"],
        refusal=stored["refusal"],
        reasoning=stored["reasoning"],
        usage=usage_of(stored),
        model=stored["model"],
        structured=stored["structured"],
        tools=stored["tools"],
        cached=cached,
        key=key,
        repairs=thought,
    )
