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
    import rubric.schemas  # noqa: F401  (so that its schemas are known)
    import synthesis.schemas  # noqa: F401  (likewise)
    from graphkit.formats.schema import schema as schema_of
    from graphkit.formats.schema import schema_names

    if name is None:
        for known in schema_names():
            click.echo(known)
    else:
        render.document(schema_of(name))
