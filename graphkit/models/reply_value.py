"""From a model's text to a value that fits its schema: strict, then repaired, then told why not."""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, get_origin

from pydantic import BaseModel, ValidationError

from graphkit.errors import FormatError, did_you_mean
from graphkit.formats import strict_json
from graphkit.formats.model_text import find_object

__all__ = ["ReadValue", "find_data", "fit", "read_value"]

T = TypeVar("T", bound=BaseModel)

_MOST = 12
_SHOWN = 80
_ROUNDS = 8
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_FIELD = re.compile(r"([\w-]+)[\"']?\s*:")
_FENCED = re.compile(r"```[ \t]*[\w+-]*[ \t]*\r?\n(.*?)(?:```|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ReadValue(Generic[T]):
    """What a text was read as.

    Attributes:
        value: The value, or None if there is none.
        repairs: What was read as something else, a sentence each.
        problems: Why there is no value, a sentence each.
    """

    value: T | None
    repairs: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def read_value(text: str, model: type[T], also: Sequence[str] = ()) -> ReadValue[T]:
    """Read the reply of a model as a value of a schema.

    Args:
        text: What the model wrote, thoughts left out.
        model: The schema.
        also: Names of a field that the reply may be wrapped in, for instance ``answer``.

    >>> class Cities(BaseModel):
    ...     names: list[str]
    >>> read_value('Here: ["Lyon", "Paris",]', Cities).value
    Cities(names=['Lyon', 'Paris'])
    >>> read_value('{"name": ["Lyon"]}', Cities).problems
    ('the field "names" is missing (did you mean names in place of name?)',)
    """
    names = _names(model)
    data, repairs, problems = find_data(text, (*names, *also))
    if problems:
        return ReadValue(None, tuple(repairs), tuple(problems))
    for name in also:
        if isinstance(data, dict) and set(data) == {name} and name not in names:
            data = data[name]
    read = fit(data, model)
    return ReadValue(read.value, (*repairs, *read.repairs), read.problems)


def find_data(text: str, keys: Sequence[str]) -> tuple[Any, list[str], list[str]]:
    """Find the JSON object or array in a text.

    Args:
        text: What the model wrote.
        keys: Fields of which the object has at least one.

    Returns:
        The data; what was repaired; why there is none. A text that ends inside its value is not
        completed.
    """
    try:
        return strict_json.parse(text), [], []
    except FormatError as error:
        reason = str(error.problems[0])
    wanted = {_plain(key) for key in keys}
    spelt = {name for name in _FIELD.findall(text) if _plain(name) in wanted}
    found = find_object(text, (*keys, *sorted(spelt - set(keys))))
    if found.data is not None:
        return found.data, [str(repair) for repair in found.repairs], []
    listed = _list_in(text)
    if listed is not None:
        return listed, ["output: a JSON array was found in other text"], []
    if not found.problems:
        return None, [], [reason]
    shown = f"expected one with {' or '.join(keys[:_MOST])}"
    what = "no JSON object" if found.problems[0].code == "no_json" else found.problems[0].message
    return None, [], [f"{what}, {shown} ({reason})"]


def fit(data: Any, model: type[T]) -> ReadValue[T]:
    """Make plain data fit a schema, as far as nothing has to be guessed.

    A bare array becomes the only list of the schema, a bare item of it too; fields that differ
    only in case and signs get their names; unknown fields are left out; ``"3"`` becomes 3.
    """
    repairs: list[str] = []
    try:
        strict_json.dumps(data)
    except ValueError as error:
        return ReadValue(None, (), (f"the reply holds no plain JSON: {error}",))
    whole = _wrapped(data, model, repairs)
    try:
        return ReadValue(_strict_or_lax(whole, model, repairs), tuple(repairs))
    except ValidationError:
        data = copy.deepcopy(whole)  # mended below; the problems are told of what was there
    for _ in range(_ROUNDS):
        try:
            return ReadValue(_strict_or_lax(data, model, repairs), tuple(repairs))
        except ValidationError as error:
            errors = error.errors(include_url=False)
        if not _mended(data, errors, repairs):
            break
    return ReadValue(None, tuple(repairs), _said(whole, errors))


def _names(model: type[BaseModel]) -> tuple[str, ...]:
    return tuple(info.alias or name for name, info in model.model_fields.items())


def _list_in(text: str) -> list[Any] | None:
    """Return the array in a text, from its first bracket to its last; nothing is completed."""
    import json_repair

    for part in (*_FENCED.findall(text), text):
        start, end = part.find("["), part.rfind("]")
        if 0 <= start < end and "{" not in part[:start]:
            piece = part[start : end + 1]
            data = json_repair.loads(piece, skip_json_loads=True) if _closes(piece) else None
            if isinstance(data, list) and data:
                return data
    return None


def _closes(text: str) -> bool:
    """Whether every bracket outside of strings is closed: a text that is cut off is not mended."""
    bare = _STRING.sub("", text)
    return bare.count("[") == bare.count("]") and bare.count("{") == bare.count("}")


def _wrapped(data: Any, model: type[BaseModel], repairs: list[str]) -> Any:
    lists = [
        (info.alias or name)
        for name, info in model.model_fields.items()
        if get_origin(info.annotation) in (list, tuple)
    ]
    others = [info for info in model.model_fields.values() if info.is_required()]
    if len(lists) != 1 or len(others) > 1:
        return data
    (name,) = lists
    if isinstance(data, list):
        repairs.append(f'output: a bare array read as the field "{name}"')
        return {name: data}
    if isinstance(data, dict) and not set(data) & set(_names(model)):
        try:
            model.model_validate({name: [data]})
        except ValidationError:
            return data
        repairs.append(f'output: a single object read as the only item of the field "{name}"')
        return {name: [data]}
    return data


def _strict_or_lax(data: Any, model: type[T], repairs: list[str]) -> T:
    """Validate strictly; what only a lax reading accepts is accepted and told."""
    text = strict_json.dumps(data)
    try:
        return model.model_validate_json(text, strict=True)
    except ValidationError as error:
        value = model.model_validate_json(text)
        for item in error.errors(include_url=False)[:_MOST]:
            place = strict_json.name_of(_path(item["loc"]))
            repairs.append(f"{place or 'output'}: {_short(item['input'])} converted")
        return value


def _mended(data: Any, errors: Sequence[Any], repairs: list[str]) -> bool:
    """Rename fields that differ in case and signs only, else leave out unknown ones."""
    renamed = False
    for item in errors:
        if item["type"] != "missing":
            continue
        holder, wanted = _at(data, item["loc"][:-1]), item["loc"][-1]
        if not isinstance(holder, dict):
            continue
        alike = [key for key in holder if _plain(key) == _plain(str(wanted)) and key != wanted]
        if len(alike) == 1 and wanted not in holder:
            holder[wanted] = holder.pop(alike[0])
            place = strict_json.name_of(_path(item["loc"][:-1])) or "output"
            repairs.append(f'{place}: the field "{alike[0]}" read as "{wanted}"')
            renamed = True
    if renamed:
        return True
    dropped = False
    for item in errors:
        if item["type"] == "extra_forbidden":
            holder, name = _at(data, item["loc"][:-1]), item["loc"][-1]
            if isinstance(holder, dict) and name in holder:
                del holder[name]
                place = strict_json.name_of(_path(item["loc"][:-1])) or "output"
                repairs.append(f'{place}: the unknown field "{name}" is left out')
                dropped = True
    return dropped


def _at(data: Any, path: Sequence[str | int]) -> Any:
    """Return the value at a path; parts that name a kind of a union are passed over."""
    for part in path:
        if isinstance(data, dict):
            data = data.get(part, data)
        elif isinstance(data, list) and isinstance(part, int) and part < len(data):
            data = data[part]
    return data


def _said(data: Any, errors: Sequence[Any]) -> tuple[str, ...]:
    """Say each error in a sentence that a model can act on."""
    said: list[str] = []
    for item in errors[:_MOST]:
        path = _path(item["loc"])
        if item["type"] == "missing":
            holder = _at(data, item["loc"][:-1])
            place = strict_json.name_of(path[:-1])
            near = did_you_mean(str(path[-1]), holder if isinstance(holder, dict) else ())
            if near:
                there = near.removeprefix(" (did you mean ").removesuffix("?)")
                near = f" (did you mean {path[-1]} in place of {there}?)"
            said.append(f'{place + ": " if place else ""}the field "{path[-1]}" is missing{near}')
        else:
            message = str(item["msg"]).removeprefix("Value error, ")
            expected = message.replace("Input should be", "expected", 1)
            place = strict_json.name_of(path) or "the reply"
            said.append(f"{place} is {_short(item['input'])}, {expected[:1].lower()}{expected[1:]}")
    if len(errors) > _MOST:
        said.append(f"and {len(errors) - _MOST} more problems of this kind")
    return tuple(said)


def _path(place: Sequence[str | int]) -> tuple[str | int, ...]:
    return tuple(place)


def _plain(name: str) -> str:
    return "".join(sign for sign in name.lower() if sign.isalnum())


def _short(value: Any) -> str:
    try:
        text = strict_json.dumps(value)
    except (TypeError, ValueError):
        text = str(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "\u2026"
