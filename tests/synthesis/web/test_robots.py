"""robots.txt is obeyed as RFC 9309 says."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego
from web_faults import WebFaults, answer, drip, drop, in_turn, redirect

from synthesis.web import Page, WebTools
from synthesis.web.robots import Rules
from synthesis.web.urls import read_url
from tests.synthesis.web.reaching import using, visited

HELLO = "<title>Hello</title><p>Words."
SEGMENT = st.text(st.sampled_from("abcxyz-_~"), min_size=1, max_size=5)


def rules(text: str) -> Rules:
    return Rules(Protego.parse(text))


@given(SEGMENT, SEGMENT, st.sampled_from(["graphkit", "GRAPHKIT", "*"]))
def test_what_is_disallowed_is_refused_and_nothing_else(
    secret: str, other: str, agent: str
) -> None:
    """A disallowed prefix covers all below it, for us and for everybody; the rest is allowed."""
    parsed = rules(f"User-agent: {agent}\nDisallow: /{secret}/")
    inside = read_url(f"http://a.example/{secret}/{other}")
    assert parsed.refusal(inside, "graphkit")
    assert not parsed.refusal(read_url(f"http://a.example/{other}-/"), "graphkit")
    assert bool(parsed.refusal(inside, "otherbot")) == (agent == "*")


@given(SEGMENT, SEGMENT)
def test_the_longest_rule_wins(first: str, second: str) -> None:
    """An allowed part of a disallowed part is allowed, in either order of the lines."""
    lines = [f"Disallow: /{first}/", f"Allow: /{first}/{second}/"]
    for order in (lines, lines[::-1]):
        parsed = rules("\n".join(["User-agent: *", *order]))
        assert not parsed.refusal(read_url(f"http://a.example/{first}/{second}/x"), "graphkit")
        assert parsed.refusal(read_url(f"http://a.example/{first}/!{second}"), "graphkit")


@given(st.text(max_size=200))
def test_any_file_is_read(text: str) -> None:
    """No robots.txt raises an error."""
    parsed = rules(text)
    assert isinstance(parsed.refusal(read_url("http://a.example/x"), "graphkit"), str)
    assert parsed.delay("graphkit") >= 0.0


def test_a_forbidden_page_is_not_fetched(site: WebFaults) -> None:
    """The rules of the host are fetched once, and hold for each of its pages."""
    site.routes["a.example", "/robots.txt"] = answer(
        "User-agent: graphkit\nDisallow: /private\n\nUser-agent: *\nDisallow: /", "text/plain"
    )
    site.routes["a.example", "/private/x"] = answer(HELLO)
    site.routes["a.example", "/open"] = answer(HELLO)

    async def work(tools: WebTools) -> list[Page]:
        urls = ["http://a.example/private/x", "http://a.example/open", "http://a.example/other"]
        return await asyncio.gather(*map(tools.visit, urls))

    forbidden, opened, missing = using(site, work)
    assert (forbidden.status, opened.status, missing.status) == ("robots", "ok", "http_error")
    assert "does not allow /private/x to graphkit" in forbidden.reason
    assert sorted(hit.path for hit in site.hits) == ["/open", "/other", "/robots.txt"]
    assert visited(site, "http://a.example/private/x", robots=False).status == "ok"


def test_a_redirect_to_a_forbidden_host_is_not_followed(site: WebFaults) -> None:
    """The rules of the host that a redirect leads to count too."""
    site.routes["a.example", "/"] = redirect("http://b.example/x")
    site.routes["b.example", "/robots.txt"] = answer("User-agent: *\nDisallow: /x", "text/plain")
    page = visited(site, "http://a.example/")
    assert (page.status, page.final_url) == ("robots", "http://b.example/x")
    assert site.paths("b.example") == []


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_a_missing_file_allows_all(site: WebFaults, status: int) -> None:
    """A client error means that there are no rules."""
    site.routes["a.example", "/robots.txt"] = answer("User-agent: *\nDisallow: /", status=status)
    site.routes["a.example", "/"] = answer(HELLO)
    assert visited(site, "http://a.example/").status == "ok"


@pytest.mark.parametrize("status", [429, 500, 503])
def test_an_unreachable_file_forbids_all(site: WebFaults, status: int) -> None:
    """A server error, after its retries, means keep out."""
    site.routes["a.example", "/robots.txt"] = answer("", status=status)
    site.routes["a.example", "/"] = answer(HELLO)
    page = visited(site, "http://a.example/")
    assert (page.status, page.reason) == ("robots", f"robots.txt of a.example answers {status}")
    assert site.paths("a.example") == []
    assert len(site.hits) == 3


def test_a_file_that_never_comes_ends_the_visit_as_what_it_is(site: WebFaults) -> None:
    """A timeout is a timeout and a dropped connection a failure; the page is not fetched."""
    site.routes["a.example", "/robots.txt"] = drip(1, 30.0)
    site.routes["b.example", "/robots.txt"] = drop
    assert visited(site, "http://a.example/", read_timeout=0.1, retries=0).status == "timeout"
    assert visited(site, "http://b.example/").status == "failed"
    assert site.paths("a.example") == site.paths("b.example") == []


def test_a_passing_failure_of_the_file_passes(site: WebFaults) -> None:
    """The file is asked for again like a page."""
    site.routes["a.example", "/robots.txt"] = in_turn(
        answer("", status=500), answer("User-agent: *\nDisallow: /no", "text/plain")
    )
    site.routes["a.example", "/yes"] = answer(HELLO)
    assert visited(site, "http://a.example/yes").status == "ok"
    assert visited(site, "http://a.example/no").status == "robots"


def test_a_file_that_could_not_be_had_is_asked_for_again_later(
    site: WebFaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An outage of a host does not keep us out for the rest of a run; good rules stay."""
    import synthesis.web.robots as robots

    site.routes["a.example", "/robots.txt"] = in_turn(
        answer("", status=503), answer("User-agent: *\nDisallow: /no", "text/plain")
    )
    for path in ("/1", "/2", "/3"):
        site.routes["a.example", path] = answer(HELLO)

    async def work(tools: WebTools) -> list[str]:
        first = await tools.visit("http://a.example/1")
        at_once = await tools.visit("http://a.example/2")
        monkeypatch.setattr(robots, "_AGAIN", 0.0)
        later = await tools.visit("http://a.example/3")
        forbidden = await tools.visit("http://a.example/no")
        return [page.status for page in (first, at_once, later, forbidden)]

    assert using(site, work, retries=0) == ["robots", "robots", "ok", "robots"]
    assert [hit.path for hit in site.hits].count("/robots.txt") == 2


