"""Which addresses a visit may reach, however they are spelt."""

from __future__ import annotations

import asyncio
import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesis.web.addresses import AddressGuard, HostUnknown, Place, is_public
from synthesis.web.urls import Target, UrlRefused, canonical_url, join_url, read_url

PRIVATE = (
    "10.0.0.0/8",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "100.64.0.0/10",
    "0.0.0.0/8",
    "224.0.0.0/4",
    "240.0.0.0/4",
)

private_v4 = st.sampled_from(PRIVATE).flatmap(lambda network: st.ip_addresses(v=4, network=network))


def guard(*addresses: str, connect_to: dict[str, str] | None = None) -> AddressGuard:
    """A guard whose names all lead to some addresses."""

    async def resolver(host: str, port: int) -> list[str]:
        return list(addresses)

    return AddressGuard(connect_to=connect_to or {}, ports=(80, 443), resolver=resolver)


def places(guarding: AddressGuard, url: str) -> list[Place]:
    return asyncio.run(guarding.places(read_url(url)))


@given(private_v4)
def test_private_addresses_are_never_public_in_any_form_of_ipv6(
    address: ipaddress.IPv4Address,
) -> None:
    """An IPv4 address that is private stays private mapped, compatible, in NAT64 and in 6to4."""
    number = int(address)
    forms = [
        str(address),
        f"::ffff:{address}",
        str(ipaddress.IPv6Address(number)),
        str(ipaddress.IPv6Address((0x64FF9B << 96) | number)),
        str(ipaddress.IPv6Address((0x2002 << 112) | (number << 80))),
    ]
    assert [form for form in forms if is_public(form)] == []


@given(st.ip_addresses(v=4))
def test_what_is_public_is_global_for_python_too(address: ipaddress.IPv4Address) -> None:
    """No address counts as public that Python's table calls private; multicast is left out."""
    if is_public(str(address)):
        assert address.is_global
        assert not address.is_multicast
    elif address.is_global:
        assert (
            address.is_multicast
            or address in ipaddress.IPv4Network("192.88.99.0/24")
            or (str(address) == "168.63.129.16" or address in ipaddress.IPv4Network("192.0.0.0/24"))
        )


@given(st.ip_addresses(v=6))
def test_public_ipv6_is_global_unicast(address: ipaddress.IPv6Address) -> None:
    """No IPv6 address counts as public that Python's table calls private or reserved."""
    holds_v4 = address.ipv4_mapped or address in ipaddress.IPv6Network("64:ff9b::/96")
    if is_public(str(address)) and not holds_v4:
        assert address.is_global
        assert not address.is_multicast
        assert not address.is_reserved


@pytest.mark.parametrize(
    "address",
    ["fe80::1", "fd00:ec2::254", "::1", "::", "ff02::1", "2001:db8::1", "fec0::1", "not one"],
)
def test_local_ipv6_is_not_public(address: str) -> None:
    """Loopback, link-local, unique local, site-local, multicast and documentation are out."""
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "93.184.216.34",
        "2606:2800:220:1:248:1893:25c8:1946",
        "::ffff:93.184.216.34",
        "64:ff9b::5db8:d822",
    ],
)
def test_addresses_of_the_internet_are_public(address: str) -> None:
    """Ordinary addresses pass, and those that stand for them in networks without IPv4."""
    assert is_public(address)


def spellings(address: ipaddress.IPv4Address) -> list[str]:
    """Ways in which one or another reader of addresses takes an IPv4 address."""
    number = int(address)
    a, b, c, d = address.packed
    return [
        str(number),
        hex(number),
        "0" + oct(number)[2:],
        f"{a}.{number & 0xFFFFFF}",
        f"{a}.{b}.{number & 0xFFFF}",
        f"0{oct(a)[2:]}.0{oct(b)[2:]}.0{oct(c)[2:]}.0{oct(d)[2:]}",
        f"0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}",
        f"{a}.{b}.{c}.{d}.",
        "".join(chr(0xFF10 + int(s)) if s.isdigit() else "。" for s in str(address)),
        f"[::ffff:{address}]",
        f"[::ffff:{a << 8 | b:x}:{c << 8 | d:x}]",
        f"%{ord(str(a)[0]):x}{str(address)[1:]}",
    ]


