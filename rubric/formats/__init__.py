"""Importers of other rubric sets: PaperBench, DeepResearch Bench, HealthBench, plain tables."""

from rubric.formats.conversion import Conversion, to_task_tree, to_verdicts
from rubric.formats.paperbench import Replay, replay
from rubric.formats.points import PointItem, PointList, clipped_mean
from rubric.formats.registry import FORMATS, import_file, import_text, sniff
from rubric.formats.source import Imported, Options
from rubric.formats.weighted import WeightedNode, WeightedScore, WeightedTree

__all__ = [
    "FORMATS",
    "Conversion",
    "Imported",
    "Options",
    "PointItem",
    "PointList",
    "Replay",
    "WeightedNode",
    "WeightedScore",
    "WeightedTree",
    "clipped_mean",
    "import_file",
    "import_text",
    "replay",
    "sniff",
    "to_task_tree",
    "to_verdicts",
]
