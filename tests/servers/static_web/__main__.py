"""Runs the static web as a process of its own: ``python -m static_web --port 0``."""

import argparse

from loopback_http import serve_process

from static_web.server import StaticWeb


def main() -> None:
    """Read the command line, print the port, serve until the process is ended."""
    parser = argparse.ArgumentParser(prog="static_web", description=main.__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slow-seconds", type=float, default=3.0)
    parser.add_argument("--search-limit", type=int, default=0)
    given = parser.parse_args()
    web = StaticWeb(
        given.seed,
        slow_seconds=given.slow_seconds,
        port=given.port,
        search_limit=given.search_limit,
    )
    serve_process(web.server)


main()
