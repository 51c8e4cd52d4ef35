"""Bundled synthetic reviews, and the script that writes them."""
