"""Staged queries as the compilers write them against the naive join, on FB15k-237, in one run."""

from __future__ import annotations

import argparse
import gzip
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyoxigraph
from naive import naive_cypher, naive_sparql
from workload import PATTERN_NAMES, Workload

from graphkit.compile.cypher import to_cypher
from graphkit.compile.sets import set_expression
from graphkit.compile.sparql import to_sparql
from graphkit.errors import QueryError
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.formats.rdf_facts_writer import facts_text
from graphkit.formats.rdf_terms import entity_key
from graphkit.question import QuestionGraph
from graphkit.stores import GraphStore, load_facts, open_store

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "kg" / "fb15k237"
LEAST_3P = 10.0
MOST_SLOWER = 1.5
ROUNDS = 4
LONG = 0.05

Job = Callable[[], list[str] | None]
"""Runs a query; None where the engine refuses it for its size."""


@dataclass(frozen=True)
class Row:
    """The mean seconds of one pattern in one language; how many naive joins were refused."""

    language: str
    pattern: str
    questions: int
    staged: float
    naive: float
    refused: int = 0

    @property
    def ratio(self) -> float:
        """How many times faster the staged form is."""
        return self.naive / self.staged

    @property
    def holds(self) -> bool:
        """Whether the claim for this pattern holds."""
        return self.ratio >= (LEAST_3P if self.pattern == "3p" else 1 / MOST_SLOWER)


def triples(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the facts of the public files."""
    for name in ("train.tsv.gz", "valid-extra.tsv.gz"):
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            for line in lines:
                head, relation, tail = line.rstrip("\n").split("\t")
                yield head, relation, tail


def sparql_jobs(store: pyoxigraph.Store, graph: QuestionGraph, facts: FactStore) -> list[Job]:
    """Return the staged and the naive query, each giving entity keys."""
    grounding = evaluate(graph, facts).grounding
    texts = [
        to_sparql(graph, facts, grounding=grounding).text,
        naive_sparql(set_expression(graph, facts, grounding)),
    ]

    def job(text: str) -> Job:
        return lambda: [entity_key(row[0].value) for row in store.query(text)]

    return [job(text) for text in texts]


def cypher_jobs(store: GraphStore, graph: QuestionGraph, facts: FactStore) -> list[Job]:
    """Return the staged and the naive query, each giving entity keys."""
    grounding = evaluate(graph, facts).grounding
    staged = to_cypher(graph, facts, grounding=grounding)
    queries = [
        (staged.text, dict(staged.params)),
        naive_cypher(set_expression(graph, facts, grounding)),
    ]

    def job(text: str, params: dict[str, object]) -> Job:
        def run() -> list[str] | None:
            try:
                return store.read(text, params, timeout=0).column("id")
            except QueryError as error:
                if "safety ceiling" not in str(error):
                    raise
                return None

        return run

    return [job(*query) for query in queries]


def measure(
    language: str,
    make: Callable[[QuestionGraph], list[Job]],
    facts: FactStore,
    questions: dict[str, list[QuestionGraph]],
) -> Iterator[Row]:
    """Time both forms of every question in turn, and compare their answers with memory.

    Time of this process on the processor counts, and of :data:`ROUNDS` turns the shortest, so that
    other work on the machine does not; what took longer than :data:`LONG` seconds is run once.
    """
    for pattern, graphs in questions.items():
        spent = [0.0, 0.0]
        refused = 0
        for place, graph in enumerate(graphs):
            answers = evaluate(graph, facts).answers.ids.tolist()
            expected = sorted(facts.entity(number).key for number in answers)
            jobs = make(graph)
            best = [float("inf"), float("inf")]
            for turn in range(ROUNDS):
                for which in (0, 1) if (place + turn) % 2 else (1, 0):
                    if turn and best[which] > LONG:
                        continue
                    started = time.process_time()
                    found = jobs[which]()
                    best[which] = min(best[which], time.process_time() - started)
                    if found is None and which:
                        refused += 1
                    elif sorted(found or ()) != expected:
                        raise SystemExit(f"{language} {pattern}: other answers than in memory")
            spent = [total + one for total, one in zip(spent, best, strict=True)]
        count = len(graphs)
        yield Row(language, pattern, count, spent[0] / count, spent[1] / count, refused)


def main() -> int:
    """Measure, print the table, and end with 3 when a claim is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder fb15k237")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--questions", type=int, default=30, help="of each pattern but 3p")
    parser.add_argument("--questions-3p", type=int, default=300)
    parser.add_argument("--patterns", nargs="+", choices=PATTERN_NAMES, default=PATTERN_NAMES)
    parser.add_argument("--languages", nargs="+", default=["SPARQL", "Cypher"])
    asked = parser.parse_args()
    facts = FactStore.from_triples(triples(asked.data))
    workload = Workload(facts, asked.seed)
    questions = {
        pattern: list(
            workload.questions(pattern, asked.questions_3p if pattern == "3p" else asked.questions)
        )
        for pattern in asked.patterns
    }
    print("| language | pattern | questions | staged ms | naive ms | naive / staged |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    missed = 0

    def show(rows: Iterator[Row]) -> int:
        count = 0
        for row in rows:
            count += not row.holds
            mark = "" if row.holds else " (missed)"
            mark += f" ({row.refused} naive refused)" if row.refused else ""
            print(
                f"| {row.language} | {row.pattern} | {row.questions} | {row.staged * 1e3:.2f} "
                f"| {row.naive * 1e3:.2f} | {row.ratio:.1f}{mark} |",
                flush=True,
            )
        return count

    if "SPARQL" in asked.languages:
        triplestore = pyoxigraph.Store()
        triplestore.bulk_load(
            "".join(facts_text(facts)).encode(), format=pyoxigraph.RdfFormat.TURTLE
        )
        missed += show(
            measure("SPARQL", lambda g: sparql_jobs(triplestore, g, facts), facts, questions)
        )
    if "Cypher" in asked.languages:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "fb15k237.db"
            with open_store(place) as writer:
                load_facts(writer, facts)
            with open_store(place, read_only=True) as store:
                missed += show(
                    measure("Cypher", lambda g: cypher_jobs(store, g, facts), facts, questions)
                )
    return 3 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
