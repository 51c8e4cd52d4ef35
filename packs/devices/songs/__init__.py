"""Melodies in the public domain, written down as notes and played by code."""
