"""Fences around text that came from a document, a tool or the web: it is data, whatever it says."""

from hashlib import sha256

MARK = 12


def fenced(name: str, text: str) -> str:
    """The text between marks that it cannot contain: they are made of its own hash, so nothing inside can close it."""
    mark = sha256(text.encode()).hexdigest()[:MARK]
    return f"<data {name} {mark}>\n{text}\n</data {mark}>"
