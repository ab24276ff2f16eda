"""What a notation for question graphs is, and what of a graph it can carry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from graphkit.errors import Problem, UnsupportedError
from graphkit.formats.lines import TextSource
from graphkit.formats.reading import Broken, Placed
from graphkit.operations import Op
from graphkit.question import QuestionGraph

__all__ = ["MEANING", "Feature", "Notation", "check_carries", "features", "needs"]


class Feature(StrEnum):
    """Something that a graph may have and a notation may lack."""

    COMPLEMENT = "complement"
    UNION = "union"
    ANY_OF = "several known entities of one node"
    TYPES = "entity types"
    FREE = "nodes without any condition"
    SHARED = "nodes that several edges read"
    IMPLICIT = "several edges into one node"
    FILLER = "parts that do not reach the root"
    SEVERAL = "several questions in one file"
    WORDS = "question, answer and labels"
    IDS = "ids of nodes and edges"
    REFERENCES = "reference entities"
    EXTRA = "further keys"


MEANING = frozenset(
    {
        Feature.COMPLEMENT,
        Feature.UNION,
        Feature.ANY_OF,
        Feature.TYPES,
        Feature.FREE,
        Feature.SEVERAL,
    }
)
"""Features whose loss would change the question; a writer that lacks one refuses."""


@dataclass(frozen=True, slots=True)
class Notation:
    """A way to write question graphs down.

    Attributes:
        name: Its name on the command line.
        summary: What it is, in one line.
        suffixes: File suffixes that mean it, the most usual first, with the dot.
        carries: What of a graph it keeps.
        sniff: Says from the beginning of a text whether it is this notation.
        read: Yields graphs, and the broken records among them; None for output only.
        write: Returns the pieces of the text for (graphs, suffix); None for input only.
    """

    name: str
    summary: str
    suffixes: tuple[str, ...]
    carries: frozenset[Feature]
    sniff: Callable[[str], bool]
    read: (
        Callable[[TextSource], Iterator[QuestionGraph | Placed[QuestionGraph] | Broken]] | None
    ) = None
    write: Callable[[Sequence[QuestionGraph], str], Iterable[str]] | None = None


def features(graph: QuestionGraph) -> frozenset[Feature]:
    """Return what a graph has that not every notation can carry."""
    found: set[Feature] = set()
    if graph.question or graph.answer is not None or any(node.label for node in graph.nodes):
        found.add(Feature.WORDS)
    if len(graph.relevant) < len(graph.nodes):
        found.add(Feature.FILLER)
    for node in graph.nodes:
        edges = graph.incoming[node.node_id]
        conditions = [edges, node.known_entities, node.entity_type]
        found |= {
            feature
            for feature, present in (
                (Feature.ANY_OF, len(node.known_entities) > 1),
                (Feature.TYPES, node.entity_type is not None),
                (Feature.FREE, not any(conditions)),
                (Feature.SHARED, len(graph.outgoing[node.node_id]) > 1),
                (Feature.IMPLICIT, len(edges) > 1 or (edges and node.known_entities)),
                (Feature.REFERENCES, node.reference_entities),
                (Feature.EXTRA, node.model_extra),
            )
            if present
        }
    for edge in graph.edges:
        if edge.op is Op.COMPLEMENT:
            found.add(Feature.COMPLEMENT)
        if edge.op is Op.UNION:
            found.add(Feature.UNION)
        if edge.model_extra:
            found.add(Feature.EXTRA)
    if graph.model_extra:
        found.add(Feature.EXTRA)
    return frozenset(found)


def needs(graphs: Sequence[QuestionGraph]) -> frozenset[Feature]:
    """Return what a file of these graphs has to carry."""
    found = {feature for graph in graphs for feature in features(graph)}
    if len(graphs) != 1:
        found.add(Feature.SEVERAL)
    return frozenset(found)


def check_carries(notation: Notation, graphs: Iterable[QuestionGraph]) -> tuple[Problem, ...]:
    """Say what a notation would lose of these graphs.

    Returns:
        One problem for each feature that would be left behind without a change of meaning.

    Raises:
        UnsupportedError: The loss would change what is asked; every such feature is named.
    """
    graphs = tuple(graphs)
    lost = sorted(needs(graphs) - notation.carries)
    refused = [feature for feature in lost if feature in MEANING]
    if refused:
        raise UnsupportedError(
            Problem(
                f"cannot carry {feature.value}",
                code="unsupported",
                subject=f"format {notation.name}",
            )
            for feature in refused
        )
    return tuple(
        Problem(
            f"does not keep {feature.value}", code="left_out", subject=f"format {notation.name}"
        )
        for feature in lost
    )