@given(private_v4, st.integers(0, 11), st.sampled_from(["http", "HTTPS"]))
def test_no_spelling_of_a_private_address_is_visited(
    address: ipaddress.IPv4Address, way: int, scheme: str
) -> None:
    """Decimal, octal, hexadecimal, short, wide and mapped spellings are all refused."""
    spelt = spellings(address)[way]
    with pytest.raises(UrlRefused):
        places(guard("93.184.216.34"), f"{scheme}://{spelt}/latest/meta-data")


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://a.example/x",
        "gopher://a.example/",
        "javascript:alert(1)",
        "//a.example/",
        "a.example",
        "http://user:secret@a.example/",
        "http://a.example@10.0.0.1/",
        "http://@a.example/",
        "http://a.example\\@10.0.0.1/",
        "http://a.exam ple/",
        "http://a.example/\r\nHost: b.example",
        "http://a.example/\x00",
        "http://[fe80::1%25eth0]/",
        "http://[::1/",
        "http://a..b/",
        "http://-a.example/",
        "http://a.example:99999/",
        "http://" + "a" * 64 + ".example/",
        "http:///path",
        "",
        "http://a.example/" + "x" * 5_000,
    ],
)
def test_addresses_that_hide_something_are_refused(url: str) -> None:
    """Other schemes, credentials, control characters, backslashes and broken hosts are refused."""
    with pytest.raises(UrlRefused):
        read_url(url)


@pytest.mark.parametrize(
    "host", ["localhost", "db", "printer.local", "metadata.google.internal", "a.localhost"]
)
def test_names_of_local_networks_are_refused(host: str) -> None:
    """Such names are refused whatever they resolve to."""
    with pytest.raises(UrlRefused, match="local network"):
        places(guard("93.184.216.34"), f"http://{host}/")


def test_a_name_with_one_private_address_is_refused() -> None:
    """One private address among public ones is enough."""
    with pytest.raises(UrlRefused, match=r"leads to 10\.0\.0\.7"):
        places(guard("93.184.216.34", "10.0.0.7"), "http://a.example/")


def test_what_is_checked_is_what_is_given_back() -> None:
    """The places of a page are the very addresses that were checked."""
    assert places(guard("93.184.216.34", "1.1.1.1"), "https://a.example/") == [
        Place("93.184.216.34", 443),
        Place("1.1.1.1", 443),
    ]
    assert places(guard(), "http://93.184.216.34/") == [Place("93.184.216.34", 80)]


def test_a_name_without_address_is_unknown() -> None:
    """No address is told from a refusal."""
    with pytest.raises(HostUnknown):
        places(guard(), "http://a.example/")


def test_only_named_hosts_may_be_private() -> None:
    """An entry of connect_to opens its own host and nothing else, not even its address."""
    opened = guard("127.0.0.1", connect_to={"a.example": "127.0.0.1:8123"})
    assert places(opened, "http://A.example/x") == [Place("127.0.0.1", 8123)]
    for url in ("http://b.example/", "http://sub.a.example/", "http://127.0.0.1:8123/"):
        with pytest.raises(UrlRefused):
            places(opened, url)


def test_ports_are_limited() -> None:
    """A port that is not allowed is refused, before any name is looked up."""
    with pytest.raises(UrlRefused, match="port 6379"):
        places(guard("93.184.216.34"), "http://a.example:6379/")


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(texts, texts)
def test_a_canonical_address_is_its_own_canonical_form(path: str, query: str) -> None:
    """Reading an address twice changes nothing more."""
    try:
        once = canonical_url(f"http://Example.com/{path}?{query}")
    except UrlRefused:
        return
    assert canonical_url(once) == once
    assert once.isascii()
    assert "#" not in once


@given(st.text(max_size=40))
def test_whatever_a_redirect_says_is_read_or_refused(location: str) -> None:
    """No Location makes anything but a target or a refusal."""
    base = Target("http", "a.example", 80, "/x/y")
    try:
        found = join_url(base, location)
    except UrlRefused:
        return
    assert found.scheme in ("http", "https")
    assert read_url(found.url) == found


def test_one_host_has_one_spelling() -> None:
    """Case, the final dot, the usual port and national characters do not make another page."""
    for spelt in (
        "http://Bücher.EXAMPLE.:80/",
        "http://xn--bcher-kva.example",
        "HTTP://bÜcher.example/#x",
    ):
        assert canonical_url(spelt) == "http://xn--bcher-kva.example/"
    assert canonical_url("http://a.example:443/") == "http://a.example:443/"


def test_relative_redirects_are_joined() -> None:
    """Relative references and other hosts lead where a browser would go."""
    base = Target("https", "a.example", 443, "/x/y?q=1")
    assert join_url(base, "../z").url == "https://a.example/z"
    assert join_url(base, "//b.example/z").url == "https://b.example/z"
    assert join_url(base, "?q=2").url == "https://a.example/x/y?q=2"
