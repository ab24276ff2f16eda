"""What the parts of one call share: its settings, how it is to go on, what was skipped."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from graphkit.settings import Settings

__all__ = ["State"]


@dataclass
class State:
    """The state of one call of the command.

    Attributes:
        debug: Whether an internal error shows its traceback.
        settings_file: The settings file that was named.
        go_on: How to go on after an interrupt, said by the command that runs.
        skipped: How many broken records were skipped.
        places: Where broken records of facts stood, file and line.
    """

    debug: bool = False
    settings_file: str | None = None
    go_on: str = "nothing is left half-written; the same command begins again"
    skipped: int = 0
    places: set[tuple[str | None, int | None]] = field(default_factory=set)
    _settings: dict[tuple[Any, ...], Settings] = field(default_factory=dict)

    @classmethod
    def current(cls) -> State:
        """Return the state of the call that is running; a fresh one outside of any."""
        context = click.get_current_context(silent=True)
        return cls() if context is None else context.ensure_object(cls)

    def settings(self, flags: Mapping[str, Any] | None = None) -> Settings:
        """Return the settings: the file named or found here, the environment, then flags.

        Args:
            flags: Dotted name -> value of flags; None for one that was not given.

        Raises:
            SettingsError: Something in them is wrong.
        """
        from graphkit.settings import find_settings_file, load_settings

        key = tuple(sorted((flags or {}).items(), key=str))
        if key not in self._settings:
            file = self.settings_file or find_settings_file()
            self._settings[key] = load_settings(file, os.environ, flags)
        return self._settings[key]

    def colours(self) -> bool:
        """Whether standard output is to be coloured: NO_COLOR wins, then the settings."""
        if os.environ.get("NO_COLOR"):
            return False
        wish = self.settings().output.color
        return wish == "always" or (wish == "auto" and sys.stdout.isatty())
