"""The one careful reader of text files: encodings, gzip, line numbers, limits, standard input."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from graphkit.errors import FormatError, Problem, did_you_mean

__all__ = [
    "MAX_DOCUMENT_BYTES",
    "MAX_LINE_BYTES",
    "Line",
    "TextSource",
    "as_source",
    "open_source",
    "plain_suffix",
]

MAX_LINE_BYTES = 32 * 1024 * 1024
"""The longest line that is read, in bytes."""

MAX_DOCUMENT_BYTES = 512 * 1024 * 1024
"""The longest document that is read as a whole, in bytes."""

_HEAD_BYTES = 8192
_GZIP_MAGIC = b"\x1f\x8b"
_UTF8_BOM = b"\xef\xbb\xbf"
_OTHER_BOMS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


class Line(NamedTuple):
    """One line of a file, without its line break.

    Attributes:
        number: Its number, from 1.
        text: What it says.
    """

    number: int
    text: str


def plain_suffix(path: str | os.PathLike[str]) -> str:
    """Return the suffix of a file name in lower case, a final ``.gz`` left out.

    >>> plain_suffix("facts.TSV.gz"), plain_suffix("q.jsonl"), plain_suffix("-")
    ('.tsv', '.jsonl', '')
    """
    path = Path(path)
    return Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()


def open_source(path: str | os.PathLike[str]) -> TextSource:
    """Open a text file, a gzip file by its suffix, or standard input for ``-``.

    Raises:
        FormatError: There is no such file, it is a directory, or it cannot be read.
    """
    name = os.fspath(path)
    if name == "-":
        return TextSource(_standard_input(), "<stdin>", closes=False)
    try:
        raw: IO[bytes] = open(name, "rb")  # noqa: SIM115 - the source closes it
    except FileNotFoundError:
        raise FormatError(
            Problem(f"no such file{_neighbour(name)}", code="missing", file=name)
        ) from None
    except IsADirectoryError:
        raise FormatError(
            Problem("is a directory, expected a file", code="directory", file=name)
        ) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise FormatError(Problem(f"cannot be read: {reason}", code="unreadable", file=name)) from (
            None
        )
    if Path(name).suffix.lower() == ".gz":
        return TextSource(io.BufferedReader(_Gunzip(raw)), name)
    return TextSource(raw, name)


class _Gunzip(gzip.GzipFile):
    """A gzip reader that closes the file below it."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        super().__init__(fileobj=raw, mode="rb")

    def close(self) -> None:
        super().close()
        self._raw.close()


def _standard_input() -> IO[bytes]:
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        return io.BytesIO(sys.stdin.read().encode())
    return stream  # type: ignore[no-any-return]


def _neighbour(name: str) -> str:
    path = Path(name)
    try:
        others = [item.name for item in path.parent.iterdir()]
    except OSError:
        return "" if path.parent == Path() else f": the folder {path.parent} cannot be listed"
    return did_you_mean(path.name, others)


