"""Colours that only films and banners have; the others are those of all pictures (charts/style.py)."""

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
