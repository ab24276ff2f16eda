"""``graphkit index``: an offline corpus becomes an index that can be searched and visited."""

from __future__ import annotations

import json
import subprocess
import sys

from synthesis.web import LocalIndex


def run(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-m", "cli.main", "index", *arguments],
        cwd=cwd, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_file_and_a_folder_become_one_index(tmp_path):
    """Pages of both are found, by an English word and by a Chinese pair of characters."""
    page = {"url": "https://a.example/ulm", "title": "Ulm", "text": "Ulm lies on the Danube."}
    (tmp_path / "pages.jsonl").write_text(json.dumps(page) + "\n")
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "wien.txt").write_text("维也纳位于多瑙河畔。", encoding="utf-8")
    ended = run("pages.jsonl", "pages", "-o", "corpus.idx", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "corpus.idx holds 2 pages\n"), ended.stderr
    found = LocalIndex.open(tmp_path / "corpus.idx")
    try:
        assert [item.url for item in found.search("danube").results] == ["https://a.example/ulm"]
        assert [item.url for item in found.search("多瑙河").results] == [
            "https://corpus.invalid/wien.txt"
        ]
    finally:
        found.close()


def test_a_broken_line_leaves_no_index(tmp_path):
    """The line is named, the exit code is 2, nothing is written."""
    (tmp_path / "pages.jsonl").write_text('{"url": "https://a.example/x"}\n{"url"\n')
    ended = run("pages.jsonl", "-o", "corpus.idx", cwd=tmp_path)
    assert ended.returncode == 2
    assert "pages.jsonl:2" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert [item.name for item in tmp_path.iterdir()] == ["pages.jsonl"]
