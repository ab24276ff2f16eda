"""The server without Docker: it comes and goes with its command, and says what keeps it away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from neo4j_maven import ServerError, class_path, missing_tools
from neo4j_process import Neo4jServer, answers_bolt

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "docker" / "neo4j_server.py"


def _script(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **env},
    )


def test_missing_tools_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Java or Maven the error says what to install."""
    assert "no Java and no Maven" in (missing_tools({"PATH": str(tmp_path)}) or "")
    (tmp_path / "java").write_text("#!/bin/sh\n")
    (tmp_path / "java").chmod(0o755)
    assert "no Maven here" in (missing_tools({"PATH": str(tmp_path)}) or "")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ServerError, match="apt-get install"):
        class_path("5.26.0", tmp_path / "cache")


def test_a_class_path_is_asked_for_again_when_jars_are_gone(tmp_path: Path) -> None:
    """What was kept counts only while all its files are there."""
    jar = tmp_path / "one.jar"
    jar.write_bytes(b"")
    (tmp_path / "9.9.9.classpath").write_text(str(jar))
    assert class_path("9.9.9", tmp_path) == str(jar)


@pytest.mark.parametrize("arguments", [(), ("run",), ("run", "--"), ("nonsense",)])
def test_wrong_use_is_explained(arguments: tuple[str, ...]) -> None:
    """Without a verb or a command to run the script says how to use it."""
    done = _script(*arguments)
    assert done.returncode == 2
    assert "usage" in done.stderr


def test_a_short_password_is_refused(tmp_path: Path) -> None:
    """A password that Neo4j would refuse is refused before anything is started."""
    done = _script("--home", str(tmp_path), "start", NEO4J_PASSWORD="short")
    assert done.returncode == 1
    assert "least length of 8" in done.stderr


@pytest.mark.neo4j
@pytest.mark.slow
class TestRunning:
    """With Java and Maven."""

    @pytest.fixture(autouse=True)
    def _can_be_started(self, neo4j_server: Mapping[str, str]) -> None:
        """Skip where no server can be had."""

    def test_a_server_that_does_not_come_up(self, tmp_path: Path) -> None:
        """The error has the end of the server's log."""
        server = Neo4jServer(tmp_path, jvm=["-Xmx16m"])
        with pytest.raises(ServerError, match=r"(?s)end of its log:\n.*\w"):
            server.start()
        assert server.process is None

    def test_a_server_stays_until_it_is_stopped(self, tmp_path: Path) -> None:
        """``start`` prints variables to export; ``stop`` ends it; its data and password stay."""
        home = ("--home", str(tmp_path))
        started = _script(*home, "start")
        try:
            assert started.returncode == 0, started.stderr
            lines = dict(
                line.removeprefix("export ").split("=")
                for line in started.stdout.split("\n")
                if line
            )
            port = int(lines["NEO4J_URI"].rpartition(":")[2])
            assert answers_bolt(port)
            assert _script(*home, "start").stdout == started.stdout
            status = _script(*home, "status")
            assert (status.returncode, str(port) in status.stdout) == (0, True)
            assert lines["NEO4J_PASSWORD"] not in status.stdout
        finally:
            stopped = _script(*home, "stop")
        assert stopped.returncode == 0
        assert not answers_bolt(port)
        assert [_script(*home, verb).returncode for verb in ("status", "stop")] == [1, 1]
        assert Neo4jServer(tmp_path).password == lines["NEO4J_PASSWORD"]
        with pytest.raises(ServerError, match="another password"):
            Neo4jServer(tmp_path, password="another-password")

    def test_a_server_goes_with_its_command(self) -> None:
        """The command gets address and login; its exit code is handed on; the server is gone."""
        code = (
            "import os; print(os.environ['NEO4J_URI'], len(os.environ['NEO4J_PASSWORD'])); exit(7)"
        )
        done = _script("run", "--", sys.executable, "-c", code)
        assert done.returncode == 7, done.stderr
        address, length = done.stdout.split()
        assert int(length) >= 8
        assert not answers_bolt(int(address.rpartition(":")[2]))

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
    def test_a_server_goes_with_an_interrupted_script(self, number: signal.Signals) -> None:
        """Interrupted, terminated or killed, the script leaves no server behind."""
        code = (
            "import os, time\n"
            "print(os.environ['NEO4J_URI'], os.getpid(), flush=True)\n"
            "time.sleep(60)"
        )
        script = subprocess.Popen(
            [sys.executable, str(SCRIPT), "run", "--", sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert script.stdout is not None
        address, command = script.stdout.readline().split()
        port = int(address.rpartition(":")[2])
        assert answers_bolt(port)
        if number is signal.SIGINT:
            os.killpg(script.pid, number)  # as a terminal does: the command gets it too
        else:
            script.send_signal(number)
        script.wait(timeout=60)
        deadline = time.monotonic() + 30
        while answers_bolt(port):
            assert time.monotonic() < deadline, "the server is still there"
            time.sleep(0.1)
        if number is signal.SIGKILL:
            os.kill(int(command), signal.SIGKILL)
        script.stdout.close()
