"""The manifest of a release: as it is described, and held to that when a release is opened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from graphkit.errors import FormatError
from graphkit.formats.schema import schema
from synthesis import schemas
from synthesis.release import ReleaseSettings, build_release, put_folder, read_release
from synthesis.release.manifest import ReleaseManifest, read_manifest
from tests.synthesis.release.material import content

CHECK = jsonschema.Draft202012Validator(schema("release"))
ENTRY = {"bytes": 1, "sha256": "0" * 64}


def manifest(*, sealed: bool = False) -> dict[str, Any]:
    settings = ReleaseSettings(title="题集", licence="cc0-1.0", seed=4, sealed=sealed)
    found: dict[str, Any] = json.loads(build_release(content(3), settings).files["release.json"])
    return found


@pytest.mark.parametrize("sealed", [False, True])
def test_what_a_release_writes_is_what_the_schema_says(sealed: bool) -> None:
    """Plain or sealed it is valid, and reads back to the same document, key by key."""
    assert "release" in schemas.SCHEMAS
    data = manifest(sealed=sealed)
    CHECK.validate(data)
    read = read_manifest(data, "release.json")
    assert json.dumps(read.model_dump(mode="json")) == json.dumps(data)
    assert read.sealed is sealed


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"title": 7}, ["title: input should be a valid string"]),
        ({"title": None, "seed": "4"}, ["title: ", "seed: "]),
        ({"sealed": "yes"}, ["sealed: "]),
        ({"questions": -1, "evidence": 1.5}, ["questions: ", "evidence: "]),
        ({"canary_guid": " "}, ["canary_guid: "]),
        ({"files": {"a": {**ENTRY, "sha256": "x"}}}, ["files.a.sha256: "]),
        ({"files": {"a": {"bytes": True, "sha256": "0" * 64}}}, ["files.a.bytes: "]),
        ({"files": []}, ["files: "]),
    ],
)
def test_what_does_not_fit_is_told_all_at_once(
    tmp_path: Path, changes: dict[str, Any], said: list[str]
) -> None:
    """Each with its place in the file; what is refused here is refused by the schema."""
    folder = tmp_path / "r"
    put_folder(build_release(content(3)).files, folder)
    data = {**json.loads((folder / "release.json").read_text(encoding="utf-8")), **changes}
    assert not CHECK.is_valid(data)
    (folder / "release.json").write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        read_release(folder)
    lines = [str(problem) for problem in caught.value.problems]
    assert len(lines) == len(said)
    for line, part in zip(lines, said, strict=True):
        assert line.startswith(f"{folder / 'release.json'}: {part}")


@pytest.mark.parametrize("name", list(ReleaseManifest.model_fields))
def test_nothing_may_be_missing(name: str) -> None:
    """What every release has had since the first version is demanded."""
    data = manifest()
    del data[name]
    with pytest.raises(FormatError, match=r"release\.json: "):
        read_manifest(data, "release.json")


@pytest.mark.parametrize(
    "changes",
    [{"format": "zip"}, {"format_version": 2}, {"format_version": True}, {"format": None}],
)
def test_another_format_is_told_as_such(changes: dict[str, Any]) -> None:
    """In one line, whatever else may be wrong with it."""
    with pytest.raises(FormatError, match="not the manifest of a release of version 1") as caught:
        read_manifest({**manifest(), **changes, "title": 7}, "release.json")
    assert len(caught.value.problems) == 1


def test_what_later_versions_add_is_kept() -> None:
    """Additions are allowed; they do not make a release unreadable."""
    data = {**manifest(), "doi": "10.1/x"}
    CHECK.validate(data)
    assert read_manifest(data, "release.json").model_dump(mode="json")["doi"] == "10.1/x"
