#!/usr/bin/env python3
"""Runs a Neo4j Community server on this machine without Docker, from Maven Central.

::

    python3 docker/neo4j_server.py run -- COMMAND ...   a server of its own for one command
    python3 docker/neo4j_server.py start                a server that stays, with its data
    python3 docker/neo4j_server.py status
    python3 docker/neo4j_server.py stop

Needs Python, Java 17 or newer and Maven, nothing else. The version is the one in compose.yaml. The
class path is resolved once and kept; a server listens on loopback only and asks for a password.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType

from neo4j_maven import ServerError, cache_folder, neo4j_version
from neo4j_process import Neo4jServer, answers_bolt, write_private


def _state(home: Path) -> Path:
    return home / "server.json"


def _running(home: Path) -> dict[str, object] | None:
    """Return what is known of the server that stays in a folder, if it runs."""
    state = _state(home)
    if not state.exists():
        return None
    known: dict[str, object] = json.loads(state.read_text(encoding="utf-8"))
    pid, port = known["pid"], known["port"]
    assert isinstance(pid, int)
    assert isinstance(port, int)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    return known if answers_bolt(port) else None


def _start(home: Path, port: int | None) -> int:
    known = _running(home)
    if known is None:
        server = Neo4jServer(home, port=port, password=os.environ.get("NEO4J_PASSWORD"))
        server.start(stays=True)
        assert server.process is not None
        known = {
            "pid": server.process.pid,
            "port": server.port,
            "environment": server.environment,
        }
        write_private(_state(home), json.dumps(known))
    environment = known["environment"]
    assert isinstance(environment, dict)
    for name, value in environment.items():
        print(f"export {name}={shlex.quote(value)}")
    return 0


def _stop(home: Path) -> int:
    known = _running(home)
    if known is None:
        print(f"no server runs in {home}", file=sys.stderr)
        return 1
    pid = known["pid"]
    assert isinstance(pid, int)
    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + 30
    while _running(home) is not None:
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.2)
    _state(home).unlink()
    print(f"stopped; the data stays in {home}", file=sys.stderr)
    return 0


def _status(home: Path) -> int:
    known = _running(home)
    if known is None:
        print(f"no server runs in {home}")
        return 1
    print(f"neo4j {neo4j_version()} at neo4j://127.0.0.1:{known['port']}, process {known['pid']}")
    return 0


@contextlib.contextmanager
def _terminated_politely() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the block as an exception, so that the server is stopped."""

    def leave(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    before = {one: signal.signal(one, leave) for one in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _run(command: Sequence[str], home: Path | None, port: int | None) -> int:
    with _terminated_politely(), Neo4jServer(home, port=port) as server:
        child = subprocess.Popen(command, env={**os.environ, **server.environment})
        try:
            while True:
                try:
                    return child.wait()
                except KeyboardInterrupt:
                    continue  # the command got it too and decides
        finally:
            if child.poll() is None:
                child.terminate()
                child.wait()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    parser = argparse.ArgumentParser(description="Neo4j Community without Docker.")
    parser.add_argument("--home", type=Path, help="its folder; start: kept, run: a temporary one")
    parser.add_argument("--port", type=int, help="its Bolt port; by default a free one")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("start", help="start one that stays; prints variables to export")
    verbs.add_parser("stop", help="stop it; its data stays")
    verbs.add_parser("status", help="say whether it runs")
    run = verbs.add_parser("run", help="run a command with a server of its own")
    run.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND")
    given = parser.parse_args(arguments)
    home: Path = (given.home or cache_folder() / "home").resolve()
    try:
        if given.verb == "run":
            command = given.command[1:] if given.command[:1] == ["--"] else given.command
            if not command:
                parser.error("run needs a command: run -- COMMAND ...")
            return _run(command, given.home and home, given.port)
        if given.verb == "start":
            return _start(home, given.port)
        return _stop(home) if given.verb == "stop" else _status(home)
    except ServerError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
