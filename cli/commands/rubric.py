"""``graphkit rubric``: the commands about scoring, each loaded when it is called."""

from __future__ import annotations

import importlib

import click

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


class RubricGroup(click.Group):
    """A group that imports a command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None if there is none of that name."""
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        module, _, name = place.partition(":")
        command = getattr(importlib.import_module(module), name)
        if not isinstance(command, click.Command):
            raise TypeError(f"{place} is no command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown one is told with what may have been meant."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            from graphkit.errors import did_you_mean

            raise click.UsageError(
                f'no command "rubric {args[0]}"{did_you_mean(args[0], COMMANDS)}; '
                "graphkit rubric --help lists them",
                ctx,
            )
        return super().resolve_command(ctx, args)


@click.group(cls=RubricGroup)
def rubric() -> None:
    """Score reports with rubric trees, explain the scores, compare systems.

    FILES are rubric trees (JSON, or one a line), verdicts (JSONL) and folders of these, in any
    order; each is told by its content, "-" is standard input. Where a command names no files,
    trees and verdicts come from the store (--store, graphkit load). Parameters: flags win over
    the tree, the tree over the settings (--settings FILE, or the table [rubric] of
    graphkit.toml), these over the defaults.
    """
