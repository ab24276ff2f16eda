"""What the rubric commands share in asking and printing: options, numbers for tables, CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import click

__all__ = [
    "Digits",
    "as_csv",
    "check_output",
    "one_format",
    "points",
    "print_csv",
    "takes_files",
    "takes_parameters",
    "takes_picture",
    "takes_systems",
]

F = TypeVar("F", bound=Callable[..., Any])

as_csv = click.option("--csv", "csv_", is_flag=True, help="Print CSV with a line of column names.")
"""``--csv``."""

takes_files = click.argument("files", nargs=-1, metavar="[FILE]...")
"""Files of trees and verdicts, told by content."""

takes_systems = click.option(
    "--system", "systems", multiple=True, metavar="NAME", help="Only this system; again for more."
)
"""``--system``."""

takes_picture = click.option(
    "-o", "--output", metavar="FILE", help="Also draw a picture: .png or .svg."
)
"""``-o``."""


def takes_parameters(command: F) -> F:
    """Give a command the parameters of scoring."""
    options = (
        click.option(
            "--guard",
            type=click.Choice(["published", "exact"]),
            help="Which rule guards citation N/A; by default that of the settings (published).",
        ),
        click.option(
            "--weights",
            metavar="C/R/P",
            help="The weights of content, citation and presentation, for instance 0.5/0.3/0.2.",
        ),
        click.option(
            "--tau",
            "tau",
            multiple=True,
            metavar="[ID=]VALUE",
            help="The saturation of a direction, or of all that have one; none for no saturation.",
        ),
        click.option(
            "--kappa",
            "kappa",
            multiple=True,
            metavar="[ID=]VALUE",
            help="The cap on the weight of a direction, likewise.",
        ),
        click.option(
            "--settings",
            "settings_file",
            metavar="FILE",
            help="A TOML file with a table [rubric]; by default graphkit.toml, if there is one.",
        ),
        click.option(
            "--inventory", metavar="FILE", help="Other shared directions than the 23 built in."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


class Digits(float):
    """A number that tables print with a fixed number of digits, so that a column can be read.

    >>> f"{Digits(2.5):.4g}", f"{Digits(0.5, 3, '+'):.4g}", f"{Digits(0.951, 1, '%'):.4g}"
    ('2.50', '+0.500', '95.1%')
    """

    signs: int
    kind: str

    def __new__(cls, value: Any, signs: int = 2, kind: str = "") -> Digits:
        """Make one: how many digits, and ``+`` for a sign or ``%`` for a share."""
        made = super().__new__(cls, value)
        made.signs, made.kind = signs, kind
        return made

    def __format__(self, form: str) -> str:
        """Return the text, whatever the form asked for."""
        if self.kind == "%":
            return format(float(self), f".{self.signs}%")
        return format(float(self), f"{self.kind}.{self.signs}f")


def points(value: Any, signs: int = 2, kind: str = "") -> Digits | None:
    """Return a number for a table, with a fixed number of digits; None stays None."""
    return None if value is None else Digits(value, signs, kind)


def one_format(*, json_: bool, csv_: bool) -> None:
    """Refuse ``--json`` together with ``--csv``."""
    if json_ and csv_:
        raise click.UsageError("either --json or --csv, not both")


def check_output(output: str | None, suffixes: Sequence[str] = ("png", "svg")) -> None:
    """Refuse the name of a picture that no kind of picture ends with."""
    if output is not None and output.lower().rpartition(".")[2] not in suffixes:
        listed = ", ".join(f".{item}" for item in suffixes)
        raise click.UsageError(f'-o "{output}" ends with none of {listed}')


def print_csv(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print rows as CSV on standard output, numbers in full."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(heads)
    for row in rows:
        writer.writerow([_cell(value) for value in row])
    click.echo(text.getvalue(), nl=False)


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, ensure_ascii=False)
    return value
