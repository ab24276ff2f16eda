"""Growth on a small store: what is promised holds, every setting and every rule matters."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from graphkit.checks import Limits, Relaxer
from graphkit.compile.english_lexicon import EnglishLexicon
from graphkit.errors import InputError, SettingsError
from graphkit.facts import FactStore
from graphkit.formats.english import parse_english
from graphkit.mutate import Rules, one_to_one_hops
from graphkit.patterns import canonical_key
from graphkit.question import QuestionGraph
from graphkit.relations import RelationSheet
from synthesis.grow import MISSING, GrownQuestion, Growth, grow
from synthesis.grow_settings import GrowSettings, Mix
from tests.synthesis.recheck import Plain, faults, values
from tests.synthesis.village import village


def run(**settings: Any) -> tuple[Growth, list[GrownQuestion]]:
    """Grow from the village; thirty questions unless said otherwise."""
    growth = Growth(village(), GrowSettings(**{"count": 30, "seed": 1, **settings}))
    return growth, list(growth)


@pytest.fixture(scope="module")
def plain() -> Plain:
    return Plain(village())


@pytest.fixture(scope="module")
def default() -> list[GrownQuestion]:
    return run()[1]


def strategies(questions: list[GrownQuestion]) -> Counter[str]:
    return Counter(m.strategy.value for q in questions for m in q.history)


def trees(questions: list[GrownQuestion]) -> Counter[str]:
    return Counter(q.checks.profile.shape.tree for q in questions if q.checks.profile)


def counted_edges(question: GrownQuestion) -> int:
    relaxer = Relaxer(question.graph, village())
    return len(question.graph.edges) - len(one_to_one_hops(relaxer))


def anchor_set_sizes(questions: list[GrownQuestion], plain: Plain) -> list[int]:
    sizes = []
    for question in questions:
        sets = values(question.graph, plain)
        for edge in question.graph.edges:
            source = edge.source_ids[0]
            if edge.op == "projection" and question.graph.node(source).known_entities:
                led = plain.project(edge.relation or "", edge.reads.value, sets[source])
                sizes.append(len(led))
    return sizes


def removed_by_exclusions(questions: list[GrownQuestion]) -> list[int]:
    return [
        int(m.reason.split(" removes ")[1].split()[0])
        for q in questions
        for m in q.history
        if m.strategy == "Complement"
    ]


def relation_shares(questions: list[GrownQuestion]) -> dict[str, float]:
    used = Counter(e.relation for q in questions for e in q.graph.edges if e.op == "projection")
    return {name or "": count / used.total() for name, count in used.items()}


# ---- what is promised -------------------------------------------------------------------------


def test_every_question_stands_up_to_a_second_look(default: list[GrownQuestion], plain: Plain):
    """One answer, every condition needed, no shortcut, every rule kept: seen with plain sets."""
    assert len(default) == 30
    for question in default:
        assert list(faults(question.graph, list(question.history), plain, deep=True)) == []
        assert question.checks.proven
        assert question.checks.to_record()["searched"]["direct_path"]["complete"]


def test_no_two_questions_are_the_same_and_none_shares_most_conditions_with_another(
    default: list[GrownQuestion],
):
    """Canonical keys differ, and so do the conditions that name entities."""
    assert len({canonical_key(q.graph) for q in default}) == len(default)
    assert most_alike(default) < 0.6


def leaves(graph: QuestionGraph) -> frozenset[tuple[Any, ...]]:
    excluded = {edge.source_ids[0] for edge in graph.edges if edge.op == "complement"}
    return frozenset(
        (
            edge.target_id in excluded,
            edge.relation,
            edge.reads,
            graph.node(edge.source_ids[0]).label,
        )
        for edge in graph.edges
        if edge.op == "projection" and graph.node(edge.source_ids[0]).known_entities
    )


def most_alike(questions: list[GrownQuestion]) -> float:
    found = [leaves(q.graph) for q in questions]
    return max(
        len(one & other) / len(one | other)
        for place, one in enumerate(found)
        for other in found[:place]
    )


def test_the_text_reads_back_to_the_same_graph(default: list[GrownQuestion]):
    """Parsing the English gives the canonical graph again, and the answer is not in it."""
    lexicon = EnglishLexicon.build(village().sheet, village())
    for question in default:
        text = question.graph.question
        assert canonical_key(parse_english(text, lexicon)) == canonical_key(question.graph)
        assert (question.graph.answer or "") not in text


def test_a_record_holds_the_graph_the_checks_and_the_history(default: list[GrownQuestion]):
    """It is plain data: the published keys, and a history that starts with a seed."""
    record = json.loads(json.dumps(default[0].to_record()))
    assert record["id"] == "grown-1-0001"
    assert record["checks"]["unique"] is True
    assert record["checks"]["question_id"] == record["id"]
    assert record["history"][0]["strategy"] == "Seed"
    assert set(record["evidence_ids"]) <= set(village().records)
    assert record["iteration"] == len(record["history"])


def test_the_same_seed_gives_the_same_questions_and_another_seed_others():
    """Two runs with one seed are equal record by record; a run with another seed is not."""
    first, again = run(count=8, seed=5)[1], run(count=8, seed=5)[1]
    other = run(count=8, seed=6)[1]
    assert [q.to_record() for q in first] == [q.to_record() for q in again]
    assert {q.graph.question for q in first} != {q.graph.question for q in other}


def test_grow_returns_what_a_run_yields():
    """The plain function is the run, used up."""
    questions = grow(village(), GrowSettings(count=3, seed=1))
    assert [q.to_record() for q in questions] == [q.to_record() for q in run(count=3)[1]]
    assert len(grow(village(), GrowSettings(count=2), limits=Limits(max_length=5))) == 2


# ---- settings ---------------------------------------------------------------------------------


def test_min_edges_matters(default: list[GrownQuestion]):
    """More edges are grown when more are wanted."""
    assert min(map(counted_edges, default)) < 8
    assert min(map(counted_edges, run(count=10, min_edges=8)[1])) >= 8


def test_the_bounds_of_mutations_matter(default: list[GrownQuestion]):
    """Histories are as long as they must be, and not longer than they may be."""
    lengths = {len(q.history) for q in default}
    assert min(lengths) == 5
    assert max(lengths) > 5
    assert {len(q.history) for q in run(count=10, max_iterations=5)[1]} == {5}
    assert min(len(q.history) for q in run(count=4, min_iterations=6)[1]) >= 6


def test_min_depth_matters(default: list[GrownQuestion]):
    """All questions are as deep as asked for."""
    depths = [q.checks.profile.shape.depth for q in default if q.checks.profile]
    assert min(depths) < 3
    deeper = run(count=10, min_depth=3)[1]
    assert min(q.checks.profile.shape.depth for q in deeper if q.checks.profile) == 3


def test_lean_matters():
    """Leaning left gives rather left-deep trees, leaning right rather right-deep ones."""
    left, right = trees(run(lean="left")[1]), trees(run(lean="right")[1])
    assert left["left-deep"] > 2 * right["left-deep"]
    assert right["right-deep"] > 2 * left["right-deep"]


@pytest.mark.parametrize(
    ("without", "strategy"),
    [
        ("complement", "Complement"),
        ("inverse", "Inverse Projection"),
        ("extension", "Projection Extension"),
    ],
)
def test_an_operation_without_weight_is_not_used(
    default: list[GrownQuestion], without: str, strategy: str
):
    """By default every operation occurs; one with weight 0 never does."""
    assert strategies(default)[strategy] > 0
    assert strategies(run(count=12, mix=Mix(**{without: 0.0}))[1])[strategy] == 0


def test_the_weights_of_conditions_matter():
    """The more exclusions weigh against further conditions, the more of them there are."""
    few = strategies(run(mix=Mix(complement=0.5, intersection=5.0))[1])
    many = strategies(run(mix=Mix(complement=5.0, intersection=0.5))[1])
    assert many["Complement"] > 1.5 * few["Complement"]
    assert many["Intersection Expansion"] < few["Intersection Expansion"]


@pytest.mark.parametrize("kind", ["person", "song", "street"])
def test_only_answers_of_the_types_asked_for(kind: str):
    """With types given there are no other answers, whether or not a question was extended."""
    questions = run(count=6, answer_types=(kind,), max_answer_share=1.0)[1]
    assert len(questions) == 6
    assert {q.graph.domain for q in questions} == {kind}


def test_balance_matters():
    """Balanced by type, the types that are rare are asked about more often."""
    people = {village().name(number) for number in village().of_type("person").ids.tolist()}

    def about_people(balance: str) -> int:
        growth, questions = run(balance=balance, count=40, attempts=1)
        tried = {*growth.unfinished, *(q.history[0].answer for q in questions)}
        return len(people & tried)

    assert about_people("none") > about_people("type")


def test_the_share_of_an_answer_is_kept():
    """There are only seven streets: with the default each is the answer once and no more."""
    few = Growth(village(), GrowSettings(count=9, answer_types=("street",), attempts=15))
    answers = Counter(q.graph.answer for q in few)
    assert max(answers.values()) == 1
    assert few.missing["answer_share"] > 0
    free = run(count=9, answer_types=("street",), max_answer_share=1.0)[1]
    assert len(free) == 9


def test_the_share_of_a_relation_is_kept(default: list[GrownQuestion]):
    """No relation has more projections than its share."""
    assert max(relation_shares(default).values()) > 0.26
    growth, questions = run(max_relation_share=0.26)
    assert max(relation_shares(questions).values()) <= 0.26
    assert growth.missing["relation_share"] > 0


def test_near_duplicates_are_refused(default: list[GrownQuestion]):
    """With a lower bound no two questions share so many conditions."""
    assert most_alike(default) >= 0.25
    growth, questions = run(near_duplicate=0.25)
    assert most_alike(questions) < 0.25
    assert growth.missing["near_duplicate"] > 0


def test_attempts_end_a_run():
    """With one attempt a question the run ends early and says what was missing."""
    growth, questions = run(attempts=1)
    assert growth.attempts == 30
    assert 0 < len(questions) < 30
    assert growth.missing.total() == 30 - len(questions)
    assert set(growth.missing) <= set(MISSING)


def test_only_closed_questions_are_finished_unless_others_may_be():
    """Who hums what is not known completely: such conditions cannot be part of a proof."""
    rules = Rules(complete_only=False)
    growth, closed = run(count=5, rules=rules)
    assert {q.checks.basis.value for q in closed} == {"closed"}
    assert growth.missing["open_basis"] > 0
    either = run(count=20, rules=rules, require_closed=False)[1]
    assert {q.checks.basis.value for q in either} == {"closed", "evidence"}
    assert not any(q.checks.proven for q in either if q.checks.basis.value == "evidence")


# ---- rules ------------------------------------------------------------------------------------


def test_the_size_of_an_anchors_set_is_kept(default: list[GrownQuestion], plain: Plain):
    """Sets smaller than the least or larger than the most are used only when the rule says so."""
    sizes = anchor_set_sizes(default, plain)
    assert min(sizes) >= 3
    assert max(sizes) > 12
    small = anchor_set_sizes(run(rules=Rules(min_set=1))[1], plain)
    assert min(small) < 3
    assert max(anchor_set_sizes(run(count=10, rules=Rules(max_set=12))[1], plain)) <= 12


def test_how_much_a_condition_removes_is_kept(default: list[GrownQuestion]):
    """By default an exclusion removes two candidates at least, and one when that is enough."""
    assert min(removed_by_exclusions(default)) == 2
    assert min(removed_by_exclusions(run(rules=Rules(min_removed=1))[1])) == 1
    assert min(removed_by_exclusions(run(count=10, rules=Rules(min_removed=4))[1])) >= 4


def exclusion_shares(questions: list[GrownQuestion], plain: Plain) -> list[float]:
    shares = []
    for mutation in (m for q in questions for m in q.history if m.strategy == "Complement"):
        anchor, edge = mutation.nodes[0], mutation.edges[0]
        named = plain.called(anchor.known_entities[0], anchor.entity_type)
        excluded = plain.project(edge.relation or "", edge.reads.value, named)
        shares.append(int(mutation.reason.split(" removes ")[1].split()[0]) / len(excluded))
    return shares


def test_an_exclusion_covers_its_share_of_its_own_set(default: list[GrownQuestion], plain: Plain):
    """A set of which little could be meant is not excluded."""
    assert 0.1 <= min(exclusion_shares(default, plain)) < 0.4
    assert min(exclusion_shares(run(rules=Rules(exclusion_share=0.4))[1], plain)) >= 0.4
    assert min(exclusion_shares(run(rules=Rules(exclusion_share=0.0))[1], plain)) < 0.15


def relations_excluded(questions: list[GrownQuestion]) -> set[str]:
    return {
        m.edges[0].relation or ""
        for q in questions
        for m in q.history
        if m.strategy == "Complement"
    }


def test_exclusions_use_complete_relations():
    """Nobody is said not to hum a song unless that is allowed."""
    open_rules = Rules(complete_only=False)
    careful = run(rules=open_rules, require_closed=False)[1]
    assert "hums" in relation_shares(careful)
    assert "hums" not in relations_excluded(careful)
    bold = Rules(complete_only=False, exclusion_complete=False)
    assert "hums" in relations_excluded(run(rules=bold, require_closed=False)[1])


def test_only_complete_relations_are_used(default: list[GrownQuestion]):
    """By default no condition rests on a relation of which facts may be missing."""
    assert "hums" not in relation_shares(default)


def test_relations_can_be_allowed_and_denied(default: list[GrownQuestion]):
    """With an allow list no other relation is used, with a deny list none of it."""
    allowed = frozenset({"member of", "practises", "befriends"})
    assert set(relation_shares(default)) > allowed
    assert set(relation_shares(run(count=8, rules=Rules(allow=allowed))[1])) <= allowed
    denied = run(count=8, rules=Rules(deny=frozenset({"befriends"})))[1]
    assert "befriends" not in relation_shares(denied)


def fault_words(questions: list[GrownQuestion], plain: Plain) -> str:
    return "\n".join(
        fault for q in questions for fault in faults(q.graph, list(q.history), plain, deep=False)
    )


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("back_and_forth", "go there and back"),
        ("entity_twice", "an entity is named twice"),
        ("witness_anchors", "are named"),
    ],
)
def test_what_a_rule_forbids_happens_without_it(rule: str, words: str, plain: Plain):
    """Relaxing the rule, and only that, lets its fault in; nothing else goes wrong."""
    found = "\n".join(
        fault_words(run(count=60, seed=seed, rules=Rules(**{rule: True}))[1], plain)
        for seed in (5, 7)
    ).strip()
    assert words in found
    assert all(words in line for line in found.splitlines())


def test_anchors_beside_the_answer_are_avoided_or_objected_to():
    """Without the rule, questions fail at the check for adjacent anchors instead."""
    assert run()[0].missing["adjacent"] == 0
    growth, questions = run(rules=Rules(adjacent_anchors=True))
    assert growth.missing["adjacent"] > 0
    assert all(q.checks.shortcuts == () for q in questions)


def test_hops_that_only_rename_do_not_count():
    """What a person owns says nothing new: it counts only when the rule is relaxed."""
    settings = {"count": 20, "answer_types": ("song",), "min_edges": 7}
    assert min(map(counted_edges, run(**settings)[1])) >= 7
    assert min(map(counted_edges, run(**settings, rules=Rules(one_to_one_counts=True))[1])) == 6


def test_no_set_on_the_way_is_too_large(default: list[GrownQuestion], plain: Plain):
    """The bound holds for every set from which an answer is sought."""

    def largest(questions: list[GrownQuestion]) -> int:
        sizes = [0]
        for question in questions:
            sets = values(question.graph, plain)
            for mutation in question.history:
                if mutation.strategy == "Inverse Projection":
                    sizes.append(len(sets[mutation.node_id]))
                if mutation.position == "late":
                    sizes.append(mutation.answers_before or 0)
        return max(sizes)

    assert largest(default) > 10
    assert largest(run(count=10, rules=Rules(max_candidates=10))[1]) <= 10


# ---- ends -------------------------------------------------------------------------------------


def test_facts_that_offer_nothing_are_refused_with_the_reason():
    """Too few facts, or none that the sheet calls complete: an error that says so."""
    few = FactStore.from_triples([("A", "r", "B")])
    with pytest.raises(InputError, match="no entity has three facts of relations that the sheet"):
        Growth(few, GrowSettings())
    open_village = village().with_sheet(RelationSheet())
    with pytest.raises(InputError, match="that the sheet calls complete"):
        Growth(open_village, GrowSettings())
    with pytest.raises(InputError, match="of type song"):
        Growth(village(), GrowSettings(answer_types=("song",), mix=Mix(extension=0.0)))


def test_a_hopeless_store_ends_with_the_missing_words():
    """Where all entities look alike nothing is unique: the run ends and says what was missing."""
    sheet = RelationSheet.parse("\n".join(f"[relations.r{n}]\ncomplete = true" for n in range(4)))
    facts = FactStore.from_triples(
        [(f"h{h}", f"r{r}", f"t{t}") for h in range(6) for r in range(4) for t in range(4)], sheet
    )
    growth = Growth(facts, GrowSettings(count=3, attempts=20))
    assert list(growth) == []
    assert growth.attempts == 60
    assert growth.missing.total() == 60
    assert set(growth.missing) <= set(MISSING)
    assert set(growth.unfinished.values()) <= set(MISSING)
    assert growth.unfinished


def test_entities_from_which_nothing_grew_are_named_with_the_reason():
    """An entity is unfinished when no question was grown from it, and only then."""
    growth, questions = run(attempts=2)
    seeds = {q.history[0].answer for q in questions}
    assert growth.unfinished
    assert not seeds & set(growth.unfinished)


def test_unknown_names_in_the_settings_are_errors_with_a_hint():
    """A relation or a type that the facts do not have is named, with what is close to it."""
    with pytest.raises(InputError, match=r"no relation 'practices'.*did you mean practises"):
        Growth(village(), GrowSettings(rules=Rules(allow=frozenset({"practices"}))))
    with pytest.raises(InputError, match=r"no entity of type 'songs'.*did you mean song"):
        Growth(village(), GrowSettings(answer_types=("songs",)))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"count": 0}, "count is 0, expected 1 or more"),
        ({"seed": -1}, "seed is -1, expected 0 or more"),
        ({"min_edges": 0}, "min_edges is 0"),
        ({"min_iterations": 0}, "min_iterations is 0"),
        ({"max_iterations": 4}, r"max_iterations is 4, expected min_iterations \(5\) or more"),
        ({"min_depth": 0}, "min_depth is 0"),
        ({"lean": "up"}, "lean is up, expected left, right or mixed"),
        ({"balance": "all"}, "balance is all, expected type or none"),
        ({"max_answer_share": 0.0}, "max_answer_share is 0.0"),
        ({"max_answer_share": float("nan")}, "max_answer_share is nan"),
        ({"max_relation_share": 1.5}, "max_relation_share is 1.5"),
        ({"near_duplicate": 0.0}, "near_duplicate is 0.0"),
        ({"attempts": 0}, "attempts is 0"),
        ({"mix": Mix(complement=-1.0)}, "no negative weight"),
        ({"mix": Mix(inverse=float("nan"))}, "no negative weight"),
        ({"mix": Mix(extension=float("inf"))}, "finite"),
        ({"mix": Mix(complement=0.0, intersection=0.0)}, "complement or intersection above 0"),
    ],
)
def test_settings_that_make_no_sense_are_errors(wrong: dict[str, Any], words: str):
    """Each is refused with its name, its value and what was expected."""
    with pytest.raises(SettingsError, match=words):
        GrowSettings(**wrong)


def test_all_wrong_settings_are_named_at_once():
    """Two mistakes are two problems of one error."""
    with pytest.raises(SettingsError) as caught:
        GrowSettings(count=0, attempts=0)
    assert len(caught.value.problems) == 2
