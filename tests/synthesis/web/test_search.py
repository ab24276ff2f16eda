"""Searches over HTTP on loopback, in the shapes of the four providers."""

from __future__ import annotations

import asyncio
import contextlib
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from web_faults import Route, WebFaults, answer, drip, drop, in_turn

from graphkit.errors import SettingsError
from graphkit.models.exchanges import ExchangeLog
from synthesis.web import LocalIndex, Page, SearchOutcome, WebError, WebTools, search_json
from synthesis.web.providers import PROVIDERS, Unanswered
from tests.synthesis.web.reaching import using

HOST = "127.0.0.1"
PATHS = {
    "serper": "/search",
    "tavily": "/search",
    "brave": "/res/v1/web/search",
    "searxng": "/search",
}
KEYS = {"serper": "SERPER_API_KEY", "tavily": "TAVILY_API_KEY", "brave": "BRAVE_API_KEY"}


def rows(provider: str, *urls: str) -> dict[str, Any]:
    """An answer of a provider."""
    if provider == "serper":
        found = [
            {"position": 1, "title": "T", "link": url, "snippet": "S", "date": "May 4, 2026"}
            for url in urls
        ]
        return {"searchParameters": {"q": "x"}, "organic": found, "credits": 1}
    if provider == "tavily":
        found = [
            {
                "url": url,
                "title": "T",
                "content": "S",
                "score": 0.9,
                "published_date": "Mon, 04 May 2026 07:00:00 GMT",
            }
            for url in urls
        ]
        return {"query": "x", "answer": None, "results": found, "response_time": 1.0}
    if provider == "brave":
        found = [
            {"url": url, "title": "T", "description": "S", "page_age": "2026-05-04T07:00:00"}
            for url in urls
        ]
        shown = {"web": {"type": "search", "results": found}} if urls else {}
        return {"type": "search", "query": {"original": "x"}, **shown}
    found = [
        {"url": url, "title": "T", "content": "S", "publishedDate": "2026-05-04T00:00:00"}
        for url in urls
    ]
    return {"query": "x", "results": found, "unresponsive_engines": []}


def serve(site: WebFaults, provider: str, route: Route) -> None:
    site.routes[HOST, PATHS[provider]] = route


def searched(site: WebFaults, provider: str, query: str = "x", **given: Any) -> SearchOutcome:
    language = given.pop("language", "en")
    return using(
        site,
        lambda tools: tools.search(query, language=language),
        provider=provider,
        connect_to={},
        **given,
    )


def of_json(data: Any, **given: Any) -> Route:
    return answer(json.dumps(data, ensure_ascii=False), "application/json", **given)


@pytest.mark.parametrize("provider", sorted(PATHS))
def test_results_come_in_one_shape(site: WebFaults, provider: str) -> None:
    """Every provider's results become the same; addresses that cannot be visited are left out."""
    urls = ("https://b.example/2", "https://a.example/1", "javascript:x", "HTTPS://b.example/2#y")
    told = json.dumps(rows(provider, *urls)).replace('"T"', '"Later"').replace("Later", "T", 2)
    serve(site, provider, answer(told, "application/json"))
    outcome = searched(site, provider, "法国 首都", language="zh")
    assert (outcome.status, outcome.provider, outcome.query) == ("found", provider, "法国 首都")
    assert [result.model_dump() for result in outcome.results] == [
        {"url": url, "title": "T", "snippet": "S", "published_at": "2026-05-04"}
        for url in ("https://b.example/2", "https://a.example/1")
    ]


@pytest.mark.parametrize("provider", sorted(PATHS))
def test_nothing_found_is_not_too_much_asked(site: WebFaults, provider: str) -> None:
    """No results, a 429 and a failure are three different answers."""
    serve(site, provider, of_json(rows(provider)))
    assert searched(site, provider).status == "nothing"
    serve(site, provider, of_json({"message": "slow down"}, status=429))
    limited = searched(site, provider)
    assert (limited.status, limited.results) == ("rate_limited", ())
    assert "slow down" in limited.reason
    for broken in (of_json({"x": 1}, status=500), of_json([]), answer("<html>", "text/html"), drop):
        serve(site, provider, broken)
        failed = searched(site, provider)
        assert failed.status == "failed"
        assert failed.reason


