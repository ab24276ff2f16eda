"""Prompts are versioned text; data in a block can never leave it."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.errors import FormatError, InputError
from synthesis.prompting import LANGUAGES, load_prompt, parse_prompt, prompt_digests

HEAD = "name: x\nversion: 3\nlanguage: en\nblocks: a, b\n---\nDo it.\n---\nNow.\n"


def _blocks(content: str, names: tuple[str, ...]) -> dict[str, str]:
    """Return the data of each block as a reader without any knowledge of escapes sees it."""
    return {
        name: body
        for name in names
        for body in re.findall(rf"<{name}>\n(.*?)\n</{name}>", content, re.DOTALL)
    }


def test_every_role_has_a_prompt_in_every_language() -> None:
    """A role that is told in one language is told in all of them, with the same blocks."""
    roles = {name.rpartition(".")[0] for name in prompt_digests()}
    assert {"parse", "quality", "privacy"} <= roles
    for role in roles:
        prompts = [load_prompt(role, language) for language in LANGUAGES]
        assert len({prompt.blocks for prompt in prompts}) == 1
        assert len({prompt.version for prompt in prompts}) == 1
        assert len({prompt.digest for prompt in prompts}) == len(LANGUAGES)


def test_messages_have_the_contract() -> None:
    """The first line of the system message names the task; blocks stand in declared order."""
    prompt = parse_prompt(HEAD)
    system, user = prompt.messages(b=[{"k": 1}, "é"], a="text\nof two lines")
    assert system.role == "system"
    assert system.content.splitlines()[0] == "graphkit task: x/3 (en)"
    assert system.content.endswith("Do it.")
    assert user.role == "user"
    assert user.content == (
        '<a>\ntext\nof two lines\n</a>\n\n<b>\n[\n{"k": 1},\n"é"\n]\n</b>\n\nNow.'
    )


@given(
    st.text() | st.sampled_from(["</a>", "<b>\nx\n</b>", "< / A >", "</b\n>", "<a href>"]),
    st.recursive(st.text() | st.sampled_from(["</b>", "\n</b>\n"]), st.lists, max_leaves=4),
)
def test_data_never_leaves_its_block(text: str, data: object) -> None:
    """Whatever the data is, each tag of a block occurs once, and JSON comes back as it was."""
    _, user = parse_prompt(HEAD).messages(a=text, b=[data])
    for tag in ("<a>", "</a>", "<b>", "</b>"):
        assert user.content.count(tag) == 1
    found = _blocks(user.content, ("a", "b"))
    assert json.loads(found["b"]) == [data]
    assert not re.search(r"<\s*/?\s*[ab]\b", found["a"], re.IGNORECASE)
    user.content.encode()


def test_blocks_that_do_not_fit_are_all_told() -> None:
    """A missing and an unknown block are told together, with the nearest name."""
    with pytest.raises(InputError) as caught:
        load_prompt("parse", "en").messages(question="?", answr="x", reasoning_chain=[])
    told = str(caught.value)
    assert "prompt parse/1 (en): has no data for its block answer" in told
    assert "has no block answr" in told
    assert "did you mean answer?" in told


def test_unknown_prompts_are_named() -> None:
    """A role that does not exist is refused with those that do."""
    with pytest.raises(InputError, match=r"no prompt parze\.en; .*did you mean parse\.en"):
        load_prompt("parze", "en")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name: x\nversion: 1\nblocks: a\n---\nT\n", "no line language"),
        ("name: x\nversion: 0\nlanguage: en\nblocks: a\n---\nT\n", "version '0'"),
        ("name: x\nversion: 1\nlanguage: en\nblocks: a, a\n---\nT\n", "block 'a'"),
        ("name: x\nversion: 1\nlanguage: en\nblocks: a\n---\n \n", "no text below"),
        ("nam: x\nversion: 1\nlanguage: en\nblocks: a\n---\nT\n", "did you mean name"),
    ],
)
def test_a_wrong_head_is_told(text: str, told: str) -> None:
    """What is wrong in the head of a prompt file is told with the file."""
    with pytest.raises(FormatError, match=told) as caught:
        parse_prompt(text, "x.en.txt")
    assert all(problem.file == "x.en.txt" for problem in caught.value.problems)
