"""Every sentence that states something of reviews is counted again from the rows, over tables of different shape, and
what is not true is noticed. The recounts are in `recounted.py`; stock and questions have theirs in
`test_true_stock_and_answers.py`."""

import csv
import importlib
import io
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import pytest

from contracts.tools import ToolError
from packs.marketing.artifacts import read_reviews, read_sentiment
from packs.marketing.tools import keyword
from tests.unit.packs.marketing import recounted, recounted_documents
from tests.unit.packs.marketing.context import PACK, Witness, texts
from tests.unit.packs.marketing.counting import RECOUNTS, Row, Rows, check
from tests.unit.packs.marketing.told_tables import INSIGHTS, TABLES, Table

GOOD = [
    "배터리가 오래가서 최고예요",
    "화면이 선명해서 정말 마음에 들고 최고예요",
    "배송이 빨라서 너무 좋아요",
    "디자인이 예뻐서 강력 추천합니다",
]
BAD = [
    "배터리가 금방 닳아서 최악이에요",
    "소음이 커서 정말 별로고 짜증나요",
    "배송이 늦어서 실망했어요",
    "고장이 나서 환불하고 후회합니다",
]
OTHER = {"en": ("I love it and it works great", "It broke after two days, terrible"),
         "ja": ("とても使いやすくて満足です", "すぐに壊れました。最悪です"), "zh": ("非常好的产品我很喜欢", "质量太差了我很失望")}  # fmt: skip
FLAT = ["그냥 그래요 보통입니다", "그럭저럭 쓸 만합니다"]


def written(table: Table) -> list[dict[str, str]]:
    """Each text once, but where a table has some again by another buyer."""
    found, number = [], 0
    for product, month, good, bad in table.parts:
        for at in range(good + bad):
            text = (GOOD if at < good else BAD)[at % 4] if number % 9 or table.flat == 0 else FLAT[number % 2]
            text = OTHER[table.spoken][at >= good] if table.spoken in OTHER else text
            named = product if product and "brands" in table.known else ""
            number += 1
            # A film quotes no figures: what tells its texts apart is a letter, behind the sentence.
            mark = (
                f". {chr(0xAC00 + 28 * number)} {chr(0xAC01 + 28 * number)}."
                if "quoted" in table.known
                else f" {number}"
            )
            found.append(
                {
                    "상품": "" if named or product is None else product,
                    "별점": str(5 if table.loved else (5 - at % 2) if at < good else 1 + at % 2) if table.rated else "",
                    "작성일": f"{month}-{1 + at % 28:02}" if month else "",
                    "리뷰": f"{named} {text}{mark}".strip(),
                }
            )
    if table.again:
        found = [one | {"구매자": "가"} for one in found]
        found += [one | {"구매자": "나"} for one in found[: table.again]]
    return found


def rows_of(table: Table, ctx: Any, given: list[dict[str, str]]) -> Rows:
    """The rows of the file that were analysed, by their numbers, and their polarity."""
    clean = read_reviews(ctx, "reviews.clean").frame
    # Rows that are chosen are numbered anew; their texts are all different.
    places = {one["리뷰"]: number for number, one in enumerate(given, 1)}
    kept = [places[text] if table.asked else row for row, text in clean.select("row", "text").iter_rows()]
    judged = read_sentiment(ctx)
    assert judged is not None
    polarities = dict(zip(kept, judged[0]["polarity"], strict=True))
    bands = {"ko": 0.3, "en": 0.05, "und": 0.05, "ja": 0.0}
    sides = judged[0].select("language", "score", "polarity").iter_rows()
    settled = sum(side != "neutral" and abs(score) <= bands[spoken] for spoken, score, side in sides)
    rows = [
        Row(
            text=one["리뷰"],
            rating=float(one["별점"]) if one["별점"] else None,
            day=date.fromisoformat(one["작성일"]) if one["작성일"] else None,
            product=one["상품"] or None,
            polarity=polarities[number],
        )
        for number, one in ((number, given[number - 1]) for number in kept)
    ]
    return Rows(
        rows, scale=(1, 5), language=table.spoken, read=len(given) + 2 * table.again, bad=table.again, others=len(given) - len(rows), sample=table.most_read,
        own=str(table.params.get("competitor", {}).get("own", "")) or None,
        extra={"file": "reviews.csv", "products": table.clean.get("products", ()), "settled": settled, **table.known},
    )  # fmt: skip


assert recounted.__name__
assert recounted_documents.__name__

# A table is told by up to ten tools, on a busy machine for more than a minute.
pytestmark = [pytest.mark.timeout(300), pytest.mark.usefixtures("undrawn")]


@dataclass(frozen=True)
class Told:
    """What one table brought about: its rows, the texts that were asked for, the evidence of the tools' results."""

    rows: Rows
    said: list[tuple[str, dict[str, object]]]
    evidence: list[dict[str, Any]]
    sentences: list[str]


