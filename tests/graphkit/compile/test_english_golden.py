"""English by example: every pattern and many compounds, as a person reads them.

The golden file is tests/golden/english/sentences.txt. To accept new wording, write the text that
``golden_text()`` returns into it and read it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from graphkit.compile.english import english
from graphkit.compile.english_lexicon import EnglishLexicon
from graphkit.compile.english_terms import (
    Term,
    anchor,
    combination,
    complement,
    free,
    graph_of,
    projection,
)
from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.formats.english import parse_english
from graphkit.operations import Direction, Op
from graphkit.patterns import PATTERNS, canonical_key, canonical_text, signature
from graphkit.relations import RelationSheet

GOLDEN = Path(__file__).parents[2] / "golden" / "english"
SHEET = RelationSheet.parse((GOLDEN / "relations.toml").read_text("utf-8"))
B, F = Direction.BACKWARD, Direction.FORWARD


def _facts() -> FactStore:
    names = {
        "country": "France Germany Spain Italy Portugal Luxembourg Netherlands Russia Iran Belgium",
        "city": "Paris Luxembourg Moscow",
        "organization": "NATO OPEC",
        "currency": "Euro",
        "language": "German French",
        "year": "1960",
    }
    known = [(kind, name) for kind, all_of in names.items() for name in all_of.split()]
    known += [
        ("country", "Bosnia and Herzegovina"),
        ("country", "Congo, Democratic Republic of the"),
        ("country", "United Kingdom"),
        ("organization", "European Union"),
        ("body of water", "Baltic Sea"),
    ]
    records = [
        EvidenceRecord(
            evidence_id=f"x{number}",
            head_entity=name,
            head_type=kind,
            relation="is listed in",
            tail_entity="list",
            evidence_text=name,
            source_url="https://example.org",
        )
        for number, (kind, name) in enumerate(known)
    ]
    people = EvidenceRecord(
        evidence_id="p",
        head_entity="France",
        relation="population",
        tail_entity="66553766",
        tail_type="number",
        tail_unit="person",
        evidence_text="France has a population of 66,553,766.",
        source_url="https://example.org",
    )
    return FactStore.from_evidence([*records, people], SHEET)


def c(name: str) -> Term:
    """A country."""
    return anchor([name], "country")


def both(*parts: Term, kind: str | None = "country") -> Term:
    """An intersection."""
    return combination(Op.INTERSECTION, parts, kind)


def either(*parts: Term, kind: str | None = "country") -> Term:
    """A union."""
    return combination(Op.UNION, parts, kind)


def borders(part: Term, kind: str | None = "country") -> Term:
    """Countries that border a member of a set."""
    return projection("borders", B, part, kind)


def capital(part: Term, kind: str | None = "city") -> Term:
    """Capitals of the members of a set."""
    return projection("capital", F, part, kind)


def member(part: Term, kind: str | None = "country") -> Term:
    """Members of organizations."""
    return projection("member of", B, part, kind)


def exports(part: Term, kind: str | None = "country") -> Term:
    """Countries that export to the members of a set."""
    return projection("exports to", B, part, kind)


NATO = anchor(["NATO"], "organization")
OPEC = anchor(["OPEC"], "organization")
EU = anchor(["European Union"], "organization")
EURO = projection("currency", B, anchor(["Euro"], "currency"), "country")
GERMAN = projection("official language", B, anchor(["German"], "language"), "country")
BALTIC = projection("lies on", B, anchor(["Baltic Sea"], "body of water"), "country")

CASES: dict[str, Term] = {
    "1p": capital(c("France")),
    "2p": capital(borders(c("France"))),
    "3p": capital(borders(exports(c("Iran")))),
    "2i": both(borders(c("Germany")), EURO),
    "3i": both(borders(c("Germany")), EURO, member(NATO)),
    "ip": capital(both(borders(c("Germany")), member(NATO))),
    "pi": both(borders(member(OPEC)), EURO),
    "2in": both(borders(c("Germany")), complement(member(NATO))),
    "3in": both(borders(c("Germany")), EURO, complement(member(NATO))),
    "inp": capital(both(borders(c("Germany")), complement(EURO))),
    "pin": both(borders(member(OPEC)), complement(member(NATO))),
    "pni": both(member(NATO), complement(borders(member(OPEC)))),
    "2u": either(borders(c("Germany")), GERMAN),
    "up": capital(either(borders(c("Germany")), GERMAN)),
    "any of two anchors": borders(anchor(["France", "Spain"], "country")),
    "any of three anchors": borders(anchor(["France", "Spain", "Netherlands"], "country")),
    "none of three anchors": both(
        EURO, complement(borders(anchor(["France", "Spain", "Netherlands"], "country")))
    ),
    "anchor as a condition": both(borders(c("Germany")), anchor(["France", "Spain"])),
    "not an anchor": both(borders(c("Germany")), complement(anchor(["France"]))),
    "one relation, two names": both(borders(c("France")), borders(c("Germany"))),
    "one relation, three names": capital(
        both(borders(c("France")), borders(c("Germany")), borders(c("Netherlands")))
    ),
    "two exclusions": both(member(NATO), complement(EURO), complement(borders(c("Russia")))),
    "projection of a complement": borders(complement(member(NATO, None), "country")),
    "exclusion of a projected complement": both(
        EURO, complement(borders(complement(member(NATO, None), "country")))
    ),
    "double complement": both(borders(c("Germany")), complement(complement(member(NATO)))),
    "exclusion of a conjunction": both(borders(c("Germany")), complement(both(EURO, member(NATO)))),
    "exclusion of a deeper set": both(
        member(EU), complement(exports(both(borders(c("Russia")), complement(BALTIC))))
    ),
    "free variable": both(
        projection("official language", F, free("country"), "language"),
        complement(projection("official language", F, c("France"), "language")),
        kind="language",
    ),
    "two branches that go deep": both(
        borders(both(member(OPEC), BALTIC)), exports(both(borders(c("Iran")), GERMAN))
    ),
    "many conditions inside": capital(
        both(borders(c("Germany")), EURO, BALTIC, complement(member(NATO)))
    ),
    "used twice": both(
        borders(both(member(OPEC), complement(BALTIC))),
        complement(exports(both(member(OPEC), complement(BALTIC)))),
    ),
    "two groups of one kind": capital(
        both(
            borders(both(borders(c("Russia")), EURO, complement(member(NATO)))),
            complement(exports(both(member(OPEC), GERMAN, complement(BALTIC)))),
        )
    ),
    "two groups of two kinds": both(
        projection("member of", F, both(borders(c("Iran")), BALTIC, EURO), "organization"),
        complement(
            projection(
                "member of",
                F,
                projection(
                    "official language",
                    B,
                    projection(
                        "official language", F, both(borders(c("Spain")), EURO, BALTIC), "language"
                    ),
                    "country",
                ),
                "organization",
            )
        ),
        kind="organization",
    ),
    "a person": projection(
        "head of government", F, both(borders(c("Germany")), complement(EURO)), "person"
    ),
    "a year": projection("independence year", F, both(borders(c("Spain")), EURO), "year"),
    "a year as anchor": both(
        projection("independence year", B, anchor(["1960"], "year"), "country"), member(OPEC)
    ),
    "a quantity": both(
        projection("population", B, anchor(["66553766 person"], "number"), "country"), EURO
    ),
    "a city with the name of a country": projection(
        "capital", B, anchor(["Luxembourg"], "city"), "country"
    ),
    "an anchor of another type": borders(anchor(["Luxembourg"], "city")),
    "names with and, comma and of": borders(
        anchor(["Bosnia and Herzegovina", "Congo, Democratic Republic of the"], "country")
    ),
    "the article of a name": capital(borders(c("United Kingdom"))),
    "no types": capital(borders(anchor(["France"]), None), None),
    "typed variables, untyped anchors": capital(borders(anchor(["France"]))),
    "a relation without phrases": capital(projection("no phrases", B, c("France"), "country")),
    "an odd relation and an odd name": projection(
        "/people/person/nationality", F, anchor(['Jean "Django" Reinhardt']), None
    ),
    "the other direction": projection(
        "member of", F, both(borders(c("France")), EURO), "organization"
    ),
    "a language": projection("official language", F, member(EU), "language"),
    "a body of water": projection(
        "lies on", F, both(borders(c("Russia")), member(EU)), "body of water"
    ),
}


@pytest.fixture(scope="module")
def lexicon() -> EnglishLexicon:
    """The words of the small sheet and of a few names."""
    return EnglishLexicon.build(SHEET, _facts())


def golden_text(lexicon: EnglishLexicon) -> str:
    """What the golden file should be: a name, the canonical text and the question, each a line."""
    blocks = []
    for name, term in CASES.items():
        graph = graph_of(term)
        blocks.append(f"# {name}\n{canonical_text(graph)}\n{english(graph, lexicon)}\n")
    return "\n".join(blocks)


def test_sentences_are_those_of_the_golden_file(lexicon: EnglishLexicon) -> None:
    """The wording of every case is the one that was read and accepted."""
    assert golden_text(lexicon) == (GOLDEN / "sentences.txt").read_text("utf-8")


def test_every_named_pattern_is_there() -> None:
    """The cases hold each pattern of the literature under its name."""
    for pattern in PATTERNS.values():
        assert signature(graph_of(CASES[pattern])) == pattern


@pytest.mark.parametrize("name", CASES)
def test_each_case_reads_back(name: str, lexicon: EnglishLexicon) -> None:
    """Each golden question parses to the graph that it was written from."""
    graph = graph_of(CASES[name])
    read = parse_english(english(graph, lexicon), lexicon)
    assert canonical_key(read) == canonical_key(graph)
