"""The door to language models: agents ask, and get what they asked for or a named error."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from graphkit.errors import Problem, SettingsError, did_you_mean
from graphkit.models.asking import Follows, answer, failure_of, raised
from graphkit.models.conversing import Conversation
from graphkit.models.costs import CostRow, Ledger, repriced
from graphkit.models.endpoint import Attempts, Endpoint, RequestRefusedError, address_of
from graphkit.models.exchanges import ExchangeLog, exchange_key
from graphkit.models.messages import Answered, Conversed, Message, Reply, Tool
from graphkit.models.model_settings import Budget, ModelSettings
from graphkit.models.pacing import Gate
from graphkit.models.records import parameters_of, plain_message, stored_reply, usage_of, use_of
from graphkit.models.reply_schema import schema_of
from graphkit.models.sizes import Sizes, counted
from graphkit.models.wire import Form, Wanted, body_of, forms, reply_of

__all__ = ["ModelDoor"]

T = TypeVar("T", bound=BaseModel)

_DEFAULT = "default"
_NEWER_NAME = "max_completion_tokens"
_Kind = tuple[str, str, bool, bool, bool, bool]


class ModelDoor:
    """Asks language models for agents; every exchange goes through the log.

    A reply that is in the log is not asked for again. Use it as an asynchronous context manager,
    or call :meth:`aclose` at the end, from the same event loop.

    Args:
        settings: Settings for all agents, or agent -> settings with ``default`` for the rest.
        log: The log of the run.
        budget: What the run may use.
    """

    def __init__(
        self,
        settings: ModelSettings | Mapping[str, ModelSettings],
        *,
        log: ExchangeLog,
        budget: Budget | None = None,
    ) -> None:
        if isinstance(settings, ModelSettings):
            settings = {_DEFAULT: settings}
        self._settings = dict(settings)
        self._log = log
        self._ledger = Ledger(budget, repriced(log.earlier(), self._settings_or_none))
        self._sizes = Sizes()
        self._endpoints: dict[tuple[str, str], Endpoint] = {}
        self._known: dict[_Kind, Form] = {}
        self._renamed: set[tuple[str, str]] = set()
        variables = {found.api_key_env for found in self._settings.values()}
        log.redactor.learn(os.environ.get(name, "").strip() for name in sorted(variables))

    async def __aenter__(self) -> ModelDoor:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def settings_of(self, agent: str) -> ModelSettings:
        """Return the settings of an agent.

        Raises:
            SettingsError: It has none, and there is no default.
        """
        found = self._settings_or_none(agent)
        if found is None:
            near = did_you_mean(agent, self._settings)
            raise SettingsError(
                Problem(
                    f"no model for it{near}; there are settings for {', '.join(self._settings)}, "
                    f"and none called {_DEFAULT}",
                    code="no_model",
                    subject=f"agent {agent}",
                )
            )
        return found

    def _settings_or_none(self, agent: str) -> ModelSettings | None:
        return self._settings.get(agent) or self._settings.get(_DEFAULT)

    async def complete(self, agent: str, messages: Sequence[Message], *, vote: int = 0) -> Reply:
        """Ask for free text.

        Args:
            agent: Who asks.
            messages: The conversation so far.
            vote: Tells repeated asks apart that should be answered anew.

        Raises:
            ModelReplyError: It refused, said nothing, repeated itself, or was cut off.
            ModelAccessError: It cannot be asked: see :mod:`graphkit.errors`.
            ModelServerError: The server did not answer.
            BudgetError: The budget is used up.
        """
        reply = await self._exchange(agent, messages, Wanted(), vote, None)
        failure = failure_of(reply)
        if failure is not None:
            raise raised(failure, self._subject(agent), 1)
        return reply

    async def ask(
        self,
        agent: str,
        messages: Sequence[Message],
        schema: type[T],
        *,
        vote: int = 0,
        reasks: int = 2,
        validate: Callable[[T], Iterable[str]] | None = None,
    ) -> Answered[T]:
        """Ask for an answer that fits a schema.

        A reply is read as strict JSON, then as JSON with slips, then against the schema and the
        checks. One that cannot be used is shown to the model with what is wrong, and it is asked
        again.

        Args:
            agent: Who asks.
            messages: The conversation so far.
            schema: What the answer should be.
            vote: Tells repeated asks apart that should be answered anew.
            reasks: How often the model is asked again.
            validate: Answer -> what is wrong with it, a sentence each, for the model to read.

        Raises:
            ModelReplyError: No reply could be used; its subclass says what the last one was.
            ModelAccessError: It cannot be asked.
            ModelServerError: The server did not answer.
            BudgetError: The budget is used up.
        """
        return await answer(
            self._exchanger(agent, vote), self._subject(agent), messages, schema, reasks, validate
        )

    async def converse(
        self,
        agent: str,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        schema: type[T],
        *,
        max_calls: int = 40,
        vote: int = 0,
        reasks: int = 2,
        validate: Callable[[T], Iterable[str]] | None = None,
    ) -> Conversed[T]:
        """Ask for an answer that fits a schema, and let the model use tools on the way.

        Tools are native where the server and the model have them, else emulated by schema. Wrong
        names and wrong arguments are shown to the model as the result of its call. After the last
        call it is asked for its answer without tools.

        Args:
            agent: Who asks.
            messages: The conversation so far.
            tools: What the model may use; calls of one reply are run one after the other.
            schema: What the answer should be.
            max_calls: How many calls are run at most.
            vote: Tells repeated conversations apart that should be held anew.
            reasks: How often in all the model is asked again for a reply that can be used.
            validate: Answer -> what is wrong with it, a sentence each, for the model to read.

        Raises:
            ModelReplyError: No reply could be used; its subclass says what the last one was.
            ModelAccessError: It cannot be asked.
            ModelServerError: The server did not answer.
            BudgetError: The budget is used up.
        """
        may_emulate = self.settings_of(agent).tools == "auto"
        conversation = Conversation(
            self._exchanger(agent, vote),
            self._subject(agent),
            tools,
            max_calls,
            may_emulate,
            lambda reply: self._prefer_emulation(agent, reply),
        )
        return await conversation.run(messages, schema, reasks, validate)

    def costs(self) -> tuple[CostRow, ...]:
        """Return what was used, a row for each agent and model, sorted."""
        return self._ledger.rows()

    async def aclose(self) -> None:
        """Close all connections; the log stays open."""
        for endpoint in self._endpoints.values():
            await endpoint.aclose()

    def _subject(self, agent: str) -> str:
        return f"agent {agent}, model {self.settings_of(agent).model}"

    def _exchanger(self, agent: str, vote: int) -> Any:
        async def exchange(
            messages: Sequence[Message], wanted: Wanted, follows: Follows | None
        ) -> Reply:
            return await self._exchange(agent, messages, wanted, vote, follows)

        return exchange

    async def _exchange(
        self,
        agent: str,
        messages: Sequence[Message],
        wanted: Wanted,
        vote: int,
        follows: Follows | None,
    ) -> Reply:
        """Ask once, or take the reply from the log."""
        settings = self.settings_of(agent)
        address = address_of(settings.base_url)
        spoken = [plain_message(message) for message in messages]
        asked = {
            "model": settings.model,
            "endpoint": address_of(settings.logged_url) if settings.logged_url else address,
            "parameters": parameters_of(settings),
            "schema": wanted.schema and [wanted.schema.name, wanted.schema.digest],
            "tools": [[tool.name, schema_of(tool.parameters).digest] for tool in wanted.tools],
            "closing": wanted.closing,
            "emulate": wanted.emulate,
            "vote": vote,
        }
        told = [tool.description for tool in wanted.tools]
        key = exchange_key("model", run=self._log.run, asked=asked, told=told, messages=spoken)
        since = 0
        request: dict[str, Any] = {**asked}
        if asked["endpoint"] != address:
            request["asked_at"] = address
        if follows is not None:
            request["follows"], since = follows
        request["messages"] = spoken[since:]
        made = False

        async def call() -> dict[str, Any]:
            nonlocal made
            made = True
            return await self._call(agent, settings, messages, wanted, vote, key)

        stored = await self._log.once(
            key, "model", request, call, agent=agent, price=lambda reply: use_of(settings, reply)
        )
        if not made:
            self._ledger.cached(agent, settings.model)
            form = Form(stored["structured"], stored["tools"])
            self._known.setdefault(_kind(settings, wanted), form)
        return stored_reply(stored, key, cached=not made)

    async def _call(
        self,
        agent: str,
        settings: ModelSettings,
        messages: Sequence[Message],
        wanted: Wanted,
        vote: int,
        key: str,
    ) -> dict[str, Any]:
        """Ask within the budget; return the reply as it is kept."""
        endpoint = self._endpoint(settings)
        size = sum(len(message.content.encode("utf-8", "replace")) + 16 for message in messages)
        size += sum(len(schema_of(tool.parameters).text) + 64 for tool in wanted.tools)
        expected = self._sizes.expected(agent, settings, size)
        await self._ledger.admit(agent, expected)
        try:
            started = time.monotonic()
            attempts = Attempts(
                expected.tokens,
                lambda why, wait: self._retried(agent, settings.model, key, why, wait),
                self._ledger.seconds_left,
                self._log.redactor.text,
            )
            reply = await self._negotiate(endpoint, settings, messages, wanted, vote, key, attempts)
            sent, received = reply["input_tokens"], reply["output_tokens"]
            source = "server" if sent is not None and received is not None else "estimated"
            if sent is None:
                sent = counted(message.content for message in messages)
            if received is None:
                arguments = (call["arguments"] for call in reply["tool_calls"])
                received = counted((reply["text"], reply["reasoning"], *arguments))
            reply.update(input_tokens=sent, output_tokens=received, source=source)
            self._sizes.learn(agent, settings, size, sent, received)
            endpoint.settle(sent + received - expected.tokens)
            self._ledger.paid(agent, settings, usage_of(reply), time.monotonic() - started)
            return reply
        finally:
            self._ledger.settle(expected)

    async def _negotiate(
        self,
        endpoint: Endpoint,
        settings: ModelSettings,
        messages: Sequence[Message],
        wanted: Wanted,
        vote: int,
        key: str,
        attempts: Attempts,
    ) -> dict[str, Any]:
        """Send a request in the best form that its server takes, and remember that form.

        What goes along as ``Idempotency-Key`` tells the form, and nothing of this session: after a
        kill the same request has the same one.
        """
        kind = _kind(settings, wanted)
        refused: RequestRefusedError | None = None
        for form in forms(settings, wanted, self._known.get(kind)):
            body = body_of(settings, messages, wanted, form, vote)
            try:
                completion = await self._sent(endpoint, body, f"{key}.{form}", settings, attempts)
            except RequestRefusedError as error:
                refused = refused or error
                continue
            self._known[kind] = form
            return {**reply_of(completion), "structured": form.structured, "tools": form.tools}
        assert refused is not None
        raise refused

    async def _sent(
        self,
        endpoint: Endpoint,
        body: dict[str, Any],
        key: str,
        settings: ModelSettings,
        attempts: Attempts,
    ) -> dict[str, Any]:
        """Send a request; a server that wants the limit of tokens under its newer name gets it."""
        place = _place(settings)
        newer = f"{key}.{_NEWER_NAME}" if "max_tokens" in body else key
        if place in self._renamed:
            return await endpoint.send(_with_newer_name(body), newer, settings, attempts)
        try:
            return await endpoint.send(body, key, settings, attempts)
        except RequestRefusedError as error:
            if _NEWER_NAME not in str(error) or "max_tokens" not in body:
                raise
        completion = await endpoint.send(_with_newer_name(body), newer, settings, attempts)
        self._renamed.add(place)
        return completion

    def _endpoint(self, settings: ModelSettings) -> Endpoint:
        """Return the endpoint of settings; all settings that share it share its limits."""
        place = (address_of(settings.base_url), settings.api_key_env)
        if place not in self._endpoints:
            sharing = [
                item
                for item in self._settings.values()
                if (address_of(item.base_url), item.api_key_env) == place
            ]
            concurrency = min(item.concurrency for item in sharing)
            requests = [item.requests_per_minute for item in sharing]
            tokens = [item.tokens_per_minute for item in sharing]
            gate = Gate(concurrency, _least(requests), _least(tokens))
            self._endpoints[place] = Endpoint(settings, gate)
        return self._endpoints[place]

    def _retried(self, agent: str, model: str, key: str, why: str, wait: float) -> None:
        self._ledger.retried(agent, model)
        self._log.note(key, "retried", agent=agent, why=why, wait=round(wait, 3))

    def _prefer_emulation(self, agent: str, reply: Reply) -> None:
        """Offer a model no native tools any more, since it did well with emulated ones only."""
        settings = self.settings_of(agent)
        structured: Any = reply.structured
        for closing in (False, True):
            kind = (*_place(settings), True, True, closing, False)
            self._known[kind] = Form(structured, "emulated")


def _with_newer_name(body: Mapping[str, Any]) -> dict[str, Any]:
    return {_NEWER_NAME if name == "max_tokens" else name: item for name, item in body.items()}


def _place(settings: ModelSettings) -> tuple[str, str]:
    return address_of(settings.base_url), settings.model


def _kind(settings: ModelSettings, wanted: Wanted) -> _Kind:
    """Return what decides on the form of a request: where it goes and what it wants."""
    asked = (wanted.schema is not None, bool(wanted.tools), wanted.closing, wanted.emulate)
    return (*_place(settings), *asked)


def _least(limits: Iterable[float | None]) -> float | None:
    return min((limit for limit in limits if limit is not None), default=None)
