"""The contract of graph stores, as a suite of tests that any adapter can run.

Subclass :class:`StoreContract` in a test module and say how to open an empty store::

    class TestMyStore(StoreContract):
        @contextlib.contextmanager
        def empty_store(self):
            with MyStore(...) as store:
                store.write("MATCH (n) DETACH DELETE n")
                store.ensure_schema()
                yield store

Runs under pytest, needs no hypothesis.
"""

from __future__ import annotations

from graphkit.testing.store_contract.answers import AnswersContract
from graphkit.testing.store_contract.cases import RECORDS, SHEET, Interrupted, exported, same_facts
from graphkit.testing.store_contract.facts import FactsContract
from graphkit.testing.store_contract.protocol import ProtocolContract
from graphkit.testing.store_contract.questions import QuestionsContract

__all__ = ["RECORDS", "SHEET", "Interrupted", "StoreContract", "exported", "same_facts"]


class StoreContract(AnswersContract, FactsContract, QuestionsContract, ProtocolContract):
    """What every graph store must do; see the module for how to use it.

    Attributes:
        pairs: How many pairs of a graph and a fact store the comparison with memory takes.
        seed: Where they come from.
    """
