"""The relation sheet: types, relations, their English phrases, and how complete each one is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

LISTED = "listed"  # complete for the heads of which no entry had to be dropped


@dataclass(frozen=True)
class Relation:
    """One relation: its ends, its phrases and what is known about its completeness."""

    name: str
    head_type: str
    tail_type: str
    backward: str
    forward: str
    inverse: str
    complete: bool | str
    note: str
    functional: bool = False
    symmetric: bool = False
    aliases: tuple[str, ...] = ()
    datatype: str = ""
    unit: str = ""


# type -> (plural, article, question words)
TYPES: dict[str, tuple[str, str, str]] = {
    "agreement": ("agreements", "an", "Which agreement"),
    "body of water": ("bodies of water", "a", "Which body of water"),
    "calling code": ("calling codes", "a", "Which calling code"),
    "citizenship rule": ("citizenship rules", "a", "Which citizenship rule"),
    "city": ("cities", "a", "Which city"),
    "climate": ("climates", "a", "Which climate"),
    "coast status": ("coast statuses", "a", "Which coast status"),
    "color": ("colors", "a", "Which color"),
    "commodity": ("commodities", "a", "Which commodity"),
    "country": ("countries", "a", "Which country or territory"),
    "country code top-level domain": (
        "country code top-level domains",
        "a",
        "Which country code top-level domain",
    ),
    "currency": ("currencies", "a", "Which currency"),
    "date": ("dates", "a", "Which date"),
    "day of the year": ("days of the year", "a", "Which day of the year"),
    "ethnic group": ("ethnic groups", "an", "Which ethnic group"),
    "former state": ("former states", "a", "Which former state"),
    "government type": ("government types", "a", "Which government type"),
    "holiday": ("holidays", "a", "Which holiday"),
    "industry": ("industries", "an", "Which industry"),
    "language": ("languages", "a", "Which language"),
    "legal tradition": ("legal traditions", "a", "Which legal tradition"),
    "mission": ("missions", "a", "Which mission"),
    "national symbol": ("national symbols", "a", "Which national symbol"),
    "number": ("numbers", "a", "Which number"),
    "organization": ("organizations", "an", "Which organization"),
    "peak": ("peaks", "a", "Which peak"),
    "person": ("people", "a", "Who"),
    "port": ("ports", "a", "Which port"),
    "region": ("regions", "a", "Which region"),
    "religion": ("religions", "a", "Which religion"),
    "time zone": ("time zones", "a", "Which time zone"),
    "year": ("years", "a", "Which year"),
}

_LIST = "Every entry of the field is kept; the field names all of them."
_CUT = "The source lists only the most important ones, and unclean entries are dropped."
_PARTICIPATION = (
    "Every entry of the participation list is kept; the source lists all organizations of its "
    "appendix to which the country belongs in this role. README.md names what was left out."
)


def _role(
    name: str,
    backward: str,
    forward: str,
    inverse: str,
    *aliases: str,
    complete: bool = True,
    note: str = "",
) -> Relation:
    return Relation(
        name,
        "country",
        "organization",
        backward,
        forward,
        inverse,
        complete,
        note or _PARTICIPATION,
        aliases=aliases,
    )


def _literal(
    name: str, kind: str, backward: str, forward: str, inverse: str, note: str, unit: str = ""
) -> Relation:
    return Relation(
        name,
        "country",
        kind,
        backward,
        forward,
        inverse,
        LISTED,
        note,
        functional=True,
        datatype=kind,
        unit=unit,
    )


_RELATIONS: tuple[Relation, ...] = (
    Relation(
        "borders",
        "country",
        "country",
        "borders {}",
        "is bordered by {}",
        "",
        True,
        "The land borders of every country are listed; French Guiana counts as France, and each "
        "border is stored in both directions.",
        symmetric=True,
        aliases=("shares a land border with", "border country"),
    ),
    Relation(
        "capital",
        "country",
        "city",
        "has as its capital {}",
        "is the capital of {}",
        "capital of",
        True,
        "One capital for each entry that has one: the first that the field names, which is the "
        "official one. Other seats of government are not recorded.",
        functional=True,
        aliases=("capital city",),
    ),
    Relation(
        "official language",
        "country",
        "language",
        "has as an official language {}",
        "is an official language of {}",
        "official language of",
        LISTED,
        "Complete for the countries whose language field marks an official language; others "
        "(Japan, the United Kingdom) have languages but no mark in the source.",
    ),
    Relation(
        "language spoken",
        "country",
        "language",
        "has speakers of {}",
        "is spoken in {}",
        "spoken in",
        False,
        "The source names larger languages only, and groups of languages are dropped.",
        aliases=("speaks",),
    ),
    _role("member of", "is a member of {}", "has as a member {}", "has member", "belongs to"),
    _role("observer of", "is an observer of {}", "has as an observer {}", "has observer"),
    _role(
        "associate member of",
        "is an associate member of {}",
        "has as an associate member {}",
        "has associate member",
    ),
    _role(
        "candidate for membership of",
        "is a candidate for membership of {}",
        "has as a candidate for membership {}",
        "has candidate",
        complete=False,
        note="The source marks only some of the candidates of 2015 (it misses Montenegro).",
    ),
    _role("partner of", "is a partner of {}", "has as a partner {}", "has partner"),
    _role(
        "dialogue partner of",
        "is a dialogue partner of {}",
        "has as a dialogue partner {}",
        "has dialogue partner",
    ),
    _role(
        "cooperating state of",
        "is a cooperating state of {}",
        "has as a cooperating state {}",
        "has cooperating state",
    ),
    _role(
        "nonregional member of",
        "is a nonregional member of {}",
        "has as a nonregional member {}",
        "has nonregional member",
    ),
    _role(
        "correspondent member of",
        "is a correspondent member of {}",
        "has as a correspondent member {}",
        "has correspondent member",
    ),
    _role(
        "subscriber member of",
        "is a subscriber member of {}",
        "has as a subscriber member {}",
        "has subscriber member",
    ),
    _role("suspended from", "is suspended from {}", "has suspended {}", "has suspended"),
    _role(
        "pending member of",
        "is a pending member of {}",
        "has as a pending member {}",
        "has pending member",
    ),
    _role(
        "de facto member of",
        "is a de facto member of {}",
        "has as a de facto member {}",
        "has de facto member",
    ),
    _role(
        "permanent member of",
        "is a permanent member of {}",
        "has as a permanent member {}",
        "has permanent member",
    ),
    _role(
        "compliant country of",
        "is a compliant country of {}",
        "has as a compliant country {}",
        "has compliant country",
        complete=False,
        note="States of the Extractive Industries Transparency Initiative, not all of one date.",
    ),
    _role(
        "implementing country of",
        "is an implementing country of {}",
        "has as an implementing country {}",
        "has implementing country",
        complete=False,
        note="As the source says it, also for countries that only support the initiative.",
    ),
    _role(
        "has a national committee of",
        "has a national committee of {}",
        "is represented by a national committee in {}",
        "national committee in",
    ),
    _role(
        "has an affiliated union or group of",
        "has an affiliated union or group of {}",
        "is joined by a union or group from {}",
        "affiliated union or group in",
        note="Non-governmental organizations in the country belong to it, not the country.",
    ),
    _role(
        "has a subbureau of",
        "has a subbureau of {}",
        "maintains a subbureau in {}",
        "subbureau in",
    ),
    Relation(
        "takes part in",
        "country",
        "mission",
        "takes part in {}",
        "has as a participant {}",
        "has participant",
        True,
        "Every United Nations mission in the participation list is kept.",
        aliases=("contributes to", "mission"),
    ),
    Relation(
        "party to",
        "country",
        "agreement",
        "is a party to {}",
        "has as a party {}",
        "has party",
        True,
        "The source follows a fixed set of environmental agreements and lists all parties.",
    ),
    Relation(
        "signed but did not ratify",
        "country",
        "agreement",
        "is a non-ratifying signatory of {}",
        "has as a non-ratifying signatory {}",
        "signed but not ratified by",
        True,
        "The source follows a fixed set of environmental agreements and lists all signatories.",
    ),
    Relation(
        "associate party to",
        "country",
        "agreement",
        "is an associate party to {}",
        "has as an associate party {}",
        "has associate party",
        True,
        "Every entry that the source marks as an associate member is kept.",
    ),
    Relation(
        "accepts jurisdiction of",
        "country",
        "organization",
        "accepts the jurisdiction of {}",
        "has its jurisdiction accepted by {}",
        "jurisdiction accepted by",
        True,
        "The field states the position of every sovereign country towards both courts. "
        "Acceptance of the International Court of Justice is compulsory jurisdiction, with or "
        "without reservations.",
    ),
    Relation(
        "region",
        "country",
        "region",
        "lies in {}",
        "contains {}",
        "region of",
        True,
        "The reference map of every entry; entries that are only on the world map have none. "
        "France is placed by its metropolitan part.",
        aliases=("located in", "map reference"),
    ),
    Relation(
        "lies on",
        "country",
        "body of water",
        "lies on {}",
        "washes the shores of {}",
        "on its shores",
        False,
        "Read from the location sentence, which names the main waters only.",
        aliases=("coast on", "borders the sea"),
    ),
    Relation(
        "coast status",
        "country",
        "coast status",
        "is geographically {}",
        "is the geographical situation of {}",
        "coast status of",
        True,
        "From the coastline field, which every entry has; doubly landlocked entries are "
        "landlocked as well.",
    ),
    Relation(
        "currency",
        "country",
        "currency",
        "has as its currency {}",
        "is the currency of {}",
        "currency of",
        True,
        "The main currency of every inhabited entry. Estonia, Latvia, Lithuania, Tuvalu and "
        "Zimbabwe are set by hand (see README.md).",
        functional=True,
    ),
    Relation(
        "exports to",
        "country",
        "country",
        "exports goods to {}",
        "is an export destination of {}",
        "export destination of",
        False,
        "Partners below about four percent of the trade are left out by the source.",
        aliases=("export partner",),
    ),
    Relation(
        "imports from",
        "country",
        "country",
        "imports goods from {}",
        "is an import origin of {}",
        "import origin of",
        False,
        "Partners below about four percent of the trade are left out by the source.",
        aliases=("import partner",),
    ),
    Relation(
        "exports",
        "country",
        "commodity",
        "has as an export {}",
        "is exported by {}",
        "exported by",
        False,
        _CUT,
        aliases=("export commodity",),
    ),
    Relation(
        "imports",
        "country",
        "commodity",
        "has as an import {}",
        "is imported by {}",
        "imported by",
        False,
        _CUT,
        aliases=("import commodity",),
    ),
    Relation(
        "grows or raises",
        "country",
        "commodity",
        "has as a farm product {}",
        "is a farm product of {}",
        "farm product of",
        False,
        _CUT,
        aliases=("agricultural product",),
    ),
    Relation(
        "natural resource",
        "country",
        "commodity",
        "has as a natural resource {}",
        "is a natural resource of {}",
        "natural resource of",
        False,
        _CUT,
    ),
    Relation(
        "industry",
        "country",
        "industry",
        "has as a branch of its economy {}",
        "is a branch of the economy of {}",
        "industry of",
        False,
        _CUT,
    ),
    _literal(
        "independence date",
        "date",
        "counts its independence from the date {}",
        "is the independence date of {}",
        "independence date of",
        "First event of the independence field where it gives a full date; for old states that "
        "is a founding date.",
    ),
    _literal(
        "independence year",
        "year",
        "counts its independence from the year {}",
        "is the independence year of {}",
        "independence year of",
        "Year of the first event of the independence field; for old states a founding year.",
    ),
    Relation(
        "independent from",
        "country",
        "country",
        "has as its former ruler {}",
        "is the former ruler of {}",
        "former ruler of",
        False,
        "Only where the first event of the independence field names a country of today.",
    ),
    Relation(
        "emerged from",
        "country",
        "former state",
        "has as its predecessor state {}",
        "is the predecessor state of {}",
        "predecessor state of",
        False,
        "Only where the first event of the independence field names a former state.",
    ),
    Relation(
        "national holiday",
        "country",
        "holiday",
        "celebrates as its national holiday {}",
        "is the national holiday of {}",
        "national holiday of",
        LISTED,
        "First holiday of the field, for countries where it is a plain name with a fixed day.",
        functional=True,
    ),
    Relation(
        "national day",
        "country",
        "day of the year",
        "has its national holiday on {}",
        "is the day of the national holiday of {}",
        "national day of",
        LISTED,
        "Day of the first holiday of the field, for countries where it is a fixed day.",
        functional=True,
    ),
    Relation(
        "government type",
        "country",
        "government type",
        "has as its form of government {}",
        "is the form of government of {}",
        "government type of",
        LISTED,
        "Complete for the countries whose field fits a short class; longer descriptions are "
        "dropped.",
        functional=True,
    ),
    Relation(
        "legal tradition",
        "country",
        "legal tradition",
        "has a legal system drawn from {}",
        "is a source of the legal system of {}",
        "legal tradition of",
        False,
        "Traditions that the first clause of the field names; influences further down are not "
        "read.",
    ),
    Relation(
        "national color",
        "country",
        "color",
        "has as a national color {}",
        "is a national color of {}",
        "national color of",
        True,
        "Every entry whose symbol field states national colors; the others (small territories) "
        "have none in the source. Shades are folded into their color.",
        aliases=("national colour",),
    ),
    Relation(
        "national symbol",
        "country",
        "national symbol",
        "has as a national symbol {}",
        "is a national symbol of {}",
        "national symbol of",
        False,
        "Only symbols with a name of at most three words are kept.",
    ),
    Relation(
        "top-level domain",
        "country",
        "country code top-level domain",
        "has as its top-level domain {}",
        "is the top-level domain of {}",
        "top-level domain of",
        True,
        "One code for each entry that has one; France has that of its metropolitan part.",
        functional=True,
        aliases=("internet country code",),
    ),
    Relation(
        "calling code",
        "country",
        "calling code",
        "has as its calling code {}",
        "is the calling code of {}",
        "calling code of",
        LISTED,
        "Complete for the countries whose telephone field states the code.",
        functional=True,
    ),
    Relation(
        "highest point",
        "country",
        "peak",
        "has as its highest point {}",
        "is the highest point of {}",
        "highest point of",
        LISTED,
        "Unnamed elevations and entries with several islands are left out.",
        functional=True,
    ),
    Relation(
        "elevation",
        "peak",
        "number",
        "rises to {}",
        "is the elevation of {}",
        "elevation of",
        False,
        "Only peaks that are the highest point of a country; a peak with two stated heights has "
        "none.",
        functional=True,
        datatype="number",
        unit="metre",
    ),
    Relation(
        "major city",
        "country",
        "city",
        "has as a major city {}",
        "is a major city of {}",
        "major city of",
        False,
        "The source names only the capital and the largest urban areas.",
    ),
    Relation(
        "major seaport",
        "country",
        "port",
        "has as a major seaport {}",
        "is a major seaport of {}",
        "major seaport of",
        False,
        "The source names major seaports only; entries grouped by sea are dropped.",
    ),
    Relation(
        "religion",
        "country",
        "religion",
        "has followers of {}",
        "is practiced in {}",
        "practiced in",
        False,
        "Religions that a table of clean names knows; small ones are missing in the source.",
    ),
    Relation(
        "ethnic group",
        "country",
        "ethnic group",
        "has as an ethnic group {}",
        "is an ethnic group of {}",
        "ethnic group of",
        False,
        "Groups with a proper name; mixed, other and descriptive entries are dropped.",
    ),
    Relation(
        "dependency of",
        "country",
        "country",
        "is a dependency of {}",
        "has as a dependency {}",
        "has dependency",
        True,
        "Every entry with a dependency status is kept, including crown dependencies, free "
        "association and special administrative regions.",
        functional=True,
    ),
    Relation(
        "standard time",
        "country",
        "time zone",
        "keeps in its capital the standard time {}",
        "is the standard time in the capital of {}",
        "standard time of",
        True,
        "Every entry that has a capital; the zone is that of the capital, so other zones of large "
        "countries are no part of the relation.",
        functional=True,
        aliases=("time zone",),
    ),
    Relation(
        "climate",
        "country",
        "climate",
        "has as its climate {}",
        "is the kind of climate of {}",
        "climate of",
        False,
        "Only where the field begins with a plain class.",
        functional=True,
    ),
    Relation(
        "citizenship rule",
        "country",
        "citizenship rule",
        "recognizes {}",
        "is recognized by {}",
        "recognized by",
        LISTED,
        "Complete for the countries whose citizenship field answers both questions with yes or no.",
    ),
    Relation(
        "fiscal year begins on",
        "country",
        "day of the year",
        "begins its fiscal year on {}",
        "is the first day of the fiscal year of {}",
        "fiscal year begins",
        LISTED,
        "Complete for the countries whose fiscal-year field states a period.",
        functional=True,
    ),
    Relation(
        "chief of state",
        "country",
        "person",
        "has as its chief of state {}",
        "is the chief of state of {}",
        "chief of state of",
        LISTED,
        "One person as of the date; countries with a collective head of state are left out.",
        functional=True,
        aliases=("head of state",),
    ),
    Relation(
        "head of government",
        "country",
        "person",
        "has as its head of government {}",
        "is the head of government of {}",
        "head of government of",
        LISTED,
        "The first person that the field names, as of the date.",
        functional=True,
    ),
    Relation(
        "flags ships in",
        "country",
        "country",
        "has merchant ships registered in {}",
        "registers merchant ships owned in {}",
        "registers ships of",
        False,
        "Counts of 2010 from both the owner's and the register's page; unknown ones exist.",
    ),
    Relation(
        "hosts refugees from",
        "country",
        "country",
        "hosts refugees from {}",
        "is the country of origin of refugees in {}",
        "origin of refugees in",
        False,
        "Groups below about five thousand people are left out by the source.",
    ),
    _literal(
        "area",
        "number",
        "has a total area of {}",
        "is the total area of {}",
        "area of",
        "Total area of the entry.",
        "square kilometre",
    ),
    _literal(
        "coastline length",
        "number",
        "has a coastline of {}",
        "is the length of the coastline of {}",
        "coastline length of",
        "Length of the coastline; 0 for landlocked countries.",
        "kilometre",
    ),
    _literal(
        "population",
        "number",
        "has a population of {}",
        "is the population of {}",
        "population of",
        "Estimate of the field, most often for July 2015.",
        "person",
    ),
    _literal(
        "voting age",
        "number",
        "grants the vote at the age of {}",
        "is the voting age of {}",
        "voting age of",
        "The one general voting age of the suffrage field.",
        "year",
    ),
)
RELATIONS: dict[str, Relation] = {relation.name: relation for relation in _RELATIONS}


def render(articles: Iterable[str], heads: Mapping[str, Iterable[str]]) -> str:
    """The sheet as TOML; `heads` are the subjects for which a listed relation is complete."""
    lines = [
        "# The relation sheet of the factbook facts: what relations mean and which are complete.",
        "# Written by build.py from sheet.py; edit that and build again.",
        "",
        "[articles]",
        "the = [",
        *(f"  {_quoted(name)}," for name in sorted(articles)),
        "]",
    ]
    for name, (plural, article, ask) in TYPES.items():
        lines += ["", f"[types.{_key(name)}]", f"plural = {_quoted(plural)}"]
        lines += [f"article = {_quoted(article)}", f"ask = {_quoted(ask)}"]
    for relation in RELATIONS.values():
        lines += ["", *_relation_lines(relation, heads.get(relation.name, ()))]
    return "\n".join(lines) + "\n"


def _relation_lines(relation: Relation, heads: Iterable[str]) -> list[str]:
    key = f"relations.{_key(relation.name)}"
    lines = [f"[{key}]"]
    if relation.aliases:
        lines.append(f"aliases = [{', '.join(_quoted(name) for name in relation.aliases)}]")
    if relation.symmetric:
        lines.append("symmetric = true")
    lines.append(f"functional = {str(relation.functional).lower()}")
    if relation.inverse:
        lines.append(f"inverse = {_quoted(relation.inverse)}")
    lines.append(f"head_type = {_quoted(relation.head_type)}")
    lines.append(f"tail_type = {_quoted(relation.tail_type)}")
    if isinstance(relation.complete, bool):
        lines.append(f"complete = {str(relation.complete).lower()}")
    else:
        lines += ["complete = [", *(f"  {_quoted(head)}," for head in sorted(heads)), "]"]
    lines.append(f"note = {_quoted(relation.note)}")
    lines += [f"[{key}.phrases]", f"backward = {_quoted(relation.backward)}"]
    lines.append(f"forward = {_quoted(relation.forward)}")
    return lines


def _key(name: str) -> str:
    return name if name.replace("-", "").isalnum() else _quoted(name)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
