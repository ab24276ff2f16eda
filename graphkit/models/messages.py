"""What is said to a model and what comes back: messages, tools, replies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict

__all__ = ["Answered", "Conversed", "Message", "Reply", "Tool", "ToolCall", "ToolUse", "Usage"]

T = TypeVar("T", bound=BaseModel)


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ToolCall(_Frozen):
    """A model's wish to use a tool.

    Attributes:
        id: What ties the result to the call.
        name: The tool.
        arguments: Its arguments as the model wrote them: JSON text, as a rule.
    """

    id: str
    name: str
    arguments: str


class Message(_Frozen):
    """One message of a conversation.

    Attributes:
        role: Who speaks; ``tool`` carries the result of a tool.
        content: What is said.
        tool_calls: The tools that the model wants to use, for role ``assistant``.
        tool_call_id: The call that this is the result of, for role ``tool``.

    >>> Message(role="user", content="hello").content
    'hello'
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that a model may ask for while it works.

    Attributes:
        name: Letters, digits, ``_`` and ``-``.
        description: What it does, for the model.
        parameters: The model of its arguments.
        run: Valid arguments -> the result as text, as the model sees it. It answers what went
            wrong as text too; what it raises ends the conversation.
    """

    name: str
    description: str
    parameters: type[BaseModel]
    run: Callable[[Any], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply.

    Attributes:
        input_tokens: Tokens sent.
        output_tokens: Tokens received.
        source: ``server``: as the server counted; ``estimated``: counted here, since it did not.
        cached_tokens: Those of the tokens sent that the server had kept from an earlier call.
        reasoning_tokens: Those of the tokens received that were thoughts.
    """

    input_tokens: int
    output_tokens: int
    source: Literal["server", "estimated"] = "server"
    cached_tokens: int = 0
    reasoning_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply of a model, as it came, but for thoughts that stood in its text.

    Attributes:
        text: What it said.
        tool_calls: The tools that it wants to use.
        finish: Why it stopped: ``stop``, ``length``, ``tool_calls``, ``content_filter``.
        refusal: Why it refuses, where the server tells that apart.
        reasoning: Thoughts that it let see.
        usage: Tokens.
        model: The model that answered, as the server calls it.
        structured: How a schema was asked for: ``json_schema``, ``json_object``, ``prompt``, or
            ``none``.
        tools: How tools were offered: ``native``, ``emulated``, or ``none``.
        cached: Whether it came from the log.
        key: Its key in the log.
        repairs: What of it was left out, a sentence each.
    """

    text: str
    tool_calls: tuple[ToolCall, ...]
    finish: str
    refusal: str | None
    reasoning: str
    usage: Usage
    model: str
    structured: str
    tools: str
    cached: bool
    key: str
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answered(Generic[T]):
    """An answer that fits its schema.

    Attributes:
        value: The answer.
        repairs: What in the reply was read as something else, a sentence each.
        asks: How often the model was asked, re-asks included.
    """

    value: T
    repairs: tuple[str, ...]
    asks: int


class ToolUse(NamedTuple):
    """One use of a tool: its name, the arguments as plain data or as text, and its result."""

    name: str
    arguments: Any
    result: str


@dataclass(frozen=True, slots=True)
class Conversed(Generic[T]):
    """An answer that was reached with tools.

    Attributes:
        value: The answer.
        repairs: What in the replies was read as something else, a sentence each.
        calls: Every use of a tool in order, failed ones too.
        ended: ``answered``, or ``max_calls``: the model was asked for its answer without tools.
        asks: How often the model was asked.
    """

    value: T
    repairs: tuple[str, ...]
    calls: tuple[ToolUse, ...]
    ended: Literal["answered", "max_calls"]
    asks: int
