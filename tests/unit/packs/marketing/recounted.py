"""What sentences about reviews must say, counted again from the rows of the file with plain code: nothing of the tools
is used but the polarity of each review, which is a judgement and no count."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from statistics import fmean
from typing import Any

from tests.unit.packs.marketing.counting import (
    Row,
    Rows,
    Value,
    grouped,
    is_clear,
    means_differ,
    named_in,
    number,
    percent,
    rated,
    recounts,
    share,
)


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
    pairs = len(list(combinations(compared, 2)))
    sided = [[row for row in part if row.polarity != "neutral"] for part in (one, other)]
    clear = is_clear(one, other, pairs) and all(sided) and share(sided[0]) > share(sided[1])
    assert (clear and is_clear(sided[0], sided[1], pairs)) is key.endswith("clear")
    return len(one) + len(other), {
        "compared": number(len(compared)), "fewest": 10,
        "best_share": percent(one), "best_n": number(len(one)),
        "worst_share": percent(other), "worst_n": number(len(other)),
    }  # fmt: skip


@recounts("report.summary.products.fewer")
def _few(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    few = [name for name, part in rows.by_product.items() if len(part) < 10]
    assert few, "nothing is told of none"
    return len(rows.rows), {"fewest": 10, "fewer": number(len(few))}


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
    _is_first_of_the_level(rows, measure, first, middle)
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


@recounts(*(f"report.change.product.{measure}.{way}" for measure in _MEASURES for way in ("rose", "fell")))
def _change_of_product(rows: Rows, key: str, values: Value, of: Value) -> tuple[int | None, Value]:
    """As of all reviews, of those of the product alone."""
    assert len(rows.by_product) > 1, "it is said of all"
    own = replace(rows, rows=rows.by_product[values["product"]])
    return _change(own, key.replace(".product", ""), values, of)


def _is_first_of_the_level(rows: Rows, measure: str, first: int, middle: int) -> None:
    """No other month since the level before began parts the reviews into two kinds that are more alike in themselves."""
    having, _ = _MEASURES[measure]
    parts = [having(rows.by_month.get(name, [])) for name in rows.months[first:]]
    values = [
        [float(row.positive) if measure == "positive_share" else row.rating or 0.0 for row in part] for part in parts
    ]

    def errors(side: Sequence[Sequence[float]]) -> float:
        every = [value for part in side for value in part]
        return sum((value - fmean(every)) ** 2 for value in every) if every else 0.0

    parted = {
        place: errors(values[:place]) + errors(values[place:]) for place in range(1, len(values)) if values[place]
    }
    assert parted[middle - first] <= min(parted.values()) + 1e-6, "another month is where it changed"


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


@recounts("video.point")
def _praised(rows: Rows, key: str, values: Value, of: Value) -> tuple[int | None, Value]:
    """Good reviews of the product that hold the word."""
    if not of:
        return None, {}
    mine = rows.by_product[of["product"]] if of.get("product") else list(rows.rows)
    found = [row for row in mine if row.positive and of["term"] in row.text.lower()]
    return len(found), {"reviews": number(len(found))}
