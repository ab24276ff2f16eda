"""``graphkit doctor``: what is installed, reachable and writable."""

from __future__ import annotations

import click

from cli import render
from cli.endings import FAILED
from cli.model_options import settings_file
from cli.options import as_json, takes_store
from cli.state import State

__all__ = ["doctor"]

_COLOURS = {"ok": "green", "note": "yellow", "problem": "red"}


@click.command
@takes_store
@as_json
def doctor(store: str | None, json_: bool) -> None:
    """Tell what is installed, reachable and writable, and what to do.

    Also tells which settings there are and where each value came from. Secrets are never shown.
    Exit code 1: something is missing that commands need.
    """
    from graphkit.doctor import examine
    from synthesis.readiness import examine_synthesis

    settings = State.current().settings({"store": store})
    found = [*examine(settings), *examine_synthesis(settings_file())]
    if json_:
        render.document(
            {
                "findings": [item.to_record() for item in found],
                "settings": [
                    {"name": name, "value": value, "origin": origin}
                    for name, value, origin in settings.listed()
                ],
            }
        )
    else:
        size = max(render.width(item.name) for item in found)
        for item in found:
            state = render.paint(f"{item.state:<8}", _COLOURS[item.state])
            gap = " " * (size - render.width(item.name))
            click.echo(f"{state} {item.name}{gap}  {render.visible(item.detail)}")
            if item.advice:
                click.echo(f"{'':<8} {'':<{size}}  -> {render.visible(item.advice)}")
        click.echo()
        click.echo(render.table(("setting", "value", "from"), settings.listed()))
    if any(item.state == "problem" for item in found):
        click.get_current_context().exit(FAILED)
