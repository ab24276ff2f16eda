"""Parsers for the text fields of a country profile: text in, clean names and values out."""

from __future__ import annotations

import re

from names import nfc
from vocabulary import TITLES

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_MONTH = "|".join(MONTHS)
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}}) ({_MONTH})(?: \(?(\d{{3,4}})\)?)?")
_SHARE = re.compile(
    r"(?:less than |approximately |about |more than |over |nearly )?"
    r"\d[\d.,]*\s?(?:%|percent)(?:\s?(?:-|to)\s?\d[\d.,]*\s?%)?"
)


def split_list(text: str, separators: str = ",;") -> list[str]:
    """Items between separators that stand outside brackets; stray closing brackets are ignored."""
    items, depth, current = [], 0, ""
    for place, sign in enumerate(text):
        if sign in "([":
            depth += 1
        elif sign in ")]":
            depth = max(0, depth - 1)
        digits = text[place - 1 : place].isdigit() and text[place + 1 : place + 2].isdigit()
        if sign in separators and depth == 0 and not (sign == "," and digits):
            items.append(current)
            current = ""
        else:
            current += sign
    items.append(current)
    return [item for item in (nfc(item) for item in items) if item]


def without_brackets(text: str) -> str:
    """The text without anything in round or square brackets, nested ones too."""
    previous = None
    while previous != text:
        previous = text
        text = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", text)
    return nfc(re.sub(r"[()\[\]].*$", "", text))


def without_shares(text: str) -> str:
    """The text without percentages and estimate years."""
    text = re.sub(r"\((?:\d{4}|FY\S+)?\s*(?:est\.?|census|Census)?\)", " ", text)
    return nfc(_SHARE.sub(" ", text))


def before_note(text: str) -> str:
    """The part of a field before its first note."""
    return nfc(re.split(r"[;,.:]?\s*\bnote\b\s*[-:]|;? ?notable earlier dates?", text)[0])


def iso_date(text: str) -> str | None:
    """The first full date of a text, `23 March 2012`, as `2012-03-23`."""
    for day, month, year in _DAY_FIRST.findall(text):
        if year:
            return f"{int(year):04d}-{MONTHS.index(month) + 1:02d}-{int(day):02d}"
    return None


def number(text: str) -> str | None:
    """The first number of a text in canonical form: `1,304.50 km` gives `1304.5`."""
    match = re.search(r"-?\d[\d,]*(?:\.\d+)?", text)
    if not match:
        return None
    digits = match.group().replace(",", "")
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def border_names(text: str) -> list[str]:
    """Neighbours in a list such as `Spain (Ceuta) 8 km, Poland 210 km`."""
    names = []
    for item in split_list(text):
        match = re.match(r"(.+?)\s*\d[\d.,]* km", without_brackets(item))
        if match:
            names.append(nfc(match.group(1)))
    return list(dict.fromkeys(names))


def partner_names(text: str) -> list[str]:
    """Trade partners in a list such as `UAE 7.1%, Republic of the Congo 7.5% (2014)`."""
    names = []
    for item in split_list(before_note(text)):
        name = nfc(re.sub(r"[\d.]+\s*$", "", without_brackets(without_shares(item))))
        if re.fullmatch(r"[A-Za-z][A-Za-z'. -]+", name) and name != "other":
            names.append(name)
    return list(dict.fromkeys(names))


def memberships(text: str) -> list[tuple[str, str]]:
    """(abbreviation, qualifier or "") of every entry of a participation list."""
    found = []
    for item in split_list(re.sub(r"\(Enhanced Engagement(?!\))", r"\g<0>)", text)):
        match = re.match(r"([^()]+?)\s*(?:\(([^()]*)\)?\s*)?(?:\(([^()]*)\)?)?$", item)
        if not match or match.group(1).lower() == "none":
            continue
        qualifier = nfc(match.group(3) or match.group(2) or "")
        found.append((nfc(match.group(1)), qualifier))
    return found


def currency(text: str) -> tuple[str, str]:
    """(name as printed, ISO code or "") in `Swiss francs (CHF) per US dollar - ...`."""
    if re.match(r"(?:the )?US dollar", text):
        return "US dollars", "USD"
    if "uses the euro" in text:
        return "euros", "EUR"
    match = re.match(r"(.+?)\s*(?:\(([A-Z]{2,3})[^)]*\))?\s+per (?:US )?dollar", text)
    if not match:
        return "", ""
    return nfc(match.group(1)), match.group(2) or ""


_PARTICLES = frozenset({"DE", "DEL", "DI", "DA", "DO", "DOS", "LA", "BIN"})


