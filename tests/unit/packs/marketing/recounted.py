"""What sentences about reviews must say, counted again from the rows of the file with plain code: nothing of the tools
is used but the polarity of each review, which is a judgement and no count."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import combinations
from math import sqrt
from statistics import NormalDist, fmean, stdev
from typing import Any

Value = Mapping[str, Any]


@dataclass(frozen=True)
class Row:
    text: str
    rating: float | None
    day: date | None
    product: str | None
    polarity: str = "neutral"

    @property
    def positive(self) -> bool:
        return self.polarity == "positive"


@dataclass(frozen=True)
class Rows:
    """The rows that were analysed; `others` are those that were left out on request, `read` all rows of the file."""

    rows: Sequence[Row]
    scale: tuple[int, int] | None = None
    language: str = "ko"
    read: int = 0
    bad: int = 0
    others: int = 0
    sample: int | None = None
    own: str | None = None
    exact_terms: bool = True
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def by_product(self) -> dict[str, list[Row]]:
        return grouped(self.rows, lambda row: row.product)

    @property
    def by_month(self) -> dict[str, list[Row]]:
        return grouped(self.rows, lambda row: f"{row.day:%Y-%m}" if row.day else None)

    @property
    def months(self) -> list[str]:
        """Every month from the first to the last, the empty ones too."""
        first, last = min(self.by_month), max(self.by_month)
        numbers = [12 * int(name[:4]) + int(name[5:]) - 1 for name in (first, last)]
        return [f"{number // 12}-{number % 12 + 1:02}" for number in range(numbers[0], numbers[1] + 1)]

    def span(self, since: str, until: str) -> list[Row]:
        return [row for name, part in self.by_month.items() if since <= name <= until for row in part]

    def holding(self, term: str) -> list[Row]:
        rows = self.rows[:: -(-len(self.rows) // self.sample)] if self.sample else self.rows
        ends = r"\b" if term.isascii() else ""
        return [row for row in rows if re.search(ends + re.escape(term) + ends, row.text.lower())]


def grouped(rows: Sequence[Row], key: Callable[[Row], str | None]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        if (name := key(row)) is not None:
            found.setdefault(name, []).append(row)
    return found


def number(value: int) -> str:
    return f"{value:,}"


def percent(part: Sequence[Row], polarity: str = "positive") -> str:
    return f"{100 * sum(row.polarity == polarity for row in part) / len(part):.1f}%"


def share(part: Sequence[Row]) -> float:
    return sum(row.positive for row in part) / len(part)


def named_in(said: str, names: Iterable[str]) -> set[str]:
    return {name for name in names if any(f"{mark[0]}{name}{mark[1]}" in said for mark in ("‘’", "“”", "「」"))}


def rated(part: Sequence[Row]) -> list[float]:
    return [row.rating for row in part if row.rating is not None]


def interval_of_difference(one: Sequence[Row], other: Sequence[Row], comparisons: int) -> tuple[float, float]:
    """Newcombe's, wide enough for all comparisons together."""
    z = NormalDist().inv_cdf(1 - 0.025 / max(1, comparisons))

    def ends(part: Sequence[Row]) -> tuple[float, float, float]:
        p, n = share(part), len(part)
        middle, spread = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return p, (middle - spread) / (1 + z * z / n), (middle + spread) / (1 + z * z / n)

    (p, low, high), (q, other_low, other_high) = ends(one), ends(other)
    down, up = sqrt((p - low) ** 2 + (other_high - q) ** 2), sqrt((high - p) ** 2 + (q - other_low) ** 2)
    return max(-1.0, p - q - down), min(1.0, p - q + up)


def points(value: float, sign: str = "") -> str:
    """As a figure of four digits is shown in points."""
    return f"{100 * round(value, 4):{sign}.1f}"


def is_clear(one: Sequence[Row], other: Sequence[Row], comparisons: int) -> bool:
    low, high = interval_of_difference(one, other, comparisons)
    return low > 0 or high < 0


