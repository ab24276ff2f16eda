"""The published schemas of seeds, questions and journals: what we write is valid under them."""

from __future__ import annotations

import jsonschema
import pytest

from graphkit.formats.schema import schema
from synthesis.agents.construction import Hop, QaRecord
from synthesis.journal import Journal
from synthesis.schemas import SCHEMAS
from synthesis.seeds import Seed, seed_records


def checker(name: str) -> jsonschema.Draft202012Validator:
    made = schema(name)
    jsonschema.Draft202012Validator.check_schema(made)
    return jsonschema.Draft202012Validator(made)


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_every_schema_is_one(name):
    """Each is a valid schema, and refuses a bare number."""
    assert not checker(name).is_valid(7)


def test_seed_files_are_valid():
    """Replies by sub-domain and single seeds are valid; a seed without a name is not."""
    check = checker("seeds")
    seeds = [
        Seed(entity_name="Ulm", primary="geography", secondary="cities"),
        Seed(entity_name="法国"),
    ]
    for record in seed_records(seeds):
        check.validate(record)
    for seed in seeds:
        check.validate(seed.model_dump(mode="json"))
    assert not check.is_valid({"primary": "geography"})


def test_qa_records_are_valid():
    """A question with its chain is valid; one without an answer is not."""
    qa = QaRecord(question="Which?", answer="Ulm", reasoning_chain=[Hop(hop=1, entity="Ulm")])
    checker("qa-record").validate(qa.model_dump(mode="json"))
    assert not checker("qa-record").is_valid({"question": "Which?"})


def test_journal_lines_are_valid(tmp_path):
    """What a journal writes is valid."""
    with Journal.open(tmp_path / "journal.jsonl", run="r") as journal:
        journal.write("s1", 0, "gathered", {"new": 3})
        journal.write("s1", 1, "outcome", {"status": "gave_up"})
        steps = list(journal.steps())
    assert [step["step"] for step in steps] == ["gathered", "outcome"]
    assert all(checker("run-step").is_valid(step) for step in steps)
