"""A second scorer, written from the formulas alone: plain dictionaries, nothing of the package.

It follows design page "Rubric trees: exact scoring", sections 2 and 3, sentence by sentence, with
no thought for speed. Outcomes are 1 (passed), 0 (failed), or None (na or skipped).
"""

from __future__ import annotations

from fractions import Fraction as F

DIMENSIONS = ("content", "citation", "presentation")


def holds(logic, s, n):
    if logic == "all":
        return s == n
    if logic == "any":
        return s >= 1
    if logic == "majority":
        return 2 * s > n
    return s >= int(logic.split(":")[1])


def tally(task, outcomes, d, gone=()):
    values = [
        outcomes[a["id"]] for a in task["atoms"] if a["direction"] == d and a["id"] not in gone
    ]
    values = [v for v in values if v is not None]
    return sum(values), len(values)


def weight(task, d, n):
    kappa = task["directions"][d]["kappa"]
    return n if kappa is None else min(n, kappa)


def raw_score(task, outcomes, gone=()):
    """S of equations 2 and 3 with the citation atoms ``gone`` as na; presence is that before."""
    present = [
        k
        for k in DIMENSIONS
        if any(
            tally(task, outcomes, d)[1]
            for d, x in task["directions"].items()
            if x["dimension"] == k
        )
    ]
    total = sum(task["weights"].values())
    lam = {k: F(task["weights"][k]) / total for k in DIMENSIONS}
    here = sum(lam[k] for k in present)
    if not here:
        return None
    score = F(0)
    for k in present:
        up = down = F(0)
        for d, x in task["directions"].items():
            s, n = tally(task, outcomes, d, gone)
            if x["dimension"] != k or n == 0:
                continue
            r = F(s, n)
            c = r if x["tau"] is None else min(F(1), r / x["tau"])
            g = 0 if x["role"] == "gate" and not holds(x["logic"], s, n) else 1
            up += weight(task, d, n) * g * c
            down += weight(task, d, n)
        score += lam[k] / here * (up / down if down else 0)
    return 100 * score


def coverage(task, outcomes, facts):
    """Scored atoms of expected yes in coverage directions that share one of the facts."""
    return [
        a
        for a in task["atoms"]
        if a["direction"] in task["coverage"]
        and a["expected"] == "yes"
        and set(a["facts"]) & set(facts)
        and outcomes[a["id"]] is not None
    ]


def candidates(task, outcomes):
    found = []
    for a in task["atoms"]:
        if task["directions"][a["direction"]]["dimension"] == "citation" and outcomes[a["id"]] == 0:
            linked = coverage(task, outcomes, a["facts"])
            if linked and all(outcomes[x["id"]] == 0 for x in linked):
                found.append(a)
    return found


def deltas(task, outcomes, left):
    total = sum(task["weights"].values())
    lam = {k: F(task["weights"][k]) / total for k in DIMENSIONS}
    hat = {}
    for d, x in task["directions"].items():
        whole = sum(
            weight(task, e, tally(task, outcomes, e)[1])
            for e, y in task["directions"].items()
            if y["dimension"] == x["dimension"]
        )
        if whole:
            hat[d] = F(weight(task, d, tally(task, outcomes, d)[1]), whole)
    b = {x["direction"] for a in left for x in coverage(task, outcomes, a["facts"])}
    sides = []
    for d in b:
        s, n = tally(task, outcomes, d)
        tau = task["directions"][d]["tau"]
        gamma = F(1) if tau is None else (1 / F(tau) if F(s, n) < tau else F(0))
        sides.append(lam["content"] * hat[d] * gamma / n)
    right = F(0)
    for j, x in task["directions"].items():
        if x["dimension"] == "citation":
            s, n = tally(task, outcomes, j)
            k = sum(1 for a in left if a["direction"] == j)
            if n > k:
                right += hat[j] * F(s, n) * F(k, n - k)
    return min(sides), lam["citation"] * right


def next_back(left):
    facts = sorted({f for a in left for f in a["facts"]})
    fact = max(
        facts, key=lambda f: (sum(f in a["facts"] for a in left), [-ord(c) for c in f] + [1])
    )
    return sorted((a for a in left if fact in a["facts"]), key=lambda a: a["id"])[-1]


def limits(task, outcomes):
    """S of state_f for omitted facts and of cite_f for stated facts, without a guard."""
    found = []
    for f in sorted({f for a in task["atoms"] for f in a["facts"]}):
        linked = coverage(task, outcomes, [f])
        if not linked:
            continue
        better = dict(outcomes)
        if not any(outcomes[a["id"]] == 1 for a in linked):
            better.update({a["id"]: 1 for a in linked})
            found.append(("stated", f, better))
        else:
            cited = [
                a["id"]
                for a in task["atoms"]
                if f in a["facts"]
                and task["directions"][a["direction"]]["dimension"] == "citation"
                and outcomes[a["id"]] is not None
            ]
            if any(outcomes[i] == 0 for i in cited):
                better.update(dict.fromkeys(cited, 1))
                found.append(("cited", f, better))
    return found


def guarded(task, outcomes, mode):
    """Return (ids that became na, ids restored in order, readings at every step)."""
    left = candidates(task, outcomes)
    back, trace = [], []
    bounds = [raw_score(task, better) for _, _, better in limits(task, outcomes)] if left else []
    while left:
        sides = deltas(task, outcomes, left)
        trace.append(sides)
        if mode == "published":
            fine = sides[0] > sides[1]
        else:
            value = raw_score(task, outcomes, {a["id"] for a in left})
            fine = value is not None and all(value <= bound for bound in bounds)
        if fine:
            break
        gone = next_back(left)
        left = [a for a in left if a["id"] != gone["id"]]
        back.append(gone["id"])
    return {a["id"] for a in left}, back, trace


def score(task, outcomes, mode="published"):
    return raw_score(task, outcomes, guarded(task, outcomes, mode)[0])


def bounds(task, outcomes, skipped, mode="published"):
    """The least and greatest of the score, all skipped failed, all skipped passed."""
    found = [score(task, outcomes, mode)]
    for value in (0, 1):
        found.append(score(task, {**outcomes, **dict.fromkeys(skipped, value)}, mode))
    found = [value for value in found if value is not None]
    return (min(found), max(found)) if found else (None, None)