class TextSource:
    """A text that is read once, line by line or as a whole, with exact places for errors.

    Use it as a context manager, or let :meth:`lines` and :meth:`text` close it at their end.

    Attributes:
        name: What errors call it.

    >>> source = TextSource.of("one\\ntwo\\n", "x.txt")
    >>> [(line.number, line.text) for line in source.lines()]
    [(1, 'one'), (2, 'two')]
    """

    def __init__(self, stream: IO[bytes], name: str, *, closes: bool = True) -> None:
        self._stream: Any = stream
        self._closes = closes
        self.name = name

    @classmethod
    def of(cls, text: str, name: str = "<text>") -> TextSource:
        """Return a source that reads from a string."""
        return cls(io.BytesIO(text.encode("utf-8", "surrogatepass")), name)

    def __enter__(self) -> TextSource:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close what lies below; standard input stays open."""
        if self._closes:
            self._stream.close()

    def head(self) -> str:
        """Return the beginning of the text without consuming it, at most 8 KiB.

        Raises:
            FormatError: The file is not gzip, or has another encoding.
        """
        data = self._guard(1, self._peek)
        self._check_start(data)
        return data.removeprefix(_UTF8_BOM).decode("utf-8", "ignore")

    def lines(self, max_bytes: int = MAX_LINE_BYTES) -> Iterator[Line | Problem]:
        """Yield every line; a line that cannot be read comes as a problem, and reading goes on.

        Args:
            max_bytes: The longest line that is accepted, in bytes.

        Raises:
            FormatError: The file is empty, has another encoding or is broken gzip.
        """
        with self:
            number = 0
            offset = 0
            blank = True
            while True:
                number += 1
                data = self._guard(number, lambda: self._stream.readline(max_bytes + 1))
                if not data:
                    break
                start = offset
                offset += len(data)
                if number == 1:
                    self._check_start(data)
                    if data.startswith(_UTF8_BOM):
                        data = data[len(_UTF8_BOM) :]
                        start += len(_UTF8_BOM)
                if len(data) > max_bytes and not data.endswith(b"\n"):
                    offset += self._skip_line(number)
                    blank = False
                    yield self._too_long(number, offset - start, max_bytes)
                    continue
                line = self._decode(data, number, start)
                if isinstance(line, Problem) or line.text.strip():
                    blank = False
                yield line
            if blank:
                what = "is empty" if offset == 0 else "holds only blank lines"
                raise FormatError(Problem(what, code="empty", file=self.name))

    def text(self, max_bytes: int = MAX_DOCUMENT_BYTES) -> str:
        """Return the whole text, with ``\\n`` as the only line break.

        Args:
            max_bytes: The longest document that is accepted, in bytes; its lines may be
                :data:`MAX_LINE_BYTES` long.

        Raises:
            FormatError: Anything is wrong with it.
        """
        parts: list[str] = []
        size = 0
        for line in self.lines():
            if isinstance(line, Problem):
                self.close()
                raise FormatError(line)
            size += len(line.text)
            if size > max_bytes:
                self.close()
                raise FormatError(
                    Problem(
                        f"longer than {_bytes(max_bytes)}, expected JSONL for that much",
                        code="too_long",
                        file=self.name,
                        line=line.number,
                    )
                )
            parts.append(line.text)
        return "\n".join(parts)

    def _peek(self) -> bytes:
        stream = self._stream
        if not hasattr(stream, "peek"):
            if stream.seekable():
                place = stream.tell()
                data: bytes = stream.read(_HEAD_BYTES)
                stream.seek(place)
                return data
            self._stream = stream = io.BufferedReader(stream)
        peeked: bytes = stream.peek(_HEAD_BYTES)
        return peeked[:_HEAD_BYTES]

    def _guard(self, line: int, read: Callable[[], bytes]) -> bytes:
        try:
            return read()
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            why = "the file ends too early" if isinstance(error, EOFError) else str(error)
            raise FormatError(
                Problem(
                    f"broken gzip: {why}",
                    code="gzip",
                    file=self.name,
                    line=line if line > 1 else None,
                )
            ) from error
        except OSError as error:
            raise FormatError(
                Problem(f"cannot be read: {error.strerror}", code="unreadable", file=self.name)
            ) from error

    def _check_start(self, data: bytes) -> None:
        if data.startswith(_GZIP_MAGIC):
            raise FormatError(
                Problem(
                    "is compressed with gzip, expected text or the suffix .gz",
                    code="gzip",
                    file=self.name,
                )
            )
        for mark, encoding in _OTHER_BOMS:
            if data.startswith(mark):
                raise FormatError(
                    Problem(f"is {encoding}, expected UTF-8", code="encoding", file=self.name)
                )
        start = data[:64]
        if len(start) >= 4 and (not any(start[::2]) or not any(start[1::2])):
            raise FormatError(
                Problem(
                    "every other byte is NUL, so it seems to be UTF-16; expected UTF-8",
                    code="encoding",
                    file=self.name,
                )
            )

    def _decode(self, data: bytes, number: int, start: int) -> Line | Problem:
        place = data.find(b"\x00")
        if place >= 0:
            return Problem(
                f"a NUL byte at byte {start + place} of the file, expected text",
                code="nul",
                file=self.name,
                line=number,
            )
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            byte = data[error.start]
            return Problem(
                f"not UTF-8: byte 0x{byte:02x} at byte {start + error.start} of the file "
                f"({error.reason})",
                code="encoding",
                file=self.name,
                line=number,
            )
        return Line(number, text.removesuffix("\n").removesuffix("\r"))

    def _skip_line(self, number: int) -> int:
        size = 0
        while True:
            data = self._guard(number, lambda: self._stream.readline(1 << 20))
            size += len(data)
            if not data or data.endswith(b"\n"):
                return size

    def _too_long(self, number: int, size: int, limit: int) -> Problem:
        return Problem(
            f"a line of {_bytes(size)}, expected at most {_bytes(limit)}",
            code="too_long",
            file=self.name,
            line=number,
        )


def _bytes(size: int) -> str:
    return f"{size / 1024 / 1024:.0f} MiB" if size >= 1024 * 1024 else f"{size} bytes"


@contextlib.contextmanager
def as_source(source: str | os.PathLike[str] | TextSource) -> Iterator[TextSource]:
    """Open a path, or take a source that is open already; closed at the end either way."""
    opened = source if isinstance(source, TextSource) else open_source(source)
    with opened:
        yield opened
