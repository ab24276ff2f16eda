"""Who answers what: the roles by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scripted_model.browsing import Call
from scripted_model.checking import popularity, privacy, quality, reliability
from scripted_model.conversation import Task
from scripted_model.gathering import gather, rivals, seeds
from scripted_model.parsing import direction, parse, relations
from scripted_model.writing import construct, revise

__all__ = ["ROLES", "Turn"]

Turn = list[Call] | dict[str, Any]
"""Tool calls, or the reply as data."""

ROLES: dict[str, Callable[[Task], Turn]] = {
    "seeds": seeds,
    "gather": gather,
    "construct": construct,
    "revise": revise,
    "reliability": reliability,
    "popularity": popularity,
    "parse": parse,
    "relations": relations,
    "direction": direction,
    "rivals": rivals,
    "quality": quality,
    "privacy": privacy,
}
"""Role -> what plays it."""
