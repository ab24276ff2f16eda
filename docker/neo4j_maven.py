"""The jars of Neo4j Community from Maven Central: which version, and where they are."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

__all__ = [
    "ServerError",
    "cache_folder",
    "class_path",
    "java_command",
    "last_lines",
    "missing_tools",
    "neo4j_version",
]

COMPOSE = Path(__file__).with_name("compose.yaml")
_IMAGE = re.compile(r"^\s*image:\s*neo4j:(\d+\.\d+\.\d+)-community\s*$", re.MULTILINE)
_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:build-classpath"
_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>graphkit</groupId><artifactId>neo4j-server</artifactId><version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.neo4j</groupId><artifactId>neo4j</artifactId>
      <version>{version}</version></dependency>
    <dependency><groupId>org.neo4j.app</groupId><artifactId>neo4j-server</artifactId>
      <version>{version}</version></dependency>
  </dependencies>
</project>
"""


class ServerError(Exception):
    """The server cannot be had; the message says why and what to do."""


def neo4j_version(compose: Path = COMPOSE) -> str:
    """Return the version of Neo4j, which stands in the compose file and nowhere else."""
    found = _IMAGE.search(compose.read_text(encoding="utf-8"))
    if found is None:
        raise ServerError(f"{compose}: no line 'image: neo4j:X.Y.Z-community'")
    return found[1]


def missing_tools(env: Mapping[str, str] | None = None) -> str | None:
    """Say what this machine lacks to run a server, or None."""
    env = os.environ if env is None else env
    lacking = [
        name for name, found in (("Java", java_command(env)), ("Maven", _maven(env))) if not found
    ]
    if not lacking:
        return None
    return (
        f"no {' and no '.join(lacking)} here, expected Java 17 or newer and Maven "
        "(Debian: apt-get install openjdk-17-jre-headless maven)"
    )


def java_command(env: Mapping[str, str]) -> str | None:
    """Return the Java to use: the one in JAVA_HOME, else the first on the path."""
    if env.get("JAVA_HOME"):
        place = shutil.which("java", path=str(Path(env["JAVA_HOME"]) / "bin"))
        if place:
            return place
    return shutil.which("java", path=env.get("PATH"))


def _maven(env: Mapping[str, str]) -> str | None:
    return shutil.which("mvn", path=env.get("PATH"))


def cache_folder() -> Path:
    """Return the folder in which class paths, and servers that stay, are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "graphkit" / "neo4j"


def class_path(version: str, cache: Path | None = None) -> str:
    """Return the class path of the server; Maven is asked once, then the answer is kept.

    Args:
        version: The version of Neo4j.
        cache: Where the answer is kept; by default in the user's cache folder.

    Raises:
        ServerError: A tool is missing, or Maven cannot resolve it.
    """
    kept = (cache or cache_folder()) / f"{version}.classpath"
    if kept.exists():
        path = kept.read_text(encoding="utf-8").strip()
        if path and all(Path(jar).exists() for jar in path.split(os.pathsep)):
            return path
    lacking = missing_tools()
    if lacking:
        raise ServerError(lacking)
    maven = _maven(os.environ)
    assert maven is not None
    kept.parent.mkdir(parents=True, exist_ok=True)
    print(f"neo4j {version}: asking Maven for it (120 MB the first time)", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        pom, answer = Path(folder) / "pom.xml", Path(folder) / "answer"
        pom.write_text(_POM.format(version=version), encoding="utf-8")
        done = subprocess.run(
            [maven, "-q", "-B", "-f", str(pom), _PLUGIN, f"-Dmdep.outputFile={answer}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        if done.returncode or not answer.exists():
            raise ServerError(
                f"Maven cannot resolve Neo4j {version}:\n{last_lines(done.stdout)}\n"
                "It needs Maven Central, or a mirror of it named in ~/.m2/settings.xml"
            )
        path = answer.read_text(encoding="utf-8").strip()
    made = kept.with_suffix(f".{os.getpid()}")
    made.write_text(path, encoding="utf-8")
    made.replace(kept)
    return path


def last_lines(text: str, number: int = 20) -> str:
    """Return the end of a log, set in by two spaces."""
    return "\n".join("  " + line for line in text.rstrip().splitlines()[-number:])
