"""Bundled synthetic reviews and stocks; bench.demo writes them."""
