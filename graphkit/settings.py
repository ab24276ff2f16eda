"""Typed settings: file < environment < flag."""
