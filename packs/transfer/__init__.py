"""Money transfers by dialogue (source design 002)."""
