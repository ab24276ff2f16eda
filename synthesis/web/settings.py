"""What the web tools may do: which provider answers searches, and the limits of every visit."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, model_validator

from graphkit.models.model_settings import without_secrets

__all__ = ["KEY_VARIABLES", "Provider", "WebSettings"]

Provider = Literal["serper", "tavily", "brave", "searxng", "local"]
"""The search providers."""

KEY_VARIABLES: Mapping[str, str] = {
    "serper": "SERPER_API_KEY",
    "tavily": "TAVILY_API_KEY",
    "brave": "BRAVE_API_KEY",
}
"""The environment variable that holds the key of each provider that wants one."""


class WebSettings(BaseModel):
    """Settings of :class:`synthesis.web.WebTools`; times in seconds, sizes in bytes.

    Attributes:
        provider: Who answers searches; ``local`` is an index on disk.
        api_key_env: The environment variable with the provider's key, if not the usual one of
            :data:`KEY_VARIABLES`. The key itself is never a setting and never written down.
        base_url: Where the provider is asked instead of its public address; needed for SearXNG.
            Without name, password and query: settings are written down.
        index_path: The index of provider ``local``, see :class:`synthesis.web.LocalIndex`.
        offline: Pages come from the local index only, and nothing is fetched.
        results: The most results of a search.
        search_delay: The least time between two searches; 1 for Brave's free plan.
        search_concurrency: How many searches wait for the provider at once.
        user_agent: What the visits call themselves; its first word is the name that robots.txt
            files know them by. Put a way to reach you into it.
        timeout: The longest that one request may take from its connection to its last byte.
        connect_timeout: The longest wait for a name and a connection.
        read_timeout: The longest wait between two pieces of an answer.
        max_bytes: The longest page, before and after it is unpacked; reading stops there.
        max_redirects: The most redirects that are followed.
        retries: How often a passing failure (429, 500, 502, 503, 504, a dropped connection, a time
            limit; of a search any that left it without an answer) is tried again.
        retry_wait: The wait before the first retry, doubled for each further one, where the server
            does not name a time.
        max_retry_after: The longest time that a server may ask us to wait; beyond it the visit
            ends.
        concurrency: How many pages are fetched at once, over all hosts.
        per_host_concurrency: How many of them from one host.
        per_host_delay: The least time between two requests to one host; a longer Crawl-delay of
            its robots.txt counts instead.
        max_crawl_delay: The longest Crawl-delay that is waited for; hosts that ask for more are
            not visited.
        robots: Whether robots.txt is obeyed.
        ports: The ports that may be visited.
        connect_to: Hosts that are reached at a fixed address, as ``{"a.example":
            "127.0.0.1:8123"}``. They alone may be private.
        passages: How many characters of a page a model is shown.

    >>> WebSettings(provider="searxng", base_url="http://127.0.0.1:8888").results
    10
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    provider: Provider = "serper"
    api_key_env: str | None = None
    base_url: str | None = None
    index_path: Path | None = None
    offline: bool = False
    results: int = Field(default=10, ge=1, le=100)
    search_delay: float = Field(default=0.0, ge=0)
    search_concurrency: int = Field(default=8, ge=1)
    user_agent: str = Field(default="graphkit/0.1", min_length=1, pattern=r"^[\x20-\x7e]+$")
    timeout: float = Field(default=30.0, gt=0)
    connect_timeout: float = Field(default=10.0, gt=0)
    read_timeout: float = Field(default=15.0, gt=0)
    max_bytes: int = Field(default=5_000_000, ge=1)
    max_redirects: int = Field(default=5, ge=0)
    retries: int = Field(default=2, ge=0)
    retry_wait: float = Field(default=1.0, ge=0)
    max_retry_after: float = Field(default=60.0, ge=0)
    concurrency: int = Field(default=16, ge=1)
    per_host_concurrency: int = Field(default=1, ge=1)
    per_host_delay: float = Field(default=1.0, ge=0)
    max_crawl_delay: float = Field(default=30.0, ge=0)
    robots: bool = True
    ports: tuple[int, ...] = (80, 443, 8080, 8443)
    connect_to: Mapping[str, str] = Field(default_factory=dict)
    passages: int = Field(default=8_000, ge=100)

    @model_validator(mode="after")
    def _consistent(self) -> WebSettings:
        if self.provider == "searxng" and not self.base_url:
            raise ValueError("provider searxng needs base_url, the address of the instance")
        if (self.provider == "local" or self.offline) and self.index_path is None:
            raise ValueError("provider local and offline need index_path, the index on disk")
        if self.base_url is not None:
            try:
                without_secrets(self.base_url)
            except ValueError as error:
                raise ValueError(f"base_url: {error}") from None
            parts = urlsplit(self.base_url)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise ValueError("base_url is not an http or https address")
        for host, place in self.connect_to.items():
            fixed_address(host, place)
        return self

    @property
    def key_variable(self) -> str | None:
        """The environment variable that holds the provider's key, if it wants one."""
        return self.api_key_env or KEY_VARIABLES.get(self.provider)

    @property
    def product(self) -> str:
        """The name that robots.txt files know the visits by.

        >>> WebSettings(user_agent="Factfinder/2.0 (+https://a.example)").product
        'Factfinder'
        """
        return self.user_agent.split("/")[0].split()[0]


def fixed_address(host: str, place: str) -> tuple[str, int]:
    """Return the address and port of an entry of ``connect_to``.

    Args:
        host: The host that is reached there, for errors.
        place: ``127.0.0.1:8123`` or ``[::1]:8123``.

    Raises:
        ValueError: It is not an address with a port.

    >>> fixed_address("a.example", "[::1]:80")
    ('::1', 80)
    """
    address, _, port = place.rpartition(":")
    address = address.removeprefix("[").removesuffix("]")
    try:
        ipaddress.ip_address(address)
        number = int(port)
        if not 0 < number < 65536:
            raise ValueError(port)
    except ValueError:
        raise ValueError(
            f"connect_to: {host} leads to {place!r}, expected an address with a port, for "
            "instance 127.0.0.1:8123"
        ) from None
    return address, number
