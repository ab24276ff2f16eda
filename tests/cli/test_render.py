"""Tables, texts and progress."""

from __future__ import annotations

import io
import time

from cli.progress import Progress
from cli.render import cut, table, visible, width


def test_columns_line_up_in_any_script() -> None:
    """Wide and combining characters take the columns that a terminal gives them."""
    lines = table(["name", "n"], [["日本", 1], ["cafe\u0301", 22], ["é", 333]]).splitlines()
    assert [width(line) for line in lines] == [10 - 1] * 5
    assert lines[2] == "日本    1"


def test_numbers_are_flush_right_and_missing_values_shown() -> None:
    """Numbers are set right, None is a dash, truth values are words."""
    lines = table(["a", "b", "c"], [[1, None, True], [None, 2.5, False]]).splitlines()
    assert lines == ["a    b  c", "-  ---  ---", "1    -  yes", "-  2.5  no"]


def test_empty_table() -> None:
    """A table without rows is its head."""
    assert table(["name"], []) == "name\n----"


def test_nothing_moves_the_cursor() -> None:
    """Control characters and changes of direction are written out."""
    assert visible("a\r\x1b[2J\x00\u202eb\u2028") == "a\\r\\x1b[2J\\x00\\u202eb\\u2028"
    assert visible("plain 日本 😀 é") == "plain 日本 😀 é"


def test_cut() -> None:
    """A text is cut to a number of columns, with an ellipsis."""
    assert cut("abcdef", 4) == "abc…"
    assert cut("日本語", 5) == "日本…"
    assert cut("abc", 3) == cut("abc", None) == "abc"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_elsewhere_is_silent_at_first_then_lines() -> None:
    """In a file or a pipe progress is a line now and then, none at first."""
    stream = io.StringIO()
    with Progress("work", "steps", stream=stream, every=30) as told:
        told(1, 2)
    assert stream.getvalue() == ""
    with Progress("work", "steps", stream=stream, every=0.02) as told:
        told(1, 2)
        time.sleep(0.2)
    lines = stream.getvalue().splitlines()
    assert len(lines) >= 2
    assert set(lines) == {"work: 1 of 2 steps, 0 s"}


def test_progress_on_a_terminal_goes_away() -> None:
    """On a terminal it is one line that changes, and is wiped at the end."""
    stream = _Terminal()
    with Progress("work", stream=stream, patience=0.02) as told:
        told(1)
        time.sleep(0.1)
    shown = stream.getvalue()
    assert "\rwork: 1, 0 s" in shown
    assert "\n" not in shown
    assert shown.endswith(" \r")


def test_progress_can_be_switched_off() -> None:
    """With progress off nothing is ever shown."""
    stream = io.StringIO()
    with Progress("work", stream=stream, every=0.01, shown=False):
        time.sleep(0.05)
    assert stream.getvalue() == ""


def test_progress_survives_a_stream_that_is_gone() -> None:
    """Progress to a closed stream does not stop the work."""
    stream = io.StringIO()
    with Progress("work", stream=stream, every=0.01) as progress:
        stream.close()
        time.sleep(0.05)
    assert not progress._thread.is_alive()
