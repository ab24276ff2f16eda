"""Checks the committed factbook facts and relation sheet, and the parsers that made them."""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

tomllib = pytest.importorskip("tomllib")

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "factbook"
sys.path.insert(0, str(FOLDER))
try:
    build = importlib.import_module("build")
    fields = importlib.import_module("fields")
    goods = importlib.import_module("goods")
    names = importlib.import_module("names")
    read_state = importlib.import_module("read_state")
    sheet = importlib.import_module("sheet")
finally:
    sys.path.remove(str(FOLDER))

Record = dict[str, Any]
REQUIRED = {
    "evidence_id",
    "head_entity",
    "relation",
    "tail_entity",
    "evidence_text",
    "source_url",
    "is_fresh_knowledge",
    "observed_at",
    "head_type",
    "tail_type",
}
OPTIONAL = {"aliases", "tail_datatype", "tail_unit", "valid_from"}


@pytest.fixture(scope="module")
def records() -> list[Record]:
    lines = (FOLDER / "evidence.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def relations() -> dict[str, Any]:
    loaded: dict[str, Any] = _sheet()["relations"]
    return loaded


def _sheet() -> dict[str, Any]:
    text = (FOLDER / "relations.toml").read_text(encoding="utf-8")
    loaded: dict[str, Any] = tomllib.loads(text)
    return loaded


def _tails(records: list[Record], relation: str) -> list[str]:
    return [record["tail_entity"] for record in records if record["relation"] == relation]


# --- the committed facts


def test_there_are_enough_facts_and_countries(records: list[Record]) -> None:
    countries = {r["head_entity"] for r in records if r["head_type"] == "country"}
    assert len(records) >= 10_000
    assert len(countries) >= 240


def test_records_have_the_contract_fields(records: list[Record]) -> None:
    for record in records:
        assert set(record) >= REQUIRED
        assert set(record) <= REQUIRED | OPTIONAL
        assert record["is_fresh_knowledge"] is False
        assert record["observed_at"] == "2015-11-15"
        assert record["source_url"].startswith("https://www.cia.gov/the-world-factbook/countries/")


def test_ids_are_unique_and_sorted(records: list[Record]) -> None:
    ids = [record["evidence_id"] for record in records]
    assert ids == sorted(set(ids))
    assert all(re.fullmatch(r"fb:[a-z]{2}(?::[a-z0-9-]+){2,3}", key) for key in ids)
    assert "fb:gm:borders:austria" in ids


def test_facts_are_a_set(records: list[Record]) -> None:
    facts = Counter((r["head_entity"], r["relation"], r["tail_entity"]) for r in records)
    assert max(facts.values()) == 1


def test_every_border_is_symmetric(records: list[Record]) -> None:
    pairs = {(r["head_entity"], r["tail_entity"]) for r in records if r["relation"] == "borders"}
    assert pairs == {(tail, head) for head, tail in pairs}
    assert all(head != tail for head, tail in pairs)


@pytest.mark.parametrize(
    ("country", "expected"),
    [
        (
            "Germany",
            "Austria Belgium Denmark France Luxembourg Netherlands Poland Switzerland",
        ),
        ("Portugal", "Spain"),
        ("Monaco", "France"),
        ("Hong Kong", "China"),
        ("Suriname", "Brazil France Guyana"),
    ],
)
def test_known_borders(records: list[Record], country: str, expected: str) -> None:
    found = {
        r["tail_entity"]
        for r in records
        if r["relation"] == "borders" and r["head_entity"] == country
    }
    assert found - {"Czech Republic"} == set(expected.split())


def test_neighbours_of_germany_outside_nato(records: list[Record]) -> None:
    nato = {
        r["head_entity"]
        for r in records
        if r["relation"] == "member of" and r["tail_entity"] == "North Atlantic Treaty Organization"
    }
    borders = {
        r["head_entity"]
        for r in records
        if r["relation"] == "borders" and r["tail_entity"] == "Germany"
    }
    assert borders - nato == {"Austria", "Switzerland"}


def test_membership_counts_match_the_world_of_2015(records: list[Record]) -> None:
    members = Counter(_tails(records, "member of"))
    assert members["North Atlantic Treaty Organization"] == 28
    assert members["European Union"] == 28
    assert members["United Nations"] == 193
    assert members["Organization of Petroleum Exporting Countries"] == 12
    assert Counter(_tails(records, "permanent member of")) == {"United Nations Security Council": 5}


def test_currencies_and_landlocked_countries(records: list[Record]) -> None:
    euro = {
        r["head_entity"]
        for r in records
        if r["relation"] == "currency" and r["tail_entity"] == "Euro"
    }
    assert {"Germany", "Estonia", "Latvia", "Lithuania", "Kosovo"} <= euro
    assert not {"Poland", "Sweden", "Croatia", "Denmark", "United Kingdom"} & euro
    status = defaultdict(set)
    for record in records:
        if record["relation"] == "coast status":
            status[record["tail_entity"]].add(record["head_entity"])
    assert status["doubly landlocked"] == {"Liechtenstein", "Uzbekistan"}
    assert len(status["landlocked"]) == 46
    assert not status["landlocked"] & status["coastal"]


# --- the relation sheet


def test_sheet_and_evidence_name_the_same_relations(
    records: list[Record], relations: dict[str, Any]
) -> None:
    assert {record["relation"] for record in records} == set(relations)


def test_declared_types_match(records: list[Record], relations: dict[str, Any]) -> None:
    types = _sheet()["types"]
    for record in records:
        entry = relations[record["relation"]]
        assert record["head_type"] == entry["head_type"]
        assert record["tail_type"] == entry["tail_type"]
        declared = sheet.RELATIONS[record["relation"]]
        assert record.get("tail_datatype", "") == declared.datatype
        assert record.get("tail_unit", "") == declared.unit
    used = {e["head_type"] for e in relations.values()} | {
        e["tail_type"] for e in relations.values()
    }
    assert used == set(types)
    assert all(entry["plural"] and entry["article"] in {"a", "an"} for entry in types.values())


def test_functional_relations_are_functional(
    records: list[Record], relations: dict[str, Any]
) -> None:
    heads = Counter((r["relation"], r["head_entity"]) for r in records)
    repeated = {relation for (relation, _), count in heads.items() if count > 1}
    assert not {name for name in repeated if relations[name]["functional"]}


def test_completeness_is_declared_and_explained(
    records: list[Record], relations: dict[str, Any]
) -> None:
    heads = defaultdict(set)
    for record in records:
        heads[record["relation"]].add(record["head_entity"])
    for name, entry in relations.items():
        assert len(entry["note"]) > 20
        if isinstance(entry["complete"], list):
            assert entry["complete"] == sorted(set(entry["complete"]))
            assert set(entry["complete"]) <= heads[name]
    shared = Counter(name for name, _ in _shared_tails(records))
    complete = {name for name, entry in relations.items() if entry["complete"] is True}
    assert len(complete & set(shared)) >= 12


def _shared_tails(records: list[Record]) -> set[tuple[str, str]]:
    counts = Counter((r["relation"], r["tail_entity"]) for r in records)
    return {key for key, count in counts.items() if count > 1}


def test_trade_and_goods_are_not_called_complete(relations: dict[str, Any]) -> None:
    for name in ("exports to", "imports from", "exports", "imports", "industry"):
        assert relations[name]["complete"] is False


def test_phrases_start_with_a_verb_and_parse_back(relations: dict[str, Any]) -> None:
    phrases = [
        phrase
        for entry in relations.values()
        for phrase in (entry["phrases"]["backward"], entry["phrases"]["forward"])
    ]
    starts = []
    for phrase in phrases:
        assert phrase.count("{}") == 1
        assert phrase.endswith("{}")
        verb = phrase.split()[0]
        assert verb in {"is", "has"} or re.fullmatch(r"[a-z]+s", verb)
        starts.append(phrase.removesuffix("{}"))
    distinct = set(starts) - {"borders ", "is bordered by "}
    assert len(set(starts)) == len(starts)
    for start in distinct:
        assert not [other for other in distinct if other != start and other.startswith(start)]


def test_inverse_names_are_unique(relations: dict[str, Any]) -> None:
    taken = list(relations)
    for entry in relations.values():
        taken += [*entry.get("aliases", ()), *([entry["inverse"]] if "inverse" in entry else ())]
        assert ("inverse" in entry) != entry.get("symmetric", False)
    folded = [name.casefold() for name in taken]
    assert [name for name, count in Counter(folded).items() if count > 1] == []


def test_articles_belong_to_names_that_ship(records: list[Record]) -> None:
    the = _sheet()["articles"]["the"]
    used = {r["head_entity"] for r in records} | {r["tail_entity"] for r in records}
    assert set(the) <= used
    assert {"United States", "Bahamas", "European Union", "Euro", "Baltic Sea"} <= set(the)
    assert not [name for name in the if name.startswith("The ")]


# --- clean names


def test_names_are_normalised(records: list[Record]) -> None:
    for record in records:
        aliases = record.get("aliases", {})
        every = [record["head_entity"], record["tail_entity"], *aliases]
        every += [other for others in aliases.values() for other in others]
        for name in every:
            assert name == unicodedata.normalize("NFC", name) == name.strip() != ""
            assert "  " not in name
            assert not re.search(r"[\[\]%;]|\bnote\b|\best\.|\bNA\b", name), name


def test_entity_names_have_no_brackets_or_stray_digits(records: list[Record]) -> None:
    with_digits = re.compile(r"Group of \d+|K2|UTC.*|\+[\d-]+|\d{1,2} [A-Z][a-z]+")
    for record in records:
        for end in ("head", "tail"):
            name = record[f"{end}_entity"]
            assert not re.search(r"[()]", name), name
            if end == "tail" and record.get("tail_datatype"):
                continue
            if re.search(r"\d", name):
                assert with_digits.fullmatch(name), name


def test_goods_are_plain_words(records: list[Record]) -> None:
    found = {r["tail_entity"] for r in records if r["tail_type"] in {"commodity", "industry"}}
    for name in found:
        assert re.fullmatch(r"[a-z][a-z' -]+[a-z]", name), name
        assert not re.search(r"\b(?:other|including|such as|none|small)\b", name), name
        assert len(name.split()) <= 5
    stems = Counter(name.removesuffix("s") for name in found)
    assert [stem for stem, count in stems.items() if count > 1] == []


def test_literals_are_canonical(records: list[Record]) -> None:
    forms = {
        "date": r"\d{4}-\d\d-\d\d",
        "year": r"[1-9]\d{2,3}",
        "number": r"(?:0|[1-9]\d*)(?:\.\d*[1-9])?",
    }
    for record in records:
        if "tail_datatype" in record:
            assert re.fullmatch(forms[record["tail_datatype"]], record["tail_entity"]), record
            assert record["tail_type"] == record["tail_datatype"]


def test_one_name_per_country(records: list[Record]) -> None:
    countries = {r[f"{e}_entity"] for r in records for e in ("head", "tail") if _country(r, e)}
    owners: dict[str, set[str]] = defaultdict(set)
    carriers: Counter[str] = Counter()
    for record in records:
        for name, others in record.get("aliases", {}).items():
            if name in countries and _country(record, _end(record, name)):
                carriers[name] += 1
                for other in (name, *others):
                    owners[other.casefold()].add(name)
    assert max(carriers.values()) == 1
    assert {form: own for form, own in owners.items() if len(own) > 1} == {}
    assert not {name for name in countries if owners.get(name.casefold(), {name}) != {name}}
    assert owners["uk"] == {"United Kingdom"}
    assert owners["myanmar"] == {"Burma"}
    assert owners["deutschland"] == {"Germany"}


def _country(record: Record, end: str) -> bool:
    return bool(record[f"{end}_type"] == "country")


def _end(record: Record, name: str) -> str:
    return "head" if record["head_entity"] == name else "tail"


def test_names_rarely_stand_for_two_types(records: list[Record]) -> None:
    types = defaultdict(set)
    for record in records:
        for end in ("head", "tail"):
            types[record[f"{end}_entity"]].add(record[f"{end}_type"])
    doubles = {name for name, kinds in types.items() if len(kinds) > 1 and not name.isdigit()}
    assert len(doubles) < 25
    assert types["Singapore"] == {"city", "country"}


def test_sentences_come_from_our_phrases(records: list[Record], relations: dict[str, Any]) -> None:
    the = set(_sheet()["articles"]["the"])
    for record in records:
        head, tail = record["head_entity"], record["tail_entity"]
        phrase = relations[record["relation"]]["phrases"]["backward"].removesuffix("{}")
        subject = f"the {head}" if head in the else head
        rest = f"{subject} {phrase}{'the ' if tail in the else ''}{tail}"
        text = record["evidence_text"]
        assert text.startswith(rest[0].upper() + rest[1:]), text
        assert len(text) - len(rest) <= len(" square kilometres."), text
        assert text.endswith(".")


# --- the parsers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a, b (c, d), e", ["a", "b (c, d)", "e"]),
        ("Libya 1,050 km, Niger 1,196 km", ["Libya 1,050 km", "Niger 1,196 km"]),
        ("gold; oil (x; y), sesame", ["gold", "oil (x; y)", "sesame"]),
        ("stray) one, two", ["stray) one", "two"]),
        ("a [b, c], d", ["a [b, c]", "d"]),
        ("", []),
    ],
)
def test_split_list(text: str, expected: list[str]) -> None:
    assert fields.split_list(text) == expected


