"""The notebooks are kept without outputs, and every cell runs without a network.

``python tests/docs/test_notebooks.py`` strips them: run it before a commit.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))

FOLDERS = (
    "HYPOTHESIS_STORAGE_DIRECTORY",
    "IPYTHONDIR",
    "JUPYTER_CONFIG_DIR",
    "JUPYTER_DATA_DIR",
    "JUPYTER_RUNTIME_DIR",
)
"""Where tools would leave files; a test gives them folders of its own."""

OFFLINE = """\
import sys


def refuse(event, arguments):
    if event == "socket.getaddrinfo" and arguments[0] not in (None, "localhost", "127.0.0.1"):
        raise OSError(f"a notebook looked up {arguments[0]}")
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        if arguments[1][0] not in ("127.0.0.1", "::1"):
            raise OSError(f"a notebook connected to {arguments[1][0]}")


sys.addaudithook(refuse)
"""
"""Is imported by the kernel before anything else; the kernel itself talks over loopback."""


def stripped(text: str, stem: str) -> str:
    """Return a notebook as it is kept: no outputs, no counts, ids by place, no traces of a machine.

    Args:
        text: The notebook as JSON.
        stem: The name of its file without the suffix; the ids of its cells begin with it.
    """
    notebook = nbformat.from_dict({**nbformat.reads(text, as_version=4), "nbformat_minor": 5})
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for place, cell in enumerate(notebook.cells, 1):
        cell.id = f"{stem}-{place:02d}"
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return str(nbformat.writes(notebook)) + "\n"


def execute(
    notebook: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: Path = FOLDER
) -> list[Any]:
    """Run a notebook in a kernel of this interpreter that has no network; return all outputs."""
    (tmp_path / "offline").mkdir()
    (tmp_path / "offline" / "sitecustomize.py").write_text(OFFLINE, "utf-8")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path / 'offline'}:{ROOT}")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    for name in FOLDERS:
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    for name in ("MPLBACKEND", "OPENAI_API_KEY", "OPENAI_BASE_URL", "NEO4J_URI"):
        monkeypatch.delenv(name, raising=False)
    client = NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    return [
        output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs
    ]


def test_the_three_notebooks_are_there() -> None:
    """Each subject has its notebook."""
    assert [path.stem for path in NOTEBOOKS] == ["cypher", "question_graphs", "scoring_rules"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_stripped(path: Path) -> None:
    """A notebook in git is valid and has no outputs, no counts, no traces of a machine."""
    text = path.read_text("utf-8")
    nbformat.validate(nbformat.reads(text, as_version=4))
    assert text == stripped(text, path.stem), "run python tests/docs/test_notebooks.py"


def test_what_a_run_leaves_behind_is_stripped() -> None:
    """Outputs, counts, times, versions and foreign ids go; the cells stay."""
    clean = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell("# A"), nbformat.v4.new_code_cell("1 + 1")]
    )
    kept = stripped(nbformat.writes(clean), "a")
    used = nbformat.reads(kept, as_version=4)
    used.cells[1].outputs = [nbformat.v4.new_output("stream", text="2\n")]
    used.cells[1].execution_count = 7
    used.cells[1].id = "5f3c"
    used.cells[1].metadata = {"execution": {"iopub.status.busy": "2026-01-01T00:00:00Z"}}
    used.metadata["language_info"]["version"] = "3.11.7"
    text = nbformat.writes(used)
    assert text != kept
    assert stripped(text, "a") == kept
    assert [cell.source for cell in nbformat.reads(kept, as_version=4).cells] == ["# A", "1 + 1"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_links_of_a_notebook_lead_somewhere(path: Path) -> None:
    """Every file that the prose of a notebook links to exists."""
    cells = nbformat.read(path, as_version=4).cells
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    links = [link for link in re.findall(r"\]\(([^)#]+)", prose) if "://" not in link]
    assert links
    assert [link for link in links if not (FOLDER / link).exists()] == []


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cell runs as a reader runs it, warns of nothing, draws something, leaves no file."""
    before = sorted(FOLDER.rglob("*"))
    outputs = execute(nbformat.read(path, as_version=4), tmp_path, monkeypatch)
    assert [item.text for item in outputs if item.get("name") == "stderr"] == []
    assert any("image/png" in item.get("data", {}) for item in outputs)
    assert sorted(FOLDER.rglob("*")) == before


def test_a_notebook_has_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell that looks up or connects to another machine fails."""
    source = "import socket\nsocket.create_connection(('192.0.2.1', 80), timeout=1)"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    with pytest.raises(CellExecutionError, match=r"a notebook (looked up|connected to) 192\.0\.2"):
        execute(notebook, tmp_path, monkeypatch, tmp_path)


if __name__ == "__main__":
    for file in NOTEBOOKS:
        old = file.read_text("utf-8")
        if (new := stripped(old, file.stem)) != old:
            file.write_text(new, "utf-8")
            sys.stdout.write(f"stripped {file.relative_to(ROOT)}\n")
