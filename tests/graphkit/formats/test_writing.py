"""Writing of output files: all or nothing, and always the same bytes."""

from __future__ import annotations

import gzip
import os
import stat
import time
from pathlib import Path

import pytest

from graphkit.errors import InputError, OperationError, UnsupportedError
from graphkit.formats.writing import atomic_writer, write_bytes, write_text


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    """When writing fails half way the old content stands and no part file is left."""
    path = tmp_path / "x.txt"
    path.write_text("old")

    def parts():  # type: ignore[no-untyped-def]
        yield "new"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_text(path, parts())
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["x.txt"]


def test_gzip_bytes_do_not_depend_on_time_or_name(tmp_path: Path) -> None:
    """The same text gives the same compressed bytes, whenever and under whatever name."""
    write_text(tmp_path / "a.gz", ["one\n"])
    time.sleep(1.1)
    write_text(tmp_path / "b.gz", ["one\n"])
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"one\n"


def test_mode_and_link_of_the_old_file_stay(tmp_path: Path) -> None:
    """A file keeps its permissions, and a link still points to the file that it names."""
    path, link = tmp_path / "x.txt", tmp_path / "link.txt"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_text(link, ["new"])
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    """A new file is readable as the umask of the user says."""
    old = os.umask(0o022)
    try:
        write_bytes(tmp_path / "x", b"1")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o644


def test_a_dash_is_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """A dash writes to standard output."""
    write_text("-", ["one\n"])
    assert capfdbinary.readouterr().out == b"one\n"


def test_a_device_is_written_and_not_replaced() -> None:
    """/dev/null stays a device."""
    write_text("/dev/null", ["one\n"])
    assert not stat.S_ISREG(os.stat("/dev/null").st_mode)


def test_a_missing_folder_and_a_directory_are_errors(tmp_path: Path) -> None:
    """The error says which folder is missing, or that the path is a directory."""
    with pytest.raises(InputError, match="there is no folder"):
        write_text(tmp_path / "no" / "x.txt", ["one"])
    with pytest.raises(InputError, match="is a directory, expected a file"):
        write_text(tmp_path, ["one"])


def test_a_full_or_forbidden_disk_is_a_failure() -> None:
    """What the system refuses is an operation error that names the file."""
    with pytest.raises(OperationError, match=r"^/dev/full: cannot be written: No sp"):
        write_text("/dev/full", ["one"])
    with pytest.raises(InputError, match=": cannot be written: File name too long"):
        write_text("x" * 300, ["one"])


def test_half_a_surrogate_pair_is_refused(tmp_path: Path) -> None:
    """Text that UTF-8 cannot carry is an error, and nothing is written."""
    with pytest.raises(UnsupportedError, match="surrogate"):
        write_text(tmp_path / "x.txt", ["\ud800"])
    assert os.listdir(tmp_path) == []


def test_the_name_is_taken_at_the_end(tmp_path: Path) -> None:
    """While writing goes on the file does not exist."""
    path = tmp_path / "x.txt"
    with atomic_writer(path) as stream:
        stream.write(b"one")
        assert not path.exists()
    assert path.read_bytes() == b"one"
