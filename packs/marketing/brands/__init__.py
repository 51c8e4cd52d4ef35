"""Brands or products side by side: whose review is it, who is ahead, and what only one of them hears."""
