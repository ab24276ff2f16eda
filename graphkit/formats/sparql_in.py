"""Reads SPARQL queries whose answers are a set of entities, through rdflib's parser and algebra.

Read are basic graph patterns, ``UNION``, ``MINUS``, ``FILTER`` with ``EXISTS``, ``NOT EXISTS``,
``=``, ``!=``, ``IN``, ``NOT IN`` against IRIs and ``sameTerm``, joined by ``&&``, ``||``, ``!``;
``VALUES`` and ``BIND`` of constants; subqueries; property paths of ``/``, ``^`` and ``|``. A group
with variables means a question graph exactly when it is a forest, see
:mod:`graphkit.formats.conjunctive`. All else is refused by name. ``DISTINCT`` is always meant.

An IRI stands for itself, as entity and as relation; IRIs that graphkit minted for names stand for
those names. ``?x a <class>`` is the type of ``x``, called by the last part of the IRI.
"""

from __future__ import annotations

import itertools
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphkit.errors import FormatError, Problem
from graphkit.formats.conditions import (
    Among,
    AnyOf,
    Atom,
    Condition,
    Constant,
    Group,
    Not,
    OfType,
    Same,
    Term,
    Variable,
    refusal,
    renamed,
    variables,
)
from graphkit.formats.conjunctive import graph_of
from graphkit.formats.rdf_terms import RDF
from graphkit.formats.sparql_terms import constant_of, path_of, term_of, told, type_name
from graphkit.question import QuestionGraph

__all__ = ["PREFIXES", "conditions_of", "parse_sparql"]

PREFIXES = {
    "wd": "http://www.wikidata.org/entity/",
    "wdt": "http://www.wikidata.org/prop/direct/",
    "p": "http://www.wikidata.org/prop/",
    "ps": "http://www.wikidata.org/prop/statement/",
    "pq": "http://www.wikidata.org/prop/qualifier/",
    "wikibase": "http://wikiba.se/ontology#",
    "schema": "http://schema.org/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "dbo": "http://dbpedia.org/ontology/",
    "dbr": "http://dbpedia.org/resource/",
    "dbp": "http://dbpedia.org/property/",
}
"""Prefixes that a query may use without declaring them, as the public endpoints allow."""

_UNREADABLE = {
    "AggregateJoin": ("aggregate", "an aggregate"),
    "Group": ("aggregate", "GROUP BY"),
    "Slice": ("limit", "LIMIT or OFFSET"),
    "OrderBy": ("order", "ORDER BY"),
    "LeftJoin": ("optional", "OPTIONAL"),
    "Graph": ("named_graph", "GRAPH"),
    "ServiceGraphPattern": ("service", "SERVICE"),
}
_FORMS = {"AskQuery": "ask", "ConstructQuery": "construct", "DescribeQuery": "describe"}


def parse_sparql(text: str, **fields: Any) -> QuestionGraph:
    """Return the question graph of a SPARQL query.

    Args:
        text: The query.
        **fields: Further fields of the graph.

    Raises:
        FormatError: It is not SPARQL.
        UnsupportedError: Its answers are not a set of entities that a question graph can state.

    >>> graph = parse_sparql("SELECT ?x { wd:Q142 wdt:P36 ?x MINUS { ?x wdt:P1376 wd:Q183 } }")
    >>> from graphkit.patterns import signature
    >>> signature(graph)
    '2in'
    """
    group, answer = conditions_of(text)
    return graph_of(group, answer, **fields)


def conditions_of(text: str) -> tuple[Group, Variable]:
    """Return the conditions of a SPARQL query and the variable that it asks for.

    Raises:
        FormatError: It is not SPARQL.
        UnsupportedError: It holds what no conditions can state.
    """
    query = _algebra(text)
    if query.name in _FORMS:
        form = _FORMS[query.name]
        raise refusal(form, f"{form.upper()} has no set of entities as its answers")
    if query.get("datasetClause"):
        raise refusal("dataset_clause", "FROM names other facts than those of the store")
    asked = list(query.PV)
    found = _Reader().pattern(query.p, frozenset())
    if len(asked) != 1:
        raise refusal(
            "several_variables", f"{len(asked)} variables are asked for, expected exactly one"
        )
    return Group(tuple(found.conditions)), Variable(str(asked[0]))


def _algebra(text: str) -> Any:
    from rdflib.plugins.sparql.algebra import translateQuery
    from rdflib.plugins.sparql.parser import parseQuery

    log = logging.getLogger("rdflib.term")
    level = log.level
    log.setLevel(logging.ERROR)  # a literal that does not fit its datatype is kept as it stands
    try:
        return translateQuery(parseQuery(text), initNs=PREFIXES).algebra
    except RecursionError:
        raise FormatError(Problem("nested too deeply", code="sparql_syntax")) from None
    except Exception as error:  # rdflib raises plain Exception, pyparsing its own
        line, column = getattr(error, "lineno", None), getattr(error, "col", None)
        where = f" in line {line}, column {column}" if line is not None else ""
        why = re.sub(r"\s*\(at char.*", "", (str(error).splitlines() or ["cannot be parsed"])[0])
        raise FormatError(Problem(f"not SPARQL{where}: {why}", code="sparql_syntax")) from error
    finally:
        log.setLevel(level)


