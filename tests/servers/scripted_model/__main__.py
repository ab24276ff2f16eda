"""Runs the scripted model as a process of its own: ``python -m scripted_model --port 0``."""

import argparse
import json

from loopback_http import serve_process

from scripted_model.faults import Faults
from scripted_model.mistakes import Mistakes
from scripted_model.server import ScriptedModel


def main() -> None:
    """Read the command line, print the port, serve until the process is ended."""
    parser = argparse.ArgumentParser(prog="scripted_model", description=main.__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--places", type=int, help="calls answered at a time")
    parser.add_argument("--no-mistakes", action="store_true")
    parser.add_argument("--mistakes", default="{}", help='JSON, for instance {"fenced": 0.5}')
    parser.add_argument("--share", default="{}", help='JSON, for instance {"rate_limit": 0.05}')
    parser.add_argument("--every", default="{}", help='JSON, for instance {"drop": 40}')
    parser.add_argument("--retry-after", type=float, default=0.05)
    parser.add_argument("--refuses", nargs="*", default=[])
    given = parser.parse_args()
    mistakes = Mistakes.none() if given.no_mistakes else Mistakes(**json.loads(given.mistakes))
    faults = Faults(json.loads(given.share), json.loads(given.every), given.retry_after)
    model = ScriptedModel(
        mistakes=mistakes,
        faults=faults,
        latency=given.latency,
        places=given.places,
        refuses=tuple(given.refuses),
        port=given.port,
    )
    serve_process(model.server)


main()
