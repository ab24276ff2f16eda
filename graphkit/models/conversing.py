"""A conversation with tools: calls are run and shown until the model answers, or may not go on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from pydantic import BaseModel

from graphkit.errors import ModelReplyError, did_you_mean
from graphkit.formats import strict_json
from graphkit.models.asking import Exchange, Failure, Follows, judged, raised, reask
from graphkit.models.emulation import call_id, wished
from graphkit.models.messages import Conversed, Message, Reply, Tool, ToolCall, ToolUse
from graphkit.models.reply_schema import schema_of
from graphkit.models.reply_value import fit, read_value
from graphkit.models.wire import Wanted

__all__ = ["Conversation"]

T = TypeVar("T", bound=BaseModel)


class Conversation:
    """One conversation with tools.

    Args:
        exchange: Asks the model once.
        subject: What errors call the conversation.
        tools: The tools that the model may use.
        max_calls: How many calls it may make.
        may_emulate: Whether tools are emulated for a model that does not use those it is offered.
        emulated: Told of a reply that was reached by emulation after that.
    """

    def __init__(
        self,
        exchange: Exchange,
        subject: str,
        tools: Sequence[Tool],
        max_calls: int,
        may_emulate: bool,
        emulated: Callable[[Reply], None],
    ) -> None:
        self._exchange = exchange
        self._subject = subject
        self._tools = tuple(tools)
        self._by_name = {tool.name: tool for tool in tools}
        self._max_calls = max_calls
        self._may_emulate = may_emulate
        self._emulated = emulated
        self._emulate = False
        self._history: list[Message] = []
        self._used: list[ToolUse] = []
        self._repairs: list[str] = []
        self._wishes = 0

    async def run(
        self,
        messages: Sequence[Message],
        model: type[T],
        reasks: int,
        validate: Callable[[T], Iterable[str]] | None,
    ) -> Conversed[T]:
        """Converse until there is an answer; see :meth:`ModelDoor.converse`."""
        self._history = list(messages)
        follows: Follows | None = None
        schema = schema_of(model)
        asks = failures = 0
        closing = False
        while True:
            if not closing and len(self._used) >= self._max_calls:
                closing = True
                self._history.append(Message(role="user", content=self._last_words()))
            wanted = Wanted(schema, self._tools, closing, self._emulate)
            reply = await self._exchange(self._history, wanted, follows)
            asks += 1
            follows = (reply.key, len(self._history))
            calls, mended = self._wishes_of(reply)
            if calls and self._emulate:
                self._emulated(reply)
            if calls and not closing:
                self._repairs += mended
                await self._use(reply, calls)
                continue
            if calls:
                failure: Failure | None = _no_tools_left()
            else:
                read, failure = judged(reply, model, validate)
                if read.value is not None:
                    if self._emulate:
                        self._emulated(reply)
                    return Conversed(
                        read.value,
                        (*self._repairs, *read.repairs),
                        tuple(self._used),
                        "max_calls" if closing else "answered",
                        asks,
                    )
            assert failure is not None
            if self._turns_to_emulation(reply, failure, closing):
                follows = None
                continue
            failures += 1
            if failures > reasks:
                raise raised(failure, self._subject, failures)
            self._repairs += [f"asked again: {problem}" for problem in failure.problems]
            self._history += reask(reply, failure)

    def _turns_to_emulation(self, reply: Reply, failure: Failure, closing: bool) -> bool:
        """Whether to ask the same again with emulated tools: the model never used those it had."""
        if (
            not self._may_emulate
            or self._emulate
            or reply.tools != "native"
            or self._used
            or closing
            or failure.code == "invalid"
        ):
            return False
        self._emulate = True
        self._repairs.append(
            "tools: emulated, since the model neither used those it was offered nor answered "
            f"({failure.problems[0]})"
        )
        return True

    def _wishes_of(self, reply: Reply) -> tuple[tuple[ToolCall, ...], tuple[str, ...]]:
        calls, repairs = reply.tool_calls, reply.repairs
        if not calls and reply.text.strip() and reply.refusal is None:
            calls, mended = wished(reply.text, self._tools)
            repairs = (*repairs, *mended)
        numbered = tuple(
            call.model_copy(update={"id": call_id(self._wishes + place)})
            for place, call in enumerate(calls, start=1)
        )
        self._wishes += len(numbered)
        return numbered, repairs

    async def _use(self, reply: Reply, calls: Sequence[ToolCall]) -> None:
        said = reply.text if reply.tool_calls else ""
        self._history.append(Message(role="assistant", content=said, tool_calls=tuple(calls)))
        for call in calls:
            if len(self._used) < self._max_calls:
                use = await self._run(call)
                self._used.append(use)
                result = use.result
            else:
                result = _error(f"not run: all {self._max_calls} calls are used")
            self._history.append(Message(role="tool", content=result, tool_call_id=call.id))

    async def _run(self, call: ToolCall) -> ToolUse:
        """Run a tool; what is wrong with a call is its result, so that the model sees it."""
        tool = self._by_name.get(call.name)
        if tool is None:
            names = ", ".join(self._by_name)
            near = did_you_mean(call.name, self._by_name)
            self._repairs.append(f'tools: no tool "{call.name}", the model was told')
            return ToolUse(
                call.name,
                call.arguments,
                _error(f'there is no tool "{call.name}"{near}; the tools are {names}'),
            )
        read = (
            read_value(call.arguments, tool.parameters)
            if call.arguments.strip()
            else fit({}, tool.parameters)
        )
        if read.value is None:
            problems = "; ".join(read.problems)
            self._repairs.append(f"tools: arguments of {call.name} refused: {problems}")
            return ToolUse(
                call.name, call.arguments, _error(f"the arguments cannot be used: {problems}")
            )
        self._repairs += [f"tools: arguments of {call.name}: {repair}" for repair in read.repairs]
        result = await tool.run(read.value)
        return ToolUse(call.name, read.value.model_dump(mode="json"), result)

    def _last_words(self) -> str:
        return (
            f"All {self._max_calls} tool calls are used; no further one can be made. Give your "
            "answer now, from what you have: the JSON object and nothing else."
        )


def _no_tools_left() -> Failure:
    return Failure(
        ModelReplyError,
        "tool_after_end",
        ("it asks for a tool, and no further call can be made",),
        "Reply with the JSON object of your answer and nothing else.",
    )


def _error(message: str) -> str:
    return strict_json.dumps({"error": message})