def test_requests_have_the_shape_of_each_provider(
    site: WebFaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys go into headers, never into addresses; query, language and count where they belong."""
    for provider, variable in KEYS.items():
        monkeypatch.setenv(variable, f"key-of-{provider}")
    for provider in PATHS:
        serve(site, provider, of_json(rows(provider, "https://a.example/")))
        searched(site, provider, "who rules", results=7, language="zh")
    serper, tavily, brave, searxng = site.hits
    assert serper.json == {"q": "who rules", "gl": "cn", "hl": "zh-cn", "num": 7}
    assert serper.headers["x-api-key"] == "key-of-serper"
    assert tavily.json == {"query": "who rules", "max_results": 7, "search_depth": "basic"}
    assert tavily.headers["authorization"] == "Bearer key-of-tavily"
    assert brave.path == (
        "/res/v1/web/search?q=who+rules&count=7&search_lang=zh-hans&result_filter=web"
    )
    assert brave.headers["x-subscription-token"] == "key-of-brave"
    assert searxng.path == "/search?q=who+rules&format=json&language=zh-CN&safesearch=0"
    assert "authorization" not in searxng.headers
    assert not [hit for hit in site.hits if "key-of" in hit.path]


def test_a_rate_limit_is_waited_for(site: WebFaults) -> None:
    """Retry-After is honoured; too long a wait is not waited for."""
    busy = of_json({}, status=429, headers={"Retry-After": "1"})
    serve(site, "brave", in_turn(busy, of_json(rows("brave", "https://a.example/"))))
    assert searched(site, "brave").status == "found"
    assert site.hits[1].at - site.hits[0].at >= 0.95
    serve(site, "brave", of_json({}, status=429, headers={"Retry-After": "7200"}))
    assert searched(site, "brave").status == "rate_limited"
    assert len(site.hits) == 3


def test_engines_that_did_not_answer_are_not_nothing(site: WebFaults) -> None:
    """SearXNG's empty answer with silent engines is a limit or a failure, never nothing."""
    silent = {"results": [], "unresponsive_engines": [["google", "Suspended: too many requests"]]}
    serve(site, "searxng", of_json(silent))
    assert searched(site, "searxng").status == "rate_limited"
    serve(site, "searxng", of_json({**silent, "unresponsive_engines": [["bing", "timeout"]]}))
    assert searched(site, "searxng").status == "failed"
    serve(
        site,
        "searxng",
        of_json(
            {
                **rows("searxng", "https://a.example/"),
                "unresponsive_engines": [["bing", "timeout"]],
            }
        ),
    )
    assert searched(site, "searxng").status == "found"


@pytest.mark.parametrize(
    "broken",
    [
        *(of_json({}, status=status) for status in (408, 425, 500, 501, 520, 526, 599)),
        of_json({"results": [], "unresponsive_engines": [["bing", "timeout"]]}),
        of_json({"error": "try again"}),
        answer("<html>one moment</html>", "text/html"),
        answer("[" * 100_000, "application/json"),
    ],
)
def test_a_search_without_an_answer_is_not_kept(
    site: WebFaults, tmp_path: Path, broken: Route
) -> None:
    """A failure that passes is tried again, and a resumed run asks once more."""
    serve(site, "searxng", broken)
    with ExchangeLog.open(tmp_path / "log.jsonl", run="r") as log:
        assert searched(site, "searxng", log=log, retries=1, retry_wait=0).status == "failed"
        asked = len(site.hits)
        serve(site, "searxng", of_json(rows("searxng", "https://a.example/")))
        assert searched(site, "searxng", log=log).status == "found"
    assert asked == 2


@pytest.mark.parametrize(
    "date", ["9999999999 years ago", "99999-99-99", "9999-12-31T23:59:59-99:99"]
)
def test_an_absurd_date_costs_no_result(site: WebFaults, date: str) -> None:
    """The provider has answered: the result comes without a date."""
    [row] = rows("brave", "https://a.example/")["web"]["results"]
    serve(site, "brave", of_json({"web": {"results": [{**row, "page_age": date}]}}))
    outcome = searched(site, "brave")
    assert [result.published_at for result in outcome.results] == [None]


@pytest.mark.parametrize("key", ["schl\u00fcssel-hunter2", "hunter2\nhunter3"])
def test_a_key_that_cannot_be_sent_is_told_without_it(
    site: WebFaults, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """It names the variable, before anything is asked."""
    monkeypatch.setenv("BRAVE_API_KEY", key)
    with pytest.raises(SettingsError, match="BRAVE_API_KEY") as caught:
        searched(site, "brave")
    assert "hunter" not in str(caught.value)
    assert not site.hits


@pytest.mark.parametrize(
    ("provider", "status", "said", "cure"),
    [
        ("serper", 403, "Unauthorized.", "check the key in SERPER_API_KEY"),
        ("serper", 400, "Not enough credits", "plan is used up"),
        ("tavily", 401, "invalid", "check the key in TAVILY_API_KEY"),
        ("tavily", 432, "limit", "plan is used up"),
        ("brave", 401, "x", "check the key in BRAVE_API_KEY"),
        ("searxng", 403, "Forbidden", "search.formats"),
    ],
)
def test_what_no_search_can_pass_ends_the_run(
    site: WebFaults, tmp_path: Path, provider: str, status: int, said: str, cure: str
) -> None:
    """A refused key and a used-up plan are errors, not answers: a resumed run asks again."""
    serve(
        site,
        provider,
        in_turn(
            of_json({"message": said}, status=status), of_json(rows(provider, "https://a.example/"))
        ),
    )
    with ExchangeLog.open(tmp_path / "log.jsonl", run="r") as log:
        with pytest.raises(WebError, match=cure):
            searched(site, provider, log=log)
        assert searched(site, provider, log=log).status == "found"


def test_a_key_is_never_written_down(
    site: WebFaults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A provider that repeats the key in its errors does not get it into log, answer or error."""
    monkeypatch.setenv("MY_OWN_NAME", "s3cret-k3y-0f-m1ne")
    told = {"message": "the key s3cret-k3y-0f-m1ne is busy"}
    serve(site, "serper", of_json(told, status=429))
    with ExchangeLog.open(tmp_path / "log.jsonl", run="r") as log:
        outcome = searched(site, "serper", log=log, api_key_env="MY_OWN_NAME")
        serve(site, "serper", of_json(told, status=401))
        with pytest.raises(WebError) as caught:
            searched(site, "serper", "y", log=log, api_key_env="MY_OWN_NAME")
    assert site.hits[0].headers["x-api-key"] == "s3cret-k3y-0f-m1ne"
    written = (tmp_path / "log.jsonl").read_text() + outcome.reason + str(caught.value)
    assert "[redacted]" in written
    assert "s3cret" not in written


def test_a_missing_key_is_said_before_anything_is_asked(
    site: WebFaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The variable is named; with an address of one's own no key is needed."""
    monkeypatch.delenv("BRAVE_API_KEY", raising=False)
    with pytest.raises(SettingsError, match="BRAVE_API_KEY"):
        searched(site, "brave", base_url=None)
    with pytest.raises(SettingsError, match="MY_OWN_NAME"):
        searched(site, "brave", api_key_env="MY_OWN_NAME")
    serve(site, "brave", of_json(rows("brave")))
    assert searched(site, "brave").status == "nothing"


def test_a_search_is_asked_once_in_a_run(site: WebFaults, tmp_path: Path) -> None:
    """The same query in other white space, at once or after a restart, is one request."""
    serve(site, "serper", of_json(rows("serper", "https://a.example/")))

    async def work(tools: WebTools) -> list[SearchOutcome]:
        return await asyncio.gather(*map(tools.search, ["a  b", " a b", "a\nb"]))

    found = []
    for _ in range(2):
        with ExchangeLog.open(tmp_path / "log.jsonl", run="r") as log:
            found += using(site, work, log=log, provider="serper")
    assert len(set(found)) == 1
    assert len(site.hits) == 1
    with ExchangeLog.open(tmp_path / "log.jsonl", run="r") as log:
        using(site, lambda tools: tools.search("a b", language="zh"), log=log, provider="serper")
    assert len(site.hits) == 2


@pytest.mark.parametrize("provider", sorted(PATHS))
def test_a_query_is_cleaned_before_it_is_sent(site: WebFaults, provider: str) -> None:
    """Half pairs, invisible and control characters of a model's query are not sent."""
    serve(site, provider, of_json(rows(provider)))
    outcome = searched(site, provider, "cap\ud800ital\u200b \x00of\n法国")
    assert (outcome.status, outcome.query) == ("nothing", "capital of 法国")


def test_an_empty_query_is_not_asked(site: WebFaults) -> None:
    """Nothing is sent for it."""
    assert searched(site, "searxng", " \n ").status == "failed"
    assert site.hits == []


def test_slow_and_endless_answers_end(site: WebFaults) -> None:
    """The whole time of an answer has a limit."""
    serve(site, "serper", drip(1_000, 0.05))
    outcome = searched(site, "serper", timeout=0.2, retries=0)
    assert (outcome.status, outcome.reason) == ("failed", "no answer in time")


def test_redirects_of_a_provider_are_not_followed(
    site: WebFaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key is not carried anywhere else."""
    monkeypatch.setenv("SERPER_API_KEY", "a-key-of-serper")
    serve(site, "serper", answer("", status=307, headers={"Location": "/elsewhere"}))
    assert searched(site, "serper").status == "failed"
    assert [hit.path for hit in site.hits] == ["/search"]


def test_searches_keep_their_pause(site: WebFaults) -> None:
    """The setting for plans of one search a second holds."""
    serve(site, "brave", of_json(rows("brave")))

    async def work(tools: WebTools) -> None:
        await asyncio.gather(*(tools.search(f"q{n}") for n in range(3)))

    using(site, work, provider="brave", search_delay=0.2)
    times = sorted(hit.at for hit in site.hits)
    assert times[-1] - times[0] > 0.3  # two pauses, less what the network may gain


def test_titles_and_snippets_are_plain_text(site: WebFaults) -> None:
    """Marks of highlighting, entities and invisible characters are taken out; dates are counted."""
    row = {
        "link": "https://a.example/",
        "title": "A &amp; <strong>B</strong>",
        "snippet": "x\u200b \u202ey < z",
        "date": "3 days ago",
    }
    serve(site, "serper", of_json({"organic": [row, "no row", {"title": "no address"}]}))
    result = searched(site, "serper").results[0]
    day = datetime.now(UTC).date()
    assert (result.title, result.snippet) == ("A & B", "x y < z")
    assert result.published_at in {(day - timedelta(days=n)).isoformat() for n in (3, 4)}
    told = json.loads(search_json(searched(site, "serper")))
    assert told["results"][0]["title"] == "A & B"
    assert sorted(told) == ["reason", "results", "status"]


FIELDS = (
    "organic",
    "results",
    "web",
    "link",
    "url",
    "title",
    "snippet",
    "date",
    "unresponsive_engines",
)
JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(FIELDS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.sampled_from(sorted(PROVIDERS)), JSON)
def test_any_json_is_read_or_said_to_be_none(provider: str, data: Any) -> None:
    """No answer of a provider raises anything but the one error that says what is missing."""
    with contextlib.suppress(Unanswered):
        found = PROVIDERS[provider].read(data, datetime(2026, 1, 1, tzinfo=UTC))
        assert all(result.url.startswith("http") for result in found)


def test_the_local_index_is_a_provider(site: WebFaults, tmp_path: Path) -> None:
    """Search and visit work offline; what is not in the index is not fetched."""
    page = Page(
        status="ok",
        url="http://a.example/fr",
        final_url="http://a.example/fr",
        title="法国",
        text="法国的首都是巴黎。",
        fetched_at="2026-01-01T00:00:00+00:00",
        root_domain="a.example",
        language="zh",
        sha256="x",
    )
    path = tmp_path / "pages.db"
    LocalIndex.build(path, [page]).close()

    async def work(tools: WebTools) -> tuple[SearchOutcome, Page, Page]:
        found = await tools.search("首都", language="zh")
        url = found.results[0].url
        return found, await tools.visit(url), await tools.visit("http://a.example/other")

    found, visited, missing = using(
        site, work, provider="local", base_url=None, index_path=path, offline=True
    )
    assert (found.provider, visited) == ("local", page)
    assert (missing.status, missing.reason) == (
        "failed",
        "the page is not in the local index, and nothing is fetched",
    )
    assert site.hits == []
