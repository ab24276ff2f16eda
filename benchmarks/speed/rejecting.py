"""Baseline: certified queries by rejection: drawn at random, kept if they pass. Frozen."""


def without_one(query):
    """The query once without each of its projections and excluded or intersected parts."""
    kind = query[0]
    if kind == "i":
        for place, part in enumerate(query[1]):
            others = query[1][:place] + query[1][place + 1:]
            if any(other[0] != "n" for other in others):  # what is excluded only is no query
                yield ("i", others) if len(others) > 1 else others[0]
            for inner in without_one(part):
                yield ("i", (*others, inner))
    elif kind == "p":
        for inner in without_one(query[2]):
            yield ("p", query[1], inner)
    elif kind == "n":
        for inner in without_one(query[1]):
            yield ("n", inner)


def certified(query, answers):
    """Whether a query has one answer, and none of its parts can be left out."""
    found = answers(query)
    if len(found) != 1:
        return False
    for relaxed in without_one(query):
        other = answers(relaxed)
        if len(other) == 1 and other[0] == found[0]:
            return False
    return True
