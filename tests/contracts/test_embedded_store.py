"""The embedded store keeps the contract, locks, survives kills and names what is wrong with it."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import kglite
import pytest

from graphkit.errors import (
    StoreError,
    StoreLockedError,
    StoreReadOnlyError,
    StoreVersionError,
)
from graphkit.evidence import EvidenceRecord
from graphkit.stores import (
    GraphStore,
    counts,
    load_evidence,
    load_triples,
    open_store,
    read_facts,
)
from graphkit.stores.embedded import EmbeddedStore
from graphkit.testing.store_contract import StoreContract, exported

ROOT = Path(__file__).parents[2]


class TestEmbeddedStore(StoreContract):
    """The contract, on kglite."""

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self._paths = (tmp_path / f"{number}.db" for number in itertools.count())

    @contextlib.contextmanager
    def empty_store(self) -> Iterator[GraphStore]:
        with EmbeddedStore.open(next(self._paths), durable="normal") as store:
            yield store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "store.db"
    with open_store(place) as store:
        load_triples(store, [("a", "r", "b"), ("b", "r", "c")])
    return place


def test_what_was_committed_is_there_after_reopening(path: Path) -> None:
    """A closed store opens again with the same content."""
    with open_store(path) as store:
        assert counts(store)["facts"] == 2
        assert read_facts(store).names(read_facts(store).named("a")) == ["a"]


def test_an_open_store_is_locked_for_other_writers(path: Path) -> None:
    """A second writer in this process or another one is refused, with path and holder."""
    with open_store(path):
        with pytest.raises(StoreLockedError, match=r"store\.db.*this process"):
            open_store(path)
        code = (
            "from graphkit.stores import open_store\n"
            "from graphkit.errors import StoreLockedError\n"
            f"try: open_store({str(path)!r})\n"
            "except StoreLockedError as error: print(error)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
        )
        assert f"store.db: process {os.getpid()} has the store open" in done.stdout
    open_store(path).close()


def test_readers_see_all_commits_beside_a_writer(path: Path) -> None:
    """Any number of readers can open the store, and see what the writer committed till then."""
    with open_store(path) as writer:
        load_triples(writer, [("c", "r", "d")])
        with open_store(path, read_only=True) as one, open_store(path, read_only=True) as two:
            assert counts(one)["facts"] == counts(two)["facts"] == 3
            load_triples(writer, [("d", "r", "e")])
            assert counts(one)["facts"] == 3


def test_a_reader_cannot_write(path: Path) -> None:
    """Every way to write through a handle for reading is refused."""
    with open_store(path, read_only=True) as store:
        assert store.capabilities().read_only
        for write in (
            lambda: store.write("CREATE (e:Entity {id: 'x'})"),
            lambda: store.bulk_nodes("Entity", [{"id": "x"}]),
            lambda: load_triples(store, [("x", "r", "y")]),
        ):
            with pytest.raises(StoreReadOnlyError, match="reading only"):
                write()


def test_a_read_only_file_or_folder_is_named(path: Path) -> None:
    """A store that cannot be written is an error of its own; it can still be read."""
    path.chmod(0o444)
    with pytest.raises(StoreReadOnlyError, match="the file is read-only"):
        open_store(path)
    with open_store(path, read_only=True) as store:
        assert counts(store)["facts"] == 2
    path.parent.chmod(0o555)
    try:
        with pytest.raises(StoreReadOnlyError, match="folder"):
            open_store(path.parent / "new.db")
    finally:
        path.parent.chmod(0o755)


def test_another_schema_version_is_refused(path: Path) -> None:
    """A store of another version is refused, with both versions and a way out."""
    with open_store(path) as store:
        store.write("MATCH (s:Store {id: 'graphkit'}) SET s.schema_version = 99")
    for read_only in (False, True):
        with pytest.raises(StoreVersionError, match=r"schema version 99.*expected version 1"):
            open_store(path, read_only=read_only)


def test_another_version_of_the_engine_is_refused(path: Path) -> None:
    """A file of a later version of the engine is a version error too."""
    data = bytearray(path.read_bytes())
    data[3] = 99
    path.write_bytes(data)
    with pytest.raises(StoreVersionError):
        open_store(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "an empty file"),
        (b"PK\x03\x04 something else", "a file of another kind"),
        (b"RGF\x08", "damaged"),
    ],
)
def test_a_file_that_is_no_store_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    """Files of other kinds, empty and broken ones are store errors with the path."""
    place = tmp_path / "other.db"
    place.write_bytes(content)
    for read_only in (False, True):
        with pytest.raises(StoreError, match=rf"other\.db: .*{message}"):
            open_store(place, read_only=read_only)
    assert place.read_bytes() == content


def test_a_cut_file_is_a_store_error(path: Path) -> None:
    """A store file that lost its end is an error, not a crash."""
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(StoreError, match=r"store\.db"):
        open_store(path)


def test_a_graph_of_somebody_else_is_refused(tmp_path: Path) -> None:
    """A graph of the same engine that graphkit did not write is left alone."""
    place = tmp_path / "foreign.db"
    with kglite.open(str(place)) as graph:
        graph.cypher("CREATE (n:Thing {id: 1})")
    before = place.read_bytes()
    for read_only in (False, True):
        with pytest.raises(StoreError, match="did not write"):
            open_store(place, read_only=read_only)
    assert place.read_bytes() == before


def test_places_where_no_store_can_be(tmp_path: Path) -> None:
    """A folder, a missing folder, a missing store to read and an unknown scheme are named."""
    for place, read_only, message in (
        (tmp_path, False, "a folder"),
        (tmp_path / "no" / "s.db", False, "does not exist"),
        (tmp_path / "none.db", True, "there is no store"),
        ("ftp://host/s", False, "no kind of store 'ftp'"),
    ):
        with pytest.raises(StoreError, match=message):
            open_store(place, read_only=read_only)


def test_a_closed_store_says_so(path: Path) -> None:
    """Closing twice is fine; using a closed store is an error."""
    store = open_store(path)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.read("RETURN 1 AS x")


def test_what_a_killed_writer_committed_can_be_read_without_writing(path: Path) -> None:
    """A reader gets the commits in the log of a killed writer, in a folder it cannot write too."""
    code = (
        "import os\nfrom graphkit.stores import load_triples, open_store\n"
        f"store = open_store({str(path)!r})\n"
        "load_triples(store, [('x', 'r', 'y')])\nos.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    path.parent.chmod(0o555)
    try:
        with open_store(path, read_only=True) as store:
            assert counts(store)["facts"] == 3
    finally:
        path.parent.chmod(0o755)
    with open_store(path, read_only=True) as store:
        assert counts(store)["facts"] == 3
    with open_store(path) as store:
        assert counts(store)["facts"] == 3


# ---- killed in the middle of a load -------------------------------------------------------------

_RECORDS = 1200
_BATCH = 40
_LOADER = """
import sys
from graphkit.stores import load_evidence, open_store
from tests_records import records
store = open_store(sys.argv[1])
print("open", flush=True)
load_evidence(store, records(), batch={batch}, progress=lambda done, total: print(done, flush=True))
store.close()
print("closed", flush=True)
"""
_MADE = """
from graphkit.evidence import EvidenceRecord
def records():
    return [
        EvidenceRecord(evidence_id=f"e{{n}}", head_entity=f"h{{n % 97}}", relation=f"r{{n % 5}}",
                       tail_entity=f"t{{n % 61}}", source_url="https://example.org/")
        for n in range({number})
    ]
