"""graphkit: typed reasoning graphs for benchmarks of search agents.

The names below can be imported from here; each is loaded when it is first used, so that
``import graphkit`` itself is quick. Functions that are called like their module
(``evaluate``, ``lint``, ``normalize``) are imported from it: ``from graphkit.evaluate import
evaluate``.

>>> import graphkit
>>> facts = graphkit.FactStore.from_triples([("France", "capital", "Paris")])
>>> len(facts)
1
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphkit.batch import evaluate_many as evaluate_many
    from graphkit.checks import CheckReport as CheckReport
    from graphkit.checks import check as check
    from graphkit.entity_set import EntitySet as EntitySet
    from graphkit.errors import GraphkitError as GraphkitError
    from graphkit.errors import InputError as InputError
    from graphkit.errors import OperationError as OperationError
    from graphkit.evaluate import Evaluation as Evaluation
    from graphkit.evaluate import reevaluate as reevaluate
    from graphkit.evidence import EvidenceRecord as EvidenceRecord
    from graphkit.facts import FactStore as FactStore
    from graphkit.grounding import ground as ground
    from graphkit.mapped import open_mapped as open_mapped
    from graphkit.mapped import save_mapped as save_mapped
    from graphkit.operations import Direction as Direction
    from graphkit.operations import Op as Op
    from graphkit.patterns import canonical_key as canonical_key
    from graphkit.patterns import signature as signature
    from graphkit.question import Edge as Edge
    from graphkit.question import Node as Node
    from graphkit.question import QuestionGraph as QuestionGraph
    from graphkit.relations import RelationSheet as RelationSheet
    from graphkit.standing import StandingQuestions as StandingQuestions
    from graphkit.witness import find_loss as find_loss
    from graphkit.witness import find_witness as find_witness
    from graphkit.witnesses import find_witnesses as find_witnesses

_HOMES = {
    "CheckReport": "checks",
    "Direction": "operations",
    "Edge": "question",
    "EntitySet": "entity_set",
    "Evaluation": "evaluate",
    "EvidenceRecord": "evidence",
    "FactStore": "facts",
    "GraphkitError": "errors",
    "InputError": "errors",
    "Node": "question",
    "Op": "operations",
    "OperationError": "errors",
    "QuestionGraph": "question",
    "RelationSheet": "relations",
    "StandingQuestions": "standing",
    "canonical_key": "patterns",
    "check": "checks",
    "evaluate_many": "batch",
    "find_loss": "witness",
    "find_witness": "witness",
    "find_witnesses": "witnesses",
    "ground": "grounding",
    "open_mapped": "mapped",
    "reevaluate": "evaluate",
    "save_mapped": "mapped",
    "signature": "patterns",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'graphkit' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"graphkit.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
