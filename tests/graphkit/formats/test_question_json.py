"""Question graphs in JSON: all problems at once, each with its place, and round trips."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from graphkit.errors import FormatError, GraphError, Problem, UnsupportedError
from graphkit.formats import notation, parse_questions, read_questions, write_questions
from graphkit.formats.question_json import graph_from_data


def question(**changes: Any) -> dict[str, Any]:
    record: dict[str, Any] = {
        "id": "q1",
        "question": "Which city is the capital of France?",
        "answer": "Paris",
        "root_node_id": "n1",
        "nodes": [
            {"node_id": "n0", "label": "France", "known_entities": ["France"], "is_root": False},
            {"node_id": "n1", "label": "city", "known_entities": None, "is_root": True},
        ],
        "edges": [
            {
                "edge_id": "e0",
                "source_ids": ["n0"],
                "target_id": "n1",
                "op": "projection",
                "relation": "capital",
                "direction": "forward",
            }
        ],
    }
    record.update(changes)
    return {key: value for key, value in record.items() if value is not ...}


def edge(**changes: Any) -> list[dict[str, Any]]:
    return [{**question()["edges"][0], **changes}]


def problems(text: str, name: str = "q.jsonl") -> list[str]:
    with pytest.raises(FormatError) as caught:
        parse_questions(text, name=name)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"edges": edge(op="projecton")},
            'edge e0: op "projecton" is not one of projection, intersection, complement, union '
            "(did you mean projection?)",
        ),
        (
            {"edges": edge(direction="Forward")},
            'edge e0: direction "Forward" is not one of forward, backward (did you mean forward?)',
        ),
        ({"edges": edge(source_ids="n0")}, "edge e0: source_ids is 'n0', expected a list of str"),
        ({"edges": edge(source_ids=None)}, "edge e0: source_ids is null, expected a list of str"),
        ({"edges": edge(source_ids=["n0", 1])}, "edge e0: source_ids[1] is the number 1, expecte"),
        ({"edges": edge(relation=None)}, "edge e0: projection without a relation"),
        ({"edges": edge(relation=5)}, "edge e0: relation is the number 5, expected a string or nu"),
        ({"edges": edge(target_id="n7")}, "edge e0: target 'n7' is not a node of the graph"),
        ({"edges": edge(op="intersection")}, "edge e0: intersection has the sources ['n0']; exp"),
        ({"edges": edge(source_ids=["n1"])}, "edge e0: leads into its own source n1"),
        ({"edges": edge() + edge()}, "edge e0: the id is used 2 times, expected once"),
        ({"edges": {}}, "edges is an object, expected a list of objects"),
        ({"edges": ...}, "edges is missing"),
        ({"nodes": []}, "nodes is an empty list, expected at least the answer node"),
        ({"nodes": [5]}, "nodes[0] is the number 5, expected an object"),
        ({"nodes": [{"id": "n0"}]}, "nodes[0]: node_id is missing"),
        ({"nodes": [{"node_id": 0}]}, "nodes[0]: node_id is the number 0, expected a string"),
        ({"nodes": [{"node_id": " "}]}, "node  : node_id is blank, expected a name"),
        (
            {"nodes": [{"node_id": "n0", "known_entities": "France"}, {"node_id": "n1"}]},
            "node n0: known_entities is 'France', expected a list of strings or null",
        ),
        (
            {"nodes": [{"node_id": "n0", "known_entities": [""]}, {"node_id": "n1"}]},
            "node n0: known_entities[0] is blank, expected a name",
        ),
        (
            {"nodes": [{"node_id": "n0", "is_root": "no"}, {"node_id": "n1"}]},
            "node n0: is_root is 'no', expected true or false",
        ),
        (
            {"root_node_id": "n9"},
            "root_node_id 'n9' is not a node of the graph",
        ),
        ({"root_node_id": 1}, "root_node_id is the number 1, expected a string"),
        ({"iteration": "3"}, "iteration is '3', expected a whole number or null"),
        ({"answer": ["Paris"]}, "answer is a list, expected a string or null"),
        ({"id": 7}, "id is the number 7, expected a string or null"),
        ({"aliases": "P"}, "aliases is 'P', expected a list of strings or null"),
    ],
)
def test_each_fault_is_named(changes: dict[str, Any], message: str) -> None:
    """A fault is told with file, line, node or edge, what is there and what was expected."""
    found = problems("\n" + json.dumps(question(**changes)))
    assert any(text.startswith(f"q.jsonl:2: {message}") for text in found), found


def test_a_missing_root_without_a_flag_is_an_error() -> None:
    """A question whose answer node is neither named nor flagged is refused, with a hint."""
    record = question(root_node_id=..., root_nod_id="n1", nodes=[{"node_id": "n1"}], edges=[])
    assert problems(json.dumps(record)) == [
        "q.jsonl:1: root_node_id is missing (is root_nod_id meant?) and no node has is_root true; "
        "expected one root"
    ]
    assert problems(json.dumps(question(root_node_id=None, nodes=[{"node_id": "n1"}], edges=[])))


def test_a_missing_root_is_read_from_its_flag() -> None:
    """Where exactly one node is flagged, root_node_id may be missing."""
    graphs = parse_questions(json.dumps(question(root_node_id=...)))
    assert graphs[0].root_node_id == "n1"


@pytest.mark.parametrize("named", ["n1", ...])
def test_two_roots_are_named(named: Any) -> None:
    """Two flagged nodes are an error that names both, with and without root_node_id."""
    nodes = [{"node_id": name, "is_root": True} for name in ("n0", "n1")]
    (found,) = problems(json.dumps(question(root_node_id=named, nodes=nodes)))
    assert "is_root is true for n0, n1" in found


def test_a_cycle_is_named_by_its_nodes() -> None:
    """A cycle is told node by node."""
    back = edge(edge_id="e1", source_ids=["n1"], target_id="n0")
    (found,) = problems(json.dumps(question(edges=edge() + back)))
    assert found.startswith("q.jsonl:1: node n0: the edges form a cycle: n0 <- n1 <- n0")


def test_all_problems_of_a_file_come_at_once() -> None:
    """Faults in several questions, fields and rules are reported together, in order."""
    text = "\n".join(
        [
            json.dumps(question(edges=edge(op="x", target_id="n9"))),
            '{"broken": ',
            "5",
            json.dumps(question(id="q2", answer=3, root_node_id="n0")),
            json.dumps(question(id="q1")),
        ]
    )
    assert problems(text) == [
        'q.jsonl:1: edge e0: op "x" is not one of projection, intersection, complement, union',
        "q.jsonl:1: edge e0: target 'n9' is not a node of the graph",
        "q.jsonl:2: the JSON value is cut off: the text ends before it does (truncated?)",
        "q.jsonl:3: found the number 5, expected an object (a question graph)",
        "q.jsonl:4: answer is the number 3, expected a string or null",
        "q.jsonl:4: node n1: is_root is true, but root_node_id names n0; expected exactly one root",
        "q.jsonl:5: question q1: the id is that of question number 1 of this file already, "
        "expected each id once",
    ]


def test_parts_of_an_indented_document_have_their_own_lines() -> None:
    """In a document over several lines a fault has the line of its node, edge or key."""
    record = question(edges=edge(op="meet", target_id="n9"), language=3)
    text = json.dumps(record, indent=1)
    where = {
        key: 1 + next(n for n, line in enumerate(text.split("\n")) if f'"{key}"' in line)
        for key in ("op", "language")
    }
    edge_line = 1 + next(n for n, line in enumerate(text.split("\n")) if '"edge_id"' in line) - 1
    assert problems(text, "q.json") == [
        f"q.json:{where['language']}: language is the number 3, expected a string or null",
        f'q.json:{where["op"]}: edge e0: op "meet" is not one of projection, intersection, '
        "complement, union",
        f"q.json:{edge_line}: edge e0: target 'n9' is not a node of the graph",
    ]


def test_questions_of_an_array_on_one_line_are_told_apart() -> None:
    """Where the line does not tell which question is meant, its id or number does."""
    text = json.dumps([question(), question(id=..., answer=1), question(id="q3", answer=2)])
    assert problems(text, "q.json") == [
        "q.json:1: question number 2: answer is the number 1, expected a string or null",
        "q.json:1: question q3: answer is the number 2, expected a string or null",
    ]


def test_an_array_with_a_line_each_has_exact_lines() -> None:
    """An array with one question a line gives each its line."""
    text = f"[\n{json.dumps(question())},\n{json.dumps(question(id='q2', answer=2))}\n]"
    assert problems(text, "q.json") == [
        "q.json:3: answer is the number 2, expected a string or null"
    ]


@pytest.mark.parametrize(
    "layout",
    [
        lambda records: "\n".join(json.dumps(record) for record in records),
        lambda records: json.dumps(records),
        lambda records: json.dumps(records, indent=2),
        lambda records: "\n\n" + json.dumps(records, indent=None),
    ],
)
def test_every_layout_gives_the_same_graphs(layout: Any) -> None:
    """JSONL, an array in one line and an indented array are read alike."""
    graphs = parse_questions(layout([question(), question(id="q2")]))
    assert [graph.id for graph in graphs] == ["q1", "q2"]
    assert parse_questions(json.dumps(question(), indent=2))[0] == graphs[0]


def test_broken_questions_are_skipped_and_counted_on_demand() -> None:
    """With keep_going the good questions come back, with the count and the problems."""
    told: list[Problem] = []
    text = f"{json.dumps(question())}\n{{\n{json.dumps(question(id='q2'))}\n"
    from graphkit.formats.lines import TextSource

    graphs = read_questions(TextSource.of(text, "q.jsonl"), keep_going=True, on_error=told.append)
    assert [graph.id for graph in graphs] == ["q1", "q2"]
    assert (graphs.skipped, list(graphs.problems)) == (1, told)
    assert told[0].line == 2


def test_nothing_left_is_an_error_even_when_going_on() -> None:
    """A file in which every question is broken is refused."""
    with pytest.raises(FormatError, match=r"q\.jsonl:1"):
        parse_questions("{", name="q.jsonl", keep_going=True)


def test_reading_stops_after_a_thousand_problems() -> None:
    """A file of another kind does not flood the screen."""
    found = problems("x\n" * 5000)
    assert len(found) == 1001
    assert found[-1] == "q.jsonl: more than 1000 problems, reading stopped here"


@pytest.mark.parametrize(
    "name",
    ['say "hi"', "it's", "two\nlines", "\u0627\u0644\u0639\u0631\u0628\u064a\u0629", "\U0001f600",
     "a\u2028b\u0085c", "</script>", "\\n", "tab\t", "nul\x00"],
)  # fmt: skip
@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".jsonl.gz"])
def test_unusual_names_survive(tmp_path: Path, name: str, suffix: str) -> None:
    """Quotes, newlines, right-to-left script, emoji and separators come back as they were."""
    record = question(answer=name)
    record["nodes"][0]["known_entities"] = [name]
    graphs = parse_questions(json.dumps(record))
    path = tmp_path / f"q{suffix}"
    assert write_questions(graphs, path) == ()
    assert list(read_questions(path)) == list(graphs)


def test_unknown_keys_are_kept_in_their_places() -> None:
    """Keys that we do not know come back on the graph, its nodes and its edges."""
    record = question(source={"x": [1, None]}, order=3, nodes_by_id="taken")
    record["nodes"][0]["score"] = 0.5
    record["edges"][0]["why"] = "because"
    back = parse_questions(json.dumps(record))[0].to_record()
    assert back["source"] == {"x": [1, None]}
    assert (back["order"], back["nodes_by_id"]) == (3, "taken")
    assert back["nodes"][0]["score"] == 0.5
    assert back["edges"][0]["why"] == "because"


def test_plain_data_is_read_with_the_same_rules() -> None:
    """Data from elsewhere is checked as a file is, with the place that was given."""
    assert graph_from_data(question()).id == "q1"
    with pytest.raises(GraphError, match="answer is the number 1"):
        graph_from_data(question(answer=1))
    with pytest.raises(GraphError, match=r"a\.jsonl:4: found a list"):
        graph_from_data([], "a.jsonl", 4)


def test_a_further_key_that_json_cannot_carry_is_refused(tmp_path: Path) -> None:
    """A value without a JSON form stops the writer, and no file appears."""
    graph = graph_from_data(question()).replace(odd=float("nan"))
    with pytest.raises(UnsupportedError, match="question q1: a further key"):
        write_questions([graph], tmp_path / "q.jsonl")
    assert not list(tmp_path.iterdir())


def test_formats_are_told_by_name_suffix_and_content(tmp_path: Path) -> None:
    """An unknown name or suffix lists what there is; content without a suffix is recognised."""
    with pytest.raises(FormatError, match=r'no format "jsn", expected one of .*did you mean json'):
        notation("jsn")
    with pytest.raises(FormatError, match=r'cannot tell the format from the suffix "\.doc"'):
        write_questions([], tmp_path / "x.doc")
    path = tmp_path / "questions"
    path.write_text(json.dumps(question()))
    assert read_questions(path)[0].id == "q1"
    path.write_text("hello")
    with pytest.raises(FormatError, match="questions: cannot tell the format"):
        read_questions(path)
    path.write_text("")
    with pytest.raises(FormatError, match="questions: is empty"):
        read_questions(path)


def test_a_json_text_is_read_as_itself() -> None:
    """A string that begins with a bracket is the text, not a path."""
    assert read_questions(json.dumps(question()))[0].id == "q1"


@pytest.mark.parametrize("suffix", [".json", ".txt"])
def test_a_document_whose_lines_begin_with_braces_is_one_document(
    tmp_path: Path, suffix: str
) -> None:
    """A graph written with one node a line is read whole, not as broken JSON lines."""
    path = tmp_path / f"q{suffix}"
    path.write_text(
        '{"question": "Which?", "answer": null, "root_node_id": "n1", "nodes": [\n'
        '{"node_id": "n0", "known_entities": ["France"], "is_root": false},\n'
        '{"node_id": "n1", "is_root": true}],\n'
        '"edges": [{"edge_id": "e0", "source_ids": ["n0"], "target_id": "n1",\n'
        '"op": "projection", "relation": "capital", "direction": "forward"}]}\n',
        encoding="utf8",
    )
    graphs = read_questions(path, "json").records
    assert [node.node_id for node in graphs[0].nodes] == ["n0", "n1"]
