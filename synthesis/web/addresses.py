"""Keeps visits out of private networks: names are resolved once, checked, and pinned."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from synthesis.web.settings import fixed_address
from synthesis.web.urls import Target, UrlRefused, is_ip_address

__all__ = ["AddressGuard", "HostUnknown", "Place", "Resolver", "is_public", "resolve"]

Resolver = Callable[[str, int], Awaitable[list[str]]]
"""Gives the IP addresses of a host and a port."""

_NEVER_V4 = tuple(
    ipaddress.IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this host
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared by carriers, and the metadata of one cloud
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # the inner address of one cloud
        "169.254.0.0/16",  # link-local, and the metadata of most clouds
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
_GLOBAL_V6 = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_NEVER_V6 = tuple(
    ipaddress.IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments, Teredo among them
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, which holds an IPv4 address
        "3fff::/20",  # documentation
    )
)
_LOCAL_NAMES = ("localhost", "local", "internal", "home.arpa", "localdomain", "lan", "intranet")


class HostUnknown(Exception):
    """A name has no address, or could not be looked up."""


@dataclass(frozen=True, slots=True)
class Place:
    """An address and a port that may be connected to."""

    address: str
    port: int


def is_public(address: str) -> bool:
    """Say whether an IP address belongs to the public internet.

    IPv6 addresses that hold an IPv4 address count as that one (mapped, NAT64) or as private
    (compatible, 6to4, Teredo).

    Args:
        address: An IPv4 or IPv6 address, without brackets or zone.

    >>> is_public("93.184.216.34"), is_public("::ffff:10.0.0.1"), is_public("100.64.0.1")
    (True, False, False)
    """
    try:
        number = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(number, ipaddress.IPv6Address):
        held = number.ipv4_mapped
        if held is None and number in _NAT64:
            held = ipaddress.IPv4Address(int(number) & 0xFFFFFFFF)
        if held is None:
            inside = number in _GLOBAL_V6
            return inside and not any(number in network for network in _NEVER_V6)
        number = held
    return not any(number in network for network in _NEVER_V4)


async def resolve(host: str, port: int) -> list[str]:
    """Return the IP addresses of a name, in the order in which to try them.

    Raises:
        HostUnknown: It has none.
    """
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise HostUnknown(f"the host {host} has no address: {error.strerror}") from None
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class AddressGuard:
    """Says where a page may be fetched: at which addresses, every one of them checked.

    The connection is made to the address that was checked, never to the name again; a name that
    changes its address in between gains nothing by it.

    Args:
        connect_to: Hosts with a fixed address, which alone may be private.
        ports: The ports that may be visited.
        resolver: Looks up names.
    """

    def __init__(
        self,
        *,
        connect_to: Mapping[str, str],
        ports: tuple[int, ...],
        resolver: Resolver = resolve,
    ) -> None:
        self._fixed = {
            host.lower(): Place(*fixed_address(host, place)) for host, place in connect_to.items()
        }
        self._ports = frozenset(ports)
        self._resolver = resolver

    async def places(self, target: Target) -> list[Place]:
        """Return where a page may be fetched, at least one place.

        Raises:
            UrlRefused: The port is not allowed, or the host is private, even by one of its
                addresses.
            HostUnknown: The host has no address.
        """
        fixed = self._fixed.get(target.authority) or self._fixed.get(target.host)
        if fixed is not None:
            return [fixed]
        if target.port not in self._ports:
            raise UrlRefused(f"port {target.port} is not visited")
        host = target.host
        if is_ip_address(host):
            addresses = [host]
        else:
            if "." not in host or host.endswith(tuple(f".{name}" for name in _LOCAL_NAMES)):
                raise UrlRefused(f"the host {host} is a name of a local network")
            addresses = await self._resolver(host, target.port)
        if not addresses:
            raise HostUnknown(f"the host {host} has no address")
        for address in addresses:
            if not is_public(address):
                raise UrlRefused(f"the host {host} leads to {address}, which is not public")
        return [Place(address, target.port) for address in addresses]
