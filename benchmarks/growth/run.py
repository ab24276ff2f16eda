"""What growth yields, what hidden facts do to its questions, and redundancy in published queries.

Run from the checkout: ``python benchmarks/growth/run.py [growth|hidden|query2box]...``.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

from graphkit.checks import basis_of, check
from graphkit.checks.basis import Basis
from graphkit.errors import GroundingError
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.formats import read_facts
from graphkit.grounding import ground
from graphkit.normalize import normalize
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.relations import RelationSheet
from synthesis.grow import GrownQuestion, Growth
from synthesis.grow_settings import GrowSettings

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "data" / "kg" / "fb15k237"
COUNT, SEED, HIDDEN, ROUNDS = 500, 1, 0.1, 5


def grown(facts: FactStore) -> tuple[list[GrownQuestion], Growth, float]:
    """Grow the questions of the claims; return them, the run, and its processor seconds."""
    growth = Growth(facts, GrowSettings(count=COUNT, seed=SEED))
    begin = time.process_time()
    questions = list(growth)
    return questions, growth, time.process_time() - begin


def growth_table(facts: FactStore) -> None:
    """Print what one run of 500 is like."""
    questions, growth, seconds = grown(facts)
    shapes = [item.checks.profile.shape for item in questions if item.checks.profile]
    answers = Counter(item.graph.answer for item in questions)
    relations = Counter(
        edge.relation for item in questions for edge in item.graph.edges if edge.relation
    )
    print(f"questions                      {len(questions)}")
    print(f"attempts                       {growth.attempts}")
    print(f"processor seconds              {seconds:.1f}")
    print(f"proven                         {sum(item.checks.proven for item in questions)}")
    print(f"depth 2 or more                {sum(s.depth >= 2 for s in shapes) / len(shapes):.0%}")
    share = sum(bool(s.ops["complement"]) for s in shapes) / len(shapes)
    print(f"with a complement              {share:.0%}")
    print(f"different answers              {len(answers)}")
    print(f"largest share of one answer    {max(answers.values()) / len(questions):.1%}")
    print(f"signatures                     {len({s.signature for s in shapes})}")
    top, uses = relations.most_common(1)[0]
    print(f"largest share of one relation  {uses / relations.total():.0%} ({top})")
    for word, times in growth.missing.most_common():
        print(f"  ended: {word:24} {times}")


def _opened(sheet: RelationSheet) -> RelationSheet:
    """Return the sheet of somebody who knows that facts are missing."""
    relations = {
        name: entry.model_copy(update={"complete": False})
        for name, entry in sheet.relations.items()
    }
    return sheet.model_copy(update={"relations": relations})


def _basis(graph: QuestionGraph, facts: FactStore) -> Basis:
    normal = normalize(graph)
    return basis_of(normal, facts, ground(normal, facts))


def hidden_table(facts: FactStore) -> None:
    """Print what is left of the questions when a tenth of the facts is hidden."""
    questions, _, _ = grown(facts)
    everything = list(facts.facts())
    print(
        "round  same answer  unique, other  several  none  unresolved  closed as it says  "
        "closed and wrong  basis when the sheet is honest"
    )
    for round_ in range(ROUNDS):
        random = Random(round_)
        gone = [fact for fact in everything if random.random() < HIDDEN]
        left = facts.without_facts(gone)
        honest = FactStore(
            left.entities,
            left.relations,
            left.adjacency,
            records=left.records,
            aliases=left.aliases,
            sheet=_opened(left.sheet),
        )
        counts: Counter[str] = Counter()
        for item in questions:
            try:
                evaluation = evaluate(item.graph, left)
            except GroundingError:
                counts["unresolved"] += 1
                continue
            right = evaluation.names == [item.graph.answer]
            kind = "same" if right else {0: "none", 1: "other"}.get(evaluation.count, "several")
            counts[kind] += 1
            claimed = _basis(item.graph, left) is Basis.CLOSED
            counts["closed"] += claimed
            counts["wrong"] += claimed and not right
            counts[f"honest {_basis(item.graph, honest).value}"] += 1
        told = ", ".join(f"{word[7:]} {n}" for word, n in counts.items() if word[:6] == "honest")
        print(
            f"{round_:5}  {counts['same']:11}  {counts['other']:13}  {counts['several']:7}  "
            f"{counts['none']:4}  {counts['unresolved']:10}  {counts['closed']:17}  "
            f"{counts['wrong']:16}  {told}"
        )


def published(row: dict[str, object]) -> QuestionGraph:
    """Return the graph of a published query of the shapes 2i, 3i and ci."""
    nodes: list[Node] = []
    edges: list[Edge] = []

    def add(**fields: object) -> str:
        nodes.append(Node(node_id=f"n{len(nodes)}", **fields))  # type: ignore[arg-type]
        return nodes[-1].node_id

    def follow(source: str, path: list[dict[str, str]]) -> str:
        for step in path:
            target = add()
            edges.append(
                Edge(
                    edge_id=f"e{len(edges)}",
                    source_ids=(source,),
                    target_id=target,
                    op="projection",
                    **step,
                )
            )  # type: ignore[arg-type]
            source = target
        return source

    ends = [
        follow(add(known_entities=(branch["anchor"],)), branch["path"])
        for branch in row["branches"]
    ]  # type: ignore[attr-defined]
    root = add()
    edges.append(
        Edge(edge_id=f"e{len(edges)}", source_ids=tuple(ends), target_id=root, op="intersection")
    )  # type: ignore[arg-type]
    root = follow(root, row.get("then") or [])  # type: ignore[arg-type]
    return QuestionGraph(root_node_id=root, nodes=tuple(nodes), edges=tuple(edges))


def query2box_table() -> None:
    """Print how many published conjunctive queries have a branch that can go."""
    if not SHARED.is_dir():
        print(f"query2box: {SHARED} is not there, nothing to count")
        return
    facts = read_facts([SHARED / "train.tsv.gz", SHARED / "valid-extra.tsv.gz"])
    found: dict[str, Counter[str]] = {}
    with gzip.open(SHARED / "query2box-valid-sample.jsonl.gz", "rt", encoding="utf8") as lines:
        for line in lines:
            row = json.loads(line)
            if row["shape"] not in ("2i", "3i", "ci"):
                continue
            report = check(published(row), facts)
            counts = found.setdefault(row["shape"], Counter())
            counts["queries"] += 1
            branches = [name for name in report.redundant or () if "/" in name]
            counts["branch"] += bool(branches)
            counts["unique"] += report.unique is True
            counts["good"] += report.unique is True and not report.redundant
    print("shape  queries  redundant branch  unique  unique and irredundant")
    for shape, counts in sorted(found.items()):
        total = counts["queries"]
        print(
            f"{shape:5}  {total:7}  {counts['branch'] / total:16.0%}  "
            f"{counts['unique'] / total:6.1%}  {counts['good'] / total:22.1%}"
        )


def main(wanted: list[str]) -> None:
    """Print the tables that were asked for, by default all."""
    facts = read_facts([ROOT / "examples" / "factbook" / "evidence.jsonl"])
    for name, table in (("growth", growth_table), ("hidden", hidden_table)):
        if not wanted or name in wanted:
            print(f"\n== {name}")
            table(facts)
    if not wanted or "query2box" in wanted:
        print("\n== query2box")
        query2box_table()


if __name__ == "__main__":
    main(sys.argv[1:])
