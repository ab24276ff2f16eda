"""Every claim in one run: sets up the peers' environment, measures, prints one table."""

from __future__ import annotations

import bootstrap
import reading
import scoring
import sensitivity
from measuring import Claim, Peers, run


def measure(peers: Peers) -> list[Claim]:
    """Measure every claim, one after the other."""
    claims: list[Claim] = []
    for script in (scoring, reading, bootstrap, sensitivity):
        claims += script.measure(peers)
    return claims


if __name__ == "__main__":
    run(measure, "all claims about rubric scoring")
