"""Mutations: recorded, replayable changes that grow one question out of another."""

from __future__ import annotations

from graphkit.mutate.branches import Branch, BranchBook
from graphkit.mutate.model import (
    LOOSENING,
    TIGHTENING,
    Mutation,
    Strategy,
    apply_mutation,
    compound,
    replay_history,
)
from graphkit.mutate.proposals import Proposal, Proposer
from graphkit.mutate.rules import Rules, is_one_to_one
from graphkit.mutate.strategies import (
    complement,
    drop_constraint,
    intersection_expansion,
    inverse_projection,
    projection_extension,
    seed_question,
    widen_anchor,
)

__all__ = [
    "LOOSENING",
    "TIGHTENING",
    "Branch",
    "BranchBook",
    "Mutation",
    "Proposal",
    "Proposer",
    "Rules",
    "Strategy",
    "apply_mutation",
    "complement",
    "compound",
    "drop_constraint",
    "intersection_expansion",
    "inverse_projection",
    "is_one_to_one",
    "projection_extension",
    "replay_history",
    "seed_question",
    "widen_anchor",
]
