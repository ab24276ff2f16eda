"""Reading 115,200 verdicts: against json.loads line by line."""

from __future__ import annotations

import json

import workload
from measuring import Claim, Peers, best, run

from rubric.verdict_reader import parse_verdicts


def measure(peers: Peers) -> list[Claim]:
    """Measure bare lines and lines with rationale and quote, both from memory."""
    claims = []
    for full in (False, True):
        data = workload.verdict_lines(full=full)

        def ours(data: bytes = data) -> None:
            parse_verdicts([("verdicts.jsonl", data)])

        def plain(data: bytes = data) -> None:
            for line in data.splitlines():
                json.loads(line)

        mine, theirs = best(ours, plain, rounds=5)
        claims.append(
            Claim(
                "read 115,200 verdicts" + (" with rationale and quote" if full else ""),
                mine,
                "json.loads line by line",
                theirs,
                3,
            )
        )
    return claims


if __name__ == "__main__":
    run(measure, "reading 115,200 verdicts")
