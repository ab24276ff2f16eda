"""The manifest of a release, ``release.json``: what it is, and every file with its hash."""

from __future__ import annotations

import builtins
import hashlib
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graphkit.errors import FormatError, Problem
from synthesis.release.canary import canary_text

__all__ = ["FileEntry", "ReleaseManifest", "read_manifest"]


class FileEntry(BaseModel):
    """Size and hash of a file of a release.

    Attributes:
        bytes: Its size.
        sha256: Its SHA-256, in hexadecimal digits.
    """

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)

    bytes: int = Field(ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")

    @classmethod
    def of(cls, data: builtins.bytes) -> FileEntry:
        """Return the entry of a file with some content.

        >>> FileEntry.of(b"x").bytes
        1
        """
        return cls(bytes=len(data), sha256=hashlib.sha256(data).hexdigest())


class ReleaseManifest(BaseModel):
    """What ``release.json`` holds; later versions may add to it.

    Attributes:
        format: What tells the file apart from others.
        format_version: The version of the format.
        title: The name of the release.
        version: Its version.
        licence: The licence of the set itself.
        description: A paragraph of the user's.
        seed: What drew the questions for validation and made the canary.
        canary_guid: The canary GUID, which opens what is sealed.
        canary: The sentence with it that every record carries.
        sealed: Whether answers, graphs and evidence are sealed.
        questions: How many questions there are.
        evidence: How many evidence records.
        files: Every other file by name.
    """

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)

    format: Literal["graphkit release"] = "graphkit release"
    format_version: Literal[1] = 1
    title: str
    version: str
    licence: str
    description: str
    seed: int
    canary_guid: str = Field(pattern=r"\S")
    canary: str
    sealed: bool
    questions: int = Field(ge=0)
    evidence: int = Field(ge=0)
    files: dict[str, FileEntry]

    @classmethod
    def of(cls, files: Mapping[str, bytes], guid: str, **told: Any) -> ReleaseManifest:
        """Return the manifest of files.

        Args:
            files: Every other file of the release by name.
            guid: The canary GUID.
            **told: The rest of the fields.
        """
        entries = {name: FileEntry.of(data) for name, data in sorted(files.items())}
        return cls(canary_guid=guid, canary=canary_text(guid), files=entries, **told)


def read_manifest(data: Mapping[str, Any], file: str) -> ReleaseManifest:
    """Return the manifest that a document holds.

    Args:
        data: The document.
        file: Where it stands, for errors.

    Raises:
        FormatError: It is none of this version, or does not fit; all problems at once.
    """
    version = data.get("format_version")
    if data.get("format") != "graphkit release" or version is True or version != 1:
        raise FormatError(
            Problem("not the manifest of a release of version 1", code="format", file=file)
        )
    try:
        return ReleaseManifest.model_validate(data)
    except ValidationError as error:
        raise FormatError(
            Problem(
                f"{'.'.join(map(str, item['loc']))}: {item['msg'][:1].lower()}{item['msg'][1:]}",
                code="manifest",
                file=file,
            )
            for item in error.errors()
        ) from error
