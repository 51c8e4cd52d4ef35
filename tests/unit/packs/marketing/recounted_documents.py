"""The same of comparisons, and of what only documents, dashboards, slides and ads say."""

import re
from math import sqrt
from statistics import NormalDist, fmean
from typing import Any

from tests.unit.packs.marketing.counting import (
    Row,
    Rows,
    Value,
    interval_of_difference,
    is_clear,
    named_in,
    number,
    percent,
    points,
    rated,
    recounts,
    share,
)


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


@recounts("report.more_products", "report.competitor.more")
def _more(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    return len(rows.by_product) - 15, {"number": number(len(rows.by_product) - 15)}


@recounts("dashboard.quality.rows")
def _quality(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    kept = rows.read - rows.bad
    return rows.read, {
        "read": number(rows.read), "kept": number(kept), "bad": number(rows.bad), "reviews": number(len(rows.rows)),
        "duplicates": number(kept - len(rows.rows) - rows.others),
    }  # fmt: skip


@recounts("report.summary.unread", "report.summary.duplicates", "report.summary.repeated")
def _left_out(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    words = [(re.sub(r"\W", "", row.text), row.product, row.day, row.rating) for row in rows.rows]
    words = [one for one in words if len(one[0].encode()) >= 40]
    known = {
        "unread": rows.bad, "read": rows.read, "duplicates": rows.read - rows.bad - len(rows.rows) - rows.others,
        "repeated": len(words) - len(set(words)), "reviews": len(rows.rows),
    }  # fmt: skip
    assert int(values[key.rpartition(".")[2]]) > 0, "nothing is told of none"
    return len(rows.rows), {name: number(known[name]) for name in values}


@recounts("report.summary.by_rating")
def _settled(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    """A text that takes a side has a score beyond its band; one that has a side within it has it from its rating."""
    settled = rows.extra["settled"]
    assert settled > 0, "nothing is told of none"
    return len(rows.rows), {"settled": number(settled)}


@recounts("report.summary.stars")
def _stars(rows: Rows, key: str, values: Value, of: Value) -> tuple[int, Value]:
    assert rows.scale is not None
    bad_to, good_from = (2, 4) if rows.scale[1] == 5 else (4, 9)
    given = [row for row in rows.rows if row.rating is not None]
    good, bad = (
        [row for row in given if row.rating is not None and side(row.rating)]
        for side in (lambda rating: rating >= good_from, lambda rating: rating <= bad_to)
    )
    apart = [
        len(side) - sum(row.polarity == says for row in given) for side, says in ((good, "positive"), (bad, "negative"))
    ]
    assert max(map(abs, apart)) > len(given) / 10, "the same picture twice"
    return len(given), {
        "rated": number(len(given)), "good": number(len(good)), "good_share": f"{100 * len(good) / len(given):.1f}%",
        "good_from": good_from, "bad": number(len(bad)), "bad_share": f"{100 * len(bad) / len(given):.1f}%", "bad_to": bad_to,
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


@recounts("export.made")
def _exported(rows: Rows, key: str, values: Value, of: Value) -> tuple[None, Value]:
    return None, {"reviews": number(len(rows.rows))}
