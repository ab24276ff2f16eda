"""JSON Schema of every file: what other programs may rely on."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from graphkit.errors import InputError, Problem, did_you_mean
from graphkit.evidence import EvidenceRecord
from graphkit.question import QuestionGraph
from graphkit.relations import RelationSheet
from graphkit.settings import Settings

__all__ = ["register_schema", "schema", "schema_names"]

Schema = dict[str, Any]

_MAKERS: dict[str, Callable[[], Schema]] = {}


def register_schema(name: str, make: Callable[[], Schema]) -> None:
    """Add the schema of a file; other rooms add theirs.

    Args:
        name: Its name on the command line.
        make: Returns the schema, without ``$schema`` and ``$id``.

    Raises:
        InputError: The name is taken by another schema.
    """
    if _MAKERS.setdefault(name, make) is not make:
        raise InputError(f"a schema {name!r} is registered already")


def schema_names() -> tuple[str, ...]:
    """Return the names of all schemas, sorted."""
    return tuple(sorted(_MAKERS))


def schema(name: str) -> Schema:
    """Return the JSON Schema (draft 2020-12) of one record of a file.

    Raises:
        InputError: There is none with that name; the message lists all.

    >>> schema("evidence")["required"]
    ['evidence_id', 'head_entity', 'relation', 'tail_entity']
    """
    make = _MAKERS.get(name)
    if make is None:
        raise InputError(
            Problem(
                f'no schema "{name}", expected one of {", ".join(schema_names())}'
                f"{did_you_mean(name, _MAKERS)}",
                code="unknown_schema",
            )
        )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:graphkit:schema:{name}",
        **copy.deepcopy(make()),
    }


# ---- small words ------------------------------------------------------------------------------

_TEXT: Schema = {"type": "string"}
_NAME: Schema = {"type": "string", "pattern": r"\S"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_FLAG: Schema = {"type": "boolean"}


def _or_null(inner: Schema) -> Schema:
    return {"anyOf": [inner, {"type": "null"}]}


def _list(inner: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": inner, **more}


def _table(inner: Schema) -> Schema:
    return {"type": "object", "additionalProperties": inner}


def _object(required: str, **properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": required.split()}


# ---- files with a model -----------------------------------------------------------------------


def _question() -> Schema:
    found: Schema = QuestionGraph.model_json_schema()
    found["title"] = "question"
    found["description"] = "A question graph: the contract of EvoBrowseComp, A.4."
    properties = found["properties"]
    properties["nodes"]["minItems"] = 1
    for key in ("evidence_ids", "aliases"):
        properties[key] = _or_null(_list(_NAME))
    found["required"] = ["nodes", "edges"]
    properties["root_node_id"] = _or_null(_NAME)
    one_flag = {"contains": {"properties": {"is_root": {"const": True}}, "required": ["is_root"]}}
    found["anyOf"] = [
        {"properties": {"root_node_id": _TEXT}, "required": ["root_node_id"]},
        {"properties": {"nodes": {**one_flag, "minContains": 1, "maxContains": 1}}},
    ]
    node = found["$defs"]["Node"]
    node["description"] = "A set of entities."
    node["properties"]["node_id"] = _NAME
    for key in ("known_entities", "reference_entities"):
        node["properties"][key] = _or_null(_list(_NAME))
    node["properties"]["entity_type"] = _or_null(_NAME)
    edge = found["$defs"]["Edge"]
    for key in ("edge_id", "target_id"):
        edge["properties"][key] = _NAME
    edge["properties"]["source_ids"] = _list(_NAME, minItems=1, uniqueItems=True)
    edge["allOf"] = [
        _when("op", ["projection"], {"relation": _NAME, "source_ids": {"maxItems": 1}}, "relation"),
        _when("op", ["complement"], {"relation": _no_relation(), "source_ids": {"maxItems": 1}}),
        _when(
            "op",
            ["intersection", "union"],
            {"relation": _no_relation(), "source_ids": {"minItems": 2}},
        ),
    ]
    return found


def _no_relation() -> Schema:
    return {"anyOf": [{"type": "null"}, {"type": "string", "pattern": r"^\s*$"}]}


def _when(key: str, values: list[str], then: Schema, required: str = "") -> Schema:
    return {
        "if": {"properties": {key: {"enum": values}}, "required": [key]},
        "then": {"properties": then, "required": required.split()},
    }


def _evidence() -> Schema:
    found: Schema = EvidenceRecord.model_json_schema()
    found["title"] = "evidence"
    found["description"] = "An evidence record: the contract of EvoBrowseComp, A.2."
    for key in ("evidence_id", "head_entity", "relation", "tail_entity"):
        found["properties"][key] = _NAME
    return found


def _relations() -> Schema:
    found: Schema = RelationSheet.model_json_schema()
    found["title"] = "relations"
    found["description"] = "A relation sheet (relations.toml, read as JSON)."
    return found


def _settings() -> Schema:
    found: Schema = Settings.model_json_schema()
    found["title"] = "settings"
    found["description"] = "A settings file (graphkit.toml, read as JSON)."
    found["properties"].pop("origins")
    return found


# ---- what commands print ----------------------------------------------------------------------


def _answer() -> Schema:
    return {
        "title": "answer",
        "description": "What `graphkit answer --json` says of one question.",
        **_object(
            "question_id answers count warnings",
            question_id=_or_null(_TEXT),
            answers=_list(_TEXT),
            count=_COUNT,
            warnings=_list(_TEXT),
        ),
    }


def _checks() -> Schema:
    lint = _object(
        "code severity ids message",
        code=_TEXT,
        severity={"enum": ["error", "warning", "info"]},
        ids=_list(_TEXT),
        message=_TEXT,
    )
    shortcut = _object(
        "kind size",
        kind={"enum": ["pinning_subgraph", "direct_path", "adjacent", "text_leak"]},
        size=_COUNT,
        constraints=_list(_TEXT),
    )
    shortcut["anyOf"] = [{"required": [key]} for key in ("constraints", "path", "span")]
    search = _object("complete", max_length=_COUNT, max_fan_out=_COUNT, complete=_FLAG)
    profile = _object(
        "nodes edges ops hops depth anchors signature tree",
        nodes=_COUNT,
        edges=_COUNT,
        ops=_table(_COUNT),
        hops=_COUNT,
        depth=_COUNT,
        anchors=_COUNT,
        candidates=_table(_COUNT),
        fan_out=_table(_COUNT),
        signature=_TEXT,
        tree={"enum": ["chain", "left-deep", "right-deep", "balanced"]},
        fresh_share=_or_null({"type": "number", "minimum": 0, "maximum": 1}),
        root_domains=_list(_TEXT),
        knowledge_order=_or_null(_TEXT),
    )
    return {
        "title": "checks",
        "description": "What `graphkit check --json` says of one question.",
        **_object(
            "question_id valid lint answers_count unique faithful basis reason redundant "
            "minimal_core core_exact shortcuts searched profile",
            question_id=_TEXT,
            valid=_FLAG,
            lint=_list(lint),
            answers_count=_or_null(_COUNT),
            unique=_or_null(_FLAG),
            faithful=_or_null(_FLAG),
            basis={"enum": ["closed", "evidence", "ungrounded"]},
            reason=_or_null(_TEXT),
            redundant=_or_null(_list(_TEXT)),
            minimal_core=_or_null(_list(_TEXT)),
            core_exact=_or_null(_FLAG),
            shortcuts=_or_null(_list(shortcut)),
            searched=_table(search),
            profile=profile,
        ),
    }


def _grown() -> Schema:
    question, checks = _question(), _checks()
    question["title"] = "grown"
    question["description"] = "What `graphkit grow --json` says of one question."
    question["properties"]["checks"] = checks
    question["properties"]["history"] = _list({"type": "object"})
    return question


for _name, _make in (
    ("question", _question),
    ("evidence", _evidence),
    ("relations", _relations),
    ("settings", _settings),
    ("answer", _answer),
    ("checks", _checks),
    ("grown", _grown),
):
    register_schema(_name, _make)
