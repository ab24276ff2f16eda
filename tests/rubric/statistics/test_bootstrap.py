"""The task bootstrap: against a plain second implementation, SciPy, and its laws."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphkit.errors import InputError
from rubric.statistics.bootstrap import bootstrap_averages, compare
from rubric.statistics.draws import BoundedDraws
from rubric.statistics.measure import Status
from rubric.statistics.table import Cell, CellState, ScoreTable

STATES = st.sampled_from(list(CellState))


def table_of(rows: dict[str, list[float | None]], state: CellState = CellState.FAILED):
    """System to its scores by task; None is ``state``."""
    return ScoreTable.build(
        Cell(f"t{place:03}", system, score, CellState.SCORED if score is not None else state)
        for system, scores in rows.items()
        for place, score in enumerate(scores)
    )


@st.composite
def tables(draw, max_tasks: int = 6, max_systems: int = 4):
    tasks = draw(st.integers(1, max_tasks))
    cells = []
    for system in range(draw(st.integers(1, max_systems))):
        for task in range(tasks):
            state = draw(STATES)
            score = draw(st.floats(0, 100)) if state is CellState.SCORED else None
            cells.append(Cell(f"t{task}", f"s{system}", score, state))
    return ScoreTable.build(cells)


def plain(table: ScoreTable, value, replicates: int, seed: int):
    """Percentile interval by the book: lists of tasks, exact fractions, no matrix."""
    draws = BoundedDraws(seed, len(table.tasks)).take(replicates * len(table.tasks)).tolist()
    found = []
    for start in range(0, len(draws), len(table.tasks)):
        drawn = [value(table.tasks[place]) for place in draws[start : start + len(table.tasks)]]
        kept = [item for item in drawn if item is not None]
        if kept:
            found.append(sum(kept, Fraction(0)) / len(kept))
    found.sort()
    ends = []
    for share in (Fraction(1, 40), Fraction(39, 40)):
        at = (len(found) - 1) * share
        below = int(at)
        above = min(below + 1, len(found) - 1)
        ends.append(found[below] + (found[above] - found[below]) * (at - below))
    return ends


def rounded(value: Fraction | None) -> Fraction | None:
    return None if value is None else Fraction(round(value * 2**30), 2**30)


@given(tables(), st.integers(0, 10))
@settings(max_examples=60, deadline=None)
def test_intervals_equal_the_plain_definition(table: ScoreTable, seed: int):
    """Failures 0, unscored and not-run left out, pairs over the tasks that both have."""
    result = compare(table, replicates=60, seed=seed)
    for system in result.systems:
        low = system.interval.to_list()
        if system.average.status is Status.EMPTY:
            assert low is None
            continue
        want = plain(
            table, lambda task, name=system.system: rounded(table.value(task, name)), 60, seed
        )
        assert low == pytest.approx([float(end) for end in want], abs=1e-12)

    def gap(task: str, a: str, b: str):
        left, right = table.value(task, a), table.value(task, b)
        return None if left is None or right is None else rounded(left) - rounded(right)

    for pair in result.pairs:
        if pair.difference.status is Status.EMPTY:
            assert pair.interval.to_list() is None
            continue
        want = plain(table, lambda task, a=pair.a, b=pair.b: gap(task, a, b), 60, seed)
        assert pair.interval.to_list() == pytest.approx([float(end) for end in want], abs=1e-12)


@given(tables(max_tasks=5))
@settings(max_examples=40, deadline=None)
def test_laws(table: ScoreTable):
    """Chances to be best sum to 1, wins mirror losses, order and names of input do not matter."""
    result = compare(table, replicates=40)
    chances = [
        system.probability_best.value
        for system in result.systems
        if system.probability_best.value is not None
    ]
    assert not chances or sum(chances) == pytest.approx(1)
    for pair in result.pairs:
        back = compare(table, pairs=[(pair.b, pair.a)], replicates=40).pairs[0]
        assert (pair.record.wins, pair.record.ties) == (back.record.losses, back.record.ties)
        if pair.interval.low is not None:
            assert back.interval.low == pytest.approx(-pair.interval.high)
    cells = list(table.cells.values())
    random.Random(1).shuffle(cells)
    assert compare(ScoreTable.build(cells), replicates=40) == result
    assert bootstrap_averages(table, replicates=40) == {
        system.system: system.interval for system in result.systems
    }


def test_golden_interval():
    """A fixed seed gives these very doubles, whatever numpy and BLAS are installed."""
    made = random.Random(7)
    table = table_of({"A": [made.randrange(0, 1000) / 10 for _ in range(50)]})
    assert bootstrap_averages(table, seed=1)["A"].to_list() == GOLDEN


GOLDEN = [33.57994999998249, 50.108049999989106]


def test_agrees_with_scipy():
    """Another implementation with other draws gives the same interval but for its noise."""
    scipy = pytest.importorskip("scipy.stats")
    made = np.random.default_rng(0).uniform(0, 100, 50)
    ours = bootstrap_averages(table_of({"A": made.tolist()}))["A"].to_list()
    other = scipy.bootstrap(
        (made,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    assert ours == pytest.approx([other.low, other.high], abs=0.35)


def test_one_task_has_a_named_interval():
    """One task: the point itself, and a status that says that it is no interval."""
    found = compare(table_of({"A": [40.0], "B": [50.0]}), replicates=10)
    assert found.systems[0].interval.to_list() == [40.0, 40.0]
    assert found.systems[0].interval.status is Status.ONE_TASK
    assert found.pairs[0].interval.status is Status.ONE_TASK


def test_all_failed_has_a_named_interval():
    """A system that never delivers has the average 0, not none, and no successful average."""
    found = compare(table_of({"A": [None, None], "B": [50.0, 10.0]}), replicates=10).systems[0]
    assert (found.average.value, found.interval.to_list()) == (0.0, [0.0, 0.0])
    assert found.interval.status is Status.ALL_FAILED
    assert found.average_successful.value is None
    assert found.average_successful.status is Status.ALL_FAILED


def test_not_run_is_no_failure():
    """A pair without a line takes part in nothing."""
    found = compare(
        table_of({"A": [60.0, None], "B": [50.0, 10.0]}, CellState.NOT_RUN), replicates=50
    )
    assert found.systems[0].average.value == 60.0
    assert found.systems[0].success_rate.value == 1.0
    assert found.pairs[0].difference.value == 10.0
    assert found.systems[0].interval.undefined > 0


def test_empty_input_has_no_score():
    """Nothing in, nothing out: no 0 and no NaN."""
    found = compare(ScoreTable.build([]))
    assert found.to_record() == {
        "systems": [],
        "pairs": [],
        "bootstrap": {"replicates": 20_000, "level": 0.95, "seed": 0, "units": 0},
    }
    lone = compare(table_of({"A": [None, None]}, CellState.UNSCORED), replicates=5).systems[0]
    assert (lone.average.value, lone.interval.to_list()) == (None, None)
    assert lone.probability_best.status is Status.EMPTY


def test_ties_for_the_best_are_split():
    """Two equal systems share every replicate; a third never wins."""
    found = compare(
        table_of({"A": [50.0, 60.0], "B": [50.0, 60.0], "C": [1.0, 2.0]}), replicates=100
    )
    assert [item.probability_best.value for item in found.systems] == [0.5, 0.5, 0.0]


def test_clusters_are_drawn_whole():
    """With two clusters a replicate has one of three averages."""
    table = table_of({"A": [0.0, 0.0, 0.0, 90.0]})
    clusters = {"t000": "x", "t001": "x", "t002": "x", "t003": "y"}
    found = compare(table, clusters=clusters, replicates=500)
    assert found.units == 2
    assert found.systems[0].average.value == 22.5
    assert found.systems[0].interval.to_list() == [0.0, 90.0]
    with pytest.raises(InputError, match="task t003: has no cluster"):
        compare(table, clusters={"t000": "x", "t001": "x", "t002": "x"})


def test_level_and_pairs_are_checked():
    """A level outside 0 to 1, an unknown system, no replicate: the user's mistake."""
    table = table_of({"A": [1.0, 2.0]})
    for level in (0, 1, 1.5, "x", float("nan")):
        with pytest.raises(InputError):
            bootstrap_averages(table, level=level)
    with pytest.raises(InputError, match="system Z: is not in the scores"):
        compare(table, pairs=[("A", "Z")])
    with pytest.raises(InputError):
        bootstrap_averages(table, replicates=0)
    with pytest.raises(InputError, match="too large"):
        bootstrap_averages(table_of({"A": [1e9, 2.0]}))


