"""Colours of the film: those of the report, so that a film and a PDF of the same reviews belong together."""

# The first six are the report's (reporting/charts.py); a test holds them together. They stand here again because
# a film must not pay for altair.
INK, SOFT, GRID, ACCENT = "#1f2933", "#5b6775", "#e4e8ed", "#27548a"
TONES = {"positive": "#1b7f6b", "neutral": "#c3cad3", "negative": "#c8553d"}
VOLUME = "#b9c7d8"
PAPER, CARD, EDGE = "#f4f6f9", "#ffffff", "#dfe4ea"
WHITE = "#ffffff"
NIGHT, DEEP = "#10243d", "#1d4370"
PALE = "#c9d8ea"


def rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def between(first: str, second: str, fraction: float) -> str:
    """The colour a fraction of the way from the first to the second."""
    mixed = (round(a + (b - a) * fraction) for a, b in zip(rgb(first), rgb(second), strict=True))
    return "#{:02x}{:02x}{:02x}".format(*mixed)
