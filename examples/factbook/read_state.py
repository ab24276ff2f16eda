"""Readers of the state: memberships, agreements, history, government, emblems."""

from __future__ import annotations

import re

import fields
from book import Factbook
from organizations import (
    AGREEMENT_ALIASES,
    AGREEMENTS,
    CORRECTIONS,
    MISSIONS,
    MORE_ALIASES,
    ORGANIZATIONS,
    QUALIFIERS,
    SKIPPED,
    bare,
)
from vocabulary import (
    COLOR_SHADES,
    COLORS,
    FORMER_STATES,
    GOVERNMENTS,
    LEGAL_TRADITIONS,
)


def read_memberships(book: Factbook, code: str) -> None:
    """Memberships with their qualifiers, and missions."""
    text = book.text(code, "Government", "International organization participation")
    for abbreviation, qualifier in fields.memberships(text):
        short = CORRECTIONS.get(abbreviation, abbreviation)
        if (short, qualifier) in SKIPPED:
            continue
        if short in MISSIONS:
            name = bare(MISSIONS[short])
            book.add(code, "takes part in", name)
            book.alias(name, "mission", short)
            continue
        relation = _role(qualifier)
        full = ORGANIZATIONS[short]
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
        book.alias("International Court of Justice", "organization", "ICJ", "World Court")
    if re.search(r"accepts ICC[tT]? jurisdiction", courts):
        book.add(code, "accepts jurisdiction of", "International Criminal Court")
        book.alias("International Criminal Court", "organization", "ICCt")


def read_history(book: Factbook, code: str) -> None:
    """Independence and the national holiday."""
    event = fields.independence(book.text(code, "Government", "Independence"))
    if event:
        when, kind, power = event
        if kind == "date":
            book.add(code, "independence date", when)
        book.add(code, "independence year", str(int(when[:4])))
        for part in [power] if power in FORMER_STATES else re.split(r" and (?:the )?", power):
            if "," not in part:
                _add_power(book, code, re.sub(r"^the ", "", part))
    holiday = fields.holiday(book.text(code, "Government", "National holiday"))
    if holiday:
        book.add(code, "national holiday", holiday[0])
        book.add(code, "national day", holiday[1])


def _add_power(book: Factbook, code: str, power: str) -> None:
    name = re.sub(r"-administered.*| by treaty$| protectorate.*| control over.*", "", power)
    name = re.sub(r"(?: \d.*|,.*)$", "", name)
    former = FORMER_STATES.get(name)
    if former:
        book.add(code, "emerged from", former)
        return
    other = book.countries.code(name)
    if other and other != code:
        book.add(code, "independent from", book.countries.names[other])


# Office -> codes left out: collective offices, and holders who had left before the date.
OFFICES: dict[str, frozenset[str]] = {
    "chief of state": frozenset(["an", "bk", "fj", "gr", "gy", "kz", "sk", "sm", "sz", "tz"]),
    "head of government": frozenset(["da", "gy", "np", "pm", "sm", "tt", "tz"]),
}


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
    age = re.match(
        r"(\d\d) years of age[;,]? ?(?:universal(?: and compulsory)?)?(?:;.*)?$", suffrage
    )
    if age:
        book.add(code, "voting age", age.group(1))
    read_dependency(book, code)
    for key, skipped in OFFICES.items():
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
    """National symbols and colours, domain, calling code, fiscal year."""
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
    domain = re.match(
        r"(?:metropolitan France - )?(\.[a-z]{2})\b",
        book.text(code, "Communications", "Internet country code"),
    )
    if domain:
        book.add(code, "top-level domain", domain.group(1))
    phone = re.search(
        r"country code - (\d[\d-]*)",
        book.text(code, "Communications", "Telephone system", "international"),
    )
    if phone:
        book.add(code, "calling code", "+" + phone.group(1))
    fiscal = book.text(code, "Economy", "Fiscal year")
    day = re.match(r"(\d{1,2} [A-Z][a-z]+) -", fiscal)
    if fiscal.startswith("calendar year"):
        book.add(code, "fiscal year begins on", "1 January")
    elif day:
        book.add(code, "fiscal year begins on", day.group(1))
