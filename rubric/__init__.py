"""Scoring reports: rubric trees, verdicts, exact scores and their statistics."""
