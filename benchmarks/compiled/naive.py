"""The naive join: all hops of a question in one pattern, DISTINCT at the very end."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from graphkit.compile.sets import AllOf, AnyOf, Given, Project, SetExpr
from graphkit.formats.rdf_terms import entity_iri, relation_iri
from graphkit.operations import Direction

__all__ = ["naive_cypher", "naive_sparql"]


def naive_sparql(body: SetExpr) -> str:
    """Return one flat graph pattern; an exclusion is a NOT EXISTS with its whole branch."""
    numbers = itertools.count(1)

    def pattern(part: SetExpr, name: str) -> str:
        if isinstance(part, Given):
            return f"VALUES {name} {{ {' '.join(f'<{entity_iri(key)}>' for key in part.keys)} }}"
        if isinstance(part, Project):
            source = f"?x{next(numbers)}"
            ends = (source, name) if part.direction is Direction.FORWARD else (name, source)
            hop = f"{ends[0]} <{relation_iri(part.relation)}> {ends[1]} ."
            return f"{pattern(part.source, source)} {hop}"
        if isinstance(part, AllOf):
            wanted = [pattern(item, name) for item in part.wanted]
            unwanted = [f"FILTER NOT EXISTS {{ {pattern(i, name)} }}" for i in part.unwanted]
            return " ".join([*wanted, *unwanted])
        assert isinstance(part, AnyOf)
        return " UNION ".join(f"{{ {pattern(item, name)} }}" for item in part.members)

    return f"SELECT DISTINCT ?x WHERE {{ {pattern(body, '?x')} }}"


def naive_cypher(body: SetExpr) -> tuple[str, dict[str, Any]]:
    """Return one MATCH after the other without a stage; an exclusion is a NOT EXISTS."""
    params: dict[str, Any] = {}
    numbers = itertools.count(1)

    def parameter(value: Any) -> str:
        name = f"p{len(params)}"
        params[name] = value
        return f"${name}"

    def hop(part: Project, source: str, target: str) -> str:
        edge = f"[:FACT {{relation: {parameter(part.relation)}}}]"
        if part.direction is Direction.FORWARD:
            return f"({source})-{edge}->({target})"
        return f"({source})<-{edge}-({target})"

    def lines(part: SetExpr, name: str) -> Iterator[str]:
        if isinstance(part, Project):
            source = f"x{next(numbers)}"
            if isinstance(part.source, Given):
                node = f"{source}:Entity {{id: {parameter(part.source.keys[0])}}}"
                yield f"MATCH {hop(part, node, f'{name}:Entity')}"
            else:
                yield from lines(part.source, source)
                yield f"MATCH {hop(part, source, f'{name}:Entity')}"
        elif isinstance(part, AllOf):
            for item in part.wanted:
                yield from lines(item, name)
            for number, item in enumerate(part.unwanted):
                inner = " ".join(lines(item, name))
                yield f"{'AND' if number else 'WHERE'} NOT EXISTS {{ {inner} }}"
        else:
            assert isinstance(part, AnyOf)
            branches = (" ".join([*lines(i, name), f"RETURN {name}"]) for i in part.members)
            yield f"CALL {{ {' UNION ALL '.join(branches)} }}"
            yield f"WITH {name}"

    ends = ["RETURN DISTINCT x.id AS id, x.name AS name", "ORDER BY name, id"]
    return "\n".join([*lines(body, "x"), *ends]), params
