"""When a page names a thing, and when only a longer word begins or ends like its name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.evidence import EvidenceRecord
from synthesis.agents.filtering import states
from synthesis.mentions import mentions


@pytest.mark.parametrize(
    ("text", "name", "there"),
    [
        ("nigeria borders chad", "niger", False),
        ("the romanian coast", "oman", False),
        ("somalia", "mali", False),
        ("niger, mali and chad", "mali", True),
        ("the carpathians' south", "carpathian", True),
        ("two nobel prizes", "nobel prize", True),
        ("two nobel prizess", "nobel prize", False),
        ("romania and oman", "oman", True),
        ("他在北京大学读书", "北京", True),
        ("windows 11", "windows 1", False),
        ("anything", "", False),
    ],
)
def test_a_name_is_a_word_of_its_own(text: str, name: str, there: bool) -> None:
    """A part of a longer word is no mention, a plural is; Chinese has no spaces to go by."""
    assert mentions(text, name) is there


@given(st.text(), st.text(min_size=1), st.text())
def test_between_spaces_a_name_is_always_found(before: str, name: str, after: str) -> None:
    """Whatever stands around, a name between spaces is mentioned."""
    assert mentions(f"{before} {name} {after}", name)


def test_a_page_about_another_country_does_not_state_a_claim() -> None:
    """A page on Nigeria and Romania is no source on Niger and Oman."""
    record = EvidenceRecord(
        evidence_id="e", head_entity="Niger", relation="exports to", tail_entity="Oman"
    )
    assert not states("Nigeria exports to Romania.", record)
    assert states("Exports of Niger go to Oman.", record)
