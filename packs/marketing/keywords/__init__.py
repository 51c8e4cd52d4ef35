"""Terms that stand out, one way per language."""
