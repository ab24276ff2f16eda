"""Names and relations of a graph are found in tiers; what is missing is said all at once."""

from __future__ import annotations

import pytest

from graphkit.errors import GroundingError
from graphkit.evaluate import evaluate
from graphkit.evidence import EvidenceRecord
from graphkit.facts import Fact, FactStore
from graphkit.grounding import Tier, ground, resolve, resolve_relation
from graphkit.operations import Direction
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.relations import RelationSheet

SHEET = RelationSheet.from_dict(
    {
        "relations": {
            "capital": {
                "aliases": ["has capital"],
                "inverse": "capital of",
                "inverse_aliases": ["seat of government of"],
                "head_type": "country",
                "tail_type": "city",
            },
            "height": {"tail_type": "number", "tail_unit": "m"},
            "unused": {"aliases": ["idle"]},
        }
    }
)
RECORDS = [
    ("France", "capital", "Paris", {"head_id": "Q142", "aliases": {"France": ["La France"]}}),
    ("Troy", "prince", "Paris", {"tail_type": "person"}),
    ("Everest", "height", "8,848 m", {}),
    ("Straße", "prince", "Q142", {"tail_type": "code"}),
    ("K2", "height", "8611", {}),
]
STORE = FactStore.from_evidence(
    [
        EvidenceRecord(evidence_id=f"e{n}", head_entity=h, relation=r, tail_entity=t, **more)
        for n, (h, r, t, more) in enumerate(RECORDS)
    ],
    SHEET,
)


def hop(relation: str, *names: str, direction: str = "forward", **node: object) -> QuestionGraph:
    """A one-hop graph."""
    return QuestionGraph(
        root_node_id="n1",
        nodes=[Node(node_id="n0", known_entities=names, **node), Node(node_id="n1")],
        edges=[
            Edge(
                edge_id="e0", source_ids=["n0"], target_id="n1",
                op="projection", relation=relation, direction=direction,
            )
        ],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "tier", "found"),
    [
        ("Q142", Tier.ID, ["France"]),
        ("France", Tier.EXACT, ["France"]),
        ("FRANCE", Tier.FOLDED, ["France"]),
        ("\uff26rance", Tier.FOLDED, ["France"]),
        (" strasse ", Tier.FOLDED, ["Straße"]),
        ("la france", Tier.ALIAS, ["France"]),
        ("Paris", Tier.EXACT, ["Paris", "Paris"]),
        ("8848 m", Tier.EXACT, ["8848 m"]),
        ("8848", Tier.EXACT, ["8848 m"]),
        ("8,848 m", Tier.FOLDED, ["8848 m"]),
        ("8,848.0 m", Tier.FOLDED, ["8848 m"]),
        ("8 611", Tier.FOLDED, ["8611 m"]),
    ],
)
def test_the_first_tier_that_matches_wins(name, tier, found):
    """Id, exact, folded (literals in any spelling), alias."""
    match = resolve(name, STORE)
    assert (match.name, match.tier) == (name, tier)
    assert sorted(STORE.name(number) for number in match.entities) == found


@pytest.mark.parametrize("name", ["8,848 km", "8849 m", "Atlantis", ""])
def test_what_is_in_no_tier_is_not_found(name):
    """A unit is part of a literal."""
    assert resolve(name, STORE) is None


def test_an_id_goes_before_a_name():
    """The code named Q142 is not meant by Q142, which is the id of France."""
    assert [STORE.entity(n).id for n in resolve("Q142", STORE).entities] == ["Q142"]


def test_entities_without_facts_are_not_found():
    """With its last fact a name is gone, and a worse tier may win."""
    store = FactStore.from_triples([("bern", "r", "x"), ("BERN", "r", "x")])
    assert resolve("bern", store).tier == Tier.EXACT
    less = store.without_fact(Fact(0, 0, 1))
    assert resolve("bern", less).tier == Tier.FOLDED
    assert [less.name(number) for number in resolve("bern", less).entities] == ["BERN"]


@pytest.mark.parametrize(
    ("name", "tier", "direction"),
    [
        ("capital", Tier.EXACT, "forward"),
        ("CAPITAL", Tier.FOLDED, "forward"),
        ("Has Capital", Tier.ALIAS, "forward"),
        ("capital of", Tier.INVERSE, "backward"),
        ("Seat of government of", Tier.INVERSE, "backward"),
    ],
)
def test_relations_are_found_by_name_alias_and_inverse(name, tier, direction):
    """An inverse name turns the direction round, both ways."""
    (found,) = resolve_relation(name, Direction.FORWARD, STORE)
    assert (STORE.relations[found.number], found.tier, found.direction) == (
        "capital",
        tier,
        direction,
    )
    (turned,) = resolve_relation(name, Direction.BACKWARD, STORE)
    assert turned.direction == found.direction.reverse


