"""The lenient parser: what it repairs, what it must not guess, and that it never falls over."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.formats.lenient import LenientResult, parse_model_output
from graphkit.formats.question_json import graph_from_data

GRAPH: dict[str, Any] = {
    "question": "Which neighbour of France is not in NATO?",
    "answer": "Monaco",
    "root_node_id": "n4",
    "nodes": [
        {"node_id": "n0", "label": "France", "known_entities": ["France"]},
        {"node_id": "n1", "label": "neighbours"},
        {"node_id": "n2", "label": "members of NATO"},
        {"node_id": "n3", "label": "all others"},
        {"node_id": "n4", "label": "the answer", "is_root": True},
        {"node_id": "n5", "label": "NATO", "known_entities": ["NATO"]},
    ],
    "edges": [
        {
            "edge_id": "e0",
            "source_ids": ["n0"],
            "target_id": "n1",
            "op": "projection",
            "relation": "borders",
            "direction": "backward",
        },
        {
            "edge_id": "e1",
            "source_ids": ["n5"],
            "target_id": "n2",
            "op": "projection",
            "relation": "member of",
            "direction": "backward",
        },
        {"edge_id": "e2", "source_ids": ["n2"], "target_id": "n3", "op": "complement"},
        {"edge_id": "e3", "source_ids": ["n1", "n3"], "target_id": "n4", "op": "intersection"},
    ],
}
CLEAN = graph_from_data(GRAPH)


def changed(**paths: Any) -> dict[str, Any]:
    """Return the graph with values put in at paths like ``edges_2_op``; ... takes one away."""
    data = copy.deepcopy(GRAPH)
    for path, value in paths.items():
        *outer, last = path.split("__")
        place: Any = data
        for part in outer:
            place = place[int(part)] if part.isdigit() else place[part]
        if value is ...:
            del place[last]
        else:
            place[last] = value
    return data


def codes(result: LenientResult) -> list[str]:
    return [problem.code for problem in result.problems]


def test_a_clean_graph_needs_no_repair() -> None:
    """What is right already comes back without a repair, from data and from text."""
    for output in (GRAPH, json.dumps(GRAPH)):
        assert parse_model_output(output) == LenientResult(CLEAN)


def test_the_data_given_is_not_changed() -> None:
    """Data that is parsed already is left as it was."""
    data = changed(edges__2__op="NOT", nodes__0__known_entities="France")
    before = copy.deepcopy(data)
    parse_model_output(data)
    assert data == before


@pytest.mark.parametrize(
    "layout",
    [
        "```json\n{}\n```",
        "Here is the graph:\n```\n{}\n```\nI hope this helps {{not JSON}}.",
        "The graph {} is what you asked for.",
        "<think>first {{'nodes': []}} then</think>{}",
        "{{nodes: draft}} no, better: {}",
        "```json\n{}",
        '{{"graph": {}}}',
        "Use {{braces, they said: {}",
    ],
)
def test_fences_prose_and_wrappers_are_taken_off(layout: str) -> None:
    """The object is found in whatever a model puts around it, and that is recorded."""
    result = parse_model_output(layout.format(json.dumps(GRAPH, indent=1)))
    assert result.graph == CLEAN, result
    assert result.repairs


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace("]", ",]"),
        lambda text: text.replace('"', "'"),
        lambda text: text.replace("true", "True").replace("null", "None"),
        lambda text: text.replace('{"question"', '{ // the graph\n"question"'),
        lambda text: text.replace("}, {", "} {"),
    ],
)
def test_broken_syntax_is_repaired_and_recorded(spoil: Any) -> None:
    """Trailing commas, single quotes, Python words, comments and lost commas are repaired."""
    result = parse_model_output(spoil(json.dumps(GRAPH)))
    assert result.graph == CLEAN, result.problems
    assert "syntax" in [repair.code for repair in result.repairs]


@pytest.mark.parametrize("text", ["", "not json", "{}", "[]", "null", '{"a": 1}', "``` ```", "{"])
def test_text_without_a_graph_is_a_problem(text: str) -> None:
    """Prose, and JSON of another kind, gives no graph and says so."""
    result = parse_model_output(text)
    assert result.graph is None
    assert codes(result) == ["no_json"]


@given(st.integers(min_value=20, max_value=len(json.dumps(GRAPH)) - 1))
def test_text_cut_off_is_never_completed(length: int) -> None:
    """However much of the graph arrived, a part of it is not taken for the whole."""
    result = parse_model_output(json.dumps(GRAPH)[:length])
    assert result.graph is None
    assert codes(result)[0] in ("truncated", "no_json")


@pytest.mark.parametrize(
    ("word", "op"),
    [
        *[(word, "intersection") for word in ("AND", "Intersect", "∩", "INTERSECTION", "交集")],
        *[
            (word, "complement")
            for word in ("NOT", "¬", "exclude", "minus", "Negation", "EXCEPT", "补集", " not ")
        ],
        *[(word, "union") for word in ("OR", "∪", "Union")],
        *[(word, "projection") for word in ("π", "Project", "π_borders", "hop", "投影")],
    ],
)  # fmt: skip
def test_operations_have_many_names(word: str, op: str) -> None:
    """Synonyms in any case are read, and recorded with what the model wrote."""
    number = {"projection": 0, "complement": 2}.get(op, 3)
    result = parse_model_output(changed(**{f"edges__{number}__op": word}))
    assert result.graph is not None, result.problems
    assert result.graph.edges[number].op == op
    assert [(item.place, item.before, item.after) for item in result.repairs] == [
        (f"edges[{number}].op", word, op)
    ]


@pytest.mark.parametrize(
    ("word", "direction"),
    [("Inverse", "backward"), ("reverse", "backward"), ("<-", "backward"), ("BACKWARD", "backward"),
     ("→", "forward"), ("Forward", "forward"), ("反向", "backward")],
)  # fmt: skip
def test_directions_have_many_names(word: str, direction: str) -> None:
    """Synonyms of directions are read and recorded."""
    result = parse_model_output(changed(edges__0__direction=word))
    assert result.graph is not None
    assert result.graph.edges[0].direction == direction
    assert [item.code for item in result.repairs] == ["direction"]


def test_an_operation_can_name_its_direction() -> None:
    """An inverse projection without a direction is a backward one."""
    result = parse_model_output(changed(edges__0__op="inverse projection", edges__0__direction=...))
    assert result.graph == CLEAN


@pytest.mark.parametrize("nothing", [None, "", "none", "None", "N/A", "null", "-"])
def test_nothing_is_spelt_in_many_ways(nothing: str | None) -> None:
    """A relation of a set operation and known entities may be nothing in any spelling."""
    result = parse_model_output(
        changed(edges__3__relation=nothing, nodes__1__known_entities=nothing)
    )
    assert result.graph is not None
    assert result.graph.edges[3].relation is None
    assert result.graph.nodes[1].known_entities == ()
    assert len(result.repairs) == (0 if nothing is None else 2)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"edges__0__source_ids": "n0"}, "list"),
        ({"edges__3__source_ids": "n1, n3"}, "list"),
        ({"edges__3__source_ids": ["n1", "n3", "n1"]}, "copy"),
        ({"edges__0__target_id": ["n1"]}, "list"),
        ({"edges__0__target_id": "n1 "}, "id"),
        ({"edges__3__relation": "AND"}, "relation"),
        ({"edges__3__direction": "forward"}, "direction"),
        ({"edges__2__edge_id": ...}, "edge_id"),
        ({"nodes__0__known_entities": "France"}, "names"),
        ({"nodes__0__known_entities": ["France", None]}, "names"),
        ({"nodes__4__is_root": "true"}, "flag"),
        ({"root_node_id": ...}, "root"),
        ({"root_node_id": ""}, "root"),
        ({"root_node_id": ["n4"]}, "list"),
        ({"nodes__4__is_root": ...}, "root"),
        ({"answer": ["Monaco"]}, "list"),
        ({"nodes": {item["node_id"]: item for item in GRAPH["nodes"]}}, "list"),
        ({"nodes": [*GRAPH["nodes"], GRAPH["nodes"][0]]}, "copy"),
    ],
)
def test_slips_of_the_contract_are_repaired(changes: dict[str, Any], code: str) -> None:
    """Each slip gives the same graph as the clean data, with exactly its repair."""
    result = parse_model_output(changed(**changes))
    assert result.graph == CLEAN, result.problems
    assert [repair.code for repair in result.repairs] == [code]


def test_numbers_as_ids_become_strings_everywhere() -> None:
    """Numeric ids of nodes, sources, targets and the root are one and the same string."""
    data = {
        "root_node_id": 1,
        "nodes": [{"node_id": 0, "known_entities": [1848]}, {"node_id": 1, "is_root": True}],
        "edges": [
            {"edge_id": 0, "source_ids": 0, "target_id": 1, "op": "projection", "relation": "r",
             "direction": "forward"}
        ],
    }  # fmt: skip
    result = parse_model_output(data)
    assert result.graph is not None
    assert result.graph.nodes[0].known_entities == ("1848",)
    assert [item.place for item in result.repairs] == [
        "nodes[0].node_id",
        "nodes[0].known_entities",
        "nodes[1].node_id",
        "edges[0].edge_id",
        "edges[0].source_ids",
        "edges[0].source_ids[0]",
        "edges[0].target_id",
        "root_node_id",
    ]


def test_misnamed_keys_are_recognised_and_extra_ones_kept() -> None:
    """Keys by other usual names are read; keys without a meaning stay."""
    data = changed(edges__0__op=..., edges__0__operation="projection", note="x")
    data["nodes"][0]["id"] = data["nodes"][0].pop("node_id")
    data["nodes"][0]["why"] = 1
    result = parse_model_output(data)
    assert result.graph is not None, result.problems
    assert [item.place for item in result.repairs] == ["nodes[0].id", "edges[0].operation"]
    assert result.graph.model_extra == {"note": "x"}
    assert result.graph.nodes[0].model_extra == {"why": 1}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"root_node_id": ..., "nodes__4__is_root": False}, "no_root"),
        ({"nodes__3__is_root": True}, "two_roots"),
        ({"edges__0__relation": None}, "no_relation"),
        ({"edges__0__relation": ...}, "no_relation"),
        ({"edges__0__relation": "N/A"}, "no_relation"),
        ({"edges__2__relation": "won"}, "relation_on_set"),
        ({"edges__0__op": "blend"}, "unknown_op"),
        ({"edges__0__op": ...}, "missing_key"),
        ({"edges__0__direction": "sideways"}, "unknown_direction"),
        ({"edges__0__target_id": "n9"}, "dangling"),
        ({"edges__3__source_ids": ["n1"]}, "sources"),
        ({"nodes__0__node_id": ...}, "missing_key"),
        ({"nodes": "n0"}, "type"),
        ({"nodes__1__node_id": "n0"}, "duplicate_id"),
    ],
)
def test_what_would_be_a_guess_is_a_problem(changes: dict[str, Any], code: str) -> None:
    """No root, no relation, an unknown word: there is no graph, and the problem is named."""
    result = parse_model_output(changed(**changes))
    assert result.graph is None
    assert code in codes(result)
    assert len({str(problem) for problem in result.problems}) == len(result.problems)


def test_a_key_twice_is_not_decided() -> None:
    """Where a key stands twice in one object neither value is dropped silently."""
    text = json.dumps(GRAPH).replace('"relation": "borders"', '"relation": "a", "relation": "b"')
    assert codes(parse_model_output(text)) == ["duplicate_key"]


@pytest.mark.parametrize(
    ("word", "what"),
    [("argmax", "a ranking"), ("ArgMin", "a ranking"), ("COUNT", "a count"), ("sort", "a ranking"),
     ("compare", "a comparison"), ("Sum", "arithmetic"), ("greater than", "a comparison"),
     ("top-k", "a ranking")],
)  # fmt: skip
def test_what_no_operation_expresses_is_named(word: str, what: str) -> None:
    """Rankings, counts, arithmetic and comparisons give one diagnostic that names the part."""
    result = parse_model_output(changed(edges__3__op=word))
    assert result.graph is None
    (problem,) = result.not_expressible
    assert result.problems == (problem,)
    assert f'edge e3: op "{word}" is {what}' in str(problem)
    assert str(problem).endswith("the part concerned: the answer")


@pytest.mark.parametrize("said", ["the largest of them", ["the largest of them"], True])
def test_a_model_may_say_what_it_cannot_express(said: Any) -> None:
    """A declared part is taken up, with or without a graph beside it."""
    for data in (
        {"not_expressible": said, "question": "the largest of them"},
        {**GRAPH, "not_expressible": said, "question": "the largest of them"},
    ):
        result = parse_model_output(json.dumps(data))
        assert result.graph is None
        assert [str(problem) for problem in result.problems] == [
            "the three operations cannot express this part: the largest of them"
        ]
    assert parse_model_output({**GRAPH, "not_expressible": None}).graph is not None


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5)
    | st.sampled_from(["n0", "n1", "n4", "AND", "argmax", "inverse"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["node_id", "op", "id", "source_ids"]), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@given(
    st.sampled_from(
        [
            "question", "answer", "root_node_id", "nodes", "edges", "nodes__0", "edges__0", "id",
            *(f"nodes__4__{key}" for key in ("node_id", "label", "known_entities", "is_root")),
            *(f"edges__3__{key}" for key in ("source_ids", "target_id", "op", "relation",
                                             "direction", "edge_id")),
        ]
    ),
    JUNK,
)  # fmt: skip
def test_any_value_anywhere_gives_a_graph_or_problems(path: str, value: Any) -> None:
    """Whatever stands in a field, there is a graph or at least one problem, never both."""
    *outer, last = path.split("__")
    data = copy.deepcopy(GRAPH)
    place: Any = data
    for part in outer:
        place = place[int(part)] if part.isdigit() else place[part]
    place[int(last) if last.isdigit() else last] = value
    result = parse_model_output(data)
    assert (result.graph is None) == bool(result.problems)
    if result.graph is not None and not result.repairs:
        assert result.graph == graph_from_data(data)


@given(st.text())
def test_any_text_gives_a_graph_or_problems(text: str) -> None:
    """No text makes the parser fall over."""
    result = parse_model_output("{'nodes': " + text + "}")
    assert (result.graph is None) == bool(result.problems)
