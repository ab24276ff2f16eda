"""A run whose process is killed goes on from its log: what was finished is not fetched again."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from web_faults import WebFaults, answer

PROGRAM = """
import asyncio, json, sys
from pathlib import Path
from graphkit.models.exchanges import ExchangeLog
from synthesis.web import WebSettings, WebTools

folder, port, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])

async def main():
    settings = WebSettings(
        provider="searxng", base_url=f"http://127.0.0.1:{port}", per_host_delay=0.01,
        connect_to={"a.example": f"127.0.0.1:{port}"},
    )
    with ExchangeLog.open(folder / "exchanges.jsonl", run="r") as log:
        async with WebTools(settings, log=log, snapshots=folder / "snapshots") as tools:
            urls = [f"http://a.example/{n}" for n in range(count)]
            pages = await asyncio.gather(*map(tools.visit, urls))
    print(json.dumps([[page.url, page.text] for page in pages]))

asyncio.run(main())
"""
ROOT = Path(__file__).parents[3]


def finished(log: Path) -> set[str]:
    """The paths of the visits whose answers are in a log."""
    if not log.exists():
        return set()
    lines = log.read_bytes().split(b"\n")[:-1]
    records = [json.loads(line) for line in lines]
    return {r["reply"]["url"].removeprefix("http://a.example") for r in records if "reply" in r}


@pytest.mark.slow
def test_a_killed_run_fetches_nothing_twice_that_was_finished(
    site: WebFaults, tmp_path: Path
) -> None:
    """Killed at random moments, the run ends with the same pages, each fetched once if logged."""
    count, dice = 60, random.Random(5)
    for n in range(count):
        site.routes["a.example", f"/{n}"] = answer(f"<title>t</title><p>The text of page {n}.")
    command = [sys.executable, "-c", PROGRAM, str(tmp_path), str(site.port), str(count)]
    log = tmp_path / "exchanges.jsonl"
    kills = 0
    while True:
        done, sent = finished(log), len(site.hits)
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
        if kills < 4:
            wanted = len(done) + dice.randint(1, 12)
            while process.poll() is None and len(finished(log)) < wanted:
                time.sleep(0.002)
            process.kill()
            kills += 1
        told, _ = process.communicate(timeout=60)
        again = {hit.path for hit in site.hits[sent:]} & done
        assert not again
        if process.returncode != -signal.SIGKILL:
            break
    assert process.returncode == 0
    assert kills == 4
    assert json.loads(told) == [
        [f"http://a.example/{n}", f"The text of page {n}."] for n in range(count)
    ]
