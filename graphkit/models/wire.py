"""A request as it is sent, in the form that its server takes, and a completion as it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from graphkit.formats import strict_json
from graphkit.models.emulation import explained, spoken_history, union_schema
from graphkit.models.messages import Message, Tool
from graphkit.models.model_settings import ModelSettings
from graphkit.models.reply_schema import ReplySchema, schema_of
from graphkit.models.reply_text import without_thoughts

__all__ = ["Form", "Wanted", "body_of", "forms", "reply_of"]

Structured = Literal["json_schema", "json_object", "prompt", "none"]
Offered = Literal["native", "emulated", "none"]

_ORDER: tuple[Structured, ...] = ("json_schema", "json_object", "prompt")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a reply should be, whatever the server can do.

    Attributes:
        schema: What it should fit, or None for free text.
        tools: The tools that the conversation knows.
        closing: Whether no tool may be used any more.
        emulate: Whether tools are emulated though the server takes them: the model does not
            use them otherwise.
    """

    schema: ReplySchema | None = None
    tools: tuple[Tool, ...] = ()
    closing: bool = False
    emulate: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """How a schema is asked for, and how tools are offered."""

    structured: Structured
    tools: Offered

    def __str__(self) -> str:
        return f"{self.structured}.{self.tools}"


def forms(settings: ModelSettings, wanted: Wanted, known: Form | None = None) -> list[Form]:
    """Return the forms in which a request may be sent, the best first.

    Args:
        settings: Where ``auto`` stands in them, later forms are tried when earlier ones are
            refused.
        wanted: What the reply should be.
        known: The form that this server took before, if any: no better one is tried.

    >>> settings = ModelSettings(model="m")
    >>> [str(form) for form in forms(settings, Wanted(schema_of(ModelSettings)))]
    ['json_schema.none', 'json_object.none', 'prompt.none']
    """
    if wanted.schema is None:
        ways: Sequence[Structured] = ("none",)
    elif settings.structured == "auto":
        ways = _ORDER
    else:
        ways = (settings.structured,)
    found: list[Form] = []
    if wanted.tools and not wanted.emulate and settings.tools != "emulated":
        # A schema and open tools at once make some servers write the schema and never a call.
        found += [Form(way, "native") for way in (ways if wanted.closing else ("none",))]
    if wanted.tools and (settings.tools != "native" or wanted.emulate):
        found += [Form(way, "emulated") for way in ways]
    if not wanted.tools:
        found += [Form(way, "none") for way in ways]
    return found[found.index(known) :] if known in found else found


def body_of(
    settings: ModelSettings, messages: Sequence[Message], wanted: Wanted, form: Form, vote: int
) -> dict[str, Any]:
    """Return the body of a request."""
    body: dict[str, Any] = {"model": settings.model}
    notes: list[str] = []
    schema = wanted.schema
    if form.tools == "emulated":
        messages = spoken_history(messages)
        if not wanted.closing and schema is not None:
            notes.append(explained(wanted.tools, schema))
    if schema is not None and not notes and form.structured != "json_schema":
        when = "Reply with" if form.tools != "native" else "When you have what you need, reply with"
        notes.append(f"{when} one JSON object and nothing else. Its JSON schema: {schema.text}")
    body["messages"] = _spoken(messages, notes)
    for name in ("temperature", "top_p", "max_tokens"):
        value = getattr(settings, name)
        if value is not None:
            body[name] = value
    if settings.seed is not None:
        body["seed"] = settings.seed + vote
    if form.tools == "native":
        body["tools"] = [_offered(tool) for tool in wanted.tools]
        if wanted.closing:
            body["tool_choice"] = "none"
    if schema is not None and form.structured == "json_schema":
        body["response_format"] = {"type": "json_schema", "json_schema": _named(wanted, form)}
    elif form.structured == "json_object":
        body["response_format"] = {"type": "json_object"}
    body.update(settings.extra)
    return body


def _named(wanted: Wanted, form: Form) -> dict[str, Any]:
    schema = wanted.schema
    assert schema is not None
    if form.tools == "emulated" and not wanted.closing:
        union = union_schema(wanted.tools, schema)
        return {"name": f"tool_or_{schema.name}"[:64], "schema": union, "strict": False}
    return {"name": schema.name, "schema": schema.wire, "strict": schema.strict}


def _offered(tool: Tool) -> dict[str, Any]:
    parameters = schema_of(tool.parameters).plain
    about = {"name": tool.name, "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": about}


def _spoken(messages: Sequence[Message], notes: Sequence[str]) -> list[dict[str, Any]]:
    """Return messages as they are sent; notes go to the end of the first system message."""
    spoken = [_message(message) for message in messages]
    if notes:
        text = "\n\n".join(notes)
        if spoken and spoken[0]["role"] == "system":
            spoken[0]["content"] += "\n\n" + text
        else:
            spoken.insert(0, {"role": "system", "content": text})
    return spoken


def _message(message: Message) -> dict[str, Any]:
    sent: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        sent["content"] = message.content or None
        sent["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        sent["tool_call_id"] = message.tool_call_id
    return sent


def reply_of(completion: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a completion says as plain data, as it is kept in the log.

    Args:
        completion: The answer of a server, of which only the first choice's message is certain.
    """
    choice = completion["choices"][0]
    message = choice["message"]
    spoken = without_thoughts(_text(message.get("content")))
    thoughts = [_text(message.get(name)) for name in ("reasoning_content", "reasoning")]
    calls = [_called(call) for call in message.get("tool_calls") or () if isinstance(call, dict)]
    usage = completion.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    sent, received = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    return {
        "text": spoken.text,
        "finish": str(choice.get("finish_reason") or "stop"),
        "refusal": _text(message.get("refusal")) or None,
        "reasoning": "\n".join(part for part in (*thoughts, spoken.thoughts) if part),
        "thought_aloud": bool(spoken.thoughts),
        "unfinished_thought": spoken.unfinished,
        "tool_calls": [call for call in calls if call["name"]],
        "model": _text(completion.get("model")),
        "input_tokens": sent,
        "output_tokens": received,
        "cached_tokens": _part(usage.get("prompt_tokens_details"), "cached_tokens", sent),
        "reasoning_tokens": _part(
            usage.get("completion_tokens_details"), "reasoning_tokens", received
        ),
    }


def _called(call: Mapping[str, Any]) -> dict[str, str]:
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        arguments = strict_json.dumps(arguments if arguments is not None else {})
    return {"name": _text(function.get("name")), "arguments": arguments}


def _text(content: Any) -> str:
    """Return content as text: a string, or parts of which the text ones count."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def _part(details: Any, name: str, whole: int | None) -> int:
    """Return a part of a number of tokens: never more than the whole, nothing if it is not told."""
    found = _count(details.get(name)) if isinstance(details, dict) else None
    return min(found or 0, whole or 0)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and value >= 0 else None
