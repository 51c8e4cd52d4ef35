"""Slides that a sales person shows: what stands on them, and how they look."""
