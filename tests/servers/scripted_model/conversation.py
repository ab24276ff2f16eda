"""What a request holds: the role, its data blocks, and what was said and found since."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Task", "ToolUse", "draw", "read_task"]

_TITLE = re.compile(r"graphkit task: ([a-z_]+)/(\d+) \((\w+)\)")
_ASKED_TO_SAY_IT = '{"tool": "<name>", "arguments": {...}}'
_RESULT = re.compile(r"^Result of (\w+):\n(.*?)(?=\n\nResult of \w+:\n|\Z)", re.S | re.M)
_BLOCK = re.compile(r"^<([a-z][a-z0-9_]*)>\n(.*?)\n?</\1>$", re.S | re.M)


def draw(*parts: object) -> float:
    """Return a number in [0, 1) that depends on nothing but the parts."""
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") / 2**48


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One use of a tool: its name, the arguments, and the result as data."""

    name: str
    arguments: dict[str, Any]
    result: dict[str, Any]


@dataclass(frozen=True)
class Task:
    """A request, understood.

    Attributes:
        role: ``gather``, ``parse`` ...; empty when the request is none of ours.
        language: ``en`` or ``zh``.
        blocks: The text of each data block.
        used: Tool results so far, in order.
        tools: The names of the tools that may be called now.
        emulated: Whether tool calls are written as JSON in the answer.
        retried: Whether an answer of ours was handed back with what is wrong in it.
        digest: Stands for the whole request.
    """

    role: str
    language: str
    blocks: dict[str, str]
    used: tuple[ToolUse, ...]
    tools: tuple[str, ...]
    emulated: bool
    retried: bool
    digest: str
    opening: str = field(default="", compare=False)

    def data(self, name: str) -> Any:
        """Return a block that holds JSON; an empty list where it is missing or no JSON."""
        return _parsed(self.blocks.get(name, ""))

    def text(self, name: str) -> str:
        """Return a block that holds text, plain or as a JSON string."""
        raw = self.blocks.get(name, "")
        if raw.startswith('"'):
            value = _parsed(raw)
            return value if isinstance(value, str) else raw
        return raw.replace("&lt;", "<")

    def chance(self, *what: object) -> float:
        """Return a number in [0, 1) that depends on the request and on ``what``."""
        return draw(self.digest, *what)

    def trait(self, *what: object) -> float:
        """Return a number in [0, 1) that is the same in all turns of one conversation."""
        return draw(self.opening, *what)


@functools.lru_cache(maxsize=4096)
def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return []


@functools.lru_cache(maxsize=4096)
def _blocks(text: str) -> dict[str, str]:
    return dict(_BLOCK.findall(text))


def _content(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, list):
        content = "".join(part.get("text", "") for part in content if isinstance(part, dict))
    return str(content)


def read_task(body: dict[str, Any]) -> Task:
    """Understand a request of the chat completions interface."""
    messages = body.get("messages") or []
    system = _content(messages[0]) if messages else ""
    title = _TITLE.match(system.partition("\n")[0])
    opening = _content(messages[1]) if len(messages) > 1 else ""
    used: list[ToolUse] = []
    retried = False
    calls: dict[str, tuple[str, dict[str, Any]]] = {}
    pending: list[tuple[str, dict[str, Any]]] = []
    for message in messages[2:]:
        role, text = message.get("role"), _content(message)
        if role == "assistant":
            pending = []
            for call in message.get("tool_calls") or ():
                named = call["function"]["name"], _arguments(call["function"]["arguments"])
                calls[call["id"]] = named
            if not message.get("tool_calls"):
                pending = emulated_calls(text)
                retried = retried or not pending
        elif role == "tool":
            name, arguments = calls.get(message.get("tool_call_id") or "", ("", {}))
            used.append(ToolUse(name, arguments, _result(text)))
        elif role == "user" and pending:
            used += [
                ToolUse(name, arguments, result)
                for (name, arguments), result in zip(pending, emulated_results(text), strict=False)
            ]
            pending = []
    tools = tuple(tool["function"]["name"] for tool in body.get("tools") or ())
    if body.get("tool_choice") == "none":
        tools = ()
    emulated = not body.get("tools") and _ASKED_TO_SAY_IT in system
    digest = hashlib.sha256(
        json.dumps(messages, sort_keys=True, ensure_ascii=False).encode()
    ).hexdigest()
    return Task(
        role=title[1] if title else "",
        language=title[3] if title else "en",
        blocks=_blocks(opening),
        used=tuple(used),
        tools=("search", "visit") if emulated else tools,
        emulated=emulated,
        retried=retried,
        digest=digest,
        opening=system.partition("\n")[0] + opening,
    )


def _arguments(text: str) -> dict[str, Any]:
    value = _parsed(text)
    return value if isinstance(value, dict) else {}


def _result(text: str) -> dict[str, Any]:
    value = _parsed(text)
    return value if isinstance(value, dict) else {}


def emulated_calls(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the tool calls that an answer of ours wrote as JSON, one a line."""
    found = []
    for line in text.splitlines():
        value = _parsed(line) if line.startswith('{"tool"') else None
        if isinstance(value, dict):
            found.append((str(value["tool"]), dict(value.get("arguments") or {})))
    return found


def emulated_results(text: str) -> list[dict[str, Any]]:
    """Return the results in a message that answers emulated calls, in order."""
    return [_result(body) for _, body in _RESULT.findall(text)]
