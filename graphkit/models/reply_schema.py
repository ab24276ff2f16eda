"""The JSON schema of a reply as servers want it, from a pydantic model."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

__all__ = ["ReplySchema", "schema_of"]

_NAME = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class ReplySchema:
    """A schema, in the forms in which it is sent.

    Attributes:
        name: Its name: letters, digits, ``_`` and ``-``.
        plain: The JSON schema as pydantic makes it, without titles.
        wire: The form that is sent: with every object closed and every field required, where it
            can be said so, since servers that constrain their output ask for that.
        strict: Whether ``wire`` has that form.
        text: The plain schema as text, for a prompt.
        digest: The SHA-256 of the plain schema.
    """

    name: str
    plain: Mapping[str, Any]
    wire: Mapping[str, Any]
    strict: bool
    text: str
    digest: str


@functools.lru_cache(maxsize=256)
def schema_of(model: type[BaseModel]) -> ReplySchema:
    """Return the schema of a pydantic model.

    >>> class City(BaseModel):
    ...     name: str
    ...     size: int = 0
    >>> found = schema_of(City)
    >>> found.name, found.strict, found.wire["required"], found.plain["required"]
    ('City', True, ['name', 'size'], ['name'])
    """
    plain = _untitled(model.model_json_schema())
    text = json.dumps(plain, ensure_ascii=False)
    strict = _closable(plain)
    return ReplySchema(
        name=_NAME.sub("_", model.__name__)[:64],
        plain=plain,
        wire=_closed(plain) if strict else plain,
        strict=strict,
        text=text,
        digest=hashlib.sha256(text.encode()).hexdigest(),
    )


def _untitled(value: Any, named: bool = False) -> Any:
    """Leave out titles and defaults, which only lengthen a schema; never a field of that name."""
    if isinstance(value, dict):
        return {
            key: _untitled(item, key in ("properties", "$defs") and not named)
            for key, item in value.items()
            if named or key not in ("title", "default")
        }
    if isinstance(value, list):
        return [_untitled(item) for item in value]
    return value


def _closable(schema: Any) -> bool:
    """Whether no object in a schema has fields of any name, and no value is of any kind."""
    if isinstance(schema, list):
        return all(_closable(item) for item in schema)
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object":
        if "properties" not in schema or schema.get("additionalProperties") not in (None, False):
            return False
        inner = [*schema["properties"].values(), *schema.get("$defs", {}).values()]
        return all(item and _closable(item) for item in inner)
    if schema.get("type") == "array" and not (schema.get("items") or schema.get("prefixItems")):
        return False
    return all(_closable(item) for item in schema.values())


def _closed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == "object":
        fields = {name: _closed(item) for name, item in schema["properties"].items()}
        rest = {key: _closed(item) for key, item in schema.items() if key != "properties"}
        if "$defs" in schema:
            rest["$defs"] = {name: _closed(item) for name, item in schema["$defs"].items()}
        return {
            **rest, "properties": fields, "required": list(fields), "additionalProperties": False,
        }  # fmt: skip
    return {key: _closed(item) for key, item in schema.items()}
