"""Synthetic reviews and stocks: what the marketing pack is shipped with, and the tables of the gallery."""
