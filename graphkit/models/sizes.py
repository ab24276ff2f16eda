"""How many tokens a call is expected to need, learnt from the calls before it."""

from __future__ import annotations

from collections.abc import Iterable

from graphkit.models.costs import Expected, most_money_of
from graphkit.models.model_settings import ModelSettings

__all__ = ["Sizes", "counted"]

_FIRST_RATIO = 0.25
_CHUNK = 20_000


def counted(texts: Iterable[str]) -> int:
    """Count the tokens of texts, for servers that do not; long texts are counted in pieces.

    >>> counted(["Which country borders France?", ""])
    5
    """
    from graphkit.checks.tokens import count_tokens

    return sum(
        count_tokens(text[start : start + _CHUNK])
        for text in texts
        for start in range(0, len(text), _CHUNK)
    )


class Sizes:
    """Expects tokens: in by the length of a request, out by the longest reply so far.

    >>> sizes = Sizes()
    >>> settings = ModelSettings(model="m", max_tokens=100)
    >>> sizes.expected("parse", settings, 400).tokens
    200
    >>> sizes.learn("parse", settings, 400, 300, 20)
    >>> sizes.expected("parse", settings, 400).tokens
    400
    """

    def __init__(self) -> None:
        self._ratios: dict[str, float] = {}
        self._longest: dict[tuple[str, str], int] = {}

    def expected(self, agent: str, settings: ModelSettings, size: int) -> Expected:
        """Return what a call is expected to use at most.

        Args:
            agent: Who asks.
            settings: With ``max_tokens`` a reply is expected to be that long; without it as long
                as the longest that the agent has had.
            size: The length of the request in bytes.
        """
        sent = round(size * self._ratios.get(settings.model, _FIRST_RATIO))
        received = settings.max_tokens
        if received is None:
            received = self._longest.get((agent, settings.model), 0)
        return Expected(sent + received, most_money_of(settings, sent, received))

    def learn(
        self, agent: str, settings: ModelSettings, size: int, sent: int, received: int
    ) -> None:
        """Learn from an answered call: bytes and tokens sent, tokens received."""
        model = settings.model
        self._ratios[model] = max(self._ratios.get(model, _FIRST_RATIO), sent / max(1, size))
        self._longest[agent, model] = max(self._longest.get((agent, model), 0), received)
