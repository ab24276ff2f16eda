"""The domains and sub-domains that seeds are looked for in: data, which a user may replace."""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graphkit.errors import FormatError, Problem

__all__ = ["Domain", "Subdomain", "read_domains"]


class Subdomain(BaseModel):
    """A part of a domain, with its name in Chinese where it has one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    name_zh: str = ""

    def named(self, language: str) -> str:
        """Return its name in a language; the English one where there is no other."""
        return self.name_zh if language == "zh" and self.name_zh else self.name


class Domain(Subdomain):
    """A domain and its sub-domains.

    >>> domains = read_domains()
    >>> len(domains), sum(len(domain.subdomains) for domain in domains)
    (9, 50)
    """

    subdomains: tuple[Subdomain, ...] = Field(min_length=1)


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    domain: tuple[Domain, ...] = Field(min_length=1)


def read_domains(path: Path | None = None) -> tuple[Domain, ...]:
    """Read domains from a TOML file; without one those that ship with the package.

    Args:
        path: A file with one ``[[domain]]`` table a domain: ``name``, ``subdomains`` as a list of
            tables with a ``name``, both with an optional ``name_zh``.

    Raises:
        FormatError: The file cannot be read, or something in it does not fit; all at once.
    """
    if path is None:
        text, name = resources.files("synthesis").joinpath("domains.toml").read_text("utf-8"), None
    else:
        name = str(path)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise FormatError(Problem(f"cannot be read: {reason}", "unreadable", name)) from error
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(Problem(f"not a TOML document: {error}", "toml", name)) from error
    try:
        domains = _File.model_validate(data).domain
    except ValidationError as error:
        raise FormatError(_problem(item, name) for item in error.errors()) from error
    twice = _twice([domain.name for domain in domains]) or next(
        (found for domain in domains if (found := _twice([s.name for s in domain.subdomains]))),
        None,
    )
    if twice:
        raise FormatError(Problem(f"{twice!r} is there twice, expected once", "repeated", name))
    return domains


def _twice(names: list[str]) -> str | None:
    return next((name for name in names if names.count(name) > 1), None)


def _problem(item: Any, file: str | None) -> Problem:
    subject = ".".join(str(part) for part in item["loc"])
    return Problem(str(item["msg"]).lower(), "value", file, subject=subject)