_told: dict[tuple[str, str], Told] = {}


def told(name: str, language: str, folders: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Told:
    if (name, language) not in _told:
        _told[name, language] = tell(TABLES[name], language, folders, monkeypatch)
    return _told[name, language]


def tell(table: Table, language: str, folders: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Told:
    ctx = Witness(folders.mktemp("told"), language=language)
    if table.most_read is not None:
        monkeypatch.setattr(keyword, "MOST_READ", table.most_read)
    given = written(table)
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(given[0]))
    writer.writeheader()
    writer.writerows([*given, *given[: table.again], *(one | {"리뷰": " "} for one in given[: table.again])])
    ctx.upload(buffer.getvalue().encode())
    evidence: list[dict[str, Any]] = []
    sentences: list[str] = []
    asked = {"asked": table.asked} if table.asked else {}
    for tool, params in (
        ("collector", asked),
        ("preprocessor", table.clean),
        *((one, table.params.get(one, {})) for one in table.tools),
    ):
        result = importlib.import_module(f"packs.marketing.tools.{tool}").run(dict(params), ctx)
        evidence += result.get("evidence", [])
        sentences += result.get("summary", [])
    return Told(rows_of(table, ctx, given), ctx.said, evidence, sentences)


CASES = [(name, language) for name, table in TABLES.items() for language in table.languages]


@pytest.mark.parametrize(("name", "language"), CASES)
def test_every_sentence_is_what_the_rows_say(name, language, tmp_path_factory, monkeypatch):
    found = told(name, language, tmp_path_factory, monkeypatch)
    assert found.evidence
    for one in found.evidence:
        assert one["says"] in RECOUNTS, one
        check(found.rows, one["says"], one["values"], one["n"], one["of"])
    for key, values in found.said:
        if key in RECOUNTS:
            check(found.rows, key, values)


@pytest.mark.parametrize(("name", "language"), CASES)
def test_every_sentence_of_a_summary_has_its_evidence(name, language, tmp_path_factory, monkeypatch):
    found = told(name, language, tmp_path_factory, monkeypatch)
    borne_out = {texts(language)[one["says"]].format(**one["values"]) for one in found.evidence}
    bare = [one for one in found.sentences if not any(one.endswith(said) for said in borne_out)]
    # What a document or an ad says of itself is no statement about the rows.
    own = (
        "sales_material.made",
        "ad.summary.made",
        "ad.summary.variant",
        "video.no_praise",
        "export.made",
        "video.made",
    )
    made = {texts(language)[key].format(**values) for key, values in found.said if key in own}
    assert set(bare) <= made


# Names, headings, progress, and sentences whose truth is the person's own words: nothing is counted for them.
SAYS_NOTHING = tuple(
    (PACK.parents[1] / "tests/unit/packs/marketing/says_nothing.txt").read_text(encoding="utf-8").split()
)


def statements() -> Iterator[str]:
    for key in texts("en"):
        if not any(key == one or (one.endswith("*") and key.startswith(one[:-1])) for one in SAYS_NOTHING):
            yield key


def test_no_text_states_something_that_is_not_counted_again():
    """A new template comes with its recount, or is named among those that state nothing."""
    from tests.unit.packs.marketing import test_true_sides, test_true_stock_and_answers

    recounted = test_true_stock_and_answers.RECOUNTED | test_true_sides.RECOUNTED
    assert set(statements()) == set(RECOUNTS) | recounted


def test_every_recount_is_tried(tmp_path_factory, monkeypatch):
    tried = {
        key
        for name, language in CASES
        for key, _ in told(name, language, tmp_path_factory, monkeypatch).said
        if key in RECOUNTS
    }
    missing = sorted(set(RECOUNTS) - tried)
    assert not missing, "\n".join(missing)


def evidence_of(found: Told, key: str) -> dict[str, Any]:
    return next(one for one in found.evidence if one["says"] == key)


def swapped(one: dict[str, Any]) -> dict[str, Any]:
    values = one["values"]
    turned = {"best": values["worst"], "worst": values["best"], "best_share": values["worst_share"],
              "worst_share": values["best_share"], "best_n": values["worst_n"], "worst_n": values["best_n"]}  # fmt: skip
    return {**one, "values": {**values, **turned}}


def valued(**values: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda one: {**one, "values": {**one["values"], **values}}


def as_said(key: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda one: {**one, "says": key}


def of_more(one: dict[str, Any]) -> dict[str, Any]:
    return {**one, "n": one["n"] + 1}


@pytest.mark.parametrize(
    ("name", "key", "falsified"),
    [
        ("products", "report.summary.products.clear", swapped),
        ("products", "report.summary.products.clear", as_said("report.summary.products.chance")),
        ("many", "report.summary.products.chance", valued(best="‘상품 01’")),
        ("level", "report.summary.products.chance", valued(best="‘가’")),
        ("sample", "report.summary.keywords_sample", as_said("report.summary.keywords")),
        ("sample", "report.summary.keywords_sample", valued(read="240")),
        ("sample", "report.summary.complaint_sample", as_said("report.summary.complaint")),
        ("risen", "report.change.positive_share.rose", as_said("report.change.positive_share.fell")),
        ("risen", "report.change.positive_share.rose", valued(period="2022-07")),
        ("risen", "report.change.positive_share.rose", valued(since="2022-03")),
        ("risen", "report.change.mean_rating.rose", of_more),
        ("others", "report.change.positive_share.mix", as_said("report.change.positive_share.rose")),
        ("none of both", "report.change.positive_share.mix_unknown", as_said("report.change.positive_share.rose")),
        ("rising", "report.slope.positive_share.rising", as_said("report.slope.positive_share.falling")),
        ("quieter", "report.change.reviews.fell", valued(before="34.0")),
        ("products", "report.summary.polarity", of_more),
        ("products", "report.summary.polarity", valued(positive_share="99.0%")),
        ("products", "report.summary.scope_dated", valued(end="2025-01-01")),
        ("products", "report.summary.rating", valued(rated="1,000")),
        ("twice", "report.summary.duplicates", valued(duplicates="5")),
        ("twice", "report.summary.unread", valued(unread="0")),
        ("twice", "report.summary.repeated", valued(repeated="12")),
        ("left open", "report.summary.by_rating", valued(settled="1")),
        ("loved", "report.summary.stars", valued(good="12")),
        ("one falls", "report.change.product.mean_rating.fell", valued(product="접시")),
        ("one falls", "report.change.product.mean_rating.fell", valued(period="2022-06")),
        ("one rises unrated", "report.change.product.positive_share.rose", of_more),
        ("period", "report.summary.scope_asked", as_said("report.summary.scope_dated")),
        ("level", "competitor.summary.voice_level", as_said("competitor.summary.voice")),
        ("products", "competitor.summary.lead.clear", valued(first="모자")),
        ("products", "dashboard.change.chance", as_said("dashboard.change.up")),
    ],
)
def test_a_sentence_that_is_not_true_is_caught(name, key, falsified, tmp_path_factory, monkeypatch):
    found = told(name, "ko", tmp_path_factory, monkeypatch)
    one = evidence_of(found, key)
    check(found.rows, one["says"], one["values"], one["n"], one["of"])
    wrong = falsified(one)
    with pytest.raises((AssertionError, KeyError)):
        check(found.rows, wrong["says"], wrong["values"], wrong["n"], wrong["of"])


def test_the_reviews_of_real_films_are_told_truly(shared, tmp_path):
    given = list(csv.DictReader(io.StringIO(shared("naver_movie_reviews.csv").read_text(encoding="utf-8"))))[:700]
    ctx = Witness(tmp_path)
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, ["product", "rating", "date", "text"], extrasaction="ignore")
    writer.writeheader()
    writer.writerows(given)
    ctx.upload(buffer.getvalue().encode())
    evidence: list[dict[str, Any]] = []
    for tool in ("collector", "preprocessor", *INSIGHTS):
        evidence += importlib.import_module(f"packs.marketing.tools.{tool}").run({}, ctx).get("evidence", [])
    rows = rows_of(Table(()), ctx, [
        {"리뷰": one["text"], "별점": one["rating"], "작성일": one["date"], "상품": one["product"]} for one in given
    ])  # fmt: skip
    rows = replace(rows, scale=(1, 10), exact_terms=False)
    assert len(evidence) > 10
    for one in evidence:
        check(rows, one["says"], one["values"], one["n"], one["of"])


def test_a_shop_is_told_truly_and_its_class_is_no_complaint(shared, tmp_path):
    given = list(csv.DictReader(io.StringIO(shared("shop_reviews.csv").read_text(encoding="utf-8"))))
    ctx = Witness(tmp_path, language="en")
    ctx.upload(shared("shop_reviews.csv").read_bytes(), "shop.csv")
    evidence: list[dict[str, Any]] = []
    for tool in ("collector", "preprocessor", *INSIGHTS):
        with suppress(ToolError):
            evidence += importlib.import_module(f"packs.marketing.tools.{tool}").run({}, ctx).get("evidence", [])
    rows = rows_of(Table(()), ctx, [
        {"리뷰": one["후기"], "별점": one["평점"], "작성일": one["작성일"], "상품": one["지점"]} for one in given
    ])  # fmt: skip
    rows = replace(rows, exact_terms=False, extra={**rows.extra, "file": "shop.csv"})
    assert len(evidence) > 8
    for one in evidence:
        check(rows, one["says"], one["values"], one["n"], one["of"])
