"""What the reviews of a CSV file come to, counted apart from the code under test: with the csv module and a set."""

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass

NOTHING = ("", "N/A")


@dataclass(frozen=True)
class Recount:
    """`read` rows below the head; `kept` with a text in the right number of columns; `reviews` without repetitions."""

    read: int
    kept: int
    reviews: int
    by_product: Counter[str]
    mean_rating: float
    months: Counter[str]


def recount(text: str) -> Recount:
    """Columns as in the demo: number, product, rating, day, text, source."""
    head, *rows = list(csv.reader(io.StringIO(text)))
    kept = [row for row in rows if len(row) == len(head) and row[4].strip() not in NOTHING]
    # the same words about the same product are one review, whatever their punctuation
    reviews = {(re.sub(r"\W", "", row[4]).lower(), row[1]): row for row in reversed(kept)}
    ratings = [int(row[2]) for row in reviews.values() if row[2] in set("12345")]
    return Recount(
        read=len(rows),
        kept=len(kept),
        reviews=len(reviews),
        by_product=Counter(row[1] for row in reviews.values()),
        mean_rating=sum(ratings) / len(ratings),
        months=Counter(row[3][:7] for row in reviews.values() if re.fullmatch(r"2025-0\d-\d\d", row[3])),
    )
