"""``graphkit export to`` and ``graphkit export decrypt``: copies, releases, and opening them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli import render
from cli.endings import finish, note
from cli.options import as_json, open_facts, open_questions, opened_store, progress, takes_store
from cli.state import State

if TYPE_CHECKING:
    from synthesis.release import Release, ReleaseContent

__all__ = ["decrypt", "to"]


@click.command("to")
@click.argument("folder", metavar="DIR")
@click.argument("questions", nargs=-1, metavar="[QUESTIONS]...")
@click.option(
    "--release", is_flag=True, help="Make a release of the store instead of a copy of it."
)
@click.option(
    "--facts",
    "facts_files",
    multiple=True,
    metavar="FILE",
    help="Evidence of the questions, where it is not in the store or the run; may be given again.",
)
@click.option("--title", metavar="TEXT", help="The name of the release.")
@click.option("--version", "version_", metavar="TEXT", help="The version of the release.")
@click.option(
    "--licence",
    metavar="ID",
    help="The licence of the set itself, for instance cc-by-4.0; unknown where it is not named.",
)
@click.option(
    "--licences",
    "licences_file",
    metavar="FILE",
    help="The licences of sources: a TOML file, by root domain.",
)
@click.option("--description", metavar="TEXT", help="A paragraph for the data card.")
@click.option(
    "--encrypt",
    is_flag=True,
    help="Seal answers, graphs and evidence with the canary, against crawlers.",
)
@click.option(
    "--canary", metavar="GUID", help="The canary; by default made from the content and the seed."
)
@click.option(
    "--sheets",
    "sheet_size",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Add sheets for human validation of N questions of each language.",
)
@click.option("--seed", type=int, help="Draws the questions of the sheets and makes the canary.")
@click.option(
    "--replace", is_flag=True, help="Put the release in the place of what is in the folder."
)
@takes_store
@as_json
def to(
    folder: str,
    questions: tuple[str, ...],
    release: bool,
    facts_files: tuple[str, ...],
    store: str | None,
    sheet_size: int,
    encrypt: bool,
    replace: bool,
    licences_file: str | None,
    json_: bool,
    **knobs: Any,
) -> None:
    """Copy the whole store to a folder, or make a release.

    Without QUESTIONS and --release: JSONL files of all that the store holds. graphkit import reads
    them back exactly. The folder is made if it does not exist; files of an earlier export are
    replaced.

    With QUESTIONS (files in any notation, or the folder of a synthesis run), or of the questions
    of the store with --release: questions.jsonl, evidence.jsonl with only what they use, both as
    RDF, a data card (README.md), statistics.json with figures, the sources with their licences,
    and a canary in every file. The folder appears whole or not at all; the same input and seed
    give the same bytes. docs/release.md tells more.
    """
    from synthesis.release.canary import is_canary

    given = {name: value for name, value in knobs.items() if value is not None}
    if "canary" in given and not is_canary(given["canary"]):
        raise click.UsageError("--canary is one word of letters, digits, _, . and -")
    if not questions and not release:
        extra = [*given, *(["encrypt"] if encrypt else []), *(["sheets"] if sheet_size else [])]
        extra += [*(["licences"] if licences_file else []), *(["facts"] if facts_files else [])]
        extra += ["replace"] if replace else []
        if extra:
            raise click.UsageError(
                f"--{extra[0].rstrip('_')} belongs to a release; name questions or a run folder, "
                "or say --release for the questions of the store"
            )
        _copy(folder, store, json_=json_)
        return
    if questions and release:
        raise click.UsageError("either QUESTIONS or --release, not both")
    from synthesis.release import ReleaseSettings, build_release, read_licences

    licences = read_licences(licences_file) if licences_file else {}
    content = _content(questions, facts_files, store)
    named = {"title": "title", "version_": "version", "licence": "licence", "canary": "canary"}
    named["description"] = "description"
    settings = ReleaseSettings(
        seed=State.current().settings({"seed": knobs["seed"]}).seed,
        sealed=encrypt,
        sheet_size=sheet_size,
        licences=licences,
        **{field: given[name] for name, field in named.items() if name in given},
    )
    with progress("building the release"):
        built = build_release(content, settings)
    _put(built, folder, replace=replace)
    _tell(content, built, licences)
    _print(folder, built, json_=json_)


def _copy(folder: str, store: str | None, *, json_: bool) -> None:
    import rubric.stored  # noqa: F401  (so that trees, verdicts and scores are taken along)

    with opened_store(store, read_only=True) as opened, progress("exporting"):
        held = opened.export(folder)
    if json_:
        render.document({"place": folder, "holds": held})
    else:
        told = ", ".join(f"{count:,} {name}" for name, count in held.items() if count)
        click.echo(f"{render.visible(folder)} holds {told or 'nothing'}")
    finish()


def _content(
    questions: tuple[str, ...], facts_files: tuple[str, ...], store: str | None
) -> ReleaseContent:
    from synthesis.release import content_of_run, content_of_store, gather_content

    if not questions:
        with opened_store(store, read_only=True) as opened, progress("reading the store"):
            return content_of_store(opened)
    records = dict(open_facts(facts_files, None, store).records) if facts_files else {}
    runs = [name for name in questions if name != "-" and Path(name).is_dir()]
    if len(questions) == 1 and runs:
        return content_of_run(runs[0], records)
    if runs:
        raise click.UsageError(f"{runs[0]} is a folder; a release is made of one run, or of files")
    return gather_content([item.graph for item in open_questions(questions)], records)


def _put(built: Release, folder: str, *, replace: bool) -> None:
    from synthesis.release import put_folder

    State.current().go_on = f"{folder} is as it was; the same command begins again"
    put_folder(built.files, folder, replace=replace)


def _tell(content: ReleaseContent, built: Release, licences: Any) -> None:
    if content.missing:
        ids = ", ".join(sorted({ident for _, ident in content.missing})[:3])
        note(
            f"{len(content.missing):,} evidence records that questions name were not given "
            f"({ids} ...); --facts names files with them"
        )
    if content.unsupported:
        note(f"{len(content.unsupported):,} questions name no evidence")
    private = built.numbers["personal_data"]["kinds"]
    if private:
        told = ", ".join(f"{name}: {count:,}" for name, count in private.items())
        note(f"what may expose a person was found ({told}); statistics.json says where")
    unknown = [row.root_domain for row in built.sources if row.licence == "unknown"]
    if unknown:
        note(
            f"the licence of {len(unknown):,} of {len(built.sources):,} sources is unknown "
            f"({', '.join(unknown[:3])}); --licences names them"
        )
    unused = sorted(set(licences) - {row.root_domain for row in built.sources})
    if unused:
        note(f"no evidence comes from {', '.join(unused[:5])}, which --licences names")


def _print(folder: str, built: Release, *, json_: bool) -> None:
    if json_:
        render.document(
            {
                "place": folder,
                "canary": built.canary,
                "files": {name: len(data) for name, data in built.files.items()},
                "statistics": built.numbers,
            }
        )
    else:
        heads = ("language", "questions", f"tokens ({built.numbers['tokenizer']})", "nodes")
        rows = [
            (row["language"], row["scale"], row["length"], row["nodes"])
            for row in built.numbers["table2"]
        ]
        click.echo(render.table(heads, rows))
        click.echo()
        click.echo(f"{render.visible(folder)} holds {', '.join(built.files)}")
        click.echo(f"canary GUID {built.canary}")
    finish()


@click.command
@click.argument("source", metavar="RELEASE")
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    required=True,
    help="Where to write: a folder for a folder, a file (or -) for questions.jsonl.",
)
@click.option(
    "--canary", metavar="GUID", help="The canary, where a file of questions carries none."
)
@click.option("--replace", is_flag=True, help="Put it in the place of what is in the folder.")
def decrypt(source: str, output: str, canary: str | None, replace: bool) -> None:
    """Open a sealed release, or its questions.jsonl alone.

    The key comes from the canary, which the release carries: sealing keeps crawlers from the
    answers, nobody else. What comes out of a folder is the release as it would have been without
    --encrypt, byte for byte.
    """
    from synthesis.release import open_questions_file, opened_release

    if source != "-" and Path(source).is_dir():
        if canary:
            raise click.UsageError("the folder of a release carries its canary")
        with progress("opening the release"):
            built = opened_release(source)
        _put(built, output, replace=replace)
        click.echo(f"{render.visible(output)} holds {', '.join(built.files)}")
    else:
        from graphkit.formats import write_questions

        for problem in write_questions(open_questions_file(source, canary), output):
            note(str(problem))
    finish()
