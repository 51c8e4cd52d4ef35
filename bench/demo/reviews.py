"""Writes the bundled demo reviews: python -m bench.demo.reviews. Synthetic; the same bytes every time.

Three invented products over eight months. In the fifth month the first one gets worse (a firmware update drains its
battery), so that a trend has something to find. A few rows are bad or repeated on purpose.
"""

import csv
import io
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from understanding.kit.data import read_data

HERE = Path(__file__).parent
FOLDER = Path(__file__).parents[2] / "packs/marketing/data"
ROWS = 240
MONTHS = 8
SHIFT_MONTH = 5
YEAR = 2025
# Share of positive and of neutral reviews, before and after the shift, per product.
MOODS = (((0.80, 0.10), (0.10, 0.08)), ((0.72, 0.14), (0.66, 0.14)), ((0.78, 0.12), (0.76, 0.12)))


@dataclass(frozen=True, slots=True)
class Phrases:
    """What reviewers of one language say: `products` hold positive, negative and after-the-shift sentences."""

    columns: Sequence[str]
    products: Sequence[dict[str, list[str]]]
    general: dict[str, list[str]]
    open: list[str]


def main() -> None:
    """Writes both files."""
    data = read_data(HERE / "reviews.yaml")
    for language, phrases in data.items():
        (FOLDER / f"demo_reviews_{language}.csv").write_bytes(render(Phrases(**phrases), seed=20250901).encode("utf-8"))


def table(stem: str, language: str) -> bytes:
    """A table of the gallery: demo_reviews, demo_films or demo_shop in ko, en or ja; the bundled file if any."""
    bundled = FOLDER / f"{stem}_{language}.csv"
    if bundled.exists():
        return bundled.read_bytes()
    data = read_data(HERE / "gallery.yaml")
    return render(Phrases(**data[stem.removeprefix("demo_")][language]), seed=20250901).encode("utf-8")


def render(phrases: Phrases, seed: int) -> str:
    """The CSV as text: good rows in order of date, with the bad and repeated ones among them."""
    chance = random.Random(seed)  # demo data, not a secret
    rows = _good_rows(phrases, chance, ROWS - 16)
    repeated = [(row, list(row)) for row in chance.sample(rows, 4)]
    alike = [(row, [*row[:4], row[4].rstrip(".!") + "!!", row[5]]) for row in chance.sample(rows, 3)]
    empty = [[*row[:4], text, row[5]] for row, text in zip(chance.sample(rows, 3), ("", "  ", "N/A"), strict=True)]
    undated = [[*row[:3], day, *row[4:]] for row, day in zip(chance.sample(rows, 2), ("2025-13-40", "?"), strict=True)]
    unrated = [[*row[:2], mark, *row[3:]] for row, mark in zip(chance.sample(rows, 2), ("?", "99"), strict=True)]
    # A repeated text would be a duplicate; these two kinds must be bad for their own reason only.
    for row in (*undated, *unrated):
        row[4] = f"{chance.choice(phrases.open)} {row[4]}"
    ragged = [[*row[:4], *row[4].split(" ", 1), row[5]] for row in chance.sample(rows, 2)]
    again = [copy for _, copy in (*repeated, *alike)]
    for extra in (*again, *empty, *undated, *unrated, *ragged):
        rows.insert(chance.randrange(len(rows)), extra)
    for number, row in enumerate(rows, start=1):
        row[0] = str(number)
    # The same review again has its number again, or it would be another one with the same words.
    for row, copy in (*repeated, *alike):
        copy[0] = row[0]
    return _csv([list(phrases.columns), *rows])


def _good_rows(phrases: Phrases, chance: random.Random, number: int) -> list[list[str]]:
    seen: set[str] = set()
    rows: list[list[str]] = []
    first = date(YEAR, 1, 1)
    days = (date(YEAR, MONTHS + 1, 1) - first).days
    for index in range(number):
        day = first + timedelta(days=index * days // number)
        which = chance.choices((0, 1, 2), weights=(6, 3, 3))[0]
        product = phrases.products[which]
        shifted = day.month >= SHIFT_MONTH
        mood = _mood(chance, *MOODS[which][shifted])
        text = _text(phrases, product, mood, chance, shifted=shifted)
        while text in seen:
            text = _text(phrases, product, mood, chance, shifted=shifted)
        seen.add(text)
        rating = {"positive": (4, 5, 5), "neutral": (3,), "negative": (1, 1, 2)}[mood]
        rows.append(["", product["name"][0], str(chance.choice(rating)), day.isoformat(), text, "synthetic"])
    return rows


def _mood(chance: random.Random, positive: float, neutral: float) -> str:
    drawn = chance.random()
    if drawn < positive:
        return "positive"
    return "neutral" if drawn < positive + neutral else "negative"


def _text(phrases: Phrases, product: dict[str, list[str]], mood: str, chance: random.Random, *, shifted: bool) -> str:
    """One or two sentences about the product, often with a general one before or behind."""
    if mood == "neutral":
        return f"{chance.choice(phrases.general['neutral'])} {chance.choice(product['neutral'])}"
    own = product["shifted"] if mood == "negative" and shifted and "shifted" in product else product[mood]
    said = chance.sample(own, 2 if chance.random() < 0.55 else 1)
    if chance.random() < 0.6:
        said.append(chance.choice(phrases.general[mood]))
    if chance.random() < 0.35:
        said.insert(0, chance.choice(phrases.open))
    return " ".join(said)


def _csv(rows: Sequence[Sequence[str]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


if __name__ == "__main__":
    main()
