"""Writes docs/grown-questions.md: the first twenty of the 500 grown questions, unedited."""

from __future__ import annotations

from pathlib import Path

from graphkit.formats import read_facts
from graphkit.formats.writing import write_text
from synthesis.grow import Growth
from synthesis.grow_settings import GrowSettings

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "grown-questions.md"
MARK = "<!-- what follows is made by: python benchmarks/growth/page.py -->"
SHOWN = 20


def listing() -> str:
    """Return the questions as Markdown; the first of a run do not depend on how many follow."""
    facts = read_facts([ROOT / "examples" / "factbook" / "evidence.jsonl"])
    parts = []
    for number, item in enumerate(Growth(facts, GrowSettings(count=500, seed=1)), 1):
        profile = item.checks.profile
        shape = f"`{profile.shape.signature}`, depth {profile.shape.depth}" if profile else ""
        parts.append(f"{number}. {item.graph.question}\n   **{item.graph.answer}** ({shape})\n")
        if number == SHOWN:
            break
    return "\n".join(parts)


def main() -> None:
    """Rewrite the part of the page below the mark."""
    head = PAGE.read_text("utf8").partition(MARK)[0]
    write_text(PAGE, [f"{head}{MARK}\n\n{listing()}"])


if __name__ == "__main__":
    main()
