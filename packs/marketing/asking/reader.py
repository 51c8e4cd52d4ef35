"""What of a sentence goes to marketing.ask: the question as it is, and the days that were read in it."""

from collections.abc import Sequence

from contracts.reading import Clause
from contracts.shape import JsonObject, JsonValue

LONGEST, PERIODS = 2000, 10


def read_question(clause: Clause) -> Sequence[JsonObject]:
    """{question, periods?}; the table is read where the tool runs."""
    question = clause.text.strip()[:LONGEST]
    periods: list[JsonValue] = [
        {"said": one.text, **one.value} for one in clause.periods[:PERIODS] if isinstance(one.value, dict)
    ]
    slots: JsonObject = {"question": question}
    if periods:
        slots["periods"] = periods
    return (slots,) if question else ()
