"""``graphkit rubric``: the commands about scoring, each loaded when it is called."""

from __future__ import annotations

import click

from cli.groups import LazyGroup

__all__ = ["COMMANDS", "rubric"]

COMMANDS: dict[str, str] = {
    "validate": "cli.commands.rubric_validate:validate",
    "score": "cli.commands.rubric_score:score",
    "verify": "cli.commands.rubric_verify:verify",
    "explain": "cli.commands.rubric_explain:explain",
    "compare": "cli.commands.rubric_compare:compare",
    "sensitivity": "cli.commands.rubric_sensitivity:sensitivity",
    "rates": "cli.commands.rubric_rates:rates",
    "agreement": "cli.commands.rubric_people:agreement",
    "calibrate": "cli.commands.rubric_people:calibrate",
    "trajectories": "cli.commands.rubric_traces:trajectories",
    "import": "cli.commands.rubric_import:import_",
    "draw": "cli.commands.rubric_draw:draw",
}
"""Every command of the group and where it is: ``module:name``."""


@click.group(cls=LazyGroup, places=COMMANDS, path="rubric")
def rubric() -> None:
    """Score reports with rubric trees, explain the scores, compare systems.

    FILES are rubric trees (JSON, or one a line), verdicts (JSONL) and folders of these, in any
    order; each is told by its content, "-" is standard input. Where a command names no files,
    trees and verdicts come from the store (--store, graphkit load). Parameters: flags win over
    the tree, the tree over the settings (--settings FILE, or the table [rubric] of
    graphkit.toml), these over the defaults.
    """
