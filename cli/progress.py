"""A line of progress on standard error, for whatever takes more than a second."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import IO

__all__ = ["Progress"]


class Progress:
    """Shows how far a piece of work is, from its second second on.

    On a terminal it is one line that changes and goes away at the end. Elsewhere nothing is
    printed for the first seconds, then a line every few. It may be called with what is done and
    how much there is: ``progress(3, 10)``.

    Args:
        label: What is being done, for instance ``reading facts.tsv``.
        unit: What is counted.
        stream: Where to show it; by default standard error.
        patience: Seconds before the first line, on a terminal.
        every: Seconds before the first line and between lines, elsewhere.
        shown: Whether to show anything at all.
    """

    def __init__(
        self,
        label: str,
        unit: str = "",
        *,
        stream: IO[str] | None = None,
        patience: float = 1.0,
        every: float = 5.0,
        shown: bool = True,
    ) -> None:
        self.label = label
        self.unit = unit
        self.done: int | None = None
        self.total: int | None = None
        self._stream = sys.stderr if stream is None else stream
        self._live = self._stream.isatty()
        self._first, self._step = (patience, 0.2) if self._live else (every, every)
        self._ended = threading.Event()
        self._shown = 0
        self._start = 0.0
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._wanted = shown

    def __call__(self, done: int, total: int | None = None) -> None:
        """Note how much is done, and of how much."""
        self.done, self.total = done, total

    def __enter__(self) -> Progress:
        self._start = time.monotonic()
        if self._wanted:
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        if self._wanted:
            self._thread.join()
        if self._live and self._shown:
            self._write("\r" + " " * self._shown + "\r")

    def _watch(self) -> None:
        pause = self._first
        while not self._ended.wait(pause):
            pause = self._step
            text = self.text(time.monotonic() - self._start)
            if self._live:
                self._write("\r" + text + " " * max(0, self._shown - len(text)))
            else:
                self._write(text + "\n")
            self._shown = max(self._shown, len(text))

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # nobody reads it any more: the work goes on without
            self._ended.set()

    def text(self, seconds: float) -> str:
        """Return the line as it is after some seconds.

        >>> progress = Progress("growing", "questions")
        >>> progress(3, 10)
        >>> progress.text(7.4)
        'growing: 3 of 10 questions, 7 s'
        """
        count = ""
        if self.done is not None:
            of = f" of {self.total:,}" if self.total is not None else ""
            count = f": {self.done:,}{of}{' ' + self.unit if self.unit else ''}"
        return f"{self.label}{count}, {seconds:.0f} s"
