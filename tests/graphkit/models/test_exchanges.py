"""The log of outside calls: nothing asked twice, nothing lost, nothing mixed, nothing secret."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.errors import ExchangeLogError
from graphkit.models import ExchangeLog, Redactor, exchange_key

ROOT = Path(__file__).resolve().parents[3]
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SCALARS.filter(lambda value: value not in (float("inf"), float("-inf"))),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


class Outside:
    """The outside world: answers and counts."""

    def __init__(self, reply: object = "hello", seconds: float = 0.0) -> None:
        self.reply, self.seconds, self.asked = reply, seconds, 0

    async def __call__(self) -> object:
        self.asked += 1
        await asyncio.sleep(self.seconds)
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def ask(log: ExchangeLog, key: str, outside: Outside, **more: object) -> object:
    return asyncio.run(log.once(key, "search", {"query": key}, outside, **more))


def test_a_stored_reply_is_given_back_without_a_call(tmp_path: Path) -> None:
    """Within a session and in the next one; other keys are asked."""
    path, outside = tmp_path / "log.jsonl", Outside({"a": [1, "ü"]})
    with ExchangeLog.open(path, run="r") as log:
        assert [ask(log, "k", outside) for _ in range(3)] == [{"a": [1, "ü"]}] * 3
    with ExchangeLog.open(path, run="r") as log:
        assert ask(log, "k", outside) == {"a": [1, "ü"]} == log.get("k")
        assert ("k" in log, "other" in log, log.get("other"), len(log)) == (True, False, None, 1)
        assert outside.asked == 1
        ask(log, "other", outside)
    assert outside.asked == 2


def test_a_record_tells_what_was_asked_by_whom_and_what_it_used(tmp_path: Path) -> None:
    """The fields of a record, and the remark that precedes it."""
    path = tmp_path / "log.jsonl"
    used = {"model": "m", "input_tokens": 3, "output_tokens": 2, "money": 0.5}
    with ExchangeLog.open(path, run="r") as log:
        ask(log, "k", Outside("yes"), agent="parse", price=lambda reply: used)
        assert log.record("k")["request"] == {"query": "k"}
    begun, record = lines(path)
    assert (begun["kind"], begun["of"], begun["agent"], begun["key"]) == (
        "begun", "search", "parse", "k",
    )  # fmt: skip
    assert list(record) == [
        "key", "kind", "run", "at", "agent", "seconds", "usage", "request", "reply",
    ]  # fmt: skip
    assert (record["usage"], record["reply"], record["run"]) == (used, "yes", "r")
    with ExchangeLog.open(path, run="r") as log:
        (past,) = log.earlier()
    assert (past.kind, past.agent, past.model, past.calls) == ("search", "parse", "m", 1)
    assert (past.input_tokens, past.output_tokens, past.money) == (3, 2, 0.5)


@given(VALUES)
def test_the_first_reply_is_the_replayed_one(value: object) -> None:
    """Any plain data, half surrogates included, comes back the same from the call and the file."""
    with tempfile.TemporaryDirectory() as folder:
        path, outside = Path(folder) / "log.jsonl", Outside(value)
        with ExchangeLog.open(path, run="r") as log:
            first = ask(log, "k", outside)
        with ExchangeLog.open(path, run="r") as log:
            again = ask(log, "k", outside)
    assert json.dumps(first) == json.dumps(again)
    assert outside.asked == 1


@given(st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=4), st.floats(0, 1))
def test_a_log_cut_anywhere_keeps_every_finished_record(replies: list[str], part: float) -> None:
    """Cut after any byte: whole lines stay, the torn one is counted, and the next line is sound."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        with ExchangeLog.open(path, run="r") as log:
            for number, reply in enumerate(replies):
                ask(log, str(number), Outside(reply))
        whole = path.read_bytes()
        cut = whole[: round(part * len(whole))]
        path.write_bytes(cut)
        kept = cut[: cut.rfind(b"\n") + 1]
        with ExchangeLog.open(path, run="r") as log:
            assert log.torn == len(cut) - len(kept)
            assert path.read_bytes() == kept
            for number, reply in enumerate(replies):
                assert log.get(str(number)) in (None, reply)
            assert len(log) + log.unfinished == kept.count(b"\n") - len(log)
            assert ask(log, "next", Outside("sound")) == "sound"
        assert len(lines(path)) == kept.count(b"\n") + 2