"""


@pytest.mark.slow
def test_kill_in_the_middle_of_a_load_twenty_times(tmp_path: Path) -> None:
    """Killed at 20 random moments nothing acknowledged is lost, and a second load completes."""
    (tmp_path / "tests_records.py").write_text(_MADE.format(number=_RECORDS))
    space: dict[str, object] = {}
    exec(_MADE.format(number=_RECORDS), space)  # noqa: S102 - the same source as the loader's
    records: list[EvidenceRecord] = space["records"]()  # type: ignore[operator]
    with open_store(tmp_path / "whole.db") as store:
        started = time.monotonic()
        load_evidence(store, records, batch=_BATCH)
        typical = time.monotonic() - started
        whole = (counts(store), exported(store))
    chance = random.Random(20)
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"}
    midway = 0
    for number in range(20):
        place = tmp_path / f"{number}.db"
        loader = subprocess.Popen(
            [sys.executable, "-c", _LOADER.format(batch=_BATCH), str(place)],
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert loader.stdout is not None
        assert loader.stdout.readline() == "open\n"
        time.sleep(chance.uniform(0, 1.1 * typical))
        loader.kill()
        told = loader.stdout.read().split()
        loader.wait()
        loader.stdout.close()
        acknowledged = max((int(word) for word in told if word.isdigit()), default=0)
        with open_store(place, read_only=True) as store:
            found = counts(store)["evidence"]
            assert found >= acknowledged
            assert found % _BATCH == 0
            ends = store.read(
                "MATCH (:Entity)<-[:HEAD]-(v:Evidence)-[:TAIL]->(:Entity) RETURN count(v) AS n"
            )
            assert ends.value() == found
            midway += 0 < found < _RECORDS
        with open_store(place) as store:
            assert load_evidence(store, records, batch=_BATCH) == _RECORDS - found
            assert (counts(store), exported(store)) == whole
    assert midway >= 5, "the kills hardly ever met a load at work"
