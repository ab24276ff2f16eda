"""JSON Schemas of the files of this package, registered for ``graphkit schema NAME``."""

from __future__ import annotations

from typing import Any

from graphkit.formats.schema import register_schema
from synthesis.agents.construction import QaRecord
from synthesis.agents.gathering import GatheredReply
from synthesis.agents.guidance import DirectionReply
from synthesis.loop_settings import LoopSettings
from synthesis.seeds import Seed

__all__ = ["SCHEMAS"]

Schema = dict[str, Any]

_NAME: Schema = {"type": "string", "minLength": 1}


def _seeds() -> Schema:
    """Return the schema of one line of a seeds file: a reply of the seed agent, or one seed."""
    single = Seed.model_json_schema()
    item = {
        "type": "object",
        "properties": {**single["properties"], "id": {"type": ["integer", "string"]}},
        "required": ["entity_name"],
    }
    reply = {
        "type": "object",
        "properties": {
            "domain": {
                "type": "object",
                "properties": {"primary": {"type": "string"}, "secondary": {"type": "string"}},
            },
            "total_count": {"type": "integer", "minimum": 0},
            "seeds": {"type": "array", "items": item},
        },
        "required": ["seeds"],
    }
    return {"title": "seeds", "anyOf": [reply, item]}


def _step() -> Schema:
    """Return the schema of one line of the journal of a run."""
    return {
        "title": "step",
        "type": "object",
        "properties": {
            "run": _NAME,
            "seed": _NAME,
            "number": {"type": "integer", "minimum": 0},
            "step": {
                "enum": [
                    "gathered",
                    "constructed",
                    "parsed",
                    "advised",
                    "revised",
                    "rivals",
                    "read_otherwise",
                    "judged",
                    "gave_nothing",
                    "outcome",
                ]
            },
        },
        "required": ["run", "seed", "number", "step"],
    }


def _release() -> Schema:
    """Return the schema of the manifest of a release."""
    from synthesis.release.manifest import ReleaseManifest

    return ReleaseManifest.model_json_schema(mode="serialization")


SCHEMAS = {
    "advice": DirectionReply.model_json_schema,
    "gathered": GatheredReply.model_json_schema,
    "loop-settings": LoopSettings.model_json_schema,
    "qa-record": QaRecord.model_json_schema,
    "release": _release,
    "run-step": _step,
    "seeds": _seeds,
}
"""Name -> what makes the schema."""

for _name, _make in SCHEMAS.items():
    register_schema(_name, _make)
