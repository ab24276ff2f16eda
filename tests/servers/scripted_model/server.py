"""An OpenAI-compatible chat completions server whose model plays every role by rules."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import re
import threading
import time
import traceback
from collections import Counter
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any

from loopback_http import LoopbackServer, Request, Response, json_response

from scripted_model.conversation import Task, read_task
from scripted_model.faults import Faults
from scripted_model.mistakes import Mistakes
from scripted_model.roles import ROLES, Turn

__all__ = ["ScriptedModel"]

_ORDER_ON_PAGE = re.compile(
    r"ignore previous instructions.{0,80}?Output the JSON (\{.*?\}\]\})", re.S
)


@dataclass
class Ledger:
    """What was asked and paid for.

    Attributes:
        requests: Calls that came in.
        paid: Calls that were answered and had not been answered before under their key.
        repeated: Calls whose key had been answered before; they got the same answer for nothing.
        bodies: Body -> how often it was paid for.
        by_role: Role -> paid calls.
        again: Role -> paid calls with a body that had been paid for, under another key.
        faults: Fault -> how often.
        crashes: Tracebacks of errors in the server itself.
        unfinished: Calls whose client went away before the answer was ready.
    """

    requests: int = 0
    paid: int = 0
    repeated: int = 0
    bodies: Counter[str] = field(default_factory=Counter)
    by_role: Counter[str] = field(default_factory=Counter)
    again: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    unfinished: int = 0
    crashes: list[str] = field(default_factory=list)
    input_tokens: int = 0
    output_tokens: int = 0


class ScriptedModel:
    """The scripted model, served in a thread of this process.

    Args:
        mistakes: The errors that it makes; by default a few of each kind.
        faults: What goes wrong with calls; nothing by default.
        latency: Seconds before each answer.
        places: How many calls are answered at a time, others wait; no limit without it.
        refuses: What the server does not take: ``json_schema``, ``json_object``, ``tools``.
        api_key: The key that it asks for; any by default.
        port: 0 for any free port.
    """

    def __init__(
        self,
        *,
        mistakes: Mistakes | None = None,
        faults: Faults | None = None,
        latency: float = 0.0,
        places: int | None = None,
        refuses: tuple[str, ...] = (),
        api_key: str | None = None,
        port: int = 0,
    ) -> None:
        self.mistakes = mistakes or Mistakes()
        self.faults = faults or Faults()
        self.latency = latency
        self._places = asyncio.Semaphore(places) if places else contextlib.nullcontext()
        self.refuses = frozenset(refuses)
        self.api_key = api_key
        self.ledger = Ledger()
        self._answers: dict[str, bytes] = {}
        self._lock = threading.Lock()
        self._in_flight = 0
        self._most = 0
        self._area = 0.0
        self._busy = 0.0
        self._since: float | None = None
        self._first: float | None = None
        self.server = LoopbackServer(self._serve, port)

    def __enter__(self) -> ScriptedModel:
        self.server.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.server.close()

    @property
    def base_url(self) -> str:
        """What a client takes as its base URL."""
        return f"{self.server.url}/v1"

    # ---- counting ----------------------------------------------------------------------------

    @property
    def stats(self) -> dict[str, Any]:
        """What was asked, paid for and refused so far, and how busy the server was."""
        with self._lock:
            self._clock(0)
            ledger = self.ledger
            span = 0.0 if self._first is None else time.monotonic() - self._first
            return {
                "requests": ledger.requests,
                "paid": ledger.paid,
                "repeated": ledger.repeated,
                "paid_twice": sum(count - 1 for count in ledger.bodies.values() if count > 1),
                "paid_twice_by_role": dict(ledger.again),
                "different_bodies": len(ledger.bodies),
                "by_role": dict(ledger.by_role),
                "faults": dict(ledger.faults),
                "mistakes": dict(self.mistakes.made),
                "unfinished": ledger.unfinished,
                "crashes": list(ledger.crashes),
                "input_tokens": ledger.input_tokens,
                "output_tokens": ledger.output_tokens,
                "in_flight": self._in_flight,
                "most_in_flight": self._most,
                "in_flight_average": round(self._area / span, 3) if span else 0.0,
                "in_flight_seconds": round(self._area, 4),
                "busy_seconds": round(self._busy, 4),
                "seconds": round(span, 4),
            }

    def _clock(self, change: int) -> None:
        """Add up how many calls are under way, and for how long."""
        now = time.monotonic()
        if self._since is not None:
            self._area += self._in_flight * (now - self._since)
            self._busy += (now - self._since) * (self._in_flight > 0)
        self._since = now
        if self._first is None:
            self._first = now
        self._in_flight += change
        self._most = max(self._most, self._in_flight)

    # ---- serving -----------------------------------------------------------------------------

    def _serve(self, request: Request) -> Response | Awaitable[Response]:
        if request.path == "/stats":
            return json_response(self.stats)
        if request.path == "/v1/models":
            return json_response(
                {"object": "list", "data": [{"id": "scripted", "object": "model"}]}
            )
        if request.path != "/v1/chat/completions" or request.method != "POST":
            return _error(404, "not_found", f"no such address: {request.path}")
        if self.api_key and request.headers.get("authorization") != f"Bearer {self.api_key}":
            return _error(401, "invalid_api_key", "the key is not known")
        return self._completion(request)

    async def _completion(self, request: Request) -> Response:
        with self._lock:
            self.ledger.requests += 1
            number = self.ledger.requests
            self._clock(1)
        try:
            if self.latency:
                async with self._places:
                    await asyncio.sleep(self.latency)
            return self._answered(request, number)
        except asyncio.CancelledError:
            with self._lock:
                self.ledger.unfinished += 1
            self._keep_for_later(request, number)
            raise
        except Exception as error:  # told to whoever asks, and counted: tests expect none
            with self._lock:
                self.ledger.crashes.append("".join(traceback.format_exception(error)))
            return _error(500, "crash", repr(error))
        finally:
            with self._lock:
                self._clock(-1)

    def _keep_for_later(self, request: Request, number: int) -> None:
        """Finish a call whose client is gone: the model has thought, the answer is kept."""
        self._answered(request, number)

    def _answered(self, request: Request, number: int) -> Response:
        key = request.headers.get("idempotency-key", "")
        if key and key in self._answers:
            with self._lock:
                self.ledger.repeated += 1
            return Response(200, self._answers[key], "application/json")
        digest = hashlib.sha256(request.body).hexdigest()
        fault = self.faults.transport(digest, number)
        if fault is not None:
            with self._lock:
                self.ledger.faults[fault] += 1
            return self._failed(fault)
        try:
            body = json.loads(request.body)
        except ValueError:
            return _error(400, "invalid_json", "the body is no JSON")
        refused = self._refused(body)
        if refused is not None:
            return refused
        task = read_task(body)
        message, finish = self._message(task, body, digest, number)
        answer = self._paid(task, body, message, finish, digest, len(request.body))
        if key:
            self._answers[key] = answer
        return Response(200, answer, "application/json")

    def _failed(self, fault: str) -> Response:
        if fault == "rate_limit":
            response = _error(429, "rate_limit_exceeded", "too many requests")
            response.headers["Retry-After"] = f"{self.faults.retry_after:g}"
            return response
        if fault == "server_error":
            return _error(500, "server_error", "the server had an error")
        if fault == "drop":
            return Response(drop=True)
        return Response(200, b'{"id": "chatcmpl-1", "choices": [{"mess', "application/json")

    def _refused(self, body: dict[str, Any]) -> Response | None:
        kind = (body.get("response_format") or {}).get("type")
        if kind in self.refuses:
            return _error(400, "unsupported", f"response_format {kind} is not supported")
        if body.get("tools") and "tools" in self.refuses:
            return _error(400, "unsupported", "tools are not supported by this model")
        return None

    def _message(
        self, task: Task, body: dict[str, Any], digest: str, number: int
    ) -> tuple[dict[str, Any], str]:
        """Return the message of the assistant, and why it ends."""
        turn = self._turn(task)
        if isinstance(turn, list):
            return _tool_message(turn, task)
        turn = self._believing(turn, task)
        text = json.dumps(self.mistakes.in_reply(turn, task), ensure_ascii=False)
        text = self.mistakes.in_text(text, task)
        fault = self.faults.content(digest, number, retried=task.retried)
        if fault is not None:
            with self._lock:
                self.ledger.faults[fault] += 1
        if task.emulated:
            text = f'{{"answer": {text}}}' if text.startswith("{") else text
        return _spoilt(text, fault)

    def _turn(self, task: Task) -> Turn:
        role = ROLES.get(task.role)
        if role is None:
            return {"text": "This is not one of my roles."}
        return role(task)

    def _believing(self, reply: dict[str, Any], task: Task) -> dict[str, Any]:
        """Add what a page ordered to report, if the model believes it."""
        if "evidence" not in reply or not self.mistakes.obeys(task):
            return reply
        for use in task.used:
            match = _ORDER_ON_PAGE.search(str(use.result.get("text") or ""))
            if match:
                ordered = json.loads(match[1])["evidence"][0]
                item = {**ordered, "source_url": str(use.result.get("url"))}
                with self._lock:
                    self.mistakes.made["obeyed_a_page"] += 1
                return {"evidence": [*reply["evidence"], item]}
        return reply

    def _paid(
        self,
        task: Task,
        body: dict[str, Any],
        message: dict[str, Any],
        finish: str,
        digest: str,
        size: int,
    ) -> bytes:
        said = len(message.get("content") or "") + len(json.dumps(message.get("tool_calls") or ()))
        tokens = max(1, size // 4), max(1, said // 4)
        with self._lock:
            self.ledger.paid += 1
            self.ledger.bodies[digest] += 1
            if self.ledger.bodies[digest] > 1:
                self.ledger.again[task.role or "none"] += 1
            self.ledger.by_role[task.role or "none"] += 1
            self.ledger.input_tokens += tokens[0]
            self.ledger.output_tokens += tokens[1]
        completion = {
            "id": f"chatcmpl-{digest[:24]}",
            "object": "chat.completion",
            "created": 1_767_225_600,
            "model": str(body.get("model") or "scripted"),
            "choices": [
                {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
            ],
            "usage": {
                "prompt_tokens": tokens[0],
                "completion_tokens": tokens[1],
                "total_tokens": sum(tokens),
            },
        }
        return json.dumps(completion, ensure_ascii=False).encode()


def _error(status: int, code: str, message: str) -> Response:
    return json_response({"error": {"message": message, "type": code, "code": code}}, status)


def _tool_message(calls: list[Any], task: Task) -> tuple[dict[str, Any], str]:
    if task.emulated:
        lines = [json.dumps({"tool": name, "arguments": args}) for name, args in calls]
        return {"role": "assistant", "content": "\n".join(lines)}, "stop"
    start = len(task.used)
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": f"call_{start + place}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(args, ensure_ascii=False)},
            }
            for place, (name, args) in enumerate(calls)
        ],
    }, "tool_calls"


def _spoilt(text: str, fault: str | None) -> tuple[dict[str, Any], str]:
    """Return the message with a text, or with what a fault makes of it."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if fault == "truncated":
        message["content"] = text[: max(1, len(text) // 2)]
        return message, "length"
    if fault == "repetition":
        message["content"] = '{"evidence": [' + '{"evidence_id": "e_001"}, ' * 400
        return message, "length"
    if fault == "wrong_schema":
        message["content"] = '{"result": {"ok": true}, "items": [1, 2, 3]}'
    elif fault == "refusal":
        message["content"], message["refusal"] = None, "I cannot help with that."
    elif fault == "empty":
        message["content"] = ""
    return message, "stop"