KILLED = """
import asyncio, sys
from graphkit.models import ExchangeLog

async def outside():
    print("called", flush=True)
    return "x" * 500

async def main():
    log = ExchangeLog.open(sys.argv[1], run="r")
    for number in range(100_000):
        await log.once(str(number), "search", {}, outside)
        print("kept", number, flush=True)

asyncio.run(main())
"""


@pytest.mark.parametrize("after", [1, 37, 200])
def test_a_killed_process_loses_no_reply_that_it_was_given(tmp_path: Path, after: int) -> None:
    """kill -9: every reply that was returned is in the log, and the lock is free."""
    path = tmp_path / "log.jsonl"
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        told = []
        for line in process.stdout:
            if not line.endswith("\n"):
                break  # the kill fell into the middle of it
            told.append(line.split())
            if len(told) == after:
                os.kill(process.pid, signal.SIGKILL)
    kept = [item for item in told if item[0] == "kept"]
    with ExchangeLog.open(path, run="r") as log:
        assert all(log.get(number) == "x" * 500 for _, number in kept)
        assert log.unfinished in (0, 1)
        assert len(log) >= len(kept)


def test_a_call_without_an_end_is_counted_until_it_is_made_again(tmp_path: Path) -> None:
    """A begun call that was not answered may have been paid; making it again settles it."""
    path = tmp_path / "log.jsonl"

    async def abandoned() -> None:
        with ExchangeLog.open(path, run="r") as log:
            call = asyncio.ensure_future(log.once("k", "model", {}, Outside(seconds=60)))
            await asyncio.sleep(0.01)
            call.cancel()
            await asyncio.wait((call,))

    asyncio.run(abandoned())
    with ExchangeLog.open(path, run="r") as log:
        assert log.unfinished == 1
        ask(log, "k", Outside())
        assert log.unfinished == 0
    with ExchangeLog.open(path, run="r") as log:
        assert (log.unfinished, len(log)) == (0, 1)


def test_a_call_that_was_retried_and_has_no_end_is_unfinished(tmp_path: Path) -> None:
    """Remarks on retries do not end a call."""
    path = tmp_path / "log.jsonl"
    with ExchangeLog.open(path, run="r") as log:
        log.note("k", "begun", of="model")
        log.note("k", "retried", why="HTTP 500", wait=1)
    with ExchangeLog.open(path, run="r") as log:
        assert log.unfinished == 1
        log.note("k", "failed", error="gone")
    with ExchangeLog.open(path, run="r") as log:
        assert log.unfinished == 0


def test_unfinished_calls_are_told_apart_by_kind(tmp_path: Path) -> None:
    """A model may have to be paid, a page never; what was finished or failed is not counted."""
    path = tmp_path / "log.jsonl"
    with ExchangeLog.open(path, run="r") as log:
        for number, kind in enumerate(("model", "visit", "visit", "search", "model")):
            log.note(f"k{number}", "begun", of=kind)
        log.note("k4", "failed", of="model")
    data = path.read_bytes()
    with ExchangeLog.open(None, run="r") as log:
        assert log.cut_off() == {}
    with ExchangeLog.open(path, run="r") as log:
        assert log.cut_off() == {"model": 1, "search": 1, "visit": 2}
        ask(log, "k1", Outside())
        assert log.cut_off() == {"model": 1, "search": 1, "visit": 1}
        assert log.unfinished == 3
    assert path.read_bytes().startswith(data)


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    """One writer at a time, and the file is free after it."""
    path = tmp_path / "log.jsonl"
    with (
        ExchangeLog.open(path, run="r"),
        pytest.raises(ExchangeLogError, match=r"log.jsonl: another process is writing"),
    ):
        ExchangeLog.open(path, run="r")
    ExchangeLog.open(path, run="r").close()


def test_records_of_another_run_are_refused(tmp_path: Path) -> None:
    """Runs are never mixed, and the file stays as it was."""
    path = tmp_path / "log.jsonl"
    with ExchangeLog.open(path, run="first") as log:
        ask(log, "k", Outside())
    before = path.read_bytes()
    with pytest.raises(ExchangeLogError, match="holds records of run first, expected run second"):
        ExchangeLog.open(path, run="second")
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["hello\n", "hello", '{"a": 1}\n', '{"a": 1}'])
def test_a_file_that_is_no_log_is_refused_and_left_alone(tmp_path: Path, text: str) -> None:
    """What was never a log is not cut, with or without a line break at its end."""
    path = tmp_path / "log.jsonl"
    path.write_text(text, encoding="utf8")
    with pytest.raises(ExchangeLogError, match=r"log.jsonl:1: no record of an exchange"):
        ExchangeLog.open(path, run="r")
    assert path.read_text(encoding="utf8") == text


