"""Advertising copy that says no more than the reviews do, and the banners that carry it."""
