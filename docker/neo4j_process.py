"""A Neo4j server as a process of this machine: started, waited for, stopped with its owner."""

from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from neo4j_maven import (
    ServerError,
    class_path,
    java_command,
    last_lines,
    missing_tools,
    neo4j_version,
)

__all__ = ["Neo4jServer", "ServerError", "answers_bolt", "missing_tools", "write_private"]

USER = "neo4j"
_CONF = {
    "server.default_listen_address": "127.0.0.1",
    "server.bolt.enabled": "true",
    "server.http.enabled": "false",
    "server.https.enabled": "false",
    "dbms.usage_report.enabled": "false",
    "dbms.security.auth_enabled": "true",
    "dbms.security.auth_max_failed_attempts": "0",
    "server.memory.heap.max_size": "512m",
    "server.memory.pagecache.size": "64m",
    "db.tx_log.preallocate": "false",
    "db.tx_log.rotation.retention_policy": "1 files",
    "db.transaction.monitor.check.interval": "100ms",
    "db.shutdown_transaction_end_timeout": "1s",
}
_JVM = (
    "-Xms64m",
    "-Xmx512m",
    "-XX:+UseSerialGC",
    "-XX:+ExitOnOutOfMemoryError",
    *(
        f"--add-opens=java.base/{package}=ALL-UNNAMED"
        for package in ("java.nio", "java.io", "sun.nio.ch", "java.lang")
    ),
)
_HANDSHAKE = bytes.fromhex("6060b017") + struct.pack(">4I", 0x080805, 0x000404, 0, 0)


