"""Baseline: logical queries one after the other with plain numpy over compressed rows. Frozen."""

import numpy as np


class PlainNumpy:
    """Facts as one row table a relation and direction; sets are sorted arrays."""

    def __init__(self, triples, entities, relations):
        heads, names, tails = (np.array(column, dtype=np.int32) for column in triples)
        self.tables = []
        for relation in range(relations):
            rows = names == relation
            for source, target in ((heads[rows], tails[rows]), (tails[rows], heads[rows])):
                order = np.lexsort((target, source))
                starts = np.zeros(entities + 1, dtype=np.int32)
                np.cumsum(np.bincount(source, minlength=entities), out=starts[1:])
                self.tables.append((starts, target[order]))

    def follow(self, code, members):
        starts, targets = self.tables[code]
        if len(members) == 1:
            member = members[0]
            return targets[starts[member]:starts[member + 1]]
        first = starts[members]
        count = starts[members + 1] - first
        total = int(count.sum())
        skip = np.repeat(first - np.cumsum(count) + count, count)
        return np.unique(targets[skip + np.arange(total, dtype=np.int32)])

    def answers(self, query):
        """A query is ("a", entity), ("p", code, query), ("i" or "u", queries), ("n", query)."""
        kind = query[0]
        if kind == "a":
            return np.array([query[1]], dtype=np.int32)
        if kind == "p":
            return self.follow(query[1], self.answers(query[2]))
        if kind == "u":
            return np.unique(np.concatenate([self.answers(part) for part in query[1]]))
        wanted = sorted((self.answers(part) for part in query[1] if part[0] != "n"), key=len)
        found = wanted[0]
        for other in wanted[1:]:
            found = np.intersect1d(found, other, assume_unique=True)
        for part in query[1]:
            if part[0] == "n":
                found = np.setdiff1d(found, self.answers(part[1]), assume_unique=True)
        return found
