"""One GET to one checked address, with every limit that a hostile server calls for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import httpx2

from synthesis.web.addresses import AddressGuard, HostUnknown, Place
from synthesis.web.bodies import BodyBroken, BodyTooLarge, Unpacker
from synthesis.web.settings import WebSettings
from synthesis.web.urls import Target

__all__ = ["Answer", "FetchFailed", "Fetcher", "Wanted"]

_ACCEPT = "text/html,application/xhtml+xml,text/plain;q=0.9,application/json;q=0.7,*/*;q=0.1"
_ADDRESSES_TRIED = 3

Wanted = Callable[[int, Mapping[str, str]], bool]
"""Given the status and the headers of an answer, says whether its body is read."""


class FetchFailed(Exception):
    """No whole answer came.

    Attributes:
        kind: ``timeout``, ``too_large`` or ``failed``.
        passing: Whether another try may succeed.
    """

    def __init__(self, kind: str, reason: str, *, passing: bool) -> None:
        super().__init__(reason)
        self.kind = kind
        self.passing = passing


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered.

    Attributes:
        status: The status.
        headers: The headers, names in lower case.
        body: The body, unpacked; empty where it was not wanted.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


class Fetcher:
    """Fetches single pages without following anything, keeping cookies or using proxies.

    Args:
        settings: The limits.
        guard: Says where a page may be fetched.
    """

    def __init__(self, settings: WebSettings, guard: AddressGuard) -> None:
        self._settings = settings
        self._guard = guard
        self._timeouts = {
            "connect": settings.connect_timeout,
            "read": settings.read_timeout,
            "write": settings.read_timeout,
            "pool": settings.timeout,
        }
        # A connection to an address is never used for a second name: no connection is kept.
        self._transport = httpx2.AsyncHTTPTransport(
            trust_env=True,  # certificates of one's own in SSL_CERT_FILE; it knows no proxies
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=0),
        )
        self.requests = 0

    async def aclose(self) -> None:
        """Close all connections."""
        await self._transport.aclose()

    async def get(
        self,
        target: Target,
        *,
        max_bytes: int,
        wanted: Wanted = lambda status, headers: True,
        cut: bool = False,
    ) -> Answer:
        """Fetch one address.

        Args:
            target: The address.
            max_bytes: Where reading stops.
            wanted: Given status and headers, says whether the body is read at all.
            cut: Whether a longer body is cut off there instead of being an error.

        Raises:
            UrlRefused: It may not be fetched.
            FetchFailed: No whole answer came in time.
        """
        try:
            async with asyncio.timeout(self._settings.connect_timeout):
                places = await self._guard.places(target)
        except HostUnknown as error:
            raise FetchFailed("failed", str(error), passing=False) from None
        except TimeoutError:
            raise FetchFailed(
                "timeout", f"the name {target.host} was not resolved in time", passing=True
            ) from None
        seconds = self._settings.timeout
        try:
            async with asyncio.timeout(seconds):
                return await self._first(target, places, max_bytes, wanted, cut)
        except TimeoutError:
            raise FetchFailed(
                "timeout", f"not all of the page came within {seconds:g} seconds", passing=True
            ) from None
        except BodyTooLarge:
            raise FetchFailed(
                "too_large", f"longer than {max_bytes:,} bytes", passing=False
            ) from None
        except BodyBroken as error:
            raise FetchFailed("failed", str(error), passing=False) from None
        except httpx2.TimeoutException as error:
            what = "connection" if isinstance(error, httpx2.ConnectTimeout) else "answer"
            raise FetchFailed("timeout", f"no {what} in time", passing=True) from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            reason = f"{type(error).__name__}: {error}".removesuffix(": ")
            raise FetchFailed("failed", reason, passing=True) from None

    async def _first(
        self,
        target: Target,
        places: list[Place],
        max_bytes: int,
        wanted: Wanted,
        cut: bool,
    ) -> Answer:
        """Ask the first of some places that can be connected to."""
        places = places[:_ADDRESSES_TRIED]
        for place in places[:-1]:
            try:
                return await self._ask(target, place, max_bytes, wanted, cut)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                continue
        return await self._ask(target, places[-1], max_bytes, wanted, cut)

    async def _ask(
        self,
        target: Target,
        place: Place,
        max_bytes: int,
        wanted: Wanted,
        cut: bool,
    ) -> Answer:
        self.requests += 1
        address = f"[{place.address}]" if ":" in place.address else place.address
        request = httpx2.Request(
            "GET",
            f"{target.scheme}://{address}:{place.port}{target.path}",
            headers={
                "Host": target.authority,
                "User-Agent": self._settings.user_agent,
                "Accept": _ACCEPT,
                "Accept-Encoding": "gzip, deflate",
                "Connection": "close",
            },
            extensions={"timeout": self._timeouts, "sni_hostname": target.host},
        )
        response = await self._transport.handle_async_request(request)
        try:
            headers = {name.lower(): value for name, value in response.headers.items()}
            body = b""
            if wanted(response.status_code, headers):
                body = await self._body(response, headers, max_bytes, cut)
            return Answer(response.status_code, headers, body)
        finally:
            await response.aclose()

    async def _body(
        self, response: httpx2.Response, headers: Mapping[str, str], max_bytes: int, cut: bool
    ) -> bytes:
        unpacker = Unpacker(headers.get("content-encoding", ""), max_bytes)
        length = headers.get("content-length", "")
        if not cut and length.isascii() and length.isdigit() and int(length[:20]) > max_bytes:
            raise BodyTooLarge
        try:
            async for data in response.aiter_raw():
                unpacker.feed(data)
        except BodyTooLarge:
            if not cut:
                raise
            return unpacker.so_far()
        return unpacker.body()
