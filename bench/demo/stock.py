"""Writes the bundled demo stock: python -m bench.demo.stock. Synthetic; the same bytes every time.

24 invented articles. Some are out, some are due, some will not be sold in a year, one is not sold at all; three rows
are bad on purpose.
"""

import csv
import io
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from understanding.kit.data import read_data

HERE = Path(__file__).parent
FOLDER = Path(__file__).parents[2] / "packs/marketing/data"
SEED = 20250915
# Days of cover that the articles are given in turn; none means that nothing is sold.
_COVERS = (0, 3, 45, 9, 30, 14, 240, 25, 6, 60, None, 38)
# The places of the bad rows, and what is wrong with them.
BAD = {5: "negative_stock", 12: "no_lead_time", 19: "unreadable_sales"}


@dataclass(frozen=True, slots=True)
class Words:
    """What stands in the table of one language."""

    columns: Sequence[str]
    unreadable: str
    names: Sequence[str]


def main() -> None:
    """Writes both files."""
    data = read_data(HERE / "stock.yaml")
    for language, words in data.items():
        (FOLDER / f"demo_stock_{language}.csv").write_bytes(render(Words(**words)).encode("utf-8"))


def render(words: Words) -> str:
    """The CSV as text; the numbers are the same in every language."""
    chance = random.Random(SEED)  # demo data, not a secret
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(words.columns)
    for number, name in enumerate(words.names):
        writer.writerow(_row(number, name, words.unreadable, chance))
    return buffer.getvalue()


def _row(number: int, name: str, unreadable: str, chance: random.Random) -> list[str]:
    cover = _COVERS[number % len(_COVERS)]
    # Drawn whether they are used or not, so that a changed list changes its own rows only.
    sales, spread = round(chance.uniform(0.8, 18), 1), round(chance.uniform(0.25, 0.6), 2)
    lead, jitter = chance.choice((3, 5, 7, 10, 14, 21, 30)), chance.uniform(0.9, 1.1)
    price, stock = chance.randrange(4, 180) * 500, chance.randrange(20, 90)
    incoming = chance.choice((0, 0, 0, 50, 100))
    demand = 0.0 if cover is None else sales
    on_hand = stock if cover is None else round(cover * sales * jitter)
    wrong = BAD.get(number)
    return [
        f"DA-{number + 1:03}",
        name,
        "-8" if wrong == "negative_stock" else str(on_hand),
        unreadable if wrong == "unreadable_sales" else f"{demand:g}",
        # Every third article does not tell how its sales vary.
        "" if number % 3 == 2 else f"{demand * spread:.2f}",
        "" if wrong == "no_lead_time" else str(lead),
        str(incoming),
        f"{price:,}",
        # Nor does every fourth say what an order costs.
        "" if number % 4 == 3 else "30,000",
        "20%",
        "synthetic",
    ]


if __name__ == "__main__":
    main()
