"""``graphkit import``: a whole store from the files that ``graphkit export`` wrote."""

from __future__ import annotations

import click

from cli import render
from cli.endings import finish
from cli.options import as_json, opened_store, progress, takes_store
from cli.state import State

__all__ = ["import_"]


@click.command("import")
@click.argument("folder", metavar="DIR")
@takes_store
@as_json
def import_(folder: str, store: str | None, json_: bool) -> None:
    """Load what graphkit export wrote.

    Into a new store it gives the same store again.
    """
    State.current().go_on = (
        "what is in the store is whole; the same command again completes the import"
    )
    import rubric.stored  # noqa: F401  (so that trees, verdicts and scores are taken along)
    from graphkit.stores.exchange import import_store, read_export

    with progress(f"reading {folder}"):
        found = read_export(folder)
    with opened_store(store) as opened, progress("importing"):
        held = import_store(opened, found)
        place = opened.capabilities().location
    _print(place, held, json_=json_)


def _print(place: str, held: dict[str, int], *, json_: bool) -> None:
    if json_:
        render.document({"place": place, "holds": held})
    else:
        told = ", ".join(f"{count:,} {name}" for name, count in held.items() if count)
        click.echo(f"{render.visible(place)} holds {told or 'nothing'}")
    finish()
