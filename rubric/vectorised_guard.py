"""The guard over many reports: candidates and the order of restoration, once for all settings.

Which atoms are candidates, and in which order they are restored, depends on outcomes alone. So
the proposals of every step are laid out once, and settings only decide where each report stops.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rubric.aggregate import FAILED, PASSED
from rubric.compiled import Ints, Links, Mask, Outcomes
from rubric.verdicts import NO

__all__ = ["BetterReports", "Proposals", "better_reports", "propose"]


@dataclass(frozen=True, slots=True, eq=False)
class Proposals:
    """What the guard proposes at every step of every report with candidates.

    Attributes:
        atoms: Candidates, as positions in the outcome values.
        report: The report of each.
        column: The direction column of each.
        restored_at: The step at which each would be restored, from 0.
        steps: The report of each step; the steps of a report follow one another.
        number: The number of each step within its report.
        proposed: k_j: remaining candidates by step and column.
        linked: B: coverage columns linked to remaining candidates, by step and column.
    """

    atoms: Ints
    report: Ints
    column: Ints
    restored_at: Ints
    steps: Ints
    number: Ints
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
    parts = [np.concatenate([np.zeros(0, dtype=np.int64),
                             *(getattr(link, key) for link in links)])[place]
             for key in (first, second)]
    return np.repeat(reports, many), (parts[0], parts[1])


_PAIRS = {"cover": ("citing", "covering"), "hold": ("holder", "fact"),
          "covered": ("covered", "covered_fact")}
assert all(hasattr(Links, name) for pair in _PAIRS.values() for name in pair)


def propose(outcomes: Outcomes) -> Proposals | None:
    """Lay out what the guard proposes; nothing when no report has a candidate."""
    values, base = outcomes.values, outcomes.base
    report, (citing, covering) = _spread(outcomes, np.arange(len(base)), "cover")
    citing, covering = citing + base[report], covering + base[report]
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
    width = len(outcomes.compiled.slots)
    owner, column = np.divmod(outcomes.cell[atoms], width)
    kept = candidate[citing]
    pairs = number[citing[kept]] * width + outcomes.cell[covering[kept]] % width
    linked_to, linked_column = np.divmod(np.unique(pairs), width)
    restored_at = _restore(outcomes, atoms, owner, number)
    lengths = np.bincount(owner, minlength=len(base))
    reports = np.flatnonzero(lengths)
    many = lengths[reports]
    offset = np.zeros(len(base), dtype=np.int64)
    offset[reports] = np.cumsum(many) - many
    steps = np.repeat(reports, many)
    proposed = np.zeros((len(steps), width), dtype=np.int64)
    linked = np.zeros((len(steps), width), dtype=np.int64)
    last = offset[owner] + restored_at
    np.add.at(proposed, (last, column), 1)
    np.add.at(linked, (last[linked_to], linked_column), 1)
    return Proposals(
        atoms=atoms, report=owner, column=column, restored_at=restored_at, steps=steps,
        number=np.arange(len(steps)) - offset[steps],
        proposed=_from_there(proposed, reports, offset, many),
        linked=_from_there(linked, reports, offset, many) > 0)


def _from_there(table: Ints, reports: Ints, offset: Ints, many: Ints) -> Ints:
    """Sum each row with the later rows of its report: a candidate remains until it is restored."""
    sums = np.cumsum(table[::-1], axis=0)[::-1]
    after = offset[reports] + many
    closed = np.zeros((len(reports), table.shape[1]), dtype=np.int64)
    inside = after < len(table)
    closed[inside] = sums[after[inside]]
    found: Ints = sums - np.repeat(closed, many, axis=0)
    return found


def _restore(outcomes: Outcomes, atoms: Ints, owner: Ints, number: Ints) -> Ints:
    """Return the step at which each candidate is restored.

    Each round restores one candidate of every report: from the fact with the most remaining
    candidates (ties: the smallest fact id), the atom id that sorts last.
    """
    compiled = outcomes.compiled
    reports = np.unique(owner)
    holder_report, (holder, fact) = _spread(outcomes, reports, "hold")
    who = number[holder + outcomes.base[holder_report]]
    who, fact, holder_report = who[who >= 0], fact[who >= 0], holder_report[who >= 0]
    widest = max(link.facts for link in compiled.links)
    names, entry = np.unique(holder_report * widest + fact, return_inverse=True)
    name_report, name_rank = np.divmod(names, widest)
    starts = np.flatnonzero(np.diff(name_report, prepend=-1))
    place = np.zeros(len(outcomes.base), dtype=np.int64)
    place[reports] = np.arange(len(reports))
    tree = outcomes.tree[owner]
    rank = compiled.atom_rank[compiled.starts[tree] + atoms - outcomes.base[owner]]
    restored = np.full(len(atoms), -1, dtype=np.int64)
    counts = np.bincount(entry, minlength=len(names))
    at = place[owner]
    step = 0
    while True:
        merit = counts * widest - name_rank
        best = np.maximum.reduceat(merit, starts)
        chosen = merit[entry] == best[place[holder_report]]
        chosen &= (counts[entry] > 0) & (restored[who] < 0)
        able = who[chosen]
        if not len(able):
            return restored
        last = np.full(len(reports), -1, dtype=np.int64)
        np.maximum.at(last, at[able], rank[able])
        taken = np.unique(able[rank[able] == last[at[able]]])
        restored[taken] = step
        gone = np.zeros(len(atoms), dtype=np.bool_)
        gone[taken] = True
        counts -= np.bincount(entry[gone[who]], minlength=len(names))
        step += 1


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
    stated = np.unique(cover_key[values[cover] == PASSED])
    omits = ~np.isin(cover_key, stated)
    cites = np.isin(hold_key, stated)
    keys = np.concatenate((cover_key[omits], hold_key[cites]))
    places = np.concatenate((cell[cover[omits]], cell[hold[cites]])) % width
    names, entry = np.unique(keys, return_inverse=True)
    change = np.zeros((len(names), width + 1), dtype=np.int64)
    np.add.at(change, (entry, places), 1)
    change[:, width] = names // max(facts, 1)
    change = np.unique(change, axis=0)
    owner = change[:, width]
    return BetterReports(owner, outcomes.counts[1][owner] + change[:, :width])