def test_border_names() -> None:
    text = (
        "Democratic Republic of the Congo 2,646 km (of which 225 km is the boundary of Cabinda), "
        "Botswana 0.15 km, Spain (Ceuta) 8 km, Spain (Melilla) 10.5 km, China (south) 46 km"
    )
    expected = ["Democratic Republic of the Congo", "Botswana", "Spain", "China"]
    assert fields.border_names(text) == expected


def test_memberships_with_qualifiers() -> None:
    text = (
        "ADB (nonregional member), G- 9, WFTU (NGOs), OECD (Enhanced Engagement, UN, "
        "EITI (compliant country) (suspended), CIS (participating member, has not signed), none"
    )
    assert fields.memberships(text) == [
        ("ADB", "nonregional member"),
        ("G- 9", ""),
        ("WFTU", "NGOs"),
        ("OECD", "Enhanced Engagement"),
        ("UN", ""),
        ("EITI", "suspended"),
        ("CIS", "participating member, has not signed"),
    ]


@pytest.mark.parametrize(
    ("qualifier", "relation"),
    [
        ("", "member of"),
        ("observer", "observer of"),
        ("associate member, has not ratified the charter", "associate member of"),
        ("nonregional members", "nonregional member of"),
        ("permanent", "permanent member of"),
        ("participating member, has not signed", None),
    ],
)
def test_qualifiers_become_relations(qualifier: str, relation: str | None) -> None:
    assert read_state._role(qualifier) == relation