def test_redirects_of_the_file_are_followed_five_times(site: WebFaults) -> None:
    """Rules may stand elsewhere; a chain that is too long counts as no rules."""
    site.routes["a.example", "/robots.txt"] = redirect("http://b.example/rules.txt")
    site.routes["b.example", "/rules.txt"] = answer("User-agent: *\nDisallow: /", "text/plain")
    site.routes["c.example", "/robots.txt"] = redirect("http://c.example/robots.txt?again")
    site.routes["c.example", "/"] = answer(HELLO)
    assert visited(site, "http://a.example/").status == "robots"
    assert visited(site, "http://c.example/").status == "ok"
    assert len([hit for hit in site.hits if hit.host == "c.example"]) == 7


def test_a_redirect_of_the_file_into_a_private_network_is_not_followed(site: WebFaults) -> None:
    """It counts as blocked, and the page is not fetched."""
    site.routes["a.example", "/robots.txt"] = redirect("http://127.0.0.1/x")
    site.routes["a.example", "/"] = answer(HELLO)
    assert visited(site, "http://a.example/").status == "blocked"
    assert [hit.path for hit in site.hits] == ["/robots.txt"]


def test_a_crawl_delay_is_kept(site: WebFaults) -> None:
    """A Crawl-delay counts instead of a shorter setting; one that is too long keeps us out."""
    site.routes["a.example", "/robots.txt"] = answer(
        "User-agent: *\nCrawl-delay: 0.3", "text/plain"
    )
    site.routes["b.example", "/robots.txt"] = answer(
        "User-agent: *\nCrawl-delay: 900", "text/plain"
    )
    for path in ("/1", "/2", "/3"):
        site.routes["a.example", path] = answer(HELLO)

    async def work(tools: WebTools) -> Page:
        await asyncio.gather(*(tools.visit(f"http://a.example/{n}") for n in (1, 2, 3)))
        return await tools.visit("http://b.example/")

    page = using(site, work)
    assert (page.status, site.paths("b.example")) == ("robots", [])
    assert "900 seconds" in page.reason
    times = [hit.at for hit in site.hits if hit.host == "a.example" and hit.path != "/robots.txt"]
    assert times[-1] - times[0] > 0.45  # two pauses, less what the network may gain


def test_a_very_long_file_is_read_to_a_limit(site: WebFaults) -> None:
    """The first 500 kB count; the rest is not even read."""
    filler = "# comment\n" * 200_000
    site.routes["a.example", "/robots.txt"] = answer(
        f"User-agent: *\nDisallow: /early\n{filler}Disallow: /late", "text/plain"
    )
    site.routes["a.example", "/late"] = answer(HELLO)
    assert visited(site, "http://a.example/early").status == "robots"
    assert visited(site, "http://a.example/late").status == "ok"
