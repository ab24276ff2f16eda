"""Tools for models that have none: the wish to use one is a JSON object in the reply."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from graphkit.errors import FormatError
from graphkit.formats import strict_json
from graphkit.models.messages import Message, Tool, ToolCall
from graphkit.models.reply_schema import ReplySchema, schema_of
from graphkit.models.reply_value import find_data

__all__ = ["call_id", "explained", "spoken_history", "union_schema", "wished"]

_TAGGED = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_NAMES = ("tool", "name", "function")
_ARGUMENTS = ("arguments", "parameters", "input", "args")


def call_id(number: int) -> str:
    """Return the name of the n-th call of a conversation: nine letters and digits.

    >>> call_id(7)
    'call00007'
    """
    return f"call{number:05d}"


def explained(tools: Sequence[Tool], schema: ReplySchema) -> str:
    """Return the note that tells a model how to ask for tools and how to answer."""
    lines = [
        "You can use tools. To use one, reply with this JSON object and nothing else:",
        '{"tool": "<name>", "arguments": {...}}',
        "Its result comes in the next message. The tools:",
    ]
    for tool in tools:
        lines.append(f"- {tool.name}: {tool.description}")
        lines.append(f"  JSON schema of its arguments: {schema_of(tool.parameters).text}")
    lines += [
        "When you have what you need, reply with this JSON object and nothing else:",
        '{"answer": {...}}',
        f"The answer has this JSON schema: {schema.text}",
    ]
    return "\n".join(lines)


def union_schema(tools: Sequence[Tool], schema: ReplySchema) -> dict[str, Any]:
    """Return the JSON schema of a reply that uses a tool or answers."""
    shared: dict[str, Any] = {}
    kinds = []
    for tool in tools:
        arguments = _inner(schema_of(tool.parameters), shared)
        kinds.append(_object({"tool": {"const": tool.name}, "arguments": arguments}))
    kinds.append(_object({"answer": _inner(schema, shared)}))
    found: dict[str, Any] = {"anyOf": kinds}
    if shared:
        found["$defs"] = shared
    return found


def _object(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object", "properties": dict(fields), "required": list(fields),
        "additionalProperties": False,
    }  # fmt: skip


def _inner(schema: ReplySchema, shared: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without its definitions, which go into the shared ones under its name."""
    definitions = schema.plain.get("$defs", {})
    if not definitions:
        return dict(schema.plain)
    renamed = {name: f"{schema.name}_{name}" for name in definitions}

    def moved(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {
                key: f"#/$defs/{renamed[item.removeprefix('#/$defs/')]}"
                if key == "$ref" and isinstance(item, str)
                else moved(item)
                for key, item in value.items()
            }
        return [moved(item) for item in value] if isinstance(value, list) else value

    shared.update({renamed[name]: moved(item) for name, item in definitions.items()})
    return {key: moved(item) for key, item in schema.plain.items() if key != "$defs"}


def spoken_history(messages: Sequence[Message]) -> list[Message]:
    """Return a conversation with its tools as plain speech, for models that have none."""
    spoken: list[Message] = []
    names: dict[str, str] = {}
    for message in messages:
        if message.tool_calls:
            wishes = []
            for call in message.tool_calls:
                names[call.id] = call.name
                wishes.append(strict_json.dumps({"tool": call.name, "arguments": _data(call)}))
            spoken.append(Message(role="assistant", content="\n".join(wishes)))
        elif message.role == "tool":
            name = names.get(message.tool_call_id or "", "tool")
            text = f"Result of {name}:\n{message.content}"
            if spoken and spoken[-1].role == "user" and spoken[-1].content.startswith("Result of "):
                spoken[-1] = Message(role="user", content=f"{spoken[-1].content}\n\n{text}")
            else:
                spoken.append(Message(role="user", content=text))
        else:
            spoken.append(message)
    return spoken


def _data(call: ToolCall) -> Any:
    try:
        return strict_json.parse(call.arguments)
    except FormatError:
        return call.arguments


def wished(text: str, tools: Sequence[Tool]) -> tuple[tuple[ToolCall, ...], tuple[str, ...]]:
    """Find the wish to use a tool in what a model said.

    Args:
        text: What it said, thoughts left out.
        tools: The tools that there are.

    Returns:
        The calls, without ids, and what was repaired. A name that no tool has counts too where
        the object can be nothing but a call: the model is told then.

    >>> wished('<tool_call>{"name": "search", "arguments": {"query": "x"}}</tool_call>', ())[0]
    (ToolCall(id='', name='search', arguments='{"query": "x"}'),)
    >>> wished('{"answer": {"name": "Lyon"}}', ())
    ((), ())
    """
    tagged = [part.strip() for part in _TAGGED.findall(text)]
    names = {tool.name for tool in tools}
    parts = tagged or _objects(text)
    calls: list[ToolCall] = []
    repairs: list[str] = ["output: a tool was asked for in the text"] if tagged else []
    for part in parts:
        data, mended, problems = find_data(part, (*_NAMES, *_ARGUMENTS))
        call = None if problems else _call(data, names, bool(tagged))
        if call is not None:
            calls.append(call)
            repairs += mended
    return tuple(calls), tuple(repairs) if calls else ()


def _objects(text: str) -> list[str]:
    """Return the lines of a text if each of them is an object, else the text as a whole."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and all(line.lstrip().startswith('{"tool"') for line in lines):
        return lines
    return [text]


def _call(data: Any, names: set[str], tagged: bool) -> ToolCall | None:
    """Read an object as a call, unless it may as well be an answer."""
    if not isinstance(data, dict) or "answer" in data:
        return None
    if isinstance(data.get("function"), dict):
        data = data["function"]
    name = next((data[key] for key in _NAMES if isinstance(data.get(key), str)), None)
    if name is None or not (tagged or name in names or isinstance(data.get("tool"), str)):
        return None
    key = next((key for key in _ARGUMENTS if key in data), None)
    if key is None:
        found = {field: value for field, value in data.items() if field not in _NAMES}
        if name not in names or ("tool" not in data and not found):
            return None
    else:
        found = data[key]
    text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
    return ToolCall(id="", name=name, arguments=text)
