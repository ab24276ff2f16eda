"""The web of one conversation: what was searched for and visited, and nothing twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from synthesis.agents.gathering import Errand
from synthesis.agents.web_access import SearchArguments, VisitArguments, WebAccess
from tests.synthesis.agents.small_web import turns, with_errand


def browsed(folder: Path, work: Any) -> Any:
    return with_errand(turns(), work, folder)[0]


def test_visits_are_kept_each_address_once_and_failures_apart(tmp_path: Path) -> None:
    """The record names what was searched for, read and not read."""

    async def work(errand: Errand) -> WebAccess:
        access = WebAccess(errand.web, "en", 60)
        found = json.loads(await access.search(SearchArguments(query="Ulm mayor")))
        assert found["status"] == "found"
        assert {"url", "title", "snippet", "published_at"} == set(found["results"][0])
        for url in ("https://news.example/", "HTTPS://NEWS.example", "https://nowhere.example/"):
            shown = json.loads(await access.visit(VisitArguments(url=url, goal="mayor")))
            assert set(shown) >= {"status", "url", "title", "published_at", "text", "reason"}
            assert len(shown["text"]) <= 60
        await access.visit(VisitArguments(url="http://127.0.0.1/admin"))
        return access

    access = browsed(tmp_path, work)
    record = access.record()
    assert record["visited"] == ["https://news.example/"]
    assert set(record["failed"]) == {"https://nowhere.example/", "http://127.0.0.1/admin"}
    assert [item["query"] for item in record["searches"]] == ["Ulm mayor"]
    assert json.loads(json.dumps(record)) == record


def test_the_whole_page_is_kept_though_only_parts_are_shown(tmp_path: Path) -> None:
    """Quotations are looked for on the page, not in what was shown."""

    async def work(errand: Errand) -> WebAccess:
        access = WebAccess(errand.web, "en", 20)
        await access.visit(VisitArguments(url="https://news.example/"))
        return access

    assert "born in Bonn" in browsed(tmp_path, work).pages["https://news.example/"].text


def test_an_agent_that_may_only_search_has_one_tool(tmp_path: Path) -> None:
    """Seeds are named by results; nothing is visited for them."""

    async def work(errand: Errand) -> list[list[str]]:
        access = WebAccess(errand.web)
        return [[tool.name for tool in access.tools(visit=visit)] for visit in (False, True)]

    assert browsed(tmp_path, work) == [["search"], ["search", "visit"]]
