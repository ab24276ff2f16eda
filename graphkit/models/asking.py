"""Asking until the reply fits: what is wrong with one, how a model is told, and when to give up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from pydantic import BaseModel

from graphkit.errors import (
    ModelEmptyError,
    ModelLengthError,
    ModelRefusalError,
    ModelRepetitionError,
    ModelReplyError,
    Problem,
)
from graphkit.formats import strict_json
from graphkit.models.messages import Answered, Message, Reply
from graphkit.models.reply_schema import schema_of
from graphkit.models.reply_text import repeated
from graphkit.models.reply_value import ReadValue, read_value
from graphkit.models.wire import Wanted

__all__ = ["Exchange", "Failure", "Follows", "answer", "failure_of", "judged", "raised", "reask"]

T = TypeVar("T", bound=BaseModel)

Follows = tuple[str, int]
"""The key of the exchange before, and how many messages it had."""

_WHOLE = 4_000
_HEAD = 2_500
_TAIL = 1_000
_QUOTED = 120


class Exchange(Protocol):
    """Asks a model once."""

    async def __call__(
        self, messages: Sequence[Message], wanted: Wanted, follows: Follows | None
    ) -> Reply:
        """Return its reply, from the log where it is there."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a reply cannot be used.

    Attributes:
        error: The error that it ends with when the model does no better.
        code: A stable word.
        problems: What is wrong, a sentence each.
        advice: What the model is asked to do.
    """

    error: type[ModelReplyError]
    code: str
    problems: tuple[str, ...]
    advice: str


def failure_of(reply: Reply) -> Failure | None:
    """Return why a reply says nothing that could be read, or None."""
    whole = "Reply with the whole JSON object and nothing else."
    if reply.refusal or reply.finish == "content_filter":
        said = _quoted(reply.refusal or "held back by the content filter of the server")
        return Failure(
            ModelRefusalError,
            "refusal",
            (f"the model refused: {said}",),
            f"If the task can be done, do it. {whole}",
        )
    if reply.finish == "length":
        piece = repeated(reply.text or reply.reasoning)
        if piece is not None:
            return Failure(
                ModelRepetitionError,
                "repetition",
                (f"the reply repeats {_quoted(piece)} until it is cut off",),
                f"Say nothing twice. {whole}",
            )
        where = "in its text" if reply.text.strip() else "while the model was thinking"
        limit = f"at {reply.usage.output_tokens} tokens"
        return Failure(
            ModelLengthError,
            "length",
            (f"the reply was cut off {limit}, {where}",),
            f"Reply again, and shorter. {whole}",
        )
    if not reply.text.strip() and not reply.tool_calls:
        return Failure(ModelEmptyError, "empty", ("the reply is empty",), whole)
    return None


def judged(
    reply: Reply, model: type[T], validate: Callable[[T], Iterable[str]] | None
) -> tuple[ReadValue[T], Failure | None]:
    """Read a reply as a value; return why it cannot be used, if so.

    A reply that was cut off behind its complete JSON is used.
    """
    failure = failure_of(reply)
    nothing: ReadValue[T] = ReadValue(None)
    if failure is not None and (failure.code != "length" or not reply.text.strip()):
        return nothing, failure
    read = read_value(reply.text, model, ("answer",))
    if read.value is None:
        return nothing, failure or Failure(
            ModelReplyError,
            "reply",
            read.problems,
            "Reply again with the whole corrected JSON object and nothing else.",
        )
    problems = tuple(validate(read.value)) if validate is not None else ()
    if problems:
        return nothing, Failure(
            ModelReplyError,
            "invalid",
            problems,
            "Reply again with the whole corrected JSON object and nothing else.",
        )
    cut = ("output: cut off behind its JSON",) if failure is not None else ()
    return ReadValue(read.value, (*reply.repairs, *read.repairs, *cut)), None


def reask(reply: Reply, failure: Failure) -> tuple[Message, Message]:
    """Return the messages that show a model its own reply and what is wrong with it."""
    listed = "\n".join(f"- {problem}" for problem in failure.problems)
    return (
        Message(role="assistant", content=_shown(reply, failure)),
        Message(role="user", content=f"Your reply cannot be used:\n{listed}\n{failure.advice}"),
    )


def raised(failure: Failure, subject: str, asks: int) -> ModelReplyError:
    """Return the error that a failure ends with."""
    times = "asked once" if asks == 1 else f"asked {asks} times"
    return failure.error(
        Problem(f"{times}, no reply that can be used: {problem}", failure.code, subject=subject)
        for problem in failure.problems
    )


async def answer(
    exchange: Exchange,
    subject: str,
    messages: Sequence[Message],
    model: type[T],
    reasks: int,
    validate: Callable[[T], Iterable[str]] | None,
) -> Answered[T]:
    """Ask until the reply fits a schema and passes its checks; see :meth:`ModelDoor.ask`."""
    history = list(messages)
    repairs: list[str] = []
    follows: Follows | None = None
    asks = 0
    while True:
        reply = await exchange(history, Wanted(schema_of(model)), follows)
        asks += 1
        read, failure = judged(reply, model, validate)
        if read.value is not None:
            return Answered(read.value, (*repairs, *read.repairs), asks)
        assert failure is not None
        if asks > reasks:
            raise raised(failure, subject, asks)
        repairs += [f"asked again: {problem}" for problem in failure.problems]
        follows = (reply.key, len(history))
        history += reask(reply, failure)


def _shown(reply: Reply, failure: Failure) -> str:
    """Return a reply as its model is shown it: the middle of a long one is left out."""
    text = reply.text or reply.refusal or ""
    if not text.strip() and reply.tool_calls:
        wishes = ({"tool": call.name, "arguments": call.arguments} for call in reply.tool_calls)
        text = "\n".join(strict_json.dumps(wish) for wish in wishes)
    if not text.strip():
        return "(nothing)"
    head, tail = (_QUOTED * 4, 0) if failure.code == "repetition" else (_HEAD, _TAIL)
    if len(text) <= (head if failure.code == "repetition" else _WHOLE):
        return text
    left_out = len(text) - head - tail
    return f"{text[:head]}\n[{left_out} characters left out]\n{text[len(text) - tail :]}".rstrip()


def _quoted(text: str) -> str:
    text = " ".join(text.split())
    return repr(text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "\u2026")
