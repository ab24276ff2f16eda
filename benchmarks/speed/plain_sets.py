"""Baseline: logical queries one after the other with plain Python sets. Frozen."""


class PlainSets:
    """Facts as a dictionary of sets a relation and direction."""

    def __init__(self, triples, relations):
        self.tables = [{} for _ in range(2 * relations)]
        for head, relation, tail in zip(*triples):
            self.tables[2 * relation].setdefault(head, set()).add(tail)
            self.tables[2 * relation + 1].setdefault(tail, set()).add(head)

    def answers(self, query):
        """A query is ("a", entity), ("p", code, query), ("i" or "u", queries), ("n", query)."""
        kind = query[0]
        if kind == "a":
            return {query[1]}
        if kind == "p":
            table = self.tables[query[1]]
            rows = (table.get(member, ()) for member in self.answers(query[2]))
            return set().union(*rows)
        if kind == "u":
            return set().union(*(self.answers(part) for part in query[1]))
        wanted = sorted((self.answers(part) for part in query[1] if part[0] != "n"), key=len)
        found = set(wanted[0]).intersection(*wanted[1:])
        for part in query[1]:
            if part[0] == "n":
                found -= self.answers(part[1])
        return found