def means_differ(one: Sequence[float], other: Sequence[float], comparisons: int) -> bool:
    spreads = [stdev(side) if len(side) > 1 else 0.0 for side in (one, other)]
    widest = max(spreads)
    error = sqrt(sum((spread or widest) ** 2 / len(side) for spread, side in zip(spreads, (one, other), strict=True)))
    return abs(fmean(one) - fmean(other)) > NormalDist().inv_cdf(1 - 0.025 / max(1, comparisons)) * error


Recount = Callable[[Rows, str, Value, Value], tuple[int | None, Value]]
"""Rows, the text's key, what it says and of what -> the rows behind it and what it must say. Raises when even that
cannot be, as when a product is named that is not there."""
RECOUNTS: dict[str, Recount] = {}


def recounts(*keys: str) -> Callable[[Recount], Recount]:
    def keep(recount: Recount) -> Recount:
        RECOUNTS.update(dict.fromkeys(keys, recount))
        return recount

    return keep


def check(rows: Rows, key: str, values: Value, n: int | None = None, of: Value | None = None) -> None:
    """Raises AssertionError for a sentence that the rows do not bear out."""
    count, expected = RECOUNTS[key](rows, key, values, of or {})
    said = {name: str(values.get(name)) for name in expected}
    assert said == {name: str(value) for name, value in expected.items()}, (key, values)
    assert n is None or count is None or n == count, (key, n, count)