def person(text: str) -> tuple[str, str | None] | None:
    """(name, ISO date of taking office) of the first office holder of a field."""
    match = re.match(
        r"(?P<name>[^;]*?)\s*(?:,\s*)?\((?:[a-z ]+ )?(?P<since>(?:since ?)?[^)]*\d{2}[^)]*)\)", text
    )
    if not match:
        return None
    raw = re.sub(r'"[^"]*"|\[[^\]]*\]|\([A-Z][A-Za-z ]*\)', " ", match.group("name"))
    raw = re.split(r",| - | of the Netherlands| of Denmark| of Norway|represented by", nfc(raw))[0]
    words = raw.split()
    while words and re.sub(r"[().]", "", words[0]).lower() in TITLES:
        del words[0]
    name = " ".join(words)
    if not re.search(r"\b[A-Z][A-Z'-]+\b", name) or not re.fullmatch(r"[A-Za-z'. -]+", name):
        return None
    if len(words) > 7:
        return None
    shaped = [_cased(word, place) for place, word in enumerate(words)]
    return " ".join(shaped), iso_date(match.group("since"))


def _cased(word: str, place: int = 1) -> str:
    """`MERKEL` -> `Merkel`, `al-ASAD` -> `al-Asad`; numerals and mixed case stay."""
    if place and re.fullmatch(r"[IVX]+", word):
        return word
    if place and word in _PARTICLES:
        return word.lower()
    parts = re.split(r"(-|(?<=\b[A-Z])')", word)
    shaped = [
        part.capitalize() if len(part) > 1 and part.isupper() and "." not in part else part
        for part in parts
    ]
    return "".join(shaped).replace("Mcc", "McC").replace("Mcm", "McM").replace("Mcl", "McL")


def cased_names(text: str) -> str:
    """A phrase with its capitalised family names in ordinary case: `Pope FRANCIS`."""
    return " ".join(_cased(word) if len(word) > 3 else word for word in text.split())


def independence(text: str) -> tuple[str, str, str] | None:
    """(ISO date or year, datatype, power left or "") of the first event of the field."""
    if not text.strip() or re.match(r"none|no official", text):
        return None
    event = before_note(split_list(text, ";")[0])
    match = re.match(rf"(?P<when>\d{{1,2}} (?:{_MONTH}) \d{{3,4}}|\d{{3,4}})\b(?P<rest>.*)", event)
    if not match:
        return None
    date = iso_date(match.group("when"))
    power = re.search(r"\bfrom (?:the )?([^;()]+)", match.group("rest"))
    name = nfc(power.group(1)) if power else ""
    if date:
        return date, "date", name
    return match.group("when").zfill(4), "year", name


def holiday(text: str) -> tuple[str, str] | None:
    """(name, day of the year) of the first national holiday of a field."""
    event = (split_list(before_note(text), ";") or [""])[0]
    match = re.match(rf"(.+?), (\d{{1,2}}) ({_MONTH})\b", event)
    if not match:
        return None
    name = cased_names(without_brackets(match.group(1)))
    name = re.sub(r"^(?:Fiji|US) (?=Independence Day)|(?<=Independence Day) Celebration$", "", name)
    if not re.fullmatch(r"[A-Za-z'. -]+", name) or len(name.split()) > 6:
        return None
    return name, f"{int(match.group(2))} {match.group(3)}"


# Slips of the source in the names of cities; "" leaves the entry out.
CITY_SLIPS: dict[str, str] = {
    "Guangdong": "",
    "KUWAIT": "Kuwait City",
    "Mombassa": "Mombasa",
    "WASHINGTON": "Washington, D.C.",
    "Washington": "Washington, D.C.",
    "WILLEMSTED": "Willemstad",
}


def cities(text: str) -> list[str]:
    """Cities in `GHENT 250,000; BRUSSELS (capital) 2.045 million (2015)`, in title case."""
    found = []
    for item in split_list(before_note(text), ";"):
        match = re.match(r"([^\d(]+?)\s*(?:\([^)]*\)\s*)*,?\s*[\d,.]+\s*(?:million|\b)", item)
        if not match:
            continue
        name = nfc(match.group(1))
        name = CITY_SLIPS.get(name, name)
        if re.fullmatch(r"[A-Za-z'.-][A-Za-z'., -]+", name):
            found.append(title_case(name) if name.isupper() else name)
    return list(dict.fromkeys(found))


def title_case(name: str) -> str:
    """`PORT-AU-PRINCE` -> `Port-au-Prince`, `N'DJAMENA` -> `N'Djamena`."""
    small = {"au", "de", "la", "el", "es", "of", "the", "da", "do", "and"}
    words = re.split(r"([ -])", name.lower())
    shaped = [
        word if place and word in small else "'".join(_raise(part) for part in word.split("'"))
        for place, word in enumerate(words)
    ]
    return re.sub(r"'(S|Alofa)\b", lambda found: found.group().lower(), "".join(shaped))


