"""Root domains, by the list of public suffixes that comes with tldextract, without a network."""

from __future__ import annotations

import functools

import tldextract

from synthesis.web.urls import UrlRefused, is_ip_address, read_url

__all__ = ["root_domain"]


@functools.cache
def _extractor() -> tldextract.TLDExtract:
    return tldextract.TLDExtract(
        suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True
    )


def root_domain(url: str) -> str:
    """Return the registered domain of an address: what one owner answers for.

    Suffixes under which everybody can have a name, ``github.io`` among them, are not owners. A
    host under no known suffix counts by its last two labels, an IP address as itself.

    Args:
        url: An http or https address, or a host.

    >>> root_domain("https://news.bbc.co.uk/x"), root_domain("http://a.b.example/")
    ('bbc.co.uk', 'b.example')
    >>> root_domain("https://alice.github.io/"), root_domain("http://93.184.216.34/")
    ('alice.github.io', '93.184.216.34')
    """
    try:
        host = read_url(url if "://" in url else f"http://{url}").host
    except UrlRefused:
        return ""
    if is_ip_address(host):
        return host
    found = _extractor()(host)
    known = found.top_domain_under_public_suffix
    return known or ".".join(host.split(".")[-2:])
