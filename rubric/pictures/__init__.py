"""Pictures of scores: forest plot, rank stability, heat map, trees with their outcomes."""

from rubric.pictures.charts import forest, heat_map, rank_stability
from rubric.pictures.tree_scene import draw_tree, draw_trees_page, tree_scene

__all__ = [
    "draw_tree",
    "draw_trees_page",
    "forest",
    "heat_map",
    "rank_stability",
    "tree_scene",
]
