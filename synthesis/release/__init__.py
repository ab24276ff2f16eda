"""Releases: what is published of a set of questions, and what experts make of it.

>>> from graphkit.question import Node, QuestionGraph
>>> node = Node(node_id="n0", known_entities=["Paris"], is_root=True)
>>> graph = QuestionGraph(question="Paris?", answer="Paris", root_node_id="n0", nodes=[node])
>>> release = build_release(gather_content([graph]))
>>> sorted(release.files)[:3]
['README.md', 'domains.png', 'licences.csv']
"""

from __future__ import annotations

from synthesis.release.building import Release, ReleaseSettings, build_release, put_folder
from synthesis.release.canary import Sealer, canary_guid, canary_of, canary_text
from synthesis.release.content import (
    ReleaseContent,
    content_of_run,
    content_of_store,
    gather_content,
)
from synthesis.release.licences import Licence, read_licences, source_rows
from synthesis.release.manifest import ReleaseManifest, read_manifest
from synthesis.release.opening import open_questions_file, opened_release, read_release
from synthesis.release.sheets import sample_questions, validation_sheets
from synthesis.release.tables import release_statistics, table_two
from synthesis.release.tally import Tally, tally_sheets, wilson_interval

__all__ = [
    "Licence",
    "Release",
    "ReleaseContent",
    "ReleaseManifest",
    "ReleaseSettings",
    "Sealer",
    "Tally",
    "build_release",
    "canary_guid",
    "canary_of",
    "canary_text",
    "content_of_run",
    "content_of_store",
    "gather_content",
    "open_questions_file",
    "opened_release",
    "put_folder",
    "read_licences",
    "read_manifest",
    "read_release",
    "release_statistics",
    "sample_questions",
    "source_rows",
    "table_two",
    "tally_sheets",
    "validation_sheets",
    "wilson_interval",
]