class Neo4jServer:
    """One Neo4j server on loopback.

    As a context manager it is started at the beginning of the block and stopped at its end.

    Attributes:
        home: Its folder: data, logs, configuration.
        password: The password of the user ``neo4j``.
        port: Its Bolt port, once it was started; it stays the same when it is started again.
    """

    def __init__(
        self,
        home: Path | None = None,
        *,
        password: str | None = None,
        port: int | None = None,
        settings: Mapping[str, str] | None = None,
        jvm: Sequence[str] = (),
    ) -> None:
        """Prepare a server.

        Args:
            home: Its folder; by default a temporary one that is removed when it is stopped.
            password: By default a new random one, or the one that the folder was made with.
            port: Its port; by default a free one.
            settings: More lines of neo4j.conf.
            jvm: More options of Java.
        """
        self._own_home = home is None
        self.home = Path(tempfile.mkdtemp(prefix="graphkit-neo4j-")) if home is None else home
        secret = self.home / "password"
        kept = secret.read_text(encoding="utf-8") if secret.exists() else None
        if password is not None and kept is not None and password != kept:
            raise ServerError(f"{self.home}: was made with another password, kept in {secret}")
        self.password = password or kept or secrets.token_hex(12)
        if len(self.password) < 8:
            raise ServerError("the password is shorter than Neo4j's least length of 8")
        self.port = port
        self.settings = dict(settings or {})
        self.jvm = tuple(jvm)
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def uri(self) -> str:
        """Its address, once it was started."""
        return f"neo4j://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which graphkit finds it."""
        return {
            "NEO4J_URI": self.uri,
            "NEO4J_USERNAME": USER,
            "NEO4J_PASSWORD": self.password,
            "NEO4J_DATABASE": "neo4j",
        }

    def start(self, *, wait: float = 180.0, stays: bool = False) -> Neo4jServer:
        """Start it and wait until it answers Bolt.

        Args:
            wait: The most seconds to wait.
            stays: Leave it running when this process ends; otherwise it goes with it.

        Raises:
            ServerError: It does not come up; the message has the end of its log.
        """
        jars = class_path(neo4j_version())
        self._prepare(jars)
        for attempt in (1, 2, 3):
            port = self.port or _free_port()
            self._write_conf(port)
            self._launch(jars, stays=stays)
            if self._wait(port, wait):
                self.port = port
                return self
            log = self._log_tail()
            self.kill()
            if "Address already in use" not in log or self.port or attempt == 3:
                raise ServerError(f"Neo4j did not come up; the end of its log:\n{log}")
        raise AssertionError("the loop returns or raises")

    def _prepare(self, jars: str) -> None:
        for name in ("conf", "logs", "data"):
            (self.home / name).mkdir(parents=True, exist_ok=True)
        secret = self.home / "password"
        if secret.exists():
            return
        self._write_conf(_free_port())
        tool = ["org.neo4j.cli.AdminTool", "dbms", "set-initial-password", "--", self.password]
        done = self._java(["-Xmx128m", "-XX:TieredStopAtLevel=1"], jars, tool)
        told, _ = done.communicate(timeout=120)
        if done.returncode:
            raise ServerError(
                f"the first password cannot be set:\n{last_lines(told.decode(errors='replace'))}"
            )
        write_private(secret, self.password)

    def _write_conf(self, port: int) -> None:
        conf = {**_CONF, "server.bolt.listen_address": f"127.0.0.1:{port}", **self.settings}
        text = "".join(f"{name}={value}\n" for name, value in conf.items())
        (self.home / "conf" / "neo4j.conf").write_text(text, encoding="utf-8")

    def _java(
        self,
        options: Sequence[str],
        jars: str,
        main: Sequence[str],
        *,
        log: Path | None = None,
        stays: bool = False,
    ) -> subprocess.Popen[bytes]:
        """Start Java with its arguments in a private file, out of the list of processes."""
        java = java_command(os.environ)
        if java is None:
            raise ServerError(missing_tools() or "no Java here")
        arguments = self.home / "conf" / "java.args"
        words = [*options, "-cp", jars, *main]
        write_private(arguments, "".join(f"{_quoted(word)}\n" for word in words))
        with contextlib.ExitStack() as stack:
            out = stack.enter_context(log.open("wb")) if log else subprocess.PIPE
            return subprocess.Popen(
                [java, f"@{arguments}"],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env={
                    **os.environ,
                    "NEO4J_HOME": str(self.home),
                    "NEO4J_CONF": str(self.home / "conf"),
                },
                start_new_session=True,
                preexec_fn=None if stays else _die_with_parent(),
            )

    def _launch(self, jars: str, *, stays: bool) -> None:
        main = [
            "org.neo4j.server.CommunityEntryPoint",
            f"--home-dir={self.home}",
            f"--config-dir={self.home / 'conf'}",
            "--console-mode",
        ]
        log = self.home / "logs" / "console.log"
        self.process = self._java((*_JVM, *self.jvm), jars, main, log=log, stays=stays)

    def _wait(self, port: int, seconds: float) -> bool:
        assert self.process is not None
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                return False
            if answers_bolt(port):
                return True
            time.sleep(0.2)
        return False

    def _log_tail(self) -> str:
        log = self.home / "logs" / "console.log"
        return last_lines(log.read_text(encoding="utf-8", errors="replace"))

    def stop(self) -> None:
        """Stop it, in good order where its data stays; stopping twice is fine."""
        if self._own_home:
            self.kill()
            shutil.rmtree(self.home, ignore_errors=True)
        elif self.process is not None:
            _end(self.process)
            self.process = None

    def kill(self) -> None:
        """Kill it on the spot, as a crash would; its folder stays."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def __enter__(self) -> Neo4jServer:
        try:
            return self.start()
        except BaseException:
            self.stop()
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner may read."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)


def _quoted(word: str) -> str:
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def answers_bolt(port: int) -> bool:
    """Whether a server agrees on a version of Bolt at a port of loopback."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as link:
            link.sendall(_HANDSHAKE)
            return len(link.recv(4)) == 4
    except OSError:
        return False


def _die_with_parent() -> Callable[[], None] | None:
    """Return what makes Linux end a new process when the one that started it is gone."""
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None, use_errno=True)
    end = signal.SIGTERM

    def ask() -> None:
        library.prctl(1, end, 0, 0, 0)

    return ask


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
