"""Word lists that turn the source's spellings into one name for each thing; they are in words/."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

WORDS = Path(__file__).resolve().parent / "words"


def table(file: str) -> dict[str, Any]:
    """The tables and lists of one file of words."""
    with (WORDS / file).open("rb") as source:
        return tomllib.load(source)


_MONEY, _PEOPLE, _STATE = table("money.toml"), table("people.toml"), table("state.toml")
_LAND, _ECONOMY = table("land.toml"), table("economy.toml")

CURRENCIES: dict[str, str] = _MONEY["currencies"]
CURRENCY_CODES: dict[str, str] = _MONEY["currency_codes"]
CURRENCY_BY_HAND: dict[str, str] = _MONEY["currency_by_hand"]
CODE_FIXES: dict[str, str] = _MONEY["code_fixes"]

LANGUAGES: dict[str, str] = _PEOPLE["languages"]
OFFICIAL_BY_HAND: dict[str, tuple[str, ...]] = {
    code: tuple(names) for code, names in _PEOPLE["official_by_hand"].items()
}
RELIGIONS: dict[str, str] = _PEOPLE["religions"]
GROUPS: dict[str, str] = _PEOPLE["groups"]
TITLES: frozenset[str] = frozenset(_PEOPLE["titles"])

GOVERNMENTS: dict[str, str] = _STATE["governments"]
LEGAL_TRADITIONS: tuple[tuple[str, str], ...] = tuple(
    (pattern, name) for pattern, name in _STATE["legal_traditions"]
)
COLORS: frozenset[str] = frozenset(_STATE["colors"])
COLOR_SHADES: tuple[str, ...] = tuple(_STATE["color_shades"])
FORMER_STATES: dict[str, str] = _STATE["former_states"]

CLIMATES: frozenset[str] = frozenset(_LAND["climates"])
SEAS: list[str] = _LAND["seas"]

GOODS: dict[str, str] = _ECONOMY["goods"]
INDUSTRIES: dict[str, str] = _ECONOMY["industries"]