def test_unknown_qualifiers_are_an_error() -> None:
    with pytest.raises(ValueError, match="unknown qualifier: guest of honour"):
        read_state._role("guest of honour")


def test_partner_names_lose_shares_and_years() -> None:
    text = "UAE 7.1%, Republic of the Congo 7.5%, Trinidad and Tobago 4.6%, other 3% (2014 est.)"
    expected = ["UAE", "Republic of the Congo", "Trinidad and Tobago"]
    assert fields.partner_names(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Swiss francs (CHF) per US dollar - ++ 0.9 (2014)", ("Swiss francs", "CHF")),
        ("Belarusian rubles (BYB/BYR) per US dollar -", ("Belarusian rubles", "BYB")),
        ("emalangeni per US dollar - ++ 10.6", ("emalangeni", "")),
        ("the US dollar is used", ("US dollars", "USD")),
        ("uses the euro", ("euros", "EUR")),
        ("", ("", "")),
    ],
)
def test_currency(text: str, expected: tuple[str, str]) -> None:
    assert fields.currency(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Chancellor Angela MERKEL (since 22 November 2005); Vice Chancellor X (since 2013)",
            ("Angela Merkel", "2005-11-22"),
        ),
        ("Queen ELIZABETH II (since 6 February 1952)", ("Elizabeth II", "1952-02-06")),
        ("President XI Jinping (since 14 March 2013)", ("Xi Jinping", "2013-03-14")),
        ("President Andrej KISKA (since 15 June 2014)", ("Andrej Kiska", "2014-06-15")),
        (
            "King WILLEM-ALEXANDER of the Netherlands (since 30 April 2013)",
            ("Willem-Alexander", "2013-04-30"),
        ),
        (
            "President Bashar al-ASAD (since 17 July 2000)",
            ("Bashar al-Asad", "2000-07-17"),
        ),
        (
            "Prime Minister Peter Paire O'NEILL (since 2 August 2011)",
            ("Peter Paire O'Neill", "2011-08-02"),
        ),
        (
            "President Jose Eduardo DOS SANTOS (since 21 September 1979)",
            ("Jose Eduardo dos Santos", "1979-09-21"),
        ),
        ("Prime Minister Tshering TOBGAY (since July 2013)", ("Tshering Tobgay", None)),
        ("President (vacant); note - the term expired on 25 May 2014", None),
    ],
)
def test_person(text: str, expected: tuple[str, str | None] | None) -> None:
    assert fields.person(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("27 April 1960 (from France)", ("1960-04-27", "date", "France")),
        ("1839 (from the Netherlands)", ("1839", "year", "Netherlands")),
        ("none (territory of the US)", None),
        (
            "4 May 1990 (declared); 6 September 1991 (recognized by the Soviet Union)",
            ("1990-05-04", "date", ""),
        ),
        ("", None),
    ],
)
def test_independence(text: str, expected: tuple[str, str, str] | None) -> None:
    assert fields.independence(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Independence Day (National Day), 1 October (1960)", ("Independence Day", "1 October")),
        ("Birthday of Emperor AKIHITO, 23 December (1933)", None),
        ("Constitution Day, first Monday in July", None),
        ("", None),
    ],
)
def test_holiday(text: str, expected: tuple[str, str] | None) -> None:
    found = fields.holiday(text)
    if text.startswith("Birthday"):
        expected = ("Birthday of Emperor Akihito", "23 December")
    assert found == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("German (official nationwide) 88.6%, Croatian (official in Burgenland) 1.6%", ["German"]),
        ("Filipino (official; based on Tagalog) and English (official)", ["Filipino", "English"]),
        ("Kirundi 29.7% (official), French (official) and French 0.3%", ["Kirundi", "French"]),
        ("Spanish (Castilian) 93% (official), Quechua 4.1%", ["Spanish"]),
        ("English (used in schools and for official purposes), Spanish", []),
        ("Japanese", []),
    ],
)
def test_official_languages(text: str, expected: list[str]) -> None:
    assert fields.official_languages(text) == expected


