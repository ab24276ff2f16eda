"""Static checks of content: wording, duplicates, balance, sources, empty report, boundaries."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

from rubric.logic import Evaluator
from rubric.tree import Atom
from rubric.validation.context import Context, NotRun, Severity

__all__ = [
    "check_difficulty_balance",
    "check_direction_boundaries",
    "check_duplicates",
    "check_empty_report",
    "check_language_consistency",
    "check_source_concentration",
    "check_subjective_wording",
]

Found = Iterable[tuple[Severity, str, str] | NotRun]
ERROR, WARNING = Severity.ERROR, Severity.WARNING


def check_subjective_wording(context: Context) -> Found:
    """Questions avoid words that two readers would judge differently."""
    for atom in context.tree.atoms:
        found = dict.fromkeys(
            word.lower() for word in context.wording.subjective.findall(atom.question)
        )
        if found:
            yield WARNING, f"atom {atom.id}", f"question: subjective words: {', '.join(found)}"


def check_duplicates(context: Context) -> Found:
    """No two atoms of a direction ask the same."""
    for atoms in _same_questions(context.tree.atoms):
        for atom in atoms[1:]:
            first = next(item for item in atoms if item.direction == atom.direction)
            if first is not atom:
                twist = "" if first.expected is atom.expected else ", and expects the opposite"
                yield (ERROR, f"atom {atom.id}", f"question: the same as that of {first.id}{twist}")


def check_direction_boundaries(context: Context) -> Found:
    """No question stands in two directions, or speaks of what another dimension asks."""
    for atoms in _same_questions(context.tree.atoms):
        for atom in atoms[1:]:
            if atom.direction != atoms[0].direction:
                yield (
                    ERROR,
                    f"atom {atom.id}",
                    f"question: the same as that of {atoms[0].id} in {atoms[0].direction}",
                )
    for atom, direction in context.placed():
        for dimension, pattern in context.wording.boundaries.items():
            found = pattern.search(atom.question)
            if found and direction.dimension != dimension:
                yield (
                    WARNING,
                    f"atom {atom.id}",
                    f"question: {found[0]!r} speaks of {dimension}, but {direction.id} is "
                    f"{direction.dimension}",
                )


def check_difficulty_balance(context: Context) -> Found:
    """Not nearly all atoms have one evidence level; the threshold is ours."""
    levels = [context.tree.level(atom.id) for atom in context.tree.atoms]
    known = Counter(level for level in levels if level is not None)
    if not known:
        yield NotRun("evidence levels: facts or stated levels")
        return
    level, count = known.most_common(1)[0]
    share = Fraction(count, sum(known.values()))
    if share > context.settings.largest_level_share:
        yield (
            WARNING,
            "tree",
            f"{float(share):.0%} of the atoms are {level}; expected at most "
            f"{float(context.settings.largest_level_share):.0%}",
        )


def check_source_concentration(context: Context) -> Found:
    """Not most of the facts used come from one domain; the threshold is ours."""
    if context.facts is None:
        yield NotRun("a fact library")
        return
    used = {fact for atom in context.tree.atoms for fact in atom.fact_ids} & set(context.facts)
    sourced = [context.facts[fact].domains for fact in sorted(used)]
    sourced = [domains for domains in sourced if domains]
    if len(sourced) < 2:
        yield NotRun("two facts with source URLs")
        return
    counts = Counter(domain for domains in sourced for domain in domains)
    domain, count = min(counts.items(), key=lambda item: (-item[1], item[0]))
    share = Fraction(count, len(sourced))
    if share > context.settings.largest_source_share:
        yield (
            WARNING,
            "tree",
            f"{float(share):.0%} of the facts have {domain} as a source; "
            f"expected at most "
            f"{float(context.settings.largest_source_share):.0%}",
        )


def check_empty_report(context: Context) -> Found:
    """A valid report without content earns nothing from machine atoms.

    Source: OmniDR-Bench, E.4.
    """
    machine = [atom for atom in context.tree.atoms if atom.evaluator is Evaluator.MACHINE]
    if not machine:
        return
    if context.empty_report is None:
        yield NotRun("verdicts of the machine checks on a report without content")
        return
    unseen = [atom.id for atom in machine if atom.id not in context.empty_report]
    if unseen:
        yield NotRun(f"a machine verdict on the empty report for {', '.join(unseen)}")
    for atom in machine:
        if context.empty_report.get(atom.id) == atom.expected.value:
            yield ERROR, f"atom {atom.id}", "earns its point on a report without content"


def check_language_consistency(context: Context) -> Found:
    """Questions are written in the script of the language of the tree."""
    language = (context.tree.language or "").casefold().replace("_", "-").split("-")[0]
    scripts = context.wording.scripts.get(language)
    if scripts is None:
        yield NotRun(
            f"a language that wording.toml has scripts for (found {context.tree.language!r})"
        )
        return
    for atom in context.tree.atoms:
        letters = [letter for letter in atom.question if letter.isalpha()]
        inside = sum(unicodedata.name(letter, "").startswith(scripts) for letter in letters)
        if letters and 2 * inside < len(letters):
            yield (
                WARNING,
                f"atom {atom.id}",
                f"question: most of it is not in the script of language {language!r}",
            )


def _same_questions(atoms: Iterable[Atom]) -> Iterable[list[Atom]]:
    """Yield groups of atoms whose questions differ by case, space and punctuation only."""
    groups: dict[str, list[Atom]] = {}
    for atom in atoms:
        text = unicodedata.normalize("NFKC", atom.question).casefold()
        words = " ".join(re.findall(r"\w+", text))
        if words:
            groups.setdefault(words, []).append(atom)
    return [group for group in groups.values() if len(group) > 1]
