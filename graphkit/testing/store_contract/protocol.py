"""Transactions, bulk calls and queries of a store."""

from __future__ import annotations

from typing import Any

from graphkit.errors import InputError, QueryError
from graphkit.stores import (
    GraphStore,
    counts,
)
from graphkit.testing.store_contract.cases import (
    SLOW,
    Interrupted,
    WithStores,
    raises,
)

__all__ = ["ProtocolContract"]


class ProtocolContract(WithStores):
    """The part of the contract about the members of the protocol."""

    def test_it_is_a_store(self) -> None:
        """The adapter has every member of the protocol and says what it is."""
        with self.empty_store() as store:
            assert isinstance(store, GraphStore)
            found = store.capabilities()
            assert found.engine
            assert found.location
            assert not found.read_only
            store.ensure_schema()
            assert store.read("MATCH (s:Store) RETURN count(s) AS n").value() == 1

    def test_a_transaction_takes_effect_whole_or_not_at_all(self) -> None:
        """An error in the block undoes everything in it; without one all of it stays."""
        with self.empty_store() as store:
            try:
                with store.transaction() as transaction:
                    transaction.bulk_nodes("Entity", [{"id": "a", "name": "a"}])
                    transaction.write("CREATE (e:Entity {id: 'b', name: 'b'})")
                    seen = transaction.read("MATCH (e:Entity) RETURN count(e) AS n").value()
                    assert seen == 2, "a transaction sees its own writes"
                    raise Interrupted
            except Interrupted:
                assert counts(store)["entities"] == 0
            with store.transaction() as transaction:
                transaction.bulk_nodes("Entity", [{"id": "a", "name": "a"}])
            assert counts(store)["entities"] == 1

    def test_a_wrong_statement_undoes_its_transaction(self) -> None:
        """A query error inside a transaction leaves nothing of it."""
        with self.empty_store() as store:
            with raises(QueryError), store.transaction() as transaction:
                transaction.bulk_nodes("Entity", [{"id": "a", "name": "a"}])
                transaction.write("CREATE (e:Entity")
            assert counts(store)["entities"] == 0

    def test_bulk_calls_can_be_repeated(self) -> None:
        """The same nodes and edges twice are there once; None takes a property away."""
        nodes = [{"id": "a", "name": "A", "unit": "m"}, {"id": "b", "name": "B"}]
        edges = [{"source": "a", "target": "b", "relation": r, "is_fresh": True} for r in "rs"]
        with self.empty_store() as store:
            for _ in range(2):
                assert store.bulk_nodes("Entity", nodes) == 2
                assert store.bulk_edges("FACT", "Entity", "Entity", edges) == 2
            store.bulk_nodes("Entity", [{"id": "a", "unit": None}])
            rows = store.read(
                "MATCH (a:Entity)-[f:FACT]->(b:Entity) RETURN a.name AS a, a.unit AS unit, "
                "f.relation AS relation, b.id AS b ORDER BY relation"
            )
            assert [tuple(row.values()) for row in rows] == [
                ("A", None, "r", "b"),
                ("A", None, "s", "b"),
            ]

    def test_what_only_some_engines_take_is_refused(self) -> None:
        """Maps, nested and mixed lists, numbers beyond 64 bits and half characters are errors."""
        refused: list[Any] = [{"a": 1}, [[1]], [1, "a"], [None], 2**63, float("nan"), "\ud800", {1}]
        with self.empty_store() as store:
            for value in refused:
                with raises(InputError, "odd"):
                    store.bulk_nodes("Entity", [{"id": "a", "odd": value}])
            for label, node in (("Nonsense", {"id": "a"}), ("Entity", {"name": "a"})):
                with raises(InputError):
                    store.bulk_nodes(label, [node])
            for kind, edge in (
                ("NONSENSE", {"source": "a", "target": "b"}),
                ("FACT", {"source": "a", "relation": "r"}),
                ("FACT", {"source": "a", "target": "b"}),
            ):
                with raises(InputError):
                    store.bulk_edges(kind, "Entity", "Entity", [edge])
            assert counts(store)["entities"] == 0

    def test_reading_refuses_to_write(self) -> None:
        """A query given to ``read`` that would change anything is refused and changes nothing."""
        with self.empty_store() as store:
            store.bulk_nodes("Entity", [{"id": "a", "name": "a"}])
            for query in (
                "CREATE (e:Entity {id: 'b'})",
                "MATCH (e:Entity) SET e.name = 'b' RETURN e.name AS name",
                "MERGE (e:Entity {id: 'b'})",
                "MATCH (e:Entity) DETACH DELETE e",
                "MATCH (e:Entity) REMOVE e.name",
            ):
                with raises(QueryError):
                    store.read(query)
            names = store.read("MATCH (e:Entity) RETURN e.name AS name").column("name")
            assert names == ["a"]

    def test_wrong_queries_are_query_errors(self) -> None:
        """Whatever is wrong with a query or its parameters, the error is ours and says what."""
        with self.empty_store() as store:
            for query in ("MATCH (n RETURN n", "", "RETURN $missing AS x", "RETURN unknown AS x"):
                for run in (store.read, store.write):
                    with raises(QueryError):
                        list(run(query))
            with raises(QueryError, "LOAD CSV"):
                store.read("LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line")
            with raises(QueryError):
                list(store.read("RETURN $x AS x", {"x": object()}))

    def test_rows_can_be_limited(self) -> None:
        """A limit keeps the first rows and says that there were more."""
        with self.empty_store() as store:
            query = "UNWIND range(1, 50) AS i RETURN i AS i, 'x' AS x ORDER BY i"
            rows = store.read(query, limit=3)
            assert rows.columns == ("i", "x")
            assert [row["i"] for row in rows] == [1, 2, 3]
            assert rows.truncated
            assert not store.read(query, limit=50).truncated
            assert len(store.read(query)) == 50
            empty = store.read("MATCH (e:Entity) RETURN e.id AS id")
            assert (empty.columns, list(empty), empty.value()) == (("id",), [], None)
            with raises(QueryError, "limit"):
                store.read(query, limit=-1)

    def test_rows_can_be_streamed(self) -> None:
        """Rows come one by one; at their end it is known whether a limit left some out."""
        query = "UNWIND range(1, 5000) AS i RETURN i AS i, 'x' AS x ORDER BY i"
        with self.empty_store() as store:
            with store.stream(query) as rows:
                assert rows.columns == ("i", "x")
                assert [row["i"] for row in rows] == list(range(1, 5001))
                assert (rows.count, rows.truncated) == (5000, False)
            for limit, more in ((3, True), (5000, False), (0, True)):
                with store.stream(query, limit=limit) as rows:
                    assert len(list(rows)) == limit
                    assert rows.truncated is more
            with store.stream("RETURN $x AS x", {"x": "given"}) as rows:
                assert list(rows) == [{"x": "given"}]
            for bad in ("CREATE (e:Entity {id: 'b'})", "MATCH (n RETURN n", "RETURN $none AS x"):
                with raises(QueryError), store.stream(bad) as rows:
                    list(rows)
            with raises(QueryError, "longer"), store.stream(SLOW, timeout=0.05) as rows:
                list(rows)
            assert counts(store)["entities"] == 0

    def test_a_slow_query_is_stopped(self) -> None:
        """A query that takes longer than its timeout is an error, and the store goes on."""
        with self.empty_store() as store:
            with raises(QueryError, "longer"):
                list(store.read(SLOW, timeout=0.05))
            with raises(QueryError, "timeout"):
                store.read(SLOW, timeout=-1.0)
            assert store.read("RETURN 1 AS one").value() == 1