def _raise(part: str) -> str:
    return part[:1].upper() + part[1:]


def capital(text: str) -> str | None:
    """The first capital named by a field, without its other spellings."""
    if text.startswith("Washington"):
        return "Washington, D.C."
    name = re.split(r"[;:(,]| in Romanian", text)[0]
    return nfc(name) or None


_PART_OF_SYMBOL = re.compile(
    r"pointed|\bstars$|^(?:ten|four|six|three|white|yellow|red|blue|flax|harp)$|equal length|field"
)


def symbols_and_colors(text: str) -> tuple[list[str], list[str] | None]:
    """(symbols that are plain names, colours or None when the field states none)."""
    left, _, right = re.sub(r"; note.*$", "", text).partition("national color")
    colors: list[str] | None = None
    if right:
        colors = []
        for item in split_list(right.split(":", 1)[-1]):
            colors += re.split(r" and ", without_brackets(item))
    symbols = []
    for item in split_list(left.rstrip("; :")):
        name = without_brackets(item).strip(" :;")
        plain = re.fullmatch(r"[A-Za-z][A-Za-z' -]+", name) and len(name.split()) <= 3
        if plain and not _PART_OF_SYMBOL.search(name):
            symbols.append(name)
    return symbols, colors


_OFFICIAL = re.compile(r"\bofficial\b")
_LOCAL = re.compile(
    r"official (?:in|working language|purposes)|officially|only in|are official|foreign"
)


def official_languages(text: str) -> list[str]:
    """Languages that a list marks as official for the whole country."""
    found = []
    for item in split_list(text):
        if not _OFFICIAL.search(item) or _LOCAL.search(item) or item.startswith("other"):
            continue
        for part in re.split(r"(?<=\)) and ", item):
            if _OFFICIAL.search(part):
                found.append(language_name(part))
    return [name for name in dict.fromkeys(found) if name]


_NOT_A_LANGUAGE = re.compile(
    r"\b(?:other|unspecified|unknown|none|languages?|dialects?|various|indigenous|minority|"
    r"minorities|native|local|tribal|undeclared|multilingual|only|some|many|numerous|foreign|"
    r"Asian|African|Pacific|Native|stated|likely|small|or|most|much|regional|each)\b"
)


def language_name(item: str) -> str:
    """The name at the head of a list item: `Kirundi 29.7% (official)` -> `Kirundi`."""
    name = re.split(r"[(\d%]|less than", item)[0]
    name = re.split(
        r" (?:only|widely|commonly|often|spoken|somewhat|understood|parts|used|is)\b", name
    )[0]
    return nfc(re.sub(r"^and ", "", name))


def spoken_languages(text: str) -> list[str]:
    """Single languages that a list names, official or not."""
    found = []
    for item in split_list(before_note(text)):
        for part in re.split(r" and ", language_name(item)):
            plain = re.fullmatch(r"[A-Zis][A-Za-z'-]+(?: [A-Z][A-Za-z'-]+){0,2}", part)
            if plain and not _NOT_A_LANGUAGE.search(part):
                found.append(part)
    return list(dict.fromkeys(found))


def plain_items(text: str) -> list[str]:
    """Items of a list of goods or groups without shares, brackets and notes."""
    items = []
    for item in split_list(before_note(without_shares(text))):
        name = without_brackets(without_shares(item))
        name = nfc(re.sub(r"^(?:and|or) |[.*:]+$", "", name))
        if name:
            items.append(name)
    return items


def sea_names(text: str, seas: list[str]) -> list[str]:
    """Seas of a list that a location names, longest name first so that none nests."""
    found: list[str] = []
    rest = re.sub(r"which links.*", "", text)
    for sea in sorted(seas, key=lambda name: (-len(name), name)):
        if re.search(rf"\b{re.escape(sea)}\b", rest):
            found.append(sea)
            rest = rest.replace(sea, " ")
    return sorted(found)


def fleet_names(text: str) -> list[str]:
    """Countries in `42 (Cambodia 4, Georgia 7, unknown 1) (2010)`."""
    match = re.search(r"\(([A-Z][^()]*\d[^()]*)\)?", text)
    if not match:
        return []
    names = [nfc(re.sub(r"\s*\d[\d,]*$", "", item)) for item in split_list(match.group(1))]
    return [name for name in dict.fromkeys(names) if name and name != "unknown"]


def refugee_names(text: str) -> list[str]:
    """Countries of origin in `367,229 (Sudan); 66,233 (Central African Republic) (2015)`."""
    names = []
    for item in re.findall(r"[\d,.]+[^();]*\(([^();]+)", text):
        name = nfc(re.split(r" - |, | includes", item)[0])
        if name and not name[0].isdigit():
            names.append(name)
    return list(dict.fromkeys(names))
