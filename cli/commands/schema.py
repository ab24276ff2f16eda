"""``graphkit schema``: the JSON Schema of a file."""

from __future__ import annotations

import click

from cli import render

__all__ = ["schema"]


@click.command
@click.argument("name", required=False)
def schema(name: str | None) -> None:
    """Print the JSON Schema of a file or an output.

    Without NAME, the names there are."""
    from graphkit.formats import schema as schemas

    if name is None:
        for known in schemas.schema_names():
            click.echo(known)
    else:
        render.document(schemas.schema(name))