def test_an_inverse_relation_answers_like_the_relation_backwards():
    """capital of, forward from Paris = capital, backward from Paris."""
    by_inverse = evaluate(hop("capital of", "Paris"), STORE).names
    assert by_inverse == evaluate(hop("capital", "Paris", direction="backward"), STORE).names
    assert by_inverse == ["France"]


def test_everything_that_is_unresolved_is_said_at_once():
    """Every name and every relation, each with its node or edge and a hint."""
    graph = QuestionGraph(
        root_node_id="n2",
        nodes=[
            Node(node_id="n0", known_entities=["Frnace", "Atlantis", "Paris"]),
            Node(node_id="n1", known_entities=["Nowhere"]),
            Node(node_id="n2"),
        ],
        edges=[
            Edge(
                edge_id="e0", source_ids=["n0"], target_id="n2", op="projection", relation="captial"
            ),
            Edge(edge_id="e1", source_ids=["n1"], target_id="n2", op="projection", relation="idle"),
        ],
    )
    with pytest.raises(GroundingError) as caught:
        evaluate(graph, STORE)
    assert [(p.subject, p.code) for p in caught.value.problems] == [
        ("node n0", "unresolved_name"), ("node n0", "unresolved_name"),
        ("node n1", "unresolved_name"),
        ("edge e0", "unresolved_relation"), ("edge e1", "unresolved_relation"),
    ]  # fmt: skip
    assert "'Frnace' is not an entity of the facts (did you mean France?)" in str(caught.value)
    assert "'captial' is not a relation of the facts (did you mean capital?)" in str(caught.value)
    lenient = ground(graph, STORE, strict=False)
    assert lenient.unresolved == caught.value.problems
    assert [match.name for match in lenient.anchors["n0"]] == ["Paris"]


def test_an_ambiguous_name_warns_and_all_entities_are_used():
    """Paris is a city and a person: a warning, and facts of both count."""
    graph = hop("prince", "Paris", direction="backward")
    found = ground(graph, STORE)
    assert found.ambiguous
    (warning,) = found.warnings
    assert warning.code == "ambiguous_name"
    assert str(warning) == (
        "node n0: 'Paris' matches 2 entities: Paris (city), Paris (person); all are used"
    )
    assert evaluate(graph, STORE).names == ["Troy"]


def test_the_type_of_the_node_settles_an_ambiguous_name():
    """An anchor with a type means the entity of that type, and nothing is ambiguous."""
    found = ground(hop("prince", "Paris", entity_type="person"), STORE)
    assert not found.ambiguous
    assert found.anchor_set("n0").size(STORE.size) == 1


def test_a_relation_that_may_be_two_is_unresolved():
    """An alias that two relations share is no answer."""
    sheet = RelationSheet.from_dict(
        {"relations": {"a": {"aliases": ["x"]}, "b": {"aliases": ["x"]}}}
    )
    store = FactStore.from_triples([("1", "a", "2"), ("1", "b", "2")], sheet)
    with pytest.raises(GroundingError, match="relation 'x' may be any of a, b; expected one"):
        ground(hop("x", "1"), store)


def test_a_relation_whose_last_fact_is_gone_is_unresolved():
    """As in a store that never had it: an error, never an empty set."""
    store = FactStore.from_triples([("a", "r", "b"), ("a", "s", "b")])
    less = store.without_fact(Fact(0, 1, 1))
    assert evaluate(hop("r", "a"), less).names == ["b"]
    with pytest.raises(GroundingError, match="relation 's' is not a relation"):
        evaluate(hop("s", "a"), less)


def test_a_relation_named_by_an_iri_is_what_facts_from_rdf_call_it() -> None:
    """An IRI that is no relation by itself is found by its last part, or is unresolved."""
    iri = "http://www.wikidata.org/prop/direct/P36"
    facts = FactStore.from_triples([("France", "P36", "Paris"), ("a", "capital_of", "b")])
    assert resolve_relation(iri, Direction.FORWARD, facts)[0].direction is Direction.FORWARD
    assert resolve_relation(iri + "0", Direction.FORWARD, facts) == ()
    assert resolve_relation("at: P36", Direction.FORWARD, facts) == ()
    both = FactStore.from_triples([("France", iri, "Paris"), ("France", "P36", "Rome")])
    number = resolve_relation(iri, Direction.FORWARD, both)[0].number
    assert both.relations[number] == iri
