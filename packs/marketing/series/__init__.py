"""Reviews as a series over time."""
