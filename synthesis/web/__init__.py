"""Web tools of a run: search with a provider or a local index, visit pages, count sources."""

from synthesis.web.errors import WebError
from synthesis.web.independence import independent_sources, repeats
from synthesis.web.local_index import LocalIndex
from synthesis.web.replies import Page, SearchOutcome, SearchResult, search_json, visit_json
from synthesis.web.settings import WebSettings
from synthesis.web.snapshots import Snapshots
from synthesis.web.tools import WebTools, passages
from synthesis.web.urls import UrlRefused, canonical_url

__all__ = [
    "LocalIndex",
    "Page",
    "SearchOutcome",
    "SearchResult",
    "Snapshots",
    "UrlRefused",
    "WebError",
    "WebSettings",
    "WebTools",
    "canonical_url",
    "independent_sources",
    "passages",
    "repeats",
    "search_json",
    "visit_json",
]
