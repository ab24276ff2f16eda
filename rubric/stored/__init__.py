"""Rubric trees, facts, verdicts and scores in a graph store, and scoring from there."""

from graphkit.stores.rooms import register_room
from rubric.stored.files import ROOM
from rubric.stored.scores import read_scores, save_scores
from rubric.stored.trees import load_facts, load_trees, read_facts, read_trees
from rubric.stored.verdicts import load_verdicts, read_verdict_table

__all__ = [
    "load_facts",
    "load_trees",
    "load_verdicts",
    "read_facts",
    "read_scores",
    "read_trees",
    "read_verdict_table",
    "save_scores",
]

register_room(ROOM)
