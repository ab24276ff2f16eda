"""Laws of the grounded checks that the oracle and plain enumeration can see."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.checks import (
    CheckReport,
    Limits,
    Relaxer,
    basis_of,
    check,
    constraints,
    minimal_core,
)
from graphkit.checks.shortcuts import adjacent_facts, direct_paths, positive_distances
from graphkit.entity_set import EntitySet
from graphkit.facts import Fact, FactStore
from graphkit.grounding import ground
from graphkit.normalize import normalize
from graphkit.operations import Direction, Op
from graphkit.question import QuestionGraph
from graphkit.relations import RelationSheet
from graphkit.testing.generation import seeded_pairs
from graphkit.testing.oracle import (
    oracle_answers,
    oracle_constraints,
    oracle_core,
    oracle_deleted,
    oracle_pinning,
    oracle_redundant,
)
from graphkit.testing.strategies import stores_with_graphs

WIDE = {"max_length": 20, "max_fan_out": 10**6, "max_sets": 10**6}


def small_pairs(seed: int, number: int, **more: object) -> Iterator[tuple[Relaxer, QuestionGraph]]:
    """Yield graphs with an ordinary, non-empty set of answers, ready to be asked."""
    for facts, graph in seeded_pairs(seed, number, **more):  # type: ignore[arg-type]
        relaxer = Relaxer(normalize(graph), facts)
        if not relaxer.answers.complemented and len(relaxer.answers.ids):
            yield relaxer, graph


# ---- verdicts ---------------------------------------------------------------------------------


def compare(facts: FactStore, graph: QuestionGraph) -> str:
    """Compare a whole report with the oracle; return what kind of case it was."""
    normal, report = normalize(graph), check(graph, facts)
    answers = oracle_answers(graph, facts)
    if not answers:
        assert report.reason == ("unsafe_complement" if answers is None else "no_answers")
        verdicts = ("unique", "faithful", "redundant", "core", "shortcuts")
        assert [getattr(report, name) for name in verdicts] == [None] * 5
        assert not report.sound
        return report.reason
    assert report.answers_count == len(answers)
    assert report.unique in (len(answers) == 1, None)
    assert (report.unique is None) == (report.reason == "ambiguous_name")
    assert list(report.redundant or ()) == oracle_redundant(normal, facts)
    pinned = [s.certificate for s in report.shortcuts or () if s.kind == "pinning_subgraph"]
    if len(oracle_constraints(normal)) > 11:
        return "large"
    assert report.core is not None
    assert list(report.core.ids) == oracle_core(normal, facts)
    pinning = oracle_pinning(normal, facts)
    assert pinned == ([] if pinning is None else [{"constraints": pinning}])
    return "redundant" if report.redundant else "pinned" if pinned else "irredundant"


def test_reports_of_seeded_graphs_equal_the_oracle():
    """A thousand graphs, unsafe and empty ones too: every verdict, every kind of case."""
    seen = Counter(
        compare(facts, graph)
        for facts, graph in itertools.chain(
            seeded_pairs(31, 500), seeded_pairs(32, 200, safe=None, steps=4)
        )
    )
    assert set(seen) >= {"unsafe_complement", "no_answers", "large", "redundant", "irredundant"}
    assert seen["irredundant"] > 100


@given(stores_with_graphs(planted=True, steps=4))
def test_reports_equal_the_oracle(pair: tuple[FactStore, QuestionGraph]):
    """The same, where what fails shrinks."""
    assert compare(*pair)


@given(stores_with_graphs(planted=True, steps=5))
def test_a_planted_answer_is_found_faithful(pair: tuple[FactStore, QuestionGraph]):
    """The declared answer of a planted graph is among its answers, and the check says so."""
    facts, graph = pair
    assert check(graph, facts).faithful is True
    assert check(graph.replace(answer="nobody at all"), facts).faithful is False
    assert check(graph.replace(answer=None), facts).faithful is None


@given(stores_with_graphs(planted=True, steps=12), st.randoms(use_true_random=False))
def test_a_core_found_greedily_keeps_the_answers(
    pair: tuple[FactStore, QuestionGraph], order: random.Random
):
    """Above twenty constraints the core is not exact, but it has the same answers."""
    facts, graph = pair
    relaxer = Relaxer(normalize(graph), facts)
    core = minimal_core(relaxer)
    assert core.exact == (len(relaxer.constraints) <= 20)
    everything = oracle_constraints(relaxer.graph)
    gone = set(everything) - set(core.ids)
    assert oracle_deleted(relaxer.graph, facts, gone) == oracle_answers(graph, facts)
    if not core.exact and core.ids:
        one = order.choice(core.ids)
        answers = oracle_answers(graph, facts)
        assert oracle_deleted(relaxer.graph, facts, gone | {one}) != answers


def test_graphs_above_twenty_constraints_occur_among_the_seeded_ones():
    """The greedy core is tried: its answers are those of the question, many times."""
    tried = 0
    for relaxer, graph in small_pairs(33, 150, planted=True, steps=16):
        if len(relaxer.constraints) > 20:
            core = minimal_core(relaxer)
            assert not core.exact
            gone = set(oracle_constraints(relaxer.graph)) - set(core.ids)
            found = oracle_deleted(relaxer.graph, relaxer.facts, gone)
            assert found == oracle_answers(graph, relaxer.facts)
            assert not check(graph, relaxer.facts).core.exact  # type: ignore[union-attr]
            tried += 1
    assert tried >= 20


def test_a_part_is_not_called_searched_for_where_deletions_can_cancel():
    """With a complement or a union and a greedy core, the search for smaller parts is open."""
    seen: Counter[tuple[bool, bool]] = Counter()
    for relaxer, graph in small_pairs(34, 120, planted=True, steps=16):
        report = check(graph, relaxer.facts)
        mixed = any(edge.op in (Op.COMPLEMENT, Op.UNION) for edge in relaxer.graph.edges)
        exact = len(relaxer.constraints) <= 20
        assert report.searched["pinning_subgraph"]["complete"] == (exact or not mixed)
        seen[exact, mixed] += 1
    assert seen[False, True] > 10


# ---- paths ------------------------------------------------------------------------------------


def all_distances(graph: QuestionGraph) -> dict[str, int]:
    """The fewest projections from each positive anchor to the root, over every single way."""
    found: dict[str, int] = {}

    def walk(node_id: str, length: int, *, positive: bool) -> None:
        if graph.node(node_id).known_entities and positive:
            found[node_id] = min(found.get(node_id, length), length)
        for edge in graph.incoming[node_id]:
            for source in edge.source_ids:
                walk(
                    source,
                    length + (edge.op is Op.PROJECTION),
                    positive=positive != (edge.op is Op.COMPLEMENT),
                )

    walk(graph.root_node_id, 0, positive=True)
    return found


def shortest_path(facts: FactStore, start: EntitySet, target: EntitySet, most: int) -> int | None:
    """The length of the shortest relation path whose value is exactly the target: all are tried."""
    triples = list(facts.facts())

    def follow(source: frozenset[int], relation: int, way: Direction) -> frozenset[int]:
        ends = [(f.head, f.tail) for f in triples if f.relation == relation]
        if way is Direction.BACKWARD:
            ends = [(tail, head) for head, tail in ends]
        return frozenset(tail for head, tail in ends if head in source)

    wanted = frozenset(target.ids.tolist())
    layer = {frozenset(start.ids.tolist())}
    for length in range(1, most + 1):
        layer = {
            follow(source, relation, way)
            for source in layer
            for relation in range(len(facts.relations))
            for way in Direction
        }
        if wanted in layer:
            return length
    return None


def test_direct_paths_equal_an_enumeration_of_all_paths():
    """For each distant anchor a path is found when there is one, and it is the shortest."""
    seen: Counter[bool] = Counter()
    for relaxer, _ in small_pairs(35, 700, steps=7):
        distances = positive_distances(relaxer.graph)
        assert distances == all_distances(relaxer.graph)
        search = direct_paths(relaxer, **WIDE)
        assert search.complete
        found = {s.certificate["anchor"]: s.size for s in search.found}
        for node_id, distance in distances.items():
            start = relaxer.grounding.anchor_set(node_id)
            want = shortest_path(relaxer.facts, start, relaxer.answers, min(distance - 1, 5))
            if distance <= 6:
                assert found.get(node_id) == want
                seen[want is not None] += distance >= 2
    assert min(seen.values()) > 100


def test_the_certificate_of_a_direct_path_leads_to_the_answers():
    """Followed step by step from its anchor, a path gives exactly the answers."""
    tried = 0
    for relaxer, _ in small_pairs(36, 500, steps=7):
        for shortcut in direct_paths(relaxer, **WIDE).found:
            reached = relaxer.grounding.anchor_set(shortcut.certificate["anchor"])
            for step in shortcut.certificate["path"]:
                way = Direction(step["direction"])
                reached = relaxer.facts.project(step["relation"], way, reached)
            assert reached.same_form(relaxer.answers)
            assert shortcut.size == len(shortcut.certificate["path"])
            tried += 1
    assert tried > 100


@pytest.mark.parametrize(
    "bound", [{"max_length": 1}, {"max_fan_out": 1}, {"max_sets": 1}, {"max_sets": 4}]
)
def test_a_search_cut_short_is_not_called_complete(bound: dict[str, int]):
    """Under small bounds: complete means that the wide search finds just the same."""
    seen: Counter[bool] = Counter()
    for relaxer, _ in small_pairs(37, 600, steps=8):
        cut = direct_paths(relaxer, **{**WIDE, **bound})
        wide = direct_paths(relaxer, **WIDE)
        seen[cut.complete] += 1
        if cut.complete:
            found = [(s.certificate["anchor"], s.size) for s in cut.found]
            assert found == [(s.certificate["anchor"], s.size) for s in wide.found]
        assert {s.certificate["anchor"] for s in cut.found} <= {
            s.certificate["anchor"] for s in wide.found
        }
    assert min(seen.values()) >= 5


def test_a_longest_path_below_the_distance_is_said():
    """The report carries the bounds and whether they cut the search."""
    cut = 0
    for relaxer, graph in small_pairs(38, 200, steps=8):
        report = check(graph, relaxer.facts, limits=Limits(max_length=1))
        searched = report.searched["direct_path"]
        far = max(positive_distances(relaxer.graph).values(), default=0)
        assert searched["max_length"] == (1 if far >= 2 else 0)
        assert searched["complete"] == (far <= 2)
        cut += far > 2
        assert not (report.sound and far > 2)
    assert cut > 10


def test_facts_that_touch_an_answer_equal_an_enumeration():
    """A fact is reported for just the distant anchors that any fact joins to an answer."""
    seen: Counter[bool] = Counter()
    for relaxer, _ in small_pairs(39, 500, steps=7):
        facts = relaxer.facts
        answers = set(relaxer.answers.ids.tolist())
        found = {s.certificate["anchor"]: s for s in adjacent_facts(relaxer)}
        for node_id, distance in positive_distances(relaxer.graph).items():
            ends = set(relaxer.grounding.anchor_set(node_id).ids.tolist())
            touching = {
                facts.in_names(f)
                for f in facts.facts()
                if (f.head in ends and f.tail in answers) or (f.tail in ends and f.head in answers)
            }
            assert (node_id in found) == (distance >= 2 and bool(touching))
            if node_id in found:
                (step,) = found[node_id].certificate["path"]
                assert tuple(step.values()) in touching
            seen[node_id in found] += distance >= 2
    assert min(seen.values()) > 50


# ---- basis ------------------------------------------------------------------------------------


def possible_facts(facts: FactStore, used: set[int]) -> list[tuple[int | str, str, int | str]]:
    """Facts of the relations used that are missing and that the sheet does not rule out."""
    entities: list[int | str] = [*facts.universe.tolist(), "somebody new", "somebody else"]
    found = []
    for number in sorted(used):
        name = facts.relations[number]
        entry = facts.sheet.relation(name)
        if entry.complete is True:
            continue
        known = facts.named(*entry.complete) if isinstance(entry.complete, tuple) else None
        for head, tail in itertools.product(entities, entities):
            ends = (head, tail) if entry.symmetric else (head,)
            if known is not None and any(isinstance(e, int) and e in known for e in ends):
                continue
            known_ends = [end for end in (head, tail) if isinstance(end, int)]
            if len(known_ends) == 2 and facts.has(Fact(known_ends[0], number, known_ends[1])):
                continue
            found.append((head, name, tail))
    return found


def answer_keys(graph: QuestionGraph, facts: FactStore) -> set[str]:
    relaxer = Relaxer(graph, facts)
    return {facts.entity(int(n)).key for n in facts.members(relaxer.answers)}


def partly_complete(facts: FactStore, dice: random.Random) -> FactStore:
    """The same facts, their relations complete altogether, for most heads, or for a few."""
    relations = {}
    for name in facts.relations:
        heads = sorted({facts.name(fact.head) for fact in facts.facts()})
        complete: bool | tuple[str, ...] = True
        if dice.random() < 0.8:
            complete = tuple(dice.sample(heads, dice.randint(len(heads) // 2, len(heads))))
        entry = facts.sheet.relation(name)
        relations[name] = entry.model_copy(update={"complete": complete})
    return facts.with_sheet(RelationSheet(relations=relations))


def test_closed_means_that_no_fact_the_sheet_allows_changes_the_answers():
    """On tiny stores missing facts are added alone, and many at once: nothing changes.

    And where the basis is not closed, such a fact does change them more often than not.
    """
    dice = random.Random(5)
    seen: Counter[str] = Counter()
    for pair, graph in seeded_pairs(40, 1200, planted=True, steps=4, odd=False):
        facts = partly_complete(pair, dice)
        normal = normalize(graph)
        grounding = ground(normal, facts, strict=False)
        if grounding.unresolved or Relaxer(normal, facts).answers.complemented:
            continue
        basis = basis_of(normal, facts, grounding)
        used = {relation.number for relation in grounding.relations.values()}
        if all(facts.sheet.relation(facts.relations[n]).complete is True for n in used):
            assert basis.value == "closed"
            seen["all complete"] += 1
            continue
        before = answer_keys(normal, facts)
        additions = possible_facts(facts, used)
        trials = [[fact] for fact in dice.sample(additions, min(40, len(additions)))]
        trials += [dice.sample(additions, min(len(additions), n % 12)) for n in range(12)]
        changes = False
        for trial in trials:
            changed = facts
            for head, relation, tail in trial:
                changed = changed.with_fact(head, relation, tail)
            if not ground(normal, changed, strict=False).ambiguous:
                changes |= answer_keys(normal, changed) != before
        assert not (changes and basis.value == "closed"), graph
        seen[f"{basis.value}, {'changes' if changes else 'stays'}"] += 1
        if seen.total() > 200:
            break
    assert seen["all complete"] > 10
    assert seen["closed, stays"] > 25
    assert seen["evidence, changes"] > seen["evidence, stays"]


@given(stores_with_graphs(planted=True, steps=4))
def test_a_sheet_that_calls_everything_complete_closes_every_question(
    pair: tuple[FactStore, QuestionGraph],
):
    """And one that calls nothing complete closes only what asks for no relation."""
    facts, graph = pair
    for complete, basis in ((True, "closed"), (False, "evidence")):
        relations = {
            name: facts.sheet.relation(name).model_copy(update={"complete": complete})
            for name in facts.relations
        }
        changed = facts.with_sheet(RelationSheet(relations=relations))
        if ground(graph, changed, strict=False).unresolved:  # it used a name of another relation
            continue
        uses = any(edge.op is Op.PROJECTION for edge in normalize(graph).edges)
        report: CheckReport = check(graph, changed)
        assert report.basis.value == (basis if uses else "closed")


# ---- constraints ------------------------------------------------------------------------------


@given(stores_with_graphs(safe=None, steps=6))
def test_constraints_are_those_of_the_oracle_and_have_ids_of_their_own(
    pair: tuple[FactStore, QuestionGraph],
):
    """Sorted, distinct, and the same list."""
    normal = normalize(pair[1])
    ids = [item.id for item in constraints(normal)]
    assert ids == oracle_constraints(normal)
    assert len(set(ids)) == len(ids)
