"""What days the data should cover that a request is about."""

from collections.abc import Sequence
from datetime import date

from contracts.cognitive import Entity, Period


def period_of(found: Sequence[Entity], today: date) -> Period | None:
    """From the earliest to the latest day of the `date_range` entities ("작년과 올해"), and the `grain`; None where
    neither is named.

    What begins after today, or is open up to a day yet to come ("by Friday"), is when something is wanted, not what
    the data covers.
    """
    grain = next((str(one.value) for one in found if one.type == "grain"), None)
    days = [_days(one) for one in found if one.type == "date_range"]
    past = [
        (first, last)
        for first, last in days
        if (first is not None and first <= today) or (last is not None and last < today)
    ]
    if not past:
        return Period(grain=grain) if grain else None
    firsts, lasts = [first for first, _ in past], [last for _, last in past]
    first = None if None in firsts else min(day for day in firsts if day)
    last = None if None in lasts else max(day for day in lasts if day)
    return Period(start=first, end=last, grain=grain)


def _days(one: Entity) -> tuple[date | None, date | None]:
    value = one.value if isinstance(one.value, dict) else {}
    first, last = value.get("start"), value.get("end")
    return date.fromisoformat(str(first)) if first else None, date.fromisoformat(str(last)) if last else None
