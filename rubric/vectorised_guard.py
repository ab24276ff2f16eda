"""The guard over many reports: candidates and the order of restoration, once for all settings.

Which atoms are candidates, and in which order they are restored, depends on outcomes alone. So
the proposals of every step are laid out once, and settings only decide where each report stops.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rubric.aggregate import FAILED, PASSED
from rubric.compiled import Ints, Links, Mask, Outcomes
from rubric.logic import Dimension
from rubric.verdicts import NO

__all__ = ["BetterReports", "Proposals", "better_reports", "propose"]


@dataclass(frozen=True, slots=True, eq=False)
class Proposals:
    """What the guard proposes at every step of every report with candidates.

    Attributes:
        atoms: Candidates, as positions in the outcome values.
        report: The report of each.
        restored_at: The step at which each would be restored, from 0.
        reports: The reports with candidates.
        first: The first step of each of them.
        steps: The report of each step; the steps of a report follow one another.
        citing: The citation columns.
        covering: The coverage columns.
        proposed: k_j: remaining candidates, steps by citation columns.
        linked: B: whether candidates that remain are linked, steps by coverage columns.
    """

    atoms: Ints
    report: Ints
    restored_at: Ints
    reports: Ints
    first: Ints
    steps: Ints
    citing: Ints
    covering: Ints
    proposed: Ints
    linked: Mask


@dataclass(frozen=True, slots=True, eq=False)
class BetterReports:
    """The better reports that limit the exact guard, each as a change of passed counts.

    Attributes:
        report: The report that each improves.
        passed: Passed atoms by column, after the improvement.
    """

    report: Ints
    passed: Ints


def _spread(outcomes: Outcomes, reports: Ints, name: str) -> tuple[Ints, tuple[Ints, Ints]]:
    """Repeat a kind of pair for reports: the report of each entry, and both its parts."""
    links = outcomes.compiled.links
    first, second = _PAIRS[name]
    sizes = np.array([len(getattr(link, first)) for link in links], dtype=np.int64)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    tree = outcomes.tree[reports]
    many = sizes[tree]
    ends = np.cumsum(many)
    place = np.arange(int(many.sum())) + np.repeat(starts[tree] - (ends - many), many)
    parts = [
        np.concatenate([np.zeros(0, dtype=np.int64), *(getattr(link, key) for link in links)])[
            place
        ]
        for key in (first, second)
    ]
    return np.repeat(reports, many), (parts[0], parts[1])


_PAIRS = {
    "cover": ("citing", "covering"),
    "hold": ("holder", "fact"),
    "covered": ("covered", "covered_fact"),
}
assert all(hasattr(Links, name) for pair in _PAIRS.values() for name in pair)


def propose(outcomes: Outcomes) -> Proposals | None:
    """Lay out what the guard proposes; nothing when no report has a candidate."""
    values, base, compiled = outcomes.values, outcomes.base, outcomes.compiled
    report, (citing, covering) = _spread(outcomes, np.arange(len(base)), "cover")
    shift = base[report]
    citing, covering = citing + shift, covering + shift
    useful = (values[citing] == FAILED) & (values[covering] <= NO)
    citing, covering = citing[useful], covering[useful]
    candidate = np.zeros(len(values), dtype=np.bool_)
    candidate[citing] = True
    candidate[citing[values[covering] == PASSED]] = False
    atoms = np.flatnonzero(candidate)
    if not len(atoms):
        return None
    number = np.full(len(values), -1, dtype=np.int64)
    number[atoms] = np.arange(len(atoms))
    width = len(compiled.slots)
    owner, column = np.divmod(outcomes.cell[atoms], width)
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    reports = owner[first]
    restored_at = _restore(outcomes, atoms, owner, number)
    kept = candidate[citing]
    covers, cites = compiled.columns(covers=True), compiled.columns(dimension=Dimension.CITATION)
    linked_until = _linked_until(
        number[citing[kept]], outcomes.cell[covering[kept]] % width, covers, restored_at, first
    )
    place = np.cumsum(np.diff(owner, prepend=-1) != 0) - 1
    step_number = np.arange(len(atoms)) - first[place]
    proposed = np.zeros((len(atoms), len(cites)), dtype=np.int64)
    np.add.at(proposed, (first[place] + restored_at, np.searchsorted(cites, column)), 1)
    sums = np.cumsum(proposed[::-1], axis=0)[::-1]
    after = np.concatenate((sums[first[1:]], np.zeros((1, len(cites)), dtype=np.int64)))
    return Proposals(
        atoms=atoms,
        report=owner,
        restored_at=restored_at,
        reports=reports,
        first=first,
        steps=owner,
        citing=cites,
        covering=covers,
        proposed=sums - after[place],
        linked=step_number[:, None] <= linked_until[place],
    )


def _linked_until(who: Ints, columns: Ints, covers: Ints, restored_at: Ints, first: Ints) -> Ints:
    """Return the last step at which each report links each coverage column, or -1."""
    until = np.full((len(restored_at), len(covers)), -1, dtype=np.int64)
    until[who, np.searchsorted(covers, columns)] = restored_at[who]
    found: Ints = np.maximum.reduceat(until, first, axis=0)
    return found


def _restore(outcomes: Outcomes, atoms: Ints, owner: Ints, number: Ints) -> Ints:
    """Return the step at which each candidate is restored.

    Each round restores one candidate of every report: from the fact with the most remaining
    candidates (ties: the smallest fact id), the atom id that sorts last. Where every candidate of
    a report has one fact, the order is that of a sort, and needs no rounds.
    """
    compiled = outcomes.compiled
    reports = owner[np.flatnonzero(np.diff(owner, prepend=-1))]
    report, (holder, fact) = _spread(outcomes, reports, "hold")
    who = number[holder + outcomes.base[report]]
    held = who >= 0
    who, fact, report = who[held], fact[held], report[held]
    facts = max(link.facts for link in compiled.links)
    most = int(compiled.sizes.max())
    entry = report * facts + fact
    counts = np.bincount(entry, minlength=len(outcomes.base) * facts)
    tree = outcomes.tree[report]
    rank = compiled.atom_rank[compiled.starts[tree] + atoms[who] - outcomes.base[report]]
    restored = np.full(len(atoms), -1, dtype=np.int64)
    several = np.zeros(len(outcomes.base), dtype=np.bool_)
    several[owner[np.bincount(who) > 1]] = True
    rest = several[report]
    if not rest.all():
        one = ~rest
        restored[who[one]] = _restore_sorted(report[one], fact[one], rank[one], facts, most)
        who, fact, report = who[rest], fact[rest], report[rest]
        entry, rank = entry[rest], rank[rest]
    step = 0
    while len(who):
        merit = (counts[entry] * facts + (facts - 1 - fact)) * most + rank
        starts = np.flatnonzero(np.diff(report, prepend=-1))
        best = np.repeat(np.maximum.reduceat(merit, starts), np.diff(starts, append=len(who)))
        restored[who[merit == best]] = step
        gone = restored[who] >= 0
        np.subtract.at(counts, entry[gone], 1)
        stay = ~gone
        who, fact, report = who[stay], fact[stay], report[stay]
        entry, rank = entry[stay], rank[stay]
        step += 1
    return restored


def _restore_sorted(report: Ints, fact: Ints, rank: Ints, facts: int, most: int) -> Ints:
    """Return the step of each candidate in reports whose candidates have one fact each.

    A candidate goes when as many of its fact remain as there are atoms up to its own id; so the
    order is by that number, from the greatest, then by fact.
    """
    order = np.argsort((report * facts + fact) * most + rank)
    group = (report * facts + fact)[order]
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    level = np.empty(len(order), dtype=np.int64)
    level[order] = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    order = np.argsort((report * most + (most - 1 - level)) * facts + fact)
    starts = np.flatnonzero(np.diff(report[order], prepend=-1))
    step = np.empty(len(order), dtype=np.int64)
    step[order] = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    return step


def better_reports(outcomes: Outcomes, reports: Ints) -> BetterReports:
    """Return the reports that state an omitted fact, or cite a stated one, without repetitions.

    Args:
        outcomes: The outcomes.
        reports: The reports to improve: those with candidates.
    """
    values, base, cell = outcomes.values, outcomes.base, outcomes.cell
    width = len(outcomes.compiled.slots)
    facts = max((link.facts for link in outcomes.compiled.links), default=0)
    cover_report, (cover, cover_fact) = _spread(outcomes, reports, "covered")
    hold_report, (hold, hold_fact) = _spread(outcomes, reports, "hold")
    cover, hold = cover + base[cover_report], hold + base[hold_report]
    scored = values[cover] <= NO
    cover = cover[scored]
    cover_key = (cover_report * facts + cover_fact)[scored]
    failed = values[hold] == FAILED
    hold, hold_key = hold[failed], (hold_report * facts + hold_fact)[failed]
    stated = np.zeros(len(base) * facts, dtype=np.bool_)
    stated[cover_key[values[cover] == PASSED]] = True
    omits, cites = ~stated[cover_key], stated[hold_key]
    keys = np.concatenate((cover_key[omits], hold_key[cites]))
    places = np.concatenate((cell[cover[omits]], cell[hold[cites]])) % width
    touched = np.zeros(len(stated), dtype=np.bool_)
    touched[keys] = True
    names = np.flatnonzero(touched)
    change = np.bincount(
        (np.cumsum(touched) - 1)[keys] * width + places, minlength=len(names) * width
    ).reshape(-1, width)
    owner = names // max(facts, 1)
    distinct = _distinct(owner, change)
    owner = owner[distinct]
    return BetterReports(owner, outcomes.counts[1][owner] + change[distinct])


def _distinct(owner: Ints, change: Ints) -> Ints:
    """Return one row of each distinct change of each report."""
    bases = change.max(axis=0, initial=0) + 1
    size = int(owner.max(initial=0)) + 1
    key = owner.copy()
    for column in np.flatnonzero(bases > 1).tolist():
        size *= int(bases[column])
        if size >= 1 << 62:
            return np.arange(len(owner))
        key = key * bases[column] + change[:, column]
    found: Ints = np.unique(key, return_index=True)[1]
    return np.sort(found)