def test_wider_level_wider_interval():
    """An interval of more confidence contains that of less."""
    table = table_of({"A": [float(value) for value in range(30)]})
    inner, outer = (bootstrap_averages(table, level=level)["A"] for level in ("0.5", "0.99"))
    assert outer.low < inner.low < inner.high < outer.high


def test_record_of_compare_has_the_documented_keys():
    """The JSON of formats-and-cli.md: additions are allowed, renames are not."""
    record = compare(table_of({"A": [60.0, None], "B": [50.0, 10.0]}), replicates=50).to_record()
    assert {"system", "average", "average_successful", "success_rate", "interval"} <= set(
        record["systems"][0]
    )
    assert {"a", "b", "difference", "interval"} <= set(record["pairs"][0])
    assert record["systems"][0]["success_rate"] == 0.5
    assert record["pairs"][0]["completion"]["only_b"] == 1


def test_every_pair_by_default():
    """Three systems have three pairs, in the order of the table."""
    found = compare(table_of({"C": [1.0], "A": [2.0], "B": [3.0]}), replicates=5)
    assert [(pair.a, pair.b) for pair in found.pairs] == list(itertools.combinations("ABC", 2))


def test_batches_of_pairs_do_not_matter(monkeypatch):
    """Memory is bounded by comparing pairs in batches with the same draws."""
    table = table_of(
        {name: [float(ord(name) * place % 7) for place in range(6)] for name in "ABCDE"}
    )
    whole = compare(table, replicates=50)
    monkeypatch.setattr("rubric.statistics.bootstrap._BATCH", 3)
    assert compare(table, replicates=50) == whole
