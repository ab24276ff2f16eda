"""Groups of commands whose members are imported when they are called."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

__all__ = ["LazyGroup"]


class LazyGroup(click.Group):
    """A group that imports a command when it is asked for.

    Args:
        places: Every command and where it is: ``module:name``.
        path: How the group is called after ``graphkit``; empty for the program itself.
    """

    def __init__(
        self, *args: Any, places: Mapping[str, str], path: str = "", **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._places = places
        self._path = path

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of the table."""
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None if there is none of that name."""
        place = self._places.get(cmd_name)
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
        if args and not args[0].startswith("-") and args[0] not in self._places:
            from graphkit.errors import did_you_mean

            before = f"{self._path} " if self._path else ""
            raise click.UsageError(
                f'no command "{before}{args[0]}"{did_you_mean(args[0], self._places)}; '
                f"graphkit {before}--help lists them",
                ctx,
            )
        return super().resolve_command(ctx, args)
