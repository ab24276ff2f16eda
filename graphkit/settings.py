"""Typed settings: file < environment < flag, each value with where it came from."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graphkit.errors import Problem, SettingsError, did_you_mean

__all__ = [
    "SETTINGS_FILE",
    "Limits",
    "Output",
    "Settings",
    "find_settings_file",
    "load_settings",
    "setting_names",
]

SETTINGS_FILE = "graphkit.toml"
"""The name of a settings file."""

_PREFIX = "GRAPHKIT_"

_OTHER_TABLES = ("rubric", "synthesis", "models", "web")
"""Tables of a settings file that other packages read themselves."""


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Output(_Section):
    """How commands print.

    Attributes:
        color: When tables and errors are coloured.
        progress: Whether progress is told on stderr, for anything over a second.
        rows: How many rows a table shows before it says how many more there are.
        problems: How many problems of one file are printed before the rest is counted.
    """

    color: Literal["auto", "always", "never"] = "auto"
    progress: bool = True
    rows: int = Field(default=50, ge=1)
    problems: int = Field(default=50, ge=1)


class Limits(_Section):
    """How far the search for direct paths goes; its verdict says when a limit cut it short.

    Attributes:
        max_length: The longest path tried, in hops.
        max_fan_out: The largest set followed.
        max_sets: The number of sets after which an anchor is given up.
    """

    max_length: int = Field(default=4, ge=1)
    max_fan_out: int = Field(default=100_000, ge=1)
    max_sets: int = Field(default=200_000, ge=1)


@dataclass(frozen=True, slots=True)
class _Given:
    """A value as it was found, and where."""

    value: Any
    origin: str
    text: bool = False


class Settings(_Section):
    """All settings.

    Attributes:
        store: The graph store: a path for the embedded one, or ``neo4j://host:port``.
        language: The language of questions, as a BCP 47 tag.
        seed: Where random choices start from.
        output: How commands print.
        limits: How far the search for direct paths goes.
        origins: Setting -> where its value came from: ``default``, the file and its name, the
            environment variable, or ``flag``.
    """

    store: str = Field(default="./graphkit.db", min_length=1)
    language: str = Field(default="en", pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")
    seed: int = Field(default=0, ge=0)
    output: Output = Output()
    limits: Limits = Limits()
    origins: Mapping[str, str] = Field(default_factory=dict, exclude=True, repr=False)

    def value(self, name: str) -> Any:
        """Return a setting by its dotted name.

        >>> Settings().value("output.color")
        'auto'
        """
        found: Any = self
        for part in name.split("."):
            found = getattr(found, part)
        return found

    def origin(self, name: str) -> str:
        """Return where the value of a setting came from."""
        return self.origins.get(name, "default")

    def listed(self) -> Iterator[tuple[str, Any, str]]:
        """Yield (name, value, origin) of every setting, for ``graphkit doctor``."""
        for name in setting_names():
            yield name, self.value(name), self.origin(name)


def setting_names() -> tuple[str, ...]:
    """Return the dotted names of all settings.

    >>> setting_names()[:4]
    ('store', 'language', 'seed', 'output.color')
    """
    return tuple(_names(Settings, ""))


def _names(model: type[BaseModel], prefix: str) -> Iterator[str]:
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from _names(inner, f"{prefix}{name}.")
        elif name != "origins":
            yield prefix + name


def find_settings_file(folder: str | os.PathLike[str] = ".") -> Path | None:
    """Return the settings file of a folder, if there is one."""
    path = Path(folder) / SETTINGS_FILE
    return path if path.is_file() else None


def load_settings(
    file: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
) -> Settings:
    """Bring settings together: the file, over it the environment, over that the flags.

    Args:
        file: A TOML file; it may leave everything out. See :func:`find_settings_file`.
        env: The environment; variables named ``GRAPHKIT_*`` count, with an underscore for the
            dot: ``GRAPHKIT_OUTPUT_COLOR``. Others are passed over, empty ones too.
        flags: Dotted name -> value; None for a flag that was not given.

    Returns:
        The settings; they know where each value came from.

    Raises:
        SettingsError: Unknown names and values that do not fit, all at once, with their place.

    >>> settings = load_settings(env={"GRAPHKIT_SEED": "7"}, flags={"store": "x.db"})
    >>> settings.seed, [settings.origin(name) for name in ("seed", "store", "language")]
    (7, ['GRAPHKIT_SEED', 'flag', 'default'])
    """
    problems: list[Problem] = []
    given: dict[str, _Given] = {}
    if file is not None:
        given.update(_from_file(os.fspath(file), problems))
    given.update(_from_environment(env or {}, problems))
    given.update(_from_flags(flags or {}, problems))
    data: dict[str, Any] = {}
    for name, found in given.items():
        section, _, key = name.rpartition(".")
        place = data.setdefault(section, {}) if section else data
        place[key] = found.value
    try:
        settings = Settings.model_validate(
            {**data, "origins": {name: found.origin for name, found in given.items()}}
        )
    except ValidationError as error:
        for item in error.errors():
            problems.append(_unfit(item, given))
    if problems:
        raise SettingsError(problems)
    return settings


def _from_file(file: str, problems: list[Problem]) -> dict[str, _Given]:
    try:
        data = tomllib.loads(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        problems.append(Problem(f"cannot be read: {error.strerror}", "unreadable", file))
        return {}
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        problems.append(Problem(f"not a TOML document: {error}", "toml", file))
        return {}
    for table in _OTHER_TABLES:
        data.pop(table, None)
    found: dict[str, _Given] = {}
    names = setting_names()
    sections = {name.rpartition(".")[0] for name in names} - {""}
    for name, value in _flatten(data, "", sections):
        if name in names:
            found[name] = _Given(value, file)
        elif name in sections:
            problems.append(
                Problem(f"{name} is no table, expected [{name}]", "type", file, subject=name)
            )
        else:
            problems.append(_unknown(name, [*names, *sections], file=file))
    return found


def _flatten(data: Mapping[str, Any], prefix: str, sections: set[str]) -> Iterator[tuple[str, Any]]:
    for key, value in data.items():
        name = prefix + key
        if isinstance(value, dict) and name in sections:
            yield from _flatten(value, f"{name}.", sections)
        else:
            yield name, value


def _from_environment(env: Mapping[str, str], problems: list[Problem]) -> dict[str, _Given]:
    variables = {_PREFIX + name.replace(".", "_").upper(): name for name in setting_names()}
    found: dict[str, _Given] = {}
    for variable, value in sorted(env.items()):
        if not variable.startswith(_PREFIX) or not value:
            continue
        name = variables.get(variable)
        if name is None:
            problems.append(_unknown(variable, variables))
        else:
            found[name] = _Given(value, variable)
    return found


def _from_flags(flags: Mapping[str, Any], problems: list[Problem]) -> dict[str, _Given]:
    names = setting_names()
    found: dict[str, _Given] = {}
    for name, value in flags.items():
        if name not in names:
            problems.append(_unknown(name, names))
        elif value is not None:
            found[name] = _Given(value, "flag")
    return found


def _unknown(name: str, known: Any, file: str | None = None) -> Problem:
    return Problem(
        f'no setting "{name}"{did_you_mean(name, known)}', code="unknown_setting", file=file
    )


def _unfit(item: Any, given: Mapping[str, _Given]) -> Problem:
    """Say in our words why a value does not fit, and where it came from."""
    name = ".".join(str(part) for part in item["loc"])
    found = given.get(name)
    origin = found.origin if found else ""
    context = item.get("ctx", {})
    if item["type"] == "literal_error":
        choices = tuple(
            part.strip("' ") for part in context["expected"].replace(" or ", ",").split(",")
        )
        expected = f"one of {', '.join(choices)}{did_you_mean(str(item['input']), choices)}"
    elif item["type"] == "string_pattern_mismatch":
        expected = "a language tag such as en or zh-Hans"
    else:
        expected = str(item["msg"]).removeprefix("Input should be ")
        expected = expected[:1].lower() + expected[1:]
    where = f"{origin} " if origin.startswith(_PREFIX) else f"{name} "
    return Problem(
        f"{where}is {item['input']!r}, expected {expected}",
        code="value",
        file=None if origin.startswith(_PREFIX) or origin == "flag" else origin or None,
    )
