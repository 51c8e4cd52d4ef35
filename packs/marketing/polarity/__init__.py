"""Judging how a text speaks of its subject, one module per language."""
