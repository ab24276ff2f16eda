"""``graphkit index``: an offline corpus -> a full-text index that the loop searches and visits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.options import progress

if TYPE_CHECKING:
    from cli.progress import Progress
    from synthesis.web import Page

__all__ = ["index"]


@click.command
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("-o", "--output", required=True, metavar="FILE", help="The index.")
@click.option(
    "--base-url",
    default="https://corpus.invalid/",
    show_default=True,
    metavar="URL",
    help="What the addresses of the files of a folder begin with.",
)
def index(sources: tuple[str, ...], output: str, base_url: str) -> None:
    """Build a local full-text index from pages, for searching and visiting without network.

    SOURCE is a JSONL file of pages (url, and text or html; title, published_at, language where
    known) or a folder of HTML and text files. English and Chinese are found by words and by pairs
    of characters. In graphkit.toml, [web] with provider = "local", index_path = FILE and offline =
    true makes synthesize use nothing else.
    """
    from synthesis.web import LocalIndex
    from synthesis.web.errors import check_packages

    check_packages()
    with progress("indexing", "pages") as told:
        built = LocalIndex.build(output, _counted(_pages(sources, base_url), told))
    try:
        click.echo(f"{output} holds {len(built):,} page{'' if len(built) == 1 else 's'}")
    finally:
        built.close()


def _pages(sources: tuple[str, ...], base_url: str) -> Iterator[Page]:
    from synthesis.web.corpus import pages_of_folder, pages_of_jsonl

    for source in sources:
        if source != "-" and Path(source).is_dir():
            yield from pages_of_folder(source, base_url=base_url)
        else:
            yield from pages_of_jsonl(source)


def _counted(pages: Iterator[Page], told: Progress) -> Iterator[Page]:
    for number, page in enumerate(pages, 1):
        yield page
        told(number)
