"""``graphkit export``: copies of a store, releases, sheets for experts and their tally."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli.groups import LazyGroup

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["COMMANDS", "export"]

COMMANDS: dict[str, str] = {
    "to": "cli.commands.export_to:to",
    "sheets": "cli.commands.export_sheets:sheets",
    "tally": "cli.commands.export_sheets:tally",
    "decrypt": "cli.commands.export_to:decrypt",
}
"""Every command of the group and where it is: ``module:name``."""

_DEFAULT = "to"


class ExportGroup(LazyGroup):
    """A group whose first command need not be named: ``graphkit export DIR``."""

    def parse_args(self, ctx: click.Context, args: Sequence[str]) -> list[str]:
        """Put the first command in front of what does not begin with a command."""
        given = list(args)
        if given[:1] not in (["-h"], ["--help"]) and (not given or given[0] not in COMMANDS):
            given.insert(0, _DEFAULT)
        return super().parse_args(ctx, given)


@click.group(cls=ExportGroup, places=COMMANDS, path="export")
def export() -> None:
    """Write a store or a release to a folder; validate a release; open a sealed one.

    graphkit export DIR is short for graphkit export to DIR: alone it copies the whole store for
    graphkit import, with questions or --release it makes a release to be published. A folder that
    is called like a command is named ./to.
    """