@dataclass
class _Found:
    """What a pattern says, which variables it may bind, and which it binds in every solution."""

    conditions: list[Condition] = field(default_factory=list)
    bound: frozenset[str] = frozenset()
    certain: frozenset[str] = frozenset()

    def __and__(self, other: _Found) -> _Found:
        return _Found(
            self.conditions + other.conditions,
            self.bound | other.bound,
            self.certain | other.certain,
        )


class _Reader:
    """Reads the algebra of one query."""

    def __init__(self) -> None:
        self._fresh = itertools.count(1)

    def pattern(self, node: Any, outer: frozenset[str]) -> _Found:
        """Read a graph pattern.

        Args:
            node: The algebra.
            outer: Variables whose values come from outside: those around EXISTS.
        """
        name = node.name
        if name in _UNREADABLE:
            code, what = _UNREADABLE[name]
            raise refusal(code, f"{what} makes its answers something else than a set of entities")
        if name in ("Project", "Distinct", "Reduced"):
            return self.pattern(node.p, outer)
        if name == "BGP":
            return self._triples(node.triples)
        if name == "Join":
            return self.pattern(node.p1, outer) & self.pattern(node.p2, outer)
        if name == "Union":
            return self._union(node, outer)
        if name == "Minus":
            return self._minus(node, outer)
        if name == "Filter":
            found = self.pattern(node.p, outer)
            found.conditions += self._filter(node.expr, found, outer, positive=True)
            return found
        if name == "Extend":
            return self._bind(node, outer)
        if name == "ToMultiSet":
            return self._table(node.p)
        if name == "values":
            return self._values(node.res)
        raise refusal("unsupported_pattern", f"{name} is not supported")

    # ---- patterns -----------------------------------------------------------------------------

    def _triples(self, triples: Any) -> _Found:
        found: list[Condition] = []
        for subject, predicate, object_ in triples:
            ends = term_of(subject), term_of(object_)
            if str(predicate) == RDF + "type" and isinstance(ends[1], Constant):
                found.append(OfType(ends[0], type_name(str(object_))))
            else:
                found.append(Atom(ends[0], path_of(predicate), ends[1]))
        names = frozenset().union(*map(variables, found)) if found else frozenset()
        return _Found(found, names, names)

    def _union(self, node: Any, outer: frozenset[str]) -> _Found:
        sides = [self.pattern(side, outer) for side in (node.p1, node.p2)]
        groups: list[Group] = []
        for side in sides:
            only = side.conditions[0] if len(side.conditions) == 1 else None
            if isinstance(only, AnyOf):
                groups += only.groups
            else:
                groups.append(Group(tuple(side.conditions)))
        return _Found(
            [AnyOf(tuple(groups))],
            sides[0].bound | sides[1].bound,
            sides[0].certain & sides[1].certain,
        )

    def _minus(self, node: Any, outer: frozenset[str]) -> _Found:
        found = self.pattern(node.p1, outer)
        removed = self.pattern(node.p2, frozenset())
        shared = found.bound & removed.bound
        if not shared:
            raise refusal(
                "minus_without_effect", "MINUS shares no variable with what stands before it"
            )
        self._require(shared, found.certain & removed.certain, "MINUS")
        found.conditions.append(Not(self._own(removed.conditions, shared)))
        return found

    def _bind(self, node: Any, outer: frozenset[str]) -> _Found:
        from rdflib.term import Identifier
        from rdflib.term import Variable as RdfVariable

        found = self.pattern(node.p, outer)
        name = str(node.var)
        expression = node.expr
        if isinstance(expression, RdfVariable):
            self._require({str(expression)}, found.certain, "BIND")
            made: Condition = Same(Variable(name), Variable(str(expression)))
        elif isinstance(expression, Identifier):
            made = Among(Variable(name), (constant_of(expression),))
        else:
            raise refusal("computed_value", f"?{name} is computed by {told(expression)}")
        return found & _Found([made], frozenset({name}), frozenset({name}))

    def _table(self, node: Any) -> _Found:
        if isinstance(node, list):  # VALUES without rows
            return self._values(node)
        if node.name == "values":
            return self._values(node.res)
        inner = self.pattern(node, frozenset())
        while node.name in ("Distinct", "Reduced"):
            node = node.p
        kept = frozenset(str(name) for name in node.PV)
        group = self._own(inner.conditions, kept)
        return _Found(list(group.conditions), inner.bound & kept, inner.certain & kept)

    def _values(self, rows: Any) -> _Found:
        names = sorted({str(name) for row in rows for name in row})
        undefined = any(isinstance(value, str) and value == "UNDEF" for row in rows
                        for value in row.values())  # fmt: skip
        if undefined or any(len(row) != len(names) for row in rows):
            raise refusal("undef", "VALUES with UNDEF leaves variables unbound")
        if not rows:
            raise refusal("empty_values", "VALUES without rows has no solutions")
        if len(names) > 1 and len(rows) > 1:
            raise refusal(
                "correlated_values", "VALUES gives several variables their values together"
            )
        found: list[Condition] = [
            Among(
                Variable(name),
                tuple(
                    dict.fromkeys(
                        constant_of(value)
                        for row in rows
                        for key, value in row.items()
                        if str(key) == name
                    )
                ),
            )
            for name in names
        ]
        return _Found(found, frozenset(names), frozenset(names))

    # ---- filters ------------------------------------------------------------------------------

    def _filter(
        self, node: Any, found: _Found, outer: frozenset[str], *, positive: bool
    ) -> list[Condition]:
        """Read an expression that stands for true, or with ``positive`` unset for false."""
        name = getattr(node, "name", "")
        if name == "UnaryNot":
            return self._filter(node.expr, found, outer, positive=not positive)
        if name in ("ConditionalAndExpression", "ConditionalOrExpression"):
            parts = [
                self._filter(part, found, outer, positive=positive)
                for part in (node.expr, *node.other)
            ]
            if (name == "ConditionalAndExpression") == positive:
                return [item for part in parts for item in part]
            return [AnyOf(tuple(Group(tuple(part)) for part in parts))]
        if name in ("Builtin_EXISTS", "Builtin_NOTEXISTS"):
            return self._exists(node, found, outer, (name == "Builtin_EXISTS") == positive)
        if name == "Builtin_sameTerm":
            return self._equal(node.arg1, [node.arg2], found, outer, positive, same=True)
        if name == "RelationalExpression":
            operator = str(node.op)
            if operator in ("IN", "NOT IN"):
                others = node.other if isinstance(node.other, list) else []
                return self._equal(node.expr, others, found, outer, (operator == "IN") == positive)
            if operator in ("=", "!="):
                return self._equal(
                    node.expr, [node.other], found, outer, (operator == "=") == positive
                )
            raise refusal("comparison", f"{operator} compares numbers, dates or texts")
        raise refusal("function", f"{told(node)} computes with values")

    def _equal(
        self,
        left: Any,
        others: list[Any],
        found: _Found,
        outer: frozenset[str],
        positive: bool,
        *,
        same: bool = False,
    ) -> list[Condition]:
        from rdflib.term import URIRef
        from rdflib.term import Variable as RdfVariable

        if not isinstance(left, RdfVariable) and len(others) == 1:
            left, others = others[0], [left]
        for side in (left, *others):
            if hasattr(side, "name"):
                raise refusal("function", f"{told(side)} computes with values")
        for side in (left, *others):
            if not isinstance(side, URIRef | RdfVariable):
                raise refusal("comparison", f"{told(side)} is compared by value")
        if not isinstance(left, RdfVariable):
            raise refusal("constant_test", "two constants are compared, a yes-or-no test")
        used = {str(side) for side in (left, *others) if isinstance(side, RdfVariable)}
        self._require(used, found.certain | outer, "FILTER")
        term = Variable(str(left))
        if all(isinstance(side, URIRef) for side in others):
            among = Among(term, tuple(dict.fromkeys(constant_of(side) for side in others)))
            if not others:
                raise refusal("empty_values", "IN without values has no solutions")
            return [among] if positive else [Not(Group((among,)))]
        if len(others) > 1 or not positive:
            raise refusal(
                "inequality", f"?{left} is compared with another variable, individual by individual"
            )
        if not same and not used & _subjects(found.conditions):
            raise refusal("comparison", f"?{left} and ?{others[0]} are compared by value")
        return [Same(term, Variable(str(others[0])))]

    def _exists(
        self, node: Any, found: _Found, outer: frozenset[str], positive: bool
    ) -> list[Condition]:
        from rdflib.plugins.sparql.algebra import translateGroupGraphPattern

        graph = node.graph
        if graph.name.startswith("GroupGraphPattern"):
            graph = translateGroupGraphPattern(graph)
        around = found.certain | outer
        inner = self.pattern(graph, around)
        names = frozenset().union(*map(variables, inner.conditions), inner.bound)
        self._require(names & found.bound, around, "EXISTS")
        group = self._own(inner.conditions, names & around)
        return list(group.conditions) if positive else [Not(group)]

    # ---- scopes -------------------------------------------------------------------------------

    def _own(self, conditions: list[Condition], shared: frozenset[str]) -> Group:
        """Give the variables that are not shared names of their own."""
        group = Group(tuple(conditions))
        new: Mapping[Variable, Term] = {
            Variable(name): Variable(f"{name}.{next(self._fresh)}")
            for name in sorted(variables(group) - shared)
        }
        return renamed(group, new)

    def _require(self, names: Any, certain: frozenset[str], where: str) -> None:
        loose = sorted(set(names) - certain)
        if loose:
            raise refusal("partly_bound", f"?{loose[0]} may be unbound where {where} uses it")


def _subjects(conditions: list[Condition]) -> frozenset[str]:
    """The variables that stand as a subject, and so never hold a literal."""
    return frozenset(
        item.subject.name
        for item in conditions
        if isinstance(item, Atom) and isinstance(item.subject, Variable)
    )
