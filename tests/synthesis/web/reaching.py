"""Web tools that reach a server of faults, in a loop of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from web_faults import WebFaults

from graphkit.models.exchanges import ExchangeLog
from synthesis.web import Page, WebSettings, WebTools

Result = TypeVar("Result")


async def no_names(host: str, port: int) -> list[str]:
    """A resolver that knows no name."""
    return []


def settings_for(site: WebFaults, **given: Any) -> WebSettings:
    """Settings without waits that lead all hosts of a server to it."""
    quick: dict[str, Any] = {
        "provider": "searxng",
        "base_url": f"http://{site.address}",
        "per_host_delay": 0.0,
        "retry_wait": 0.01,
        "timeout": 5.0,
        "connect_to": site.connect_to(),
    }
    return WebSettings(**{**quick, **given})


def using(
    site: WebFaults,
    work: Callable[[WebTools], Awaitable[Result]],
    *,
    log: ExchangeLog | None = None,
    snapshots: Path | None = None,
    resolver: Any = no_names,
    **given: Any,
) -> Result:
    """Run some work with web tools that reach a server, in a loop of its own."""

    async def run() -> Result:
        kept = log if log is not None else ExchangeLog.open(None, run="test")
        try:
            settings = settings_for(site, **given)
            async with WebTools(
                settings, log=kept, snapshots=snapshots, resolver=resolver
            ) as tools:
                return await work(tools)
        finally:
            if log is None:
                kept.close()

    return asyncio.run(run())


def visited(site: WebFaults, url: str, **given: Any) -> Page:
    """Visit one page."""
    return using(site, lambda tools: tools.visit(url), **given)
