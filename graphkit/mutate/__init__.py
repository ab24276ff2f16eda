"""Mutations: recorded, replayable changes that grow one question out of another."""

from __future__ import annotations

from graphkit.mutate.branches import Branch, BranchBook
from graphkit.mutate.loosening import drop_constraint, widen_anchor
from graphkit.mutate.model import (
    LOOSENING,
    TIGHTENING,
    Mutation,
    Strategy,
    apply_mutation,
    compound,
    replay_history,
)
from graphkit.mutate.proposal import Proposal
from graphkit.mutate.proposals import Proposer
from graphkit.mutate.rewriting import first_question, rewrite
from graphkit.mutate.rules import Rules, is_one_to_one
from graphkit.mutate.strategies import (
    complement,
    intersection_expansion,
    inverse_projection,
    projection_extension,
    seed_question,
)
from graphkit.mutate.support import one_to_one_hops

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
    "first_question",
    "intersection_expansion",
    "inverse_projection",
    "is_one_to_one",
    "one_to_one_hops",
    "projection_extension",
    "replay_history",
    "rewrite",
    "seed_question",
    "widen_anchor",
]
