"""Agreement of raters with each other and of the machine with them; degenerate input is named."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from graphkit.errors import DependencyError, InputError, Problem
from rubric.statistics.measure import Measure, Status, mean, share
from rubric.statistics.records import HumanLabel

__all__ = [
    "RATERS",
    "AgreementReport",
    "agreement_report",
    "inter_rater",
    "item_correctness",
    "krippendorff_alpha",
    "machine_to_human",
    "majority",
    "mean_ratings",
    "spearman",
    "unanimity",
]

RATERS = 3
"""Raters that an item needs to be compared (appendices A.5 and A.6 of the paper)."""

Item = tuple[str, str, str, str, int]
Scale = Literal["nominal", "ordinal", "interval", "ratio"]

_MEANING = {"yes": "correct", "no": "incorrect"}


def _by_item(labels: Iterable[HumanLabel]) -> dict[Item, list[str]]:
    items: dict[Item, list[str]] = defaultdict(list)
    for label in labels:
        if label.label is not None:
            artifact = label.kind in ("fact", "atom")
            items[label.item].append(
                _MEANING.get(label.label, label.label) if artifact else label.label
            )
    return dict(items)


def item_correctness(labels: Iterable[HumanLabel]) -> Measure:
    """Return the share of fact and criterion *judgments* that say correct (appendix A.5).

    Args:
        labels: Labels of facts and atoms; other kinds are passed over.
    """
    words = [
        word
        for item, found in _by_item(labels).items()
        if item[0] in ("fact", "atom")
        for word in found
    ]
    return share(words.count("correct"), len(words))


def majority(words: Sequence[str]) -> str | None:
    """Return the word that more than half of the votes name, or None without a majority.

    >>> majority(["yes", "no", "yes"]), majority(["yes", "no"]), majority([])
    ('yes', None, None)
    """
    if not words:
        return None
    word, times = Counter(words).most_common(1)[0]
    return word if 2 * times > len(words) else None


def unanimity(labels: Iterable[HumanLabel], raters: int = RATERS) -> Measure:
    """Return the share of reviewed facts and criteria that all reviewers label alike (A.5).

    Args:
        labels: Labels of facts and atoms; other kinds are passed over.
        raters: Items with fewer labels are not compared. When no item has that many the status
            is ``one_rater`` or ``no_overlap``.
    """
    items = {item: words for item, words in _by_item(labels).items() if item[0] in ("fact", "atom")}
    return _alike(list(items.values()), raters)


def inter_rater(labels: Iterable[HumanLabel], raters: int = RATERS) -> Measure:
    """Return decisions with all labels alike, by all comparable decisions (appendix A.6).

    Args:
        labels: Labels of decisions; other kinds are passed over.
        raters: A decision is comparable when at least so many raters labelled it and every label
            is yes or no.
    """
    return _alike(_comparable(labels), raters)


def _comparable(labels: Iterable[HumanLabel]) -> list[list[str]]:
    return [
        words
        for item, words in _by_item(labels).items()
        if item[0] == "decision" and set(words) <= {"yes", "no"}
    ]


def _alike(groups: list[list[str]], raters: int) -> Measure:
    if raters < 2:
        raise InputError(
            Problem(f"{raters} raters; expected at least two to compare", code="raters")
        )
    full = [words for words in groups if len(words) >= raters]
    if not groups:
        return Measure(None, 0, Status.EMPTY)
    if not full:
        lone = max(map(len, groups)) < 2
        return Measure(None, 0, Status.ONE_RATER if lone else Status.NO_OVERLAP)
    return share(sum(len(set(words)) == 1 for words in full), len(full))


def machine_to_human(
    verdicts: Mapping[tuple[str, str, str], str],
    labels: Iterable[HumanLabel],
    raters: int = RATERS,
) -> Measure:
    """Return automatic decisions that match the human majority, by comparable ones (A.6).

    Args:
        verdicts: (task, system, atom) to the machine's yes, no, na or skipped; the system is an
            empty string where the labels name none.
        labels: Labels of decisions; other kinds are passed over.
        raters: A decision is comparable when at least so many raters labelled it, every label is
            yes or no, the votes are not even, and the machine said yes or no.
    """
    groups = {item: words for item, words in _by_item(labels).items() if item[0] == "decision"}
    if not groups:
        return Measure(None, 0, Status.EMPTY)
    pairs = []
    tied = False
    for (_, task, system, atom, _), words in sorted(groups.items()):
        machine = verdicts.get((task, system, atom))
        if len(words) < raters or not set(words) <= {"yes", "no"} or machine not in ("yes", "no"):
            continue
        human = majority(words)
        if human is None:
            tied = True
            continue
        pairs.append(machine == human)
    if not pairs:
        return Measure(None, 0, Status.TIED if tied else Status.NO_OVERLAP)
    return share(sum(pairs), len(pairs))


def krippendorff_alpha(
    ratings: Iterable[tuple[str, str, float | str]], scale: Scale = "nominal"
) -> Measure:
    """Return Krippendorff's alpha: 1 is agreement, 0 is chance. Not a figure of the paper.

    Args:
        ratings: (rater, item, value); values are words on a nominal scale, else numbers.
        scale: The level of measurement.

    Returns:
        Alpha and the number of values in items with at least two of them. Status ``empty``
        (nothing), ``one_rater``, ``no_overlap`` (no item has two values) or ``constant`` (one
        value only: expected disagreement is 0 and alpha undefined).

    Raises:
        InputError: A rater rates an item twice, a value is no finite number where the scale
            needs one, or a ratio is negative.
        DependencyError: The package krippendorff is not installed.

    >>> krippendorff_alpha([("a", "1", "yes"), ("b", "1", "yes"), ("a", "2", "no"),
    ...                     ("b", "2", "no")]).value
    1.0
    """
    table: dict[str, dict[str, float | str]] = {}
    problems: list[Problem] = []
    for rater, item, value in ratings:
        subject = f"rater {rater}, item {item}"
        if item in table.setdefault(rater, {}):
            problems.append(
                Problem("is rated twice; expected once", code="duplicate_id", subject=subject)
            )
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if (scale != "nominal" and not number) or (number and not math.isfinite(float(value))):
            problems.append(
                Problem(f"{value!r} is not a finite number", code="rating", subject=subject)
            )
        elif scale == "ratio" and float(value) < 0:
            problems.append(
                Problem(
                    f"{value} is negative; expected none on a ratio scale",
                    code="rating",
                    subject=subject,
                )
            )
        table[rater][item] = value
    if problems:
        raise InputError(problems)
    if not table:
        return Measure(None, 0, Status.EMPTY)
    if len(table) == 1:
        return Measure(None, 0, Status.ONE_RATER)
    counts = Counter(item for items in table.values() for item in items)
    paired = sorted(item for item, times in counts.items() if times > 1)
    if not paired:
        return Measure(None, 0, Status.NO_OVERLAP)
    domain = sorted(
        {table[rater][item] for rater in table for item in paired if item in table[rater]},
        key=lambda value: (str(type(value)), value),
    )
    total = sum(counts[item] for item in paired)
    if len(domain) == 1:
        return Measure(None, total, Status.CONSTANT)
    return Measure(_alpha(table, paired, domain, scale), total)


def _alpha(
    table: Mapping[str, Mapping[str, float | str]],
    items: Sequence[str],
    domain: Sequence[float | str],
    scale: Scale,
) -> float:
    try:
        import krippendorff
    except ImportError as error:
        raise DependencyError(
            Problem(
                "Krippendorff's alpha needs the package krippendorff; install it with "
                "pip install krippendorff",
                code="krippendorff",
            )
        ) from error
    import numpy as np

    place = {value: column for column, value in enumerate(domain)}
    counts = np.zeros((len(items), len(domain)))
    for row, item in enumerate(items):
        for rated in table.values():
            if item in rated:
                counts[row, place[rated[item]]] += 1
    values = list(range(len(domain))) if scale == "nominal" else [float(value) for value in domain]
    return float(
        krippendorff.alpha(value_counts=counts, value_domain=values, level_of_measurement=scale)
    )


def spearman(pairs: Iterable[tuple[float | Fraction, float | Fraction]]) -> Measure:
    """Return Spearman's rank correlation, ties by mean rank.

    Args:
        pairs: Two figures of each item.

    Returns:
        Rho and the number of pairs. Status ``empty``, ``too_few`` (one pair) or ``constant``
        (one of the two sides does not vary).

    Raises:
        InputError: A figure is not a finite number.

    >>> spearman([(1, 10), (2, 30), (3, 20)]).value
    0.5
    """
    found = [(float(left), float(right)) for left, right in pairs]
    if any(not math.isfinite(value) for pair in found for value in pair):
        raise InputError(
            Problem("a pair holds a figure that is not finite; expected numbers", code="rating")
        )
    if not found:
        return Measure(None, 0, Status.EMPTY)
    if len(found) == 1:
        return Measure(None, 1, Status.TOO_FEW)
    left, right = zip(*found, strict=True)
    if len(set(left)) == 1 or len(set(right)) == 1:
        return Measure(None, len(found), Status.CONSTANT)
    try:
        from scipy.stats import spearmanr
    except ImportError as error:
        raise DependencyError(
            Problem(
                "Spearman's correlation needs the package scipy; install it with pip install scipy",
                code="scipy",
            )
        ) from error
    return Measure(float(spearmanr(left, right).statistic), len(found))


def mean_ratings(labels: Iterable[HumanLabel]) -> dict[tuple[str, str], Measure]:
    """Return the mean holistic rating of each report, by (task, system) (appendix A.6).

    Args:
        labels: Holistic labels; other kinds are passed over. Without a system, the item id
            stands in its place.
    """
    found: dict[tuple[str, str], list[Fraction]] = defaultdict(list)
    for label in labels:
        if label.kind == "holistic" and label.rating is not None:
            found[label.task_id, label.system or label.item_id].append(label.rating)
    return {key: mean(found[key]) for key in sorted(found)}


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """All figures of a file of human labels, with what was not comparable.

    Attributes:
        rounds: Validation round to (item correctness, unanimity) of facts and atoms.
        inter_rater: Decisions with all labels alike, by comparable ones.
        machine: Automatic decisions that match the majority, by comparable ones.
        alpha: Krippendorff's alpha of the yes and no labels of decisions.
        holistic_alpha: Krippendorff's alpha of the holistic ratings, on an interval scale.
        correlation: Spearman of scores and mean holistic ratings over reports.
    """

    rounds: Mapping[int, tuple[Measure, Measure]]
    inter_rater: Measure
    machine: Measure
    alpha: Measure
    holistic_alpha: Measure
    correlation: Measure

    def to_record(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "rounds": [
                {
                    "round": number,
                    "item_correctness": correct.to_record(),
                    "unanimity": alike.to_record(),
                }
                for number, (correct, alike) in self.rounds.items()
            ],
            "inter_rater": self.inter_rater.to_record(),
            "machine_to_human": self.machine.to_record(),
            "krippendorff_alpha": self.alpha.to_record(),
            "holistic_krippendorff_alpha": self.holistic_alpha.to_record(),
            "spearman": self.correlation.to_record(),
        }


def agreement_report(
    labels: Iterable[HumanLabel],
    verdicts: Mapping[tuple[str, str, str], str] | None = None,
    scores: Mapping[tuple[str, str], float | Fraction] | None = None,
    raters: int = RATERS,
) -> AgreementReport:
    """Compute every figure of appendices A.5 and A.6 from one set of labels.

    Args:
        labels: Human labels of any kinds and rounds.
        verdicts: The machine's decisions, as in :func:`machine_to_human`.
        scores: (task, system) to the score, for the correlation with holistic ratings.
        raters: Raters that an item needs to be compared.
    """
    labels = list(labels)
    rounds = sorted({label.round for label in labels if label.kind in ("fact", "atom")})
    by_round = {number: [label for label in labels if label.round == number] for number in rounds}
    ratings = mean_ratings(labels)
    pairs = [
        (score, rating.value)
        for key, score in sorted((scores or {}).items())
        if (rating := ratings.get(key)) is not None and rating.value is not None
    ]
    return AgreementReport(
        rounds={
            number: (item_correctness(found), unanimity(found, raters))
            for number, found in by_round.items()
        },
        inter_rater=inter_rater(labels, raters),
        machine=machine_to_human(verdicts or {}, labels, raters),
        alpha=krippendorff_alpha(
            (label.rater, repr(label.item), label.label)
            for label in labels
            if label.kind == "decision" and label.label in ("yes", "no")
        ),
        holistic_alpha=krippendorff_alpha(
            (
                (label.rater, repr(label.item), float(label.rating))
                for label in labels
                if label.kind == "holistic" and label.rating is not None
            ),
            "interval",
        ),
        correlation=spearman(pairs),
    )