def test_spoken_languages_leave_out_groups() -> None:
    text = (
        "French (official), Fon and Yoruba (in the south), tribal languages (six major ones), "
        "English widely spoken, other 3%, Bantu and other African languages"
    )
    assert fields.spoken_languages(text) == ["French", "Fon", "Yoruba", "English", "Bantu"]


def test_symbols_and_colors() -> None:
    text = "fennec fox, ten, five-pointed, yellow stars; national colors: light blue, red (ochre)"
    assert fields.symbols_and_colors(text) == (["fennec fox"], ["light blue", "red"])
    assert fields.symbols_and_colors("golden bosun bird") == (["golden bosun bird"], None)


def test_cities() -> None:
    text = (
        "Lagos 13.123 million; ABUJA (capital) 2.44 million; PORT-AU-PRINCE (capital) 2.4 million; "
        "N'DJAMENA (capital) 1.26 million (2015); note - estimates"
    )
    assert fields.cities(text) == ["Lagos", "Abuja", "Port-au-Prince", "N'Djamena"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("83,871 sq km", "83871"),
        ("2.40 m", "2.4"),
        ("0 km (landlocked)", "0"),
        ("NA", None),
    ],
)
def test_number(text: str, expected: str | None) -> None:
    assert fields.number(text) == expected


