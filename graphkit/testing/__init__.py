"""Public test helpers: random stores and graphs, an oracle, the contract that a store has to keep.

:mod:`graphkit.testing.strategies` holds the hypothesis strategies and is the only module here
that needs hypothesis; :mod:`graphkit.testing.generation` makes the same things from a seed;
:mod:`graphkit.testing.oracle` is a second implementation of the semantics with plain sets.
"""
