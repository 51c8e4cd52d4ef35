"""Layer 1: what the person means (intent, entities, and the question when that is not clear)."""