@recounts(
    "report.summary.scope", "video.reviews", "sales_material.basis", "report.summary.scope_dated",
    "sales_material.basis_dated",
)  # fmt: skip
def _scope(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    days = sorted(row.day for row in rows.rows if row.day)
    dated = {"start": days[0].isoformat(), "end": days[-1].isoformat()} if "dated" in key else {}
    assert dated or not days or not key.startswith("report"), "the days are known and not told"
    return len(rows.rows), {"reviews": number(len(rows.rows)), **dated}


@recounts("sales_material.footer", "sales_material.source")
def _source(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    return len(rows.rows), {"reviews": number(len(rows.rows)), "files": rows.extra["file"]}


@recounts("report.summary.scope_asked")
def _asked(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    first, last = rows.extra["period"]
    assert all(row.day and first <= row.day <= last for row in rows.rows)
    assert first.isoformat() in values["period"]
    assert last.isoformat() in values["period"]
    return len(rows.rows), {"reviews": number(len(rows.rows)), "out_of_period": number(rows.others)}


@recounts("report.summary.rows_asked")
def _rows_asked(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    return len(rows.rows), {"left": number(rows.others), "filters": rows.extra["filters"]}


@recounts("report.summary.products_asked", "report.summary.products_unknown")
def _products_asked(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    named = {row.product for row in rows.rows}
    products = ", ".join(rows.extra["products"])
    assert (named == {None}) is key.endswith("unknown")
    return len(rows.rows), {"products": products, "other_products": number(rows.others)}


@recounts("report.summary.rating")
def _rating(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    assert rows.scale is not None
    ratings = rated(rows.rows)
    low, high = rows.scale
    return len(ratings), {"rated": number(len(ratings)), "mean": f"{fmean(ratings):.2f}", "low": low, "high": high}


@recounts("dashboard.card.rated", "sales_material.fact.rated")
def _rated(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    return len(rated(rows.rows)), {"rated": number(len(rated(rows.rows)))}


@recounts("report.summary.polarity")
def _polarity(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    counts = Counter(row.polarity for row in rows.rows)
    sides = ("positive", "neutral", "negative")
    return len(rows.rows), {
        **{side: number(counts[side]) for side in sides},
        **{f"{side}_share": percent(rows.rows, side) for side in sides},
    }


@recounts("dashboard.card.of", "sales_material.fact.of")
def _part(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    part = sum(row.polarity == of["polarity"] for row in rows.rows) if of else values["part"].replace(",", "")
    return len(rows.rows), {"part": number(int(part)), "whole": number(len(rows.rows))}


@recounts("dashboard.card.products")
def _products(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    return len(rows.rows), {"products": number(len(rows.by_product))}


@recounts("report.summary.products.clear", "report.summary.products.chance")
def _best_and_worst(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    """Over all products with ten reviews, however many products there are."""
    compared = {name: part for name, part in rows.by_product.items() if len(part) >= 10}
    ends = max(map(share, compared.values())), min(map(share, compared.values()))
    best, worst = ({name for name, part in compared.items() if share(part) == end} for end in ends)
    one, other = (max((compared[name] for name in names), key=len) for names in (best, worst))
    for said, names in ((values["best"], best), (values["worst"], worst)):
        told = named_in(said, compared)
        assert told, said
        assert told <= names, (said, names)
        assert len(told) == len(names) or str(len(names) - len(told)) in said, "all that are level are told"
    assert is_clear(one, other, len(list(combinations(compared, 2)))) is key.endswith("clear")
    return len(one) + len(other), {
        "compared": number(len(compared)), "fewest": 10, "fewer": number(len(rows.by_product) - len(compared)),
        "best_share": percent(one), "best_n": number(len(one)),
        "worst_share": percent(other), "worst_n": number(len(other)),
    }  # fmt: skip


def _held(rows: Rows, term: str, said: str) -> list[Row]:
    """The reviews that hold a term. In real Korean a noun ("재미") is not meant wherever its letters stand ("재미없다")."""
    found, told = rows.holding(term), int(said.replace(",", ""))
    assert told == len(found) if rows.exact_terms else 0.25 * len(found) <= told <= len(found), (term, told, len(found))
    return found


@recounts("report.keyword_named")
def _keyword(rows: Rows, key: str, values: Value, of: Value) -> tuple[None, Value]:
    _held(rows, values["term"], values["documents"])
    return None, {}


@recounts("report.summary.keywords", "report.summary.keywords_sample", "report.limit.keywords_read")
def _keywords(rows: Rows, key: str, values: Value, of: Value) -> tuple[int | None, Value]:
    read = len(rows.rows[:: -(-len(rows.rows) // rows.sample)]) if rows.sample else len(rows.rows)
    assert (read < len(rows.rows)) is (not key.endswith(".keywords")), "a sample is said to be one, a whole is none"
    for term, documents in re.findall(r"([^,(]+?)\s?\(([\d,]+)", values.get("keywords", "")):
        _held(rows, term.strip("‘’“”「」 "), documents)
    # Real reviews may hold a few in other languages, which are not read for terms.
    count = read if rows.exact_terms else None
    return count, {} if key.endswith(".keywords") else {"read": number(read), "reviews": number(len(rows.rows))}


@recounts(
    "report.summary.complaint", "report.summary.complaint_sample", "dashboard.card.complaint_note",
    "dashboard.card.complaint_sample", "sales_material.objection.evidence", "sales_material.lead.likes",
    "sales_material.objection.content",
)  # fmt: skip
def _term(rows: Rows, key: str, values: Value, of: Value) -> tuple[int | None, Value]:
    """How a term is spoken of; what the reviews are of is neither a complaint nor praise."""
    term = of.get("term", values.get("term"))
    if term is None:
        return None, {}
    assert term not in ("영화", "movie", "film", "매장", "映画"), "the class of the product"
    documents = values.get("documents")
    held = rows.holding(term) if documents is None else _held(rows, term, documents)
    assert (rows.sample is not None) is key.endswith("_sample") or key.startswith("sales")
    expected: dict[str, Any] = {}
    if rows.exact_terms:
        for side in ("positive", "negative"):
            if side in values:
                expected[side] = number(sum(row.polarity == side for row in held))
        if "negative_share" in values:
            expected["negative_share"] = percent(held, "negative")
        if "share" in values:
            expected["share"] = percent(held, "positive" if key.endswith("likes") else "negative")
    if "usual" in values:
        expected["usual"] = percent(rows.rows, "negative")
    return len(held) if rows.exact_terms else None, expected


@recounts("sales_material.lead.objections", "sales_material.step.strengths_text", "sales_material.step.answers_text")
def _leaning(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    """Terms of a side: most of the reviews that hold them are on it."""
    side = "positive" if key.endswith("strengths_text") else "negative"
    for term in values["terms"].split(", "):
        held = rows.holding(term)
        assert sum(row.polarity == side for row in held) * 2 > len(held), (term, side)
    return len(rows.rows), {}


@recounts("sales_material.lead.voices")
def _voices(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    positive = sum(row.positive for row in rows.rows)
    return positive, {"positive": number(positive)}


_MEASURES: Mapping[str, tuple[Callable[[Sequence[Row]], list[Row]], Callable[[Sequence[Row]], str]]] = {
    "positive_share": (list, percent),
    "mean_rating": (
        lambda part: [row for row in part if row.rating is not None],
        lambda part: f"{fmean(rated(part)):.2f}",
    ),
}


@recounts(
    *(f"report.change.{measure}.{way}" for measure in _MEASURES for way in ("rose", "fell", "mix", "mix_unknown")),
    "report.change.reviews.rose", "report.change.reviews.fell",
)  # fmt: skip
def _change(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    _, _, measure, way = key.split(".")
    months = rows.months
    first, middle = months.index(values["since"]), months.index(values["period"])
    # The level after it lasts to the end: only the last change of a measure is told.
    earlier, later = months[first:middle], months[middle:]
    if measure == "reviews":
        sizes = [[len(rows.by_month.get(name, [])) for name in span] for span in (earlier, later)]
        assert min(map(len, sizes)) >= 6, "two busy months are no level"
        before, after = map(fmean, sizes)
        assert (after > before) is (way == "rose")
        said = {"before": f"{before:,.1f}", "after": f"{after:,.1f}"}
        return len(earlier) + len(later), {
            **said, "until": earlier[-1], "before_n": number(len(earlier)), "after_n": number(len(later)),
        }  # fmt: skip
    having, shown = _MEASURES[measure]
    before_rows, after_rows = having(rows.span(earlier[0], earlier[-1])), having(rows.span(later[0], later[-1]))
    level = share if measure == "positive_share" else lambda part: fmean(rated(part))
    expected = {
        "until": earlier[-1], "before": shown(before_rows), "after": shown(after_rows),
        "before_n": number(len(before_rows)), "after_n": number(len(after_rows)),
    }  # fmt: skip
    sides = [grouped(part, lambda row: row.product) for part in (before_rows, after_rows)]
    both = [name for name in sides[0].keys() & sides[1].keys() if min(len(side[name]) for side in sides) >= 5]
    change = level(after_rows) - level(before_rows)
    if len(sides[0].keys() | sides[1].keys()) < 2:
        assert way in ("rose", "fell")
    elif not both:
        assert way == "mix_unknown"
    else:
        weights = {name: sum(len(side[name]) for side in sides) for name in both}
        old, new = (
            sum(weight * level(side[name]) for name, weight in weights.items()) / sum(weights.values())
            for side in sides
        )
        assert (way == "mix") is ((new - old) / change < 0.5), "other products are no change"
        if way == "mix":
            in_words = (lambda x: f"{100 * x:.1f}%") if measure == "positive_share" else (lambda x: f"{x:.2f}")
            expected |= {"products": number(len(both)), "within_before": in_words(old), "within_after": in_words(new)}
    assert way not in ("rose", "fell") or (change > 0) is (way == "rose")
    return len(before_rows) + len(after_rows), expected


@recounts(*(f"report.slope.{measure}.{way}" for measure in (*_MEASURES, "reviews") for way in ("rising", "falling")))
def _slope(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    _, _, measure, way = key.split(".")
    if measure == "reviews":
        series = [float(len(rows.by_month.get(name, []))) for name in rows.months]
    else:
        parts = [rows.by_month[name] for name in rows.months if len(rows.by_month.get(name, [])) >= 5]
        series = [share(part) if measure == "positive_share" else fmean(rated(part)) for part in parts]
    middle = (len(series) - 1) / 2
    spread = sum((place - middle) ** 2 for place in range(len(series)))
    per_period = sum((place - middle) * value for place, value in enumerate(series)) / spread
    assert (per_period > 0) is (way == "rising")
    said = f"{100 * abs(per_period):.1f}" if measure == "positive_share" else f"{abs(per_period):.2f}"
    return len(series), {"per_period": said, "periods": number(len(series))}


@recounts(*(f"report.ends.{measure}.{verdict}" for measure in _MEASURES for verdict in ("clear", "chance")))
def _ends(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    _, _, measure, verdict = key.split(".")
    having, shown = _MEASURES[measure]
    level = share if measure == "positive_share" else lambda part: fmean(rated(part))
    parts = {name: part for name, rows_ in rows.by_month.items() if len(part := having(rows_)) >= 10}
    best, worst = parts[values["best"]], parts[values["worst"]]
    assert level(best) == max(map(level, parts.values()))
    assert level(worst) == min(map(level, parts.values()))
    pairs = len(list(combinations(parts, 2)))
    clear = (
        is_clear(best, worst, pairs) if measure == "positive_share" else means_differ(rated(best), rated(worst), pairs)
    )
    assert clear is (verdict == "clear")
    return len(best) + len(worst), {
        "compared": number(len(parts)), "fewest": 10, "best_value": shown(best), "best_n": number(len(best)),
        "worst_value": shown(worst), "worst_n": number(len(worst)),
    }  # fmt: skip


@recounts("report.trend_quiet")
def _quiet(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    return len(rows.months), {}


@recounts("report.gaps", "report.newest_periods")
def _gaps(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    shown = {"gaps": len(rows.months) - len(rows.by_month)} if key.endswith("gaps") else {"shown": 24}
    return len(rows.months), {"periods": len(rows.months), **shown}


@recounts("report.more_products", "report.competitor.more")
def _more(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    return len(rows.by_product) - 15, {"number": number(len(rows.by_product) - 15)}


@recounts("report.languages")
def _languages(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    assert values["languages"].split()[-1] == number(len(rows.rows))
    return len(rows.rows), {}


@recounts("report.agreement")
def _agreement(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    """Of clear ratings, how many the score agrees with; the sides are those of the scale."""
    assert rows.scale is not None
    negative_to, positive_from = (2, 4) if rows.scale[1] == 5 else (4, 9)
    clear = [row for row in rows.rows if row.rating is not None and not negative_to < row.rating < positive_from]
    agree = int(values["agree"].replace(",", ""))
    assert 0 <= agree <= len(clear)
    return len(clear), {"reviews": number(len(clear)), "share": f"{100 * agree / len(clear):.1f}%"}


@recounts(
    "report.limit.polarity_ko", "report.limit.polarity_en", "report.limit.polarity_ja", "report.limit.unjudged"
)  # fmt: skip
def _judged(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    spoken = key.rpartition("_")[2] if "polarity" in key else rows.language
    assert spoken == rows.language
    return len(rows.rows), {"reviews": number(len(rows.rows))}


@recounts("report.limit.undated")
def _undated(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    undated = sum(row.day is None for row in rows.rows)
    return undated, {"reviews": number(undated)}


@recounts("report.limit.sample", "report.limit.competitor")
def _said_of_all(rows: Rows, key: str, values: Value, of: Value) -> tuple[int | None, Value]:
    return None, {}


@recounts("dashboard.quality.rows")
def _quality(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    kept = rows.read - rows.bad
    return rows.read, {
        "read": number(rows.read), "kept": number(kept), "bad": number(rows.bad), "reviews": number(len(rows.rows)),
        "duplicates": number(kept - len(rows.rows) - rows.others),
    }  # fmt: skip


@recounts("dashboard.change.up", "dashboard.change.down", "dashboard.change.chance")
def _step(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    periods = [name for name in rows.months if len(rows.by_month.get(name, [])) >= 5]
    assert (values["previous"], values["period"]) == tuple(periods[-2:])
    before, newest = (rows.by_month[name] for name in periods[-2:])
    apart = share(newest) - share(before)
    clear = is_clear(newest, before, 1)
    assert (f"dashboard.change.{'up' if apart > 0 else 'down'}" if clear else "dashboard.change.chance") == key
    return len(before) + len(newest), {
        "share": percent(newest), "n": number(len(newest)), "before": percent(before), "before_n": number(len(before)),
        "points": points(abs(apart)),
    }  # fmt: skip


@recounts("competitor.summary.scope", "competitor.summary.left_out", "competitor.summary.unassigned")
def _compared(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    brands = _brands(rows)
    sizes = sorted(map(len, (brands if "brands" in rows.extra else rows.by_product).values()), reverse=True)
    reviews = sum(sizes[:50])
    if key.endswith("scope"):
        return reviews, {"brands": number(len(sizes[:50])), "reviews": number(reviews)}
    if key.endswith("left_out"):
        return len(sizes) - 50, {"number": number(len(sizes) - 50)}
    shared = (
        sum(all(word in row.text for word in rows.extra["brands"]) for row in rows.rows)
        if "brands" in rows.extra
        else 0
    )
    nobodys = len(rows.rows) - sum(sizes) - shared
    return nobodys, {"reviews": number(nobodys)}


@recounts("competitor.summary.shared")
def _shared(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    shared = sum(all(word in row.text for word in rows.extra["brands"]) for row in rows.rows)
    return shared, {"reviews": number(shared)}


def _brands(rows: Rows) -> dict[str, list[Row]]:
    if "brands" in rows.extra:
        named = {word: [row for row in rows.rows if word in row.text] for word in rows.extra["brands"]}
        return {
            rows.extra["brands"][word]: [row for row in part if sum(one in row.text for one in named) == 1]
            for word, part in named.items()
        }
    largest = sorted(rows.by_product.items(), key=lambda pair: (-len(pair[1]), pair[0]))[:50]
    return dict(largest)


@recounts(*(f"competitor.summary.lead.{verdict}" for verdict in ("clear", "chance", "even")))
def _lead(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    ranked = {name: part for name, part in _brands(rows).items() if len(part) >= 5}
    first, second = ranked[values["first"]], ranked[values["second"]]
    shares = sorted(map(share, ranked.values()), reverse=True)
    assert [share(first), share(second)] == shares[:2]
    pairs = len(ranked) * (len(ranked) - 1) // 2
    low, high = interval_of_difference(first, second, pairs)
    verdict = "even" if share(first) == share(second) else "clear" if is_clear(first, second, pairs) else "chance"
    assert key.endswith(verdict)
    return len(first) + len(second), {
        "ranked": number(len(ranked)), "first_share": percent(first), "second_share": percent(second),
        "points": points(share(first) - share(second)), "low": points(low, "+"), "high": points(high, "+"),
        **({"level": number(shares.count(shares[0]))} if key.endswith("even") else {}),
    }  # fmt: skip


@recounts("competitor.summary.too_few")
def _too_few(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    ranked = [part for part in _brands(rows).values() if len(part) >= 5]
    assert len(ranked) < 2
    return len(ranked), {"fewest": 5}


@recounts("competitor.summary.voice", "competitor.summary.voice_level")
def _voice(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    brands = _brands(rows)
    most = max(map(len, brands.values()))
    loudest = [name for name, part in brands.items() if len(part) == most]
    assert (len(loudest) > 1) is key.endswith("level"), "who is level with the first is told with it"
    told = named_in(values["name"], brands)
    assert told
    assert told <= set(loudest)
    assert len(told) == len(loudest) or str(len(loudest) - len(told)) in values["name"]
    everyone = sum(map(len, brands.values())) if "brands" in rows.extra else sum(map(len, rows.by_product.values()))
    return most, {"reviews": number(most), "share": f"{100 * round(most / everyone, 4):.1f}%"}


@recounts(
    *(f"competitor.summary.own.{way}.{verdict}" for way in ("above", "below") for verdict in ("clear", "chance")),
    "competitor.summary.brand.above", "competitor.summary.brand.below",
)  # fmt: skip
def _to_others(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    _, _, which, way, *verdict = key.split(".")
    everyone = rows.by_product if "brands" not in rows.extra else _brands(rows)
    mine = everyone[values["name"]]
    others = [row for name, part in everyone.items() if name != values["name"] for row in part]
    assert which == "brand" or values["name"] == rows.own
    brands = min(50, len(everyone))
    comparisons = brands if brands > 2 else 1
    low, high = interval_of_difference(mine, others, comparisons)
    assert is_clear(mine, others, comparisons) is (verdict != ["chance"])
    assert (share(mine) >= share(others)) is (way == "above")
    return len(mine), {
        "share": percent(mine), "points": points(abs(share(mine) - share(others))),
        "low": points(low, "+"), "high": points(high, "+"),
    }  # fmt: skip


@recounts("competitor.summary.complaint", "competitor.summary.praise")
def _heard(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    side = "negative" if key.endswith("complaint") else "positive"
    brands = _brands(rows)
    mine = brands[values["name"]]
    held = [row for row in rows.holding(values["term"]) if row.polarity == side]
    ours = [row for row in held if row in mine]
    assert values["term"] not in ("영화", "movie", "film", "매장"), "the class of the product"
    everyone = rows.by_product if "brands" not in rows.extra else brands
    theirs = [row for row in held for name, part in everyone.items() if name != values["name"] and row in part]
    expected = {"documents": number(len(ours))} | ({"others": number(len(theirs))} if side == "negative" else {})
    return len(mine), expected if rows.exact_terms else {}


@recounts("competitor.summary.no_complaint")
def _no_complaint(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    return len(_brands(rows)[values["name"]]), {}


@recounts("report.competitor.share")
def _row_of_brand(rows: Rows, key: str, values: Value, of: Value) -> tuple[None, Value]:
    assert values["share"] in {percent(part) for part in _brands(rows).values()}
    return None, {}


@recounts(
    "ad.summary.basis", "ad.summary.basis_bare", "ad.summary.share", "ad.summary.ranked", "video.basis", "video.share"
)
def _advertised(rows: Rows, key: str, values: Value, of: Value) -> tuple[int | None, Value]:
    if not of and rows.by_product:
        return None, {}
    mine = rows.by_product[of["product"]] if of else list(rows.rows)
    positive = sum(row.positive for row in mine)
    expected: dict[str, Any] = {} if key == "video.share" else {"reviews": number(len(mine))}
    if key.endswith("share"):
        expected |= {"tenths": 10 * positive // len(mine)}
    if key == "ad.summary.share":
        expected |= {"positive": number(positive)}
    if key == "ad.summary.ranked":
        expected |= {"share": percent(mine), "product": of["product"], "fewest": 5}
        assert share(mine) == max(share(part) for part in rows.by_product.values() if len(part) >= 5)
    return len(mine), expected


@recounts("video.point")
def _praised(rows: Rows, key: str, values: Value, of: Value) -> tuple[int | None, Value]:
    """Good reviews of the product that hold the word."""
    if not of:
        return None, {}
    mine = rows.by_product[of["product"]] if of.get("product") else list(rows.rows)
    found = [row for row in mine if row.positive and of["term"] in row.text.lower()]
    return len(found), {"reviews": number(len(found))}


@recounts("report.boss.interval")
def _between(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    n, p, z = len(rows.rows), share(rows.rows), NormalDist().inv_cdf(0.975)
    middle, spread = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = ((middle + way * spread) / (1 + z * z / n) for way in (-1, 1))
    return n, {"reviews": number(n), "low": f"{100 * max(0, low):.1f}%", "high": f"{100 * min(1, high):.1f}%"}


@recounts("sales_material.step.watch_fall")
def _fell(rows: Rows, key: str, values: Value, of: Value) -> tuple[None, Value]:
    months = rows.months
    middle = months.index(values["period"])
    earlier = rows.span(of.get("from", months[0]), months[middle - 1])
    later = rows.span(months[middle], months[-1])
    assert share(later) < share(earlier) or fmean(rated(later)) < fmean(rated(earlier))
    return None, {}


@recounts("sales_material.step.trial_product")
def _trial(rows: Rows, key: str, values: Value, of: Value) -> tuple[None, Value]:
    assert values["product"] in rows.by_product
    return None, {}
