"""The relation sheet: reading, contradictions, names, English verbs."""

from __future__ import annotations

import pytest

from graphkit.errors import SheetError
from graphkit.relations import Phrases, RelationSheet, negate, pluralize_verb


def test_all_contradictions_are_said_at_once():
    """Types of a symmetric relation, inverses that disagree, phrases without a slot or twice."""
    with pytest.raises(SheetError) as caught:
        RelationSheet.from_dict(
            {
                "relations": {
                    "a": {"symmetric": True, "head_type": "x", "tail_type": "y"},
                    "b": {"inverse": "c"},
                    "c": {"inverse": "d"},
                    "e": {"phrases": {"forward": "is e", "backward": "likes {}"}},
                    "f": {"phrases": {"forward": "is f of {}", "backward": "likes {}"}},
                }
            },
            "sheet.toml",
        )
    assert [problem.code for problem in caught.value.problems] == [
        "symmetric_types", "inverse_mismatch", "phrase_slot", "phrase_twice",
    ]  # fmt: skip
    assert str(caught.value).startswith("sheet.toml: relation a: a symmetric relation")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[relations", "not a TOML document"),
        ("[relations.r]\nsymetric = true", "relations.r.symetric: no such key"),
        ("[relations.r]\nsymmetric = 'perhaps'", "relations.r.symmetric: "),
    ],
)
def test_a_sheet_that_cannot_be_read_says_where(text, message):
    """File, key and what is wrong."""
    with pytest.raises(SheetError, match=message) as caught:
        RelationSheet.parse(text, "s.toml")
    assert str(caught.value).startswith("s.toml: ")


def test_other_names_of_relations():
    """Aliases, inverse and inverse aliases, each with its direction; one may mean two relations."""
    sheet = RelationSheet.from_dict(
        {
            "relations": {
                "a": {"aliases": ["x"], "inverse": "b", "inverse_aliases": ["y"]},
                "c": {"aliases": ["x"]},
            }
        }
    )
    assert sheet.aliases == {
        "x": (("a", False), ("c", False)), "y": (("a", True),), "b": (("a", True),),
    }  # fmt: skip
    assert sheet.relation("nothing") == sheet.relation("nothing else")
    assert list(sheet.restricted(["c"]).relations) == ["c"]
    with pytest.raises(SheetError, match="no relation 'cc' in the sheet"):
        sheet.restricted(["cc"])


@pytest.mark.parametrize(
    ("verb", "plural", "negated"),
    [
        ("is in {}", "are in {}", "is not in {}"),
        ("has {}", "have {}", "does not have {}"),
        ("borders {}", "border {}", "does not border {}"),
        ("carries {}", "carry {}", "does not carry {}"),
        ("passes {}", "pass {}", "does not pass {}"),
        ("lies in {}", "lie in {}", "does not lie in {}"),
        ("was part of {}", "were part of {}", "was not part of {}"),
        ("goes to {}", "go to {}", "does not go to {}"),
    ],
)
def test_verbs_in_plural_and_negated(verb, plural, negated):
    """What the sheet does not say is derived."""
    assert pluralize_verb(verb) == plural
    assert negate(verb) == negated


def test_phrases_that_are_given_go_before_derived_ones():
    """Singular, plural, negated, both."""
    phrases = Phrases(forward="is fed by {}", backward="feeds {}", backward_not="starves {}")
    assert phrases.phrase("backward", negated=True) == "starves {}"
    assert phrases.phrase("backward", negated=True, plural=True) == "starve {}"
    assert phrases.phrase("forward", negated=True, plural=True) == "are not fed by {}"
    assert phrases.phrase("forward", plural=True) == "are fed by {}"


def test_a_restricted_sheet_has_only_the_aliases_of_its_relations() -> None:
    """Whether or not those of the whole sheet were looked at before."""
    sheet = RelationSheet.parse('[relations.a]\naliases = ["x"]\n[relations.b]\naliases = ["y"]\n')
    assert set(sheet.aliases) == {"x", "y"}
    assert set(sheet.restricted(["a"]).aliases) == {"x"}