def test_a_damaged_line_inside_is_an_error_with_its_number(tmp_path: Path) -> None:
    """A line inside that is no record is not passed over."""
    path = tmp_path / "log.jsonl"
    with ExchangeLog.open(path, run="r") as log:
        ask(log, "k", Outside())
    path.write_bytes(b"{}\n" + path.read_bytes())
    with pytest.raises(ExchangeLogError, match=r":1: no record"):
        ExchangeLog.open(path, run="r")


def test_a_damaged_record_is_an_error_when_it_is_read(tmp_path: Path) -> None:
    """A record whose inside is broken is never taken for a reply."""
    path = tmp_path / "log.jsonl"
    with ExchangeLog.open(path, run="r") as log:
        ask(log, "k", Outside())
    path.write_bytes(path.read_bytes().replace(b'"reply":"hello"', b'"reply":"hello'))
    with (
        ExchangeLog.open(path, run="r") as log,
        pytest.raises(ExchangeLogError, match="is damaged"),
    ):
        log.get("k")


def test_a_log_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    """No folder: an error with the path."""
    with pytest.raises(ExchangeLogError, match=r"nowhere/log.jsonl: cannot be opened"):
        ExchangeLog.open(tmp_path / "nowhere" / "log.jsonl", run="r")


def test_a_closed_log_takes_nothing(tmp_path: Path) -> None:
    """Closing twice does no harm; writing after it is an error."""
    log = ExchangeLog.open(tmp_path / "log.jsonl", run="r")
    log.close()
    log.close()
    with pytest.raises(ExchangeLogError, match="the log is closed"):
        log.note("k", "retried")


def test_callers_of_the_same_key_share_one_call() -> None:
    """Fifty at once: one call, one reply for all; one of them leaving does not end it."""
    outside = Outside({"n": 1}, seconds=0.02)

    async def main() -> list[object]:
        with ExchangeLog.open(None, run="r") as log:
            calls = [asyncio.ensure_future(log.once("k", "search", {}, outside)) for _ in range(50)]
            await asyncio.sleep(0.005)
            calls[0].cancel()
            return await asyncio.gather(*calls, return_exceptions=True)

    first, *others = asyncio.run(main())
    assert isinstance(first, asyncio.CancelledError)
    assert others == [{"n": 1}] * 49
    assert outside.asked == 1


def test_a_call_that_nobody_waits_for_is_ended() -> None:
    """When the last caller leaves, the call is cancelled, and the key can be asked again."""
    outside = Outside("late", seconds=0.05)

    async def main() -> object:
        with ExchangeLog.open(None, run="r") as log:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await log.once("k", "search", {}, outside)
            assert "k" not in log
            return await log.once("k", "search", {}, outside)

    assert asyncio.run(main()) == "late"
    assert outside.asked == 2


def test_who_joins_a_call_that_is_being_ended_makes_one_of_its_own() -> None:
    """The cancelling of the last caller is not the cancelling of the next."""
    outside = Outside("late", seconds=0.05)

    async def main() -> object:
        with ExchangeLog.open(None, run="r") as log:
            first = asyncio.ensure_future(log.once("k", "search", {}, outside))
            await asyncio.sleep(0.01)
            first.cancel()
            await asyncio.sleep(0)  # the first has left, its call is not yet ended
            second = asyncio.ensure_future(log.once("k", "search", {}, outside))
            found = await asyncio.gather(first, second, return_exceptions=True)
            assert isinstance(found[0], asyncio.CancelledError)
            return found[1]

    assert asyncio.run(main()) == "late"
    assert outside.asked == 2


def test_an_error_is_raised_to_all_and_not_stored(tmp_path: Path) -> None:
    """What a call raises is no reply: the next one asks again; the log tells of the failure."""
    path, outside = tmp_path / "log.jsonl", Outside(ValueError("broken pipe"), seconds=0.01)

    async def main(log: ExchangeLog) -> list[object]:
        calls = (log.once("k", "search", {}, outside) for _ in range(3))
        return await asyncio.gather(*calls, return_exceptions=True)

    with ExchangeLog.open(path, run="r") as log:
        assert [str(error) for error in asyncio.run(main(log))] == ["broken pipe"] * 3
        assert (outside.asked, "k" in log) == (1, False)
        outside.reply = "sound"
        assert ask(log, "k", outside) == "sound"
    assert [record["kind"] for record in lines(path)] == ["begun", "failed", "begun", "search"]
    with ExchangeLog.open(path, run="r") as log:
        assert log.unfinished == 0


