"""A static web on loopback, made from a part of the Factbook: good, bad and broken hosts.

    with StaticWeb(seed=1) as web:
        settings = WebSettings(provider="searxng", base_url=web.search_url,
                               connect_to=web.connect_to)

or ``python -m static_web --port 0``, which prints its port; then ``/connect_to``,
``/complete_facts``, ``/stats`` and ``/search?q=...&format=json`` are asked of 127.0.0.1 itself.
"""

from static_web.server import HUGE_BYTES, StaticWeb
from static_web.world import COUNTRIES, SINCE, Fact, World, world

__all__ = ["COUNTRIES", "HUGE_BYTES", "SINCE", "Fact", "StaticWeb", "World", "world"]
