"""The strategies by example: what is added, what is recorded, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from graphkit.checks import Relaxer
from graphkit.errors import MutationError, SettingsError
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.mutate import (
    BranchBook,
    Mutation,
    Proposer,
    Rules,
    Strategy,
    apply_mutation,
    complement,
    compound,
    drop_constraint,
    intersection_expansion,
    inverse_projection,
    is_one_to_one,
    one_to_one_hops,
    projection_extension,
    replay_history,
    seed_question,
    widen_anchor,
)
from graphkit.normalize import normalize
from graphkit.operations import Direction
from graphkit.patterns import signature
from graphkit.question import Edge, Node, QuestionGraph

FACTS = FactStore.from_triples(
    [
        *((f"c{n}", "member of", "Union") for n in range(6)),
        *((f"c{n}", "member of", "Pact") for n in range(3)),
        *((f"c{n}", "trades with", "Port") for n in (0, 3, 4)),
        *((f"c{n}", "capital", f"k{n}") for n in range(6)),
        ("d", "capital", "k0 too"),
        ("Union", "part of", "World"),
        ("Pact", "part of", "World"),
    ]
)
MEMBERS = {"relation": "member of", "direction": Direction.BACKWARD}


def seed(**more: Any) -> Mutation:
    return seed_question(
        **{
            "anchor": "Union",
            "anchor_type": None,
            **MEMBERS,
            "answer": "c0",
            "answer_type": None,
            "reason": "It is there.",
            **more,
        }
    )


SEED = replay_history([seed()])[0]


def answers(graph: QuestionGraph) -> list[str]:
    return evaluate(graph, FACTS, materialize_universe=True).names


def test_a_seed_is_one_projection():
    """The first question asks for what an entity is one of."""
    assert signature(SEED) == "1p"
    assert SEED.answer == "c0"
    assert SEED.iteration == 1
    assert answers(SEED) == [f"c{n}" for n in range(6)]


def test_an_exclusion_makes_v_minus_b():
    """Strategy A: the new set is what was there without the excluded one."""
    mutation = complement(SEED, "n1", relation="member of", direction=Direction.BACKWARD,
                          anchor="Pact", reason="Not them.")  # fmt: skip
    after = apply_mutation(SEED, mutation)
    assert signature(after) == "2in"
    assert answers(after) == ["c3", "c4", "c5"]
    assert mutation.strategy is Strategy.COMPLEMENT


def test_a_branch_goes_early_or_late():
    """Strategy C: at the root it is late, at an inner node early; one more joins the same edge."""
    late = intersection_expansion(SEED, "n1", anchor="Pact", **MEMBERS)
    two = apply_mutation(SEED, late)
    assert late.position == "late"
    assert signature(two) == "2i"
    more = intersection_expansion(
        two, "n1", relation="trades with", direction=Direction.BACKWARD, anchor="Port"
    )
    three = apply_mutation(two, more)
    assert signature(three) == "3i"
    assert answers(three) == ["c0"]
    hop = projection_extension(SEED, relation="capital", direction=Direction.FORWARD, answer="k0")
    deeper = apply_mutation(SEED, hop)
    early = intersection_expansion(deeper, "n1", anchor="Pact", **MEMBERS)
    assert early.position == "early"
    assert signature(apply_mutation(deeper, early)) == "ip"


def test_an_anchor_is_described_or_widened():
    """Strategy B and its loose sister: the name becomes a reference, a projection takes over."""
    arguments: dict[str, Any] = {
        "relation": "part of", "direction": Direction.BACKWARD, "anchor": "World",
    }  # fmt: skip
    for build, strategy in (
        (inverse_projection, Strategy.INVERSE_PROJECTION),
        (widen_anchor, Strategy.WIDEN_ANCHOR),
    ):
        mutation = build(SEED, "n0", **arguments)
        after = apply_mutation(SEED, mutation)
        assert mutation.strategy is strategy
        assert signature(after) == "2p"
        assert after.node("n0").reference_entities == ("Union",)
        assert after.node("n0").known_entities == ()
        with pytest.raises(MutationError, match="node n1 has no known entity"):
            build(SEED, "n1", **arguments)
        with pytest.raises(MutationError, match="node n9 has no known entity"):
            build(SEED, "n9", **arguments)


def test_an_extension_moves_the_answer():
    """The old answer is hidden, the new root is asked for."""
    mutation = projection_extension(
        SEED, relation="capital", direction=Direction.FORWARD, answer="k0", answer_type="city"
    )
    after = apply_mutation(SEED, mutation)
    assert (after.answer, after.root_node_id) == ("k0", "n2")
    assert after.node("n1").reference_entities == ("c0",)
    assert [node.node_id for node in after.nodes if node.is_root] == ["n2"]
    assert after.node("n2").entity_type == "city"


def test_the_old_graph_is_untouched():
    """Mutations are values, graphs too."""
    before = SEED.to_record()
    apply_mutation(SEED, complement(SEED, "n1", anchor="Pact", **MEMBERS))
    assert SEED.to_record() == before


SHARED = QuestionGraph(
    root_node_id="x",
    nodes=[
        Node(node_id="a", known_entities=["Union"]),
        Node(node_id="b", known_entities=["Pact"]),
        Node(node_id="m"),
        Node(node_id="p"),
        Node(node_id="q"),
        Node(node_id="x"),
    ],
    edges=[
        Edge(edge_id="e0", source_ids=["a"], target_id="m", op="projection", **MEMBERS),
        Edge(edge_id="e1", source_ids=["b"], target_id="p", op="projection", **MEMBERS),
        Edge(edge_id="e2", source_ids=["m", "p"], target_id="q", op="intersection"),
        Edge(edge_id="e3", source_ids=["q"], target_id="x", op="complement"),
        Edge(edge_id="e4", source_ids=["m"], target_id="x", op="projection", relation="capital"),
    ],
)


def test_a_condition_of_a_shared_node_is_dropped():
    """The source that is left is used elsewhere too: what it says is said twice."""
    normal = normalize(SHARED)
    graph = apply_mutation(normal, drop_constraint(normal, "e2/p"))
    assert answers(graph) == [f"k{n}" for n in range(6)]
    assert "m" in graph.nodes_by_id
    assert "b" not in graph.nodes_by_id


def test_a_last_source_of_another_type_is_not_merged():
    """Only an intersection can say two types: the drop is refused with both."""
    graph = QuestionGraph(
        root_node_id="x",
        nodes=[
            Node(node_id="a", known_entities=["Union"], entity_type="club"),
            Node(node_id="b", known_entities=["Pact"]),
            Node(node_id="x", entity_type="land"),
        ],
        edges=[Edge(edge_id="e", source_ids=["a", "b"], target_id="x", op="intersection")],
    )
    with pytest.raises(MutationError, match="node x is of type land, its last source a of type"):
        drop_constraint(graph, "e/b")
    assert apply_mutation(graph, drop_constraint(graph, "e/a")).node("x").known_entities == (
        "Pact",
    )


def test_a_compound_needs_a_loosening_and_a_tightening():
    """Any other pair is refused; reasons are joined, also where one of them is empty."""
    two = apply_mutation(SEED, intersection_expansion(SEED, "n1", anchor="Pact", **MEMBERS))
    loosen = drop_constraint(two, f"{two.incoming['n1'][0].edge_id}/n3", reason="Too narrow.")
    tighten = complement(apply_mutation(two, loosen), "n1", anchor="Port", relation="trades with",
                         direction=Direction.BACKWARD)  # fmt: skip
    both = compound(two, loosen, tighten)
    assert both.reason == "Too narrow."
    assert len(both.parts) == 2
    said = tighten.model_copy(update={"reason": "Not those."})
    assert compound(two, loosen, said).reason == "Too narrow; then not those."
    with pytest.raises(MutationError, match="is no compound"):
        compound(two, tighten, loosen)
    with pytest.raises(MutationError, match="is no compound"):
        compound(two, loosen, loosen)
    with pytest.raises(MutationError, match="expected by the mutation"):
        compound(SEED, loosen, tighten)


def test_what_does_not_fit_the_graph_is_named():
    """Missing edges, missing nodes, edges that are there already, seeds: all at once."""
    gone = Mutation(
        strategy=Strategy.COMPLEMENT,
        node_id="n7",
        reason="",
        removed_edges=("e7",),
        removed_nodes=("n8",),
        edges=SEED.edges,
    )
    with pytest.raises(MutationError) as caught:
        apply_mutation(SEED, gone)
    assert sorted(str(problem) for problem in caught.value.problems) == [
        "mutation Complement: edge e0 is in the graph already, expected to be new",
        "mutation Complement: edge e7 is not in the graph, expected by the mutation",
        "mutation Complement: node n7 is not in the graph, expected by the mutation",
        "mutation Complement: node n8 is not in the graph, expected by the mutation",
    ]
    with pytest.raises(MutationError, match="a seed starts a history"):
        apply_mutation(SEED, seed())


def test_a_history_starts_with_a_seed():
    """Nothing else can come first; an empty history is no graph at all."""
    step = complement(SEED, "n1", anchor="Pact", **MEMBERS)
    with pytest.raises(MutationError, match="starts with a seed"):
        replay_history([step])
    assert replay_history([]) == []
    assert [g.iteration for g in replay_history([seed(), step])] == [1, 2]


def test_a_node_that_is_free_or_not_there_gets_no_condition():
    """Conditions need a node in normal form."""
    free = QuestionGraph(root_node_id="x", nodes=[Node(node_id="x")])
    with pytest.raises(MutationError, match="node x has 0 conditions"):
        complement(free, "x", anchor="Pact", **MEMBERS)
    with pytest.raises(MutationError, match="node y is not in the graph"):
        intersection_expansion(SEED, "y", anchor="Pact", **MEMBERS)


def test_new_ids_never_meet_old_ones():
    """Ids that are numbered go on, other ids do not matter."""
    graph = SEED.replace(
        nodes=(*SEED.nodes, Node(node_id="n41"), Node(node_id="node")),
    )
    mutation = intersection_expansion(graph, "n1", anchor="Pact", **MEMBERS)
    assert {node.node_id for node in mutation.nodes} == {"n42", "n43", "n44"}


def test_hops_that_only_rename_are_seen_on_the_members_concerned():
    """One capital each is one to one for the members, though the relation as a whole may not be."""
    hop = projection_extension(SEED, relation="capital", direction=Direction.FORWARD, answer="k0")
    graph = apply_mutation(SEED, hop)
    assert one_to_one_hops(Relaxer(graph, FACTS)) == {"e1"}
    assert is_one_to_one(FACTS, FACTS.relation_number("capital"))
    twice = FACTS.with_fact("d", "capital", "k1")
    assert not is_one_to_one(twice, twice.relation_number("capital"))
    assert one_to_one_hops(Relaxer(graph, twice)) == frozenset()
    elsewhere = FACTS.with_fact("f", "capital", "k0 too")
    assert not is_one_to_one(elsewhere, elsewhere.relation_number("capital"))
    assert one_to_one_hops(Relaxer(graph, elsewhere)) == {"e1"}


def test_a_proposer_needs_an_answer():
    """The entity that must stay has to be an answer to begin with."""
    with pytest.raises(MutationError, match="'Pact' is not an answer"):
        Proposer(SEED, FACTS, int(FACTS.named("Pact").ids[0]), BranchBook(FACTS, Rules()))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"min_set": 0}, "min_set is 0, expected 1 or more"),
        ({"max_set": 2}, r"max_set is 2, expected min_set \(3\) or more"),
        ({"min_removed": 0}, "min_removed is 0"),
        ({"exclusion_share": 1.5}, "exclusion_share is 1.5, expected 0 to 1"),
        ({"exclusion_share": float("nan")}, "exclusion_share is nan"),
        ({"max_candidates": 0}, "max_candidates is 0"),
        ({"allow": frozenset("r"), "deny": frozenset("r")}, "'r' is allowed and denied"),
    ],
)
def test_rules_that_no_question_could_meet_are_errors(wrong: dict[str, Any], words: str):
    """Each is refused with what it is and what was expected."""
    with pytest.raises(SettingsError, match=words):
        Rules(**wrong)
