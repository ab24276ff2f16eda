"""A Neo4j server that dies in the middle of a load, takes no writes, or asks for no login."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from neo4j_process import Neo4jServer

from graphkit.errors import StoreReadOnlyError
from graphkit.evidence import EvidenceRecord
from graphkit.stores import counts, load_evidence, open_store
from graphkit.stores.neo4j import Neo4jStore
from graphkit.testing.store_contract import exported

pytestmark = [pytest.mark.neo4j, pytest.mark.slow]

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _can_be_started(neo4j_server: Mapping[str, str]) -> None:
    """Skip where no server can be had."""


def _records(number: int) -> list[EvidenceRecord]:
    return [
        EvidenceRecord(
            evidence_id=f"e{n}",
            head_entity=f"h{n % 97}",
            relation=f"r{n % 5}",
            tail_entity=f"t{n % 61}",
            source_url="https://example.org/",
        )
        for n in range(number)
    ]


_LOADER = """
import sys
from graphkit.errors import StoreError
from graphkit.stores import load_evidence
from graphkit.stores.neo4j import Neo4jStore
from test_records import records
with Neo4jStore.open(sys.argv[1], retry_seconds=float(sys.argv[2])) as store:
    print("open", flush=True)
    try:
        load_evidence(store, records(), batch=40, progress=lambda done, _: print(done, flush=True))
    except StoreError as error:
        print("error:", error, flush=True)
        sys.exit(1)
print("loaded", flush=True)
"""
_BATCH = 40
_NUMBER = 1600


class _Load:
    """A load in a process of its own, which tells how far it is."""

    def __init__(self, server: Neo4jServer, folder: Path, retry_seconds: float):
        (folder / "test_records.py").write_text(
            "from graphkit.evidence import EvidenceRecord\n\ndef records():\n    return [\n"
            "        EvidenceRecord(evidence_id=f'e{n}', head_entity=f'h{n % 97}',\n"
            "            relation=f'r{n % 5}', tail_entity=f't{n % 61}',\n"
            "            source_url='https://example.org/')\n"
            f"        for n in range({_NUMBER})\n    ]\n"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", _LOADER, server.uri, str(retry_seconds)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **server.environment, "PYTHONPATH": f"{folder}:{ROOT}"},
        )

    def until(self, done: int) -> int:
        """Read on until that many records are acknowledged; return how many are."""
        assert self.process.stdout is not None
        told = 0
        while told < done:
            line = self.process.stdout.readline().strip()
            assert line, "the load ended early"
            told = int(line) if line.isdigit() else told
        return told

    def end(self) -> tuple[list[str], int]:
        """Wait for its end; return the lines left and the exit code."""
        assert self.process.stdout is not None
        lines = self.process.stdout.read().splitlines()
        self.process.stdout.close()
        return lines, self.process.wait()


def test_a_server_killed_in_the_middle_of_a_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clear error, whole batches only, nothing acknowledged lost; the rerun completes.

    The rerun is met by a kill too: with time to try again it waits for the server and goes on. The
    same server made read-only names that, and needs no login where it asks for none.
    """
    records = _records(_NUMBER)
    server = Neo4jServer(tmp_path / "home", jvm=["-XX:TieredStopAtLevel=1"])
    try:
        server.start()
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        load = _Load(server, tmp_path, retry_seconds=0)
        acknowledged = load.until(400)
        server.kill()
        lines, code = load.end()
        assert code == 1
        assert f"{server.uri}/neo4j: " in lines[-1]
        assert "cannot be reached" in lines[-1] or "is not known" in lines[-1]
        assert server.password not in "".join(lines)

        server.start()
        with Neo4jStore.open(server.uri) as store:
            found = counts(store)["evidence"]
            assert acknowledged <= found < _NUMBER
            assert found % _BATCH == 0
            ends = store.read(
                "MATCH (:Entity)<-[:HEAD]-(v:Evidence)-[:TAIL]->(:Entity) RETURN count(v) AS n"
            )
            assert ends.value() == found

        load = _Load(server, tmp_path, retry_seconds=180)
        load.until(_BATCH)
        server.kill()
        server.settings["dbms.security.auth_enabled"] = "false"
        server.start()
        lines, code = load.end()
        assert (lines[-1], code) == ("loaded", 0)
        for name in server.environment:
            monkeypatch.delenv(name)
        with Neo4jStore.open(server.uri) as store:
            assert store.capabilities().location == f"{server.uri}/neo4j"
            assert load_evidence(store, records) == 0
            whole = counts(store), exported(store)
        with open_store(tmp_path / "embedded.db") as embedded:
            load_evidence(embedded, records)
            assert (counts(embedded), exported(embedded)) == whole

        server.kill()
        server.settings["server.databases.default_to_read_only"] = "true"
        server.start()
        with Neo4jStore.open(server.uri) as store:
            assert counts(store)["evidence"] == _NUMBER
            for write in (
                lambda: store.write("CREATE (e:Entity {id: 'x'})"),
                lambda: store.bulk_nodes("Entity", [{"id": "x", "name": "x"}]),
                lambda: load_evidence(store, _records(_NUMBER + 1)),
            ):
                with pytest.raises(StoreReadOnlyError, match="takes no writes"):
                    write()
    finally:
        server.stop()
