"""Cells to numbers and dates, as people write them. Everything that is not certain is None, for the caller to count."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Literal

from packs.marketing.shapes import RatingScale

DayOrder = Literal["dmy", "mdy"]

EMPTY = frozenset({"", "null", "nan", "n/a", "na", "none", "nil", "#n/a", "#value!", "#ref!"})
_STARS = re.compile(r"^([★⭐]+)[☆✩]*$")
_NUMBER = re.compile(r"^([-+−]?\d+(?:[.,]\d+)?)\s*(?:점|点|/\s*\d+(?:\.\d+)?|stars?|つ星|out of \d+)?$", re.IGNORECASE)

_YMD = re.compile(r"^(\d{4})\s?[-./년年]\s?(\d{1,2})\s?[-./월月]\s?(\d{1,2})\s?(?:일|日|\.)?(?:$|[\sT(,])")
_COMPACT = re.compile(r"^(\d{4})(\d{2})(\d{2})(?:\d{6})?$")
_SHORT_YMD = re.compile(r"^(\d{2})\.\s?(\d{1,2})\.\s?(\d{1,2})\.?$")
_YEAR_MONTH = re.compile(r"^(\d{4})\s?[-./년年]\s?(\d{1,2})\s?월?月?$")
_AMBIGUOUS = re.compile(r"^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?:$|[\sT,])")
_WORDS = ("%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%B %d %Y", "%b %d %Y", "%d-%b-%Y", "%a, %d %b %Y")
_MONTH = re.compile(r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec", re.IGNORECASE)
_YEARS = range(1970, 2101)
# Day 0 of Excel's calendar, and the serials of 1982 to 2064: below them are counts and years, above them ids.
_EXCEL_EPOCH = date(1899, 12, 30)
_EXCEL_DAYS = range(30_000, 60_000)
_EPOCH_SECONDS = range(100_000_000, 4_000_000_000)

# Where a clear opinion begins on each scale that reviews use; narrower scales first.
SCALES = (
    RatingScale(low=1, high=5, negative_to=2, positive_from=4),
    RatingScale(low=0, high=5, negative_to=2, positive_from=4),
    RatingScale(low=1, high=10, negative_to=4, positive_from=9),
    RatingScale(low=0, high=10, negative_to=4, positive_from=9),
    RatingScale(low=-4, high=4, negative_to=-1, positive_from=1),
    RatingScale(low=0, high=100, negative_to=40, positive_from=80),
)
# A typing error in a thousand ratings must not change the scale.
_OUTLIER_SHARE = 0.005
_IMPOSSIBLE_SHARE = 0.05


def is_empty(cell: str) -> bool:
    return cell.strip().lower() in EMPTY


def parse_rating(cell: str) -> float | None:
    """A finite number: 4, 4.5, "4,5", "４", "4점", "4/5", "4 stars", "★★★★☆"."""
    plain = unicodedata.normalize("NFKC", cell).strip()
    if (stars := _STARS.match(plain)) is not None:
        return float(len(stars[1]))
    found = _NUMBER.match(plain)
    if found is None:
        return None
    value = float(found[1].replace(",", ".").replace("−", "-"))
    return value if math.isfinite(value) else None


def detect_scale(ratings: Sequence[float]) -> RatingScale | None:
    """The narrowest scale that holds the ratings, but for a few outliers; None when there is none."""
    # 150 is on no scale that anybody uses: it says nothing about which one this is.
    counts = Counter(ratings)
    possible = {rating: count for rating, count in counts.items() if any(fits(rating, scale) for scale in SCALES)}
    number = sum(possible.values())
    if not possible or len(ratings) - number > _IMPOSSIBLE_SHARE * len(ratings):
        return None
    allowed = max(1, int(_OUTLIER_SHARE * number)) if number >= 20 else 0

    def outside(scale: RatingScale) -> int:
        return sum(count for rating, count in possible.items() if not fits(rating, scale))

    return next((one for one in SCALES if outside(one) <= allowed), None)


def fits(rating: float, scale: RatingScale) -> bool:
    return scale.low <= rating <= scale.high


def day_order(cells: Iterable[str]) -> tuple[DayOrder, bool]:
    """Whether 05/01/2024 means 5 January: what a whole column says, and whether it says anything at all."""
    first = second = False
    for cell in cells:
        if (found := _AMBIGUOUS.match(cell.strip())) is not None:
            first |= int(found[1]) > 12
            second |= int(found[2]) > 12
    return ("dmy" if first and not second else "mdy"), first != second


def is_ambiguous(cell: str) -> bool:
    return _AMBIGUOUS.match(cell.strip()) is not None


def is_day_number(cell: str) -> bool:
    """Whether it would be a day by Excel's numbers alone: so would what a room costs in won."""
    plain = cell.strip()
    return plain.isascii() and plain.isdigit() and int(plain[:9]) in _EXCEL_DAYS


def parse_date(cell: str, order: DayOrder = "mdy") -> date | None:
    """The day in a cell; times and zones are dropped, so the day is the writer's own."""
    plain = unicodedata.normalize("NFKC", cell).strip()
    for pattern in (_YMD, _COMPACT):
        if (found := pattern.match(plain)) is not None:
            return _date(int(found[1]), int(found[2]), int(found[3]))
    if (found := _AMBIGUOUS.match(plain)) is not None:
        day, month = (1, 2) if order == "dmy" else (2, 1)
        return _date(int(found[3]), int(found[month]), int(found[day]))
    if (found := _SHORT_YMD.match(plain)) is not None:
        return _date(2000 + int(found[1]), int(found[2]), int(found[3]))
    if (found := _YEAR_MONTH.match(plain)) is not None:
        return _date(int(found[1]), int(found[2]), 1)
    return _numeric_date(plain) or _worded_date(plain)


def _numeric_date(plain: str) -> date | None:
    """Unix times in seconds or milliseconds, and Excel's day numbers."""
    if not plain.replace(".", "", 1).isascii() or not plain.replace(".", "", 1).isdigit() or len(plain) > 20:
        return None
    number = int(float(plain))
    if number in _EXCEL_DAYS:
        return _EXCEL_EPOCH + timedelta(days=number)
    seconds = number // 1000 if number > _EPOCH_SECONDS.stop else number
    return datetime.fromtimestamp(seconds, UTC).date() if seconds in _EPOCH_SECONDS else None


def _worded_date(plain: str) -> date | None:
    if not any(character.isalpha() for character in plain):
        return None
    if _MONTH.search(plain) is None:  # most cells are texts, and eight forms are slow to try
        return None
    tidy = re.sub(r"(\d)(?:st|nd|rd|th)\b", r"\1", plain.split(" at ", 1)[0]).strip()
    tidy = re.sub(r"\s+\d{1,2}:\d{2}.*$", "", tidy)
    for form in _WORDS:
        try:
            parsed = datetime.strptime(tidy, form).replace(tzinfo=UTC)
        except ValueError:
            continue
        return _date(parsed.year, parsed.month, parsed.day)
    return None


def _date(year: int, month: int, day: int) -> date | None:
    if year not in _YEARS:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None
