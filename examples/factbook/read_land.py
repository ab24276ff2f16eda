"""Readers of the geography: borders, capital, region, waters, coast, peak, ports."""

from __future__ import annotations

import re

import fields
from book import Factbook
from names import nfc, slug
from vocabulary import CLIMATES, SEAS

# Peaks that two countries spell differently, or that share a name by chance.
PEAKS: dict[str, str] = {
    "al": "Golem Korab",
    "cg": "Margherita Peak",
    "cy": "Mount Olympus, Cyprus",
    "gr": "Mount Olympus, Greece",
    "iv": "Mont Nimba",
}


def read_borders(book: Factbook, code: str) -> None:
    """Land borders, in both directions."""
    text = book.text(code, "Geography", "Land boundaries", "border countries")
    for key in ("regional border", "regional border (1)", "border sovereign base areas"):
        text += ", " + book.text(code, "Geography", "Land boundaries", key)
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
    elif code in {"fs", "ho", "sh", "sx", "tb", "um"}:
        book.add(code, "coast status", "coastal")
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
    name = re.split(r" on (?=[A-Z])|/", plain)[0].replace("Mt. ", "Mount ")
    name = PEAKS.get(code, nfc(name))
    if not re.fullmatch(r"[A-Z0-9][A-Za-z0-9' ,.-]+", name):
        return
    other = re.search(r"\(((?:[A-Z][a-z]+[ -]?){1,3})\)", match.group(1))
    if name != nfc(plain):
        book.alias(name, "peak", nfc(plain.split("/")[0]) if " on " not in plain else "")
    book.add(code, "highest point", name)
    book.add(code, "elevation", fields.number(match.group(2)) or "", head=name)
    if other and other.group(1) not in {"South Georgia", "Tenerife"}:
        book.alias(name, "peak", other.group(1).strip())


def read_ports(book: Factbook, code: str) -> None:
    """Major seaports, named as ports so that they do not pass for cities."""
    ports = book.text(code, "Transportation", "Ports and terminals", "major seaport(s)")
    if " - " in ports:
        return
    for item in fields.split_list(ports):
        name = fields.without_brackets(item)
        if re.fullmatch(r"[A-Z][A-Za-z' .-]+", name) and len(name.split()) <= 4:
            plain = re.search(r"\b(?:Ports?|Puerto|Porto|Terminal|Harbou?r)\b", name)
            book.add(code, "major seaport", name if plain else f"Port of {name}")