def test_fleets_and_refugees() -> None:
    fleet = "42 (Cambodia 4, Saint Vincent and the Grenadines 2, unknown 1) (2010)"
    assert fields.fleet_names(fleet) == ["Cambodia", "Saint Vincent and the Grenadines"]
    refugees = "367,229 (Sudan); 9,779 (Cote d'Ivoire; flight from fighting) (2015)"
    assert fields.refugee_names(refugees) == ["Sudan", "Cote d'Ivoire"]


def test_goods_are_split_and_unified_over_countries() -> None:
    lists = [
        fields.plain_items("cocoa beans 80%, copra, palm oil (2010 est.)"),
        fields.plain_items("cocoa, hides and skins, fish (frozen, canned), fruits and vegetables"),
        fields.plain_items("fruits, vegetables, small quantities of avocados, peanuts"),
        fields.plain_items("fruit, vegetables, groundnuts (peanuts); gold and other minerals"),
    ]
    spellings = goods.Spellings(lists)
    assert [spellings.clean(items) for items in lists] == [
        ["cocoa", "copra", "palm oil"],
        ["cocoa", "hides and skins", "fish", "fruits", "vegetables"],
        ["fruits", "vegetables", "peanuts"],
        ["fruits", "vegetables", "peanuts"],
    ]


