"""The compose file keeps the specification, and the image has all that it needs and no more."""

from __future__ import annotations

import configparser
import fnmatch
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from neo4j_maven import ServerError, neo4j_version

ROOT = Path(__file__).parents[2]
DOCKER = ROOT / "docker"
COMPOSE = DOCKER / "compose.yaml"
PACKAGES = ("graphkit", "synthesis", "rubric", "cli")


def _tool(name: str) -> str:
    """Return a program of this environment; the test is skipped without it."""
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def _valid(path: Path) -> bool:
    """Whether a file keeps the compose specification, by the schema that check-jsonschema ships."""
    command = [_tool("check-jsonschema"), "--builtin-schema", "vendor.compose-spec", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.returncode == 0


def test_the_compose_file_keeps_the_specification(tmp_path: Path) -> None:
    """The file is valid, and one with a misspelt or misplaced key is not."""
    assert _valid(COMPOSE)
    text = COMPOSE.read_text(encoding="utf-8")
    for old, new in (
        ("healthcheck:", "health_check:"),
        ("restart: unless-stopped", "restart: [1]"),
        ("retries: 12", "retry: 12"),
    ):
        assert old in text
        broken = tmp_path / "compose.yaml"
        broken.write_text(text.replace(old, new), encoding="utf-8")
        assert not _valid(broken), new


def _services() -> dict[str, Any]:
    yaml = pytest.importorskip("ruamel.yaml").YAML(typ="safe")
    services: dict[str, Any] = yaml.load(COMPOSE.read_text(encoding="utf-8"))["services"]
    return services


def test_neo4j_listens_on_loopback_with_a_password_from_outside() -> None:
    """Ports are bound to loopback, the password is not in the file, health and volume are set."""
    server = _services()["neo4j"]
    assert server["ports"]
    assert all(port.startswith("127.0.0.1:") for port in server["ports"])
    assert re.fullmatch(r"neo4j/\$\{NEO4J_PASSWORD:\?[^}]+\}", server["environment"]["NEO4J_AUTH"])
    assert "cypher-shell" in server["healthcheck"]["test"][1]
    assert "neo4j-data:/data" in server["volumes"]


def test_the_toolkit_waits_for_a_healthy_server() -> None:
    """The toolkit's service has a server to talk to, and few rights."""
    tool = _services()["graphkit"]
    assert tool["depends_on"]["neo4j"]["condition"] == "service_healthy"
    assert tool["environment"]["GRAPHKIT_STORE"] == "neo4j://neo4j:7687"
    assert tool["cap_drop"] == ["ALL"]
    assert (DOCKER / tool["build"]["context"] / tool["build"]["dockerfile"]).is_file()


def test_one_version_of_neo4j(tmp_path: Path) -> None:
    """The script without Docker takes the version of the compose file, which is a 5.26."""
    version = neo4j_version()
    assert re.fullmatch(r"5\.26\.\d+", version)
    named = [
        path.name
        for path in DOCKER.iterdir()
        if path.is_file() and version in path.read_text(encoding="utf-8")
    ]
    assert named == [COMPOSE.name]
    other = tmp_path / "compose.yaml"
    other.write_text("services: {}\n", encoding="utf-8")
    with pytest.raises(ServerError, match="image"):
        neo4j_version(other)


def _instructions() -> list[tuple[str, str]]:
    text = (DOCKER / "Dockerfile").read_text(encoding="utf-8")
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    pairs = (line.partition(" ") for line in text.splitlines() if line.strip())
    return [(name, rest.strip()) for name, _, rest in pairs]


def _copied() -> list[tuple[str, str]]:
    """Return (source, target) of everything that is copied from the repository."""
    found = []
    for name, rest in _instructions():
        if name == "COPY" and not rest.startswith("--from"):
            *sources, target = rest.split()
            found += [(source, target) for source in sources]
    return found


def test_the_dockerfile_is_linted() -> None:
    """Hadolint has nothing to say."""
    done = subprocess.run(
        [_tool("hadolint"), str(DOCKER / "Dockerfile")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_the_image_is_small_and_runs_as_nobody_special() -> None:
    """Two stages from a slim base, and the last one runs as a user with a number, not root."""
    stages = [rest for name, rest in _instructions() if name == "FROM"]
    assert len(stages) == 2
    assert all(re.match(r"python:3\.\d+-slim-", stage) for stage in stages)
    last = _instructions()[[name for name, _ in _instructions()].index("FROM", 1) :]
    users = [rest for name, rest in last if name == "USER"]
    assert users
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", users[-1])
    assert not any("pip" in rest for name, rest in last if name == "RUN")


def test_what_is_copied_is_there_and_not_ignored() -> None:
    """Every source of a COPY exists and gets through the list of what the build sees."""
    lines = (DOCKER / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    let_in = {line[1:] for line in lines if line.startswith("!")}
    assert "*" in lines
    copied = _copied()
    assert {source for source, _ in copied} == let_in
    for source, _ in copied:
        assert (ROOT / source).exists(), source
        assert not any(
            fnmatch.fnmatch(source, line) for line in lines if line.startswith("**") and line
        )


@pytest.mark.slow
def test_what_is_copied_builds_the_whole_package(tmp_path: Path) -> None:
    """A wheel built from what the Dockerfile copies has every module and file of the packages."""
    for source, target in _copied():
        to = tmp_path / (target if (ROOT / source).is_dir() else Path(target) / Path(source).name)
        to.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, to, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / source, to)
    done = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", "out", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (tmp_path / "out").iterdir()
    names = set(zipfile.ZipFile(wheel).namelist())
    modules = {
        str(path.relative_to(ROOT))
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
    }
    assert modules <= names
    metadata = configparser.ConfigParser()
    metadata.read(ROOT / "setup.cfg", encoding="utf-8")
    data = [line for files in metadata["options.data_files"].values() for line in files.split()]
    assert data
    for line in data:
        assert any(name.endswith(Path(line).name) for name in names), line
