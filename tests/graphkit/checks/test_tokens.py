"""The length in tokens of a public tokenizer, and what stands in for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from graphkit.checks import tokens
from graphkit.checks.statistics import statistics, token_count
from graphkit.checks.tokens import OWN_COUNT, count_tokens, tokenizer_name
from graphkit.question import Node, QuestionGraph


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("hello world", 2), ("你好", 2), ("<|endoftext|>", 7), ("\ud800", 1)],
)
def test_any_text_has_a_length(text: str, count: int) -> None:
    """Tokens are those of cl100k_base; text that looks like a control token is plain text."""
    assert tokenizer_name() == "cl100k_base"
    assert count_tokens(text) == count


def test_own_count_stands_in_and_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the table words and signs are counted, and the name says so."""
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    tokens._counter.cache_clear()
    try:
        assert tokenizer_name() == OWN_COUNT
        assert count_tokens("Which country borders France?") == token_count("a b c d?")
    finally:
        tokens._counter.cache_clear()


def test_statistics_name_their_tokenizer() -> None:
    """The mean number of tokens stands beside the tokenizer, also by language."""
    graphs = [
        QuestionGraph(
            question=question,
            language=language,
            root_node_id="n0",
            nodes=[Node(node_id="n0", known_entities=["x"], is_root=True)],
        )
        for question, language in (("hello world", "en"), ("hello", "en"), ("你好", "zh"))
    ]
    found = statistics(graphs)["tokens"]
    assert found["tokenizer"] == "cl100k_base"
    assert found["languages"] == {"en": 1.5, "zh": 2.0}
    assert (found["min"], found["max"]) == (1, 2)


def test_the_tokenizer_is_loaded_on_use() -> None:
    """Importing the statistics loads no tokenizer."""
    code = "import sys, graphkit.checks.tokens; print('tiktoken' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
