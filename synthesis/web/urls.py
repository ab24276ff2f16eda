"""Reads addresses of pages strictly: one spelling a page, and no spelling that hides a host."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

__all__ = ["Target", "UrlRefused", "canonical_url", "is_ip_address", "join_url", "read_url"]

_PORTS = {"http": 80, "https": 443}
_LONGEST = 4_000
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f-\x9f\\]")
_ESCAPE = re.compile(r"%([0-9a-fA-F]{2})|%")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_NUMBER = re.compile(r"(?:0[xX])[0-9a-fA-F]*|[0-9]+")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")


class UrlRefused(ValueError):
    """An address that is not visited; the message says why."""


@dataclass(frozen=True, slots=True)
class Target:
    """The address of a page, taken apart.

    Attributes:
        scheme: ``http`` or ``https``.
        host: A name in its ASCII spelling and lower case, or an IP address without brackets.
        port: The port.
        path: Path and query, percent-encoded.
    """

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """Host and port as they stand in an address, the usual port left out."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"{self.scheme}://{self.authority}"

    @property
    def url(self) -> str:
        """The address in its canonical spelling."""
        return self.origin + self.path


def read_url(text: str) -> Target:
    """Read the address of a page.

    Args:
        text: An absolute http or https address.

    Raises:
        UrlRefused: It is another scheme, holds a name or password, white space, control characters
            or a backslash, or its host is not one that every reader reads alike: numbers that
            some read as an IP address (``127.1``, ``0x7f.0.0.1``, ``2130706433``) are refused.

    >>> read_url("HTTP://Example.COM:80/a b#c".replace(" ", "%20")).url
    'http://example.com/a%20b'
    >>> read_url("http://2130706433/")
    Traceback (most recent call last):
        ...
    synthesis.web.urls.UrlRefused: the host 2130706433 is a number that some read as an IP address
    """
    text = text.strip(" \t\r\n")
    if len(text) > _LONGEST:
        raise UrlRefused(f"the address has {len(text)} characters, at most {_LONGEST} are read")
    if _FORBIDDEN.search(text):
        raise UrlRefused("the address holds white space, a control character or a backslash")
    try:
        parts = urlsplit(text)
        port = parts.port
        hostname = parts.hostname
    except ValueError as error:
        raise UrlRefused(f"the address cannot be read: {error}") from None
    scheme = parts.scheme.lower()
    if scheme not in _PORTS:
        what = f"the scheme {scheme}" if scheme else "an address without scheme"
        raise UrlRefused(f"{what} is not visited, only http and https")
    if "@" in parts.netloc:
        raise UrlRefused("the address holds a name or a password")
    if not hostname:
        raise UrlRefused("the address has no host")
    path = _encoded(parts.path or "/", "/:@!$&'()*+,;=")
    if not path.startswith("/"):
        raise UrlRefused("the path does not begin with a slash")
    if parts.query:
        path += "?" + _encoded(parts.query, "/:@!$&'()*+,;=?")
    host = _host(hostname, bracketed=parts.netloc.startswith("["))
    return Target(scheme, host, _PORTS[scheme] if port is None else port, path)


def canonical_url(text: str) -> str:
    """Return the one spelling of an address; see :func:`read_url`.

    >>> canonical_url("https://例子.测试/路?q=%7e")
    'https://xn--fsqu00a.xn--0zwm56d/%E8%B7%AF?q=~'
    """
    return read_url(text).url


def join_url(base: Target, reference: str) -> Target:
    """Return where a redirect leads.

    Args:
        base: The page that redirects.
        reference: The value of its ``Location``, absolute or relative.

    Raises:
        UrlRefused: See :func:`read_url`.
    """
    reference = reference.strip(" \t\r\n")
    if _FORBIDDEN.search(reference):
        raise UrlRefused("the redirect holds white space, a control character or a backslash")
    try:
        joined = urljoin(base.url, reference)
    except ValueError as error:
        raise UrlRefused(f"the redirect cannot be read: {error}") from None
    return read_url(joined)


def _encoded(text: str, safe: str) -> str:
    """Return a path or query with one spelling of every escape."""

    def again(match: re.Match[str]) -> str:
        if match[1] is None:
            return "%25"
        sign = chr(int(match[1], 16))
        return sign if sign in _UNRESERVED else f"%{match[1].upper()}"

    try:
        return quote(_ESCAPE.sub(again, text), safe=safe + "%~")
    except UnicodeEncodeError:
        raise UrlRefused("the address holds half of a surrogate pair") from None


def _host(name: str, *, bracketed: bool) -> str:
    if bracketed:
        if "%" in name:
            raise UrlRefused("the host is an address with a zone")
        try:
            return str(ipaddress.IPv6Address(name))
        except ValueError:
            raise UrlRefused(f"the host [{name}] is not an IPv6 address") from None
    if "%" in name:
        raise UrlRefused("the host holds a percent sign")
    try:
        host = name.encode("idna").decode("ascii").lower()
    except UnicodeError:
        raise UrlRefused("the host is not a name that DNS can hold") from None
    host = host.removesuffix(".")
    labels = host.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        try:
            return str(ipaddress.IPv4Address(host))
        except ValueError:
            raise UrlRefused(
                f"the host {host} is a number that some read as an IP address"
            ) from None
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise UrlRefused("the host is not a name that DNS can hold")
    return host


def is_ip_address(host: str) -> bool:
    """Whether a host is an IP address and no name.

    >>> is_ip_address("192.0.2.1"), is_ip_address("2001:db8::1"), is_ip_address("example.org")
    (True, True, False)
    """
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