def test_group_names_keep_proper_names_only() -> None:
    items = ["Mossi over 40%", "other", "Fulani", "mixed", "black", "Han Chinese"]
    items = [item for text in items for item in fields.plain_items(text)]
    assert goods.group_names(items) == ["Mossi", "Fula", "Han Chinese"]


def test_country_lookup_and_slugs() -> None:
    profile = {"Government": {"Country name": {"conventional short form": {"text": "Germany"}}}}
    countries = names.Countries.read({"gm": profile})
    assert countries.code("Germany") == countries.code("germany (west)") == "gm"
    assert countries.code("Atlantis") is None
    assert countries.page("gm").endswith("/germany/")
    assert names.slug("Cote d'Ivoire") == "cote-divoire"


# --- the build


def test_rebuild_gives_the_same_bytes(tmp_path: Path) -> None:
    package = os.environ.get("FACTBOOK_PACKAGE", "")
    if not package or not Path(package).is_dir():
        pytest.skip("set FACTBOOK_PACKAGE to the folder of the unpacked npm package")
    build.main([package, "--output", str(tmp_path)])
    for name in ("evidence.jsonl", "relations.toml"):
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes()


def test_readme_states_the_size(records: list[Record], relations: dict[str, Any]) -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    countries = {r["head_entity"] for r in records if r["head_type"] == "country"}
    assert f"{len(records):,} facts about {len(countries)} countries and territories" in text
    counts = Counter(record["relation"] for record in records)
    for name in relations:
        assert f"| {name} | {counts[name]:,} |" in text