def test_no_secret_is_written_or_returned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys by value, by look and by name: in requests, replies, errors and remarks."""
    monkeypatch.setenv("SEARCH_API_KEY", "correct-horse-battery")
    path = tmp_path / "log.jsonl"
    secrets = ["correct-horse-battery", "sk-abcDEF0123456789xyz", "sk-proj-Ab12_cd34-ef56gh78"]
    request = {"headers": {"Authorization": "whatever"}, "texts": [f"a {s} b" for s in secrets]}
    with ExchangeLog.open(path, run="r") as log:
        reply = asyncio.run(log.once("k", "search", request, Outside({"echo": secrets})))
        with pytest.raises(ValueError):
            ask(
                log, "f", Outside(ValueError(f"wrong key {secrets[0]}, header Bearer abc123def456"))
            )
        log.note("k", "retried", error=f"?api_key=short1&x=1 {secrets[1]}")
    text = path.read_text(encoding="utf8")
    assert reply == {"echo": ["[redacted]"] * 3}
    for secret in [*secrets, "whatever", "abc123def456", "short1"]:
        assert secret not in text
    assert "&x=1" in text


PIECES = st.sampled_from(
    [
        "sk-abcDEF0123456789xyz",
        "ghp_0123456789abcdefghij",
        "Bearer ",
        "abc123def456ghi",
        "?api_key=",
        "&Access-Token=",
        "x y",
        "=",
        '"',
        "\\",
        'known-"secret',
        "Authorization",
        "a",
        "\n",
    ]
)
TEXTS = st.lists(PIECES, max_size=5).map("".join)


@given(
    st.recursive(
        TEXTS | SCALARS,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                TEXTS | st.sampled_from(["Cookie", "API_KEY", "x-api-key"]), inner, max_size=3
            )
        ),
        max_leaves=6,
    )
)
def test_what_raises_no_suspicion_holds_no_secret(value: object) -> None:
    """The quick look at a record never passes one that the thorough one would change."""
    redactor = Redactor(['known-"secret'])
    clean = redactor.data(value)
    text = json.dumps(value, ensure_ascii=False)
    if not redactor.suspects(text):
        assert json.dumps(clean, ensure_ascii=False) == text
    assert redactor.data(clean) == clean


@pytest.mark.parametrize(
    "text",
    [
        "https://news.example/sk-bratislava-election-2026-results",
        "Basic information about bearer shares: Bearer instruments are",
        "the task-force, risk-assessment-framework-2025, disk-0123456789abcdef",
        "https://site.example/article?key=12345&token=abcdef",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    """What only resembles a secret stays: replies are worked with after all."""
    with ExchangeLog.open(None, run="r") as log:
        assert ask(log, "k", Outside(text)) == text


def test_replies_are_not_kept_in_memory(tmp_path: Path) -> None:
    """Half a megabyte a reply, forty of them: the index of the log is all that grows."""
    import tracemalloc

    path = tmp_path / "log.jsonl"
    tracemalloc.start()
    with ExchangeLog.open(path, run="r") as log:
        for number in range(40):
            ask(log, str(number), Outside("x" * 500_000))
        kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert path.stat().st_size > 20_000_000
    assert kept < 4_000_000


@given(st.dictionaries(st.text(min_size=1), VALUES, max_size=4))
def test_a_key_depends_on_values_and_not_on_their_order(parts: dict[str, object]) -> None:
    """Canonical: the same parts in another order give the same key, another part another one."""
    parts.pop("kind", None)
    key = exchange_key("search", **parts)
    assert key == exchange_key("search", **dict(reversed(parts.items())))
    assert len(key) == 64
    assert key != exchange_key("visit", **parts)
    assert key != exchange_key("search", **{**parts, "more": [parts.get("more")]})


def test_importing_loads_no_client() -> None:
    """The types and the log load neither the client nor what it rides on."""
    code = (
        "import graphkit.models, sys;"
        "print([m for m in ('openai', 'httpx2', 'httpx', 'tiktoken') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
