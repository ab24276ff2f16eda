"""JSON Schemas: valid themselves, true of what we write, false of what we refuse."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings

from graphkit.checks import check
from graphkit.errors import GraphError, InputError
from graphkit.formats import read_evidence
from graphkit.formats.question_json import graph_from_data
from graphkit.formats.schema import register_schema, schema, schema_names
from graphkit.settings import Settings
from graphkit.testing.strategies import stores_with_graphs

FACTBOOK = Path(__file__).parents[3] / "examples" / "factbook"
GRAPH: dict[str, Any] = {
    "root_node_id": "n2",
    "nodes": [
        {"node_id": "n0", "known_entities": ["a"]},
        {"node_id": "n1"},
        {"node_id": "n2", "is_root": True},
    ],
    "edges": [
        {"edge_id": "e0", "source_ids": ["n0"], "target_id": "n1", "op": "projection",
         "relation": "r", "direction": "forward"},
        {"edge_id": "e1", "source_ids": ["n0", "n1"], "target_id": "n2", "op": "intersection"},
    ],
}  # fmt: skip


def accepts(name: str, data: Any) -> bool:
    return jsonschema.Draft202012Validator(schema(name)).is_valid(data)


@pytest.mark.parametrize("name", schema_names())
def test_every_schema_is_one(name: str) -> None:
    """Each schema follows draft 2020-12, and is plain JSON with a title and a description."""
    found = schema(name)
    jsonschema.Draft202012Validator.check_schema(found)
    assert json.loads(json.dumps(found)) == found
    assert found["title"] == name
    assert found["description"]


def test_an_unknown_schema_lists_all() -> None:
    """A wrong name is answered with the names there are."""
    with pytest.raises(InputError, match=r'no schema "questoin", .*did you mean question') as found:
        schema("questoin")
    # Other packages register schemas of their own once they are imported.
    assert f"expected one of {', '.join(schema_names())} " in str(found.value)
    assert {"answer", "checks", "evidence", "question"} <= set(schema_names())


def test_a_schema_cannot_be_replaced() -> None:
    """A name that is taken stays with its first schema."""
    with pytest.raises(InputError, match="'question' is registered already"):
        register_schema("question", dict)


def test_what_is_returned_can_be_changed_without_harm() -> None:
    """Changing a returned schema does not change the next one."""
    schema("question")["properties"].clear()
    assert schema("question")["properties"]


def faults(record: dict[str, Any], name: str) -> list[str]:
    """Return what a record breaks of a schema."""
    found = jsonschema.Draft202012Validator(schema(name)).iter_errors(record)
    return [error.message for error in found]


@given(stores_with_graphs())
@settings(max_examples=60, deadline=None)
def test_every_graph_we_write_fits_its_schema(pair: Any) -> None:
    """The record of any graph is accepted by the schema of questions."""
    _, graph = pair
    assert faults(graph.to_record(), "question") == []


@given(stores_with_graphs(safe=None))
@settings(max_examples=40, deadline=None)
def test_every_report_of_checks_fits_its_schema(pair: Any) -> None:
    """The record of any report, grounded or not, is accepted by the schema of checks."""
    facts, graph = pair
    for report in (check(graph, facts), check(graph, None)):
        record = json.loads(json.dumps(report.to_record()))
        assert faults(record, "checks") == []
        assert faults({**graph.to_record(), "checks": record}, "grown") == []


def without(key: str) -> Callable[[dict[str, Any]], Any]:
    return lambda data: data.pop(key)


@pytest.mark.parametrize(
    "spoil",
    [
        without("nodes"),
        without("edges"),
        lambda data: data.update(nodes=[]),
        lambda data: data.update(root_node_id=3),
        lambda data: data.update(answer=3),
        lambda data: (data.pop("root_node_id"), data["nodes"][2].update(is_root=False)),
        lambda data: (data.pop("root_node_id"), data["nodes"][1].update(is_root=True)),
        lambda data: data["nodes"][0].pop("node_id"),
        lambda data: data["nodes"][0].update(node_id=" "),
        lambda data: data["nodes"][0].update(known_entities="a"),
        lambda data: data["nodes"][0].update(known_entities=[""]),
        lambda data: data["nodes"][0].update(is_root="yes"),
        lambda data: data["edges"][0].update(op="Projection"),
        lambda data: data["edges"][0].update(direction="up"),
        lambda data: data["edges"][0].update(relation=None),
        lambda data: data["edges"][0].pop("relation"),
        lambda data: data["edges"][0].update(source_ids=["n0", "n2"]),
        lambda data: data["edges"][1].update(source_ids=["n0"]),
        lambda data: data["edges"][1].update(source_ids=["n0", "n0"]),
        lambda data: data["edges"][1].update(relation="r"),
        lambda data: data["edges"][1].update(op="complement"),
    ],
)
def test_schema_and_reader_refuse_the_same(spoil: Callable[[dict[str, Any]], Any]) -> None:
    """What the schema of questions can say, the strict reader says too."""
    assert accepts("question", GRAPH)
    assert graph_from_data(GRAPH)
    data = copy.deepcopy(GRAPH)
    spoil(data)
    assert not accepts("question", data)
    with pytest.raises(GraphError):
        graph_from_data(data)


def test_the_bundled_evidence_fits_its_schema() -> None:
    """Every record of the bundled evidence that is read is accepted by the schema."""
    validator = jsonschema.Draft202012Validator(schema("evidence"))
    records = read_evidence(FACTBOOK / "evidence.jsonl")
    assert all(
        validator.is_valid(record.model_dump(mode="json", exclude_unset=True))
        for record in records[:: max(len(records) // 500, 1)]
    )
    assert not accepts("evidence", {"evidence_id": "e", "head_entity": "a", "relation": "r"})


def test_the_bundled_sheet_and_the_settings_fit_their_schemas() -> None:
    """The relation sheet of the factbook and the default settings are accepted."""
    import tomllib

    sheet = tomllib.loads((FACTBOOK / "relations.toml").read_text())
    jsonschema.validate(sheet, schema("relations"))
    jsonschema.validate(Settings().model_dump(mode="json"), schema("settings"))
    assert not accepts("settings", {"langauge": "en"})
