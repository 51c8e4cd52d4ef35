"""A report of a table is of the rows that were asked for, arranged as was asked; what was not understood is said."""

import csv
import html
import io
import re
from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from docx import Document
from pptx import Presentation
from pydantic import JsonValue

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolError
from contracts.wishes import Wish, WishAsked
from packs.marketing.asking.profile import profile
from packs.marketing.asking.telling import told as profile_told
from packs.marketing.overview.shape import Overview
from packs.marketing.overview.wish import chosen
from packs.marketing.tables.read import read_table
from packs.marketing.tools import dashboard, overview, report, sales_material
from tests.unit.packs.marketing.context import NOW, FakeContext, texts
from understanding.port import days_in

Row = dict[str, str]
HEADS = {
    "en": ("Ticket", "Opened", "Depot", "Driver", "Cost", "State", "Insured"),
    "ko": ("접수번호", "접수일", "차고지", "기사 이름", "수리 금액", "상태", "보험여부"),
    "ja": ("受付番号", "受付日", "車庫", "運転手名", "修理金額", "状態", "保険"),
}
DEPOTS = {"en": ("Leith", "Govan", "Perth"), "ko": ("여수", "속초", "통영"), "ja": ("函館", "小樽", "釧路")}
STATES = {"en": ("Settled", "Open", "Refused"), "ko": ("완료", "접수", "반려"), "ja": ("完了", "受付", "却下")}
NAMES = {"en": ("Rory", "Isla", "Ewan"), "ko": ("김보라", "이한결", "박다온"), "ja": ("佐藤様", "鈴木様", "高橋様")}


def repairs(language: str) -> list[Row]:
    """From January 2024 to December 2024, 20 a month."""
    found = []
    for at in range(240):
        cells = (f"R{at:04}", f"2024-{at % 12 + 1:02}-{at * 7 % 28 + 1:02}", DEPOTS[language][at * at % 7 % 3],
                 NAMES[language][at % 3], str(50 + at * 37 % 900), STATES[language][at // 7 % 3], "YN"[at % 11 > 0])  # fmt: skip
        found.append(dict(zip(HEADS[language], cells, strict=True)))
    return found


def written(language: str) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer).writerows([HEADS[language], *(row.values() for row in repairs(language))])
    return buffer.getvalue().encode()


def params(said: str) -> JsonObject:
    """As planning hands them on."""
    return {"asked": said, "periods": list[JsonValue](days(said))}


def days(said: str) -> list[JsonObject]:
    found = ((one.text, one.value) for one in days_in(said, NOW.date()))
    return [{"said": text, **value} for text, value in found if isinstance(value, dict)]


def told(folder: Path, language: str, given: JsonObject) -> tuple[Any, Overview, list[str]]:
    ctx: Any = FakeContext(folder, language=language)
    ctx.upload(written(language), "repairs.csv")
    summary = overview.run(given, ctx)["summary"]
    assert isinstance(summary, list)
    return ctx, Overview.model_validate_json(ctx.newest("insight.table")), [str(line) for line in summary]


def total(rows: list[Row], language: str) -> str:
    return f"{sum(int(row[HEADS[language][4]]) for row in rows):,}"


def month(row: Row) -> int:
    return int(list(row.values())[1][5:7])


def cell(row: Row, at: int) -> str:
    return list(row.values())[at]


ASKED: list[tuple[str, str, Callable[[Row], bool]]] = [
    ("en", "Make a PDF of settled repairs by depot, for Q3 only", lambda r: cell(r, 5) == "Settled" and 7 <= month(r) <= 9),
    ("en", "Slides without the refused ones please", lambda r: cell(r, 5) != "Refused"),
    ("en", "I need a one-page PDF of repairs with a cost over 500 in Govan for the finance director", lambda r: cell(r, 2) == "Govan" and int(cell(r, 4)) > 500),
    ("en", "a deck of March and August, please", lambda r: month(r) in (3, 8)),
    ("ko", "3분기에 완료된 건만 보고서로 만들어줘", lambda r: cell(r, 5) == "완료" and 7 <= month(r) <= 9),
    ("ko", "속초 빼고 슬라이드 5장 정도로 만들어줘", lambda r: cell(r, 2) != "속초"),
    ("ko", "속초 차고지 빼고 보고서로", lambda r: cell(r, 2) != "속초"),
    ("en", "slides without the Perth depot", lambda r: cell(r, 2) != "Perth"),
    ("ko", "임원 보고용으로 금액 500원 이상만 리포트", lambda r: int(cell(r, 4)) >= 500),
    ("ja", "8月のデータだけでスライドを作って", lambda r: month(r) == 8),
    ("ja", "却下を除いてPDFのレポートにして", lambda r: cell(r, 5) != "却下"),
    ("ja", "社長向けに函館の完了分だけで報告書をお願いします", lambda r: cell(r, 2) == "函館" and cell(r, 5) == "完了"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "said", "meant"), ASKED, ids=[said for _, said, _ in ASKED])
def test_exactly_the_rows_that_are_meant_are_told_of(
    language: str, said: str, meant: Callable[[Row], bool], tmp_path: Path
) -> None:
    _, found, summary = told(tmp_path, language, params(said))
    rows = [row for row in repairs(language) if meant(row)]
    assert (found.rows, found.total) == (len(rows), 240)
    assert total(rows, language) in dict(found.facts).values()
    about = summary[0]
    assert str(len(rows)) in about and "240" in about
    places = next(one for one in found.parts if one.heading == HEADS[language][2]) if said.count("depot") else None
    counts = Counter(cell(row, 2) for row in rows)
    if places is not None:
        assert {row[0]: int(row[2]) for row in places.rows} == counts


def test_a_request_for_all_of_it_is_of_all_of_it(tmp_path: Path) -> None:
    for language, said in (
        ("en", "make a report of the repairs"),
        ("ko", "이 표 전체로 보고서 만들어줘"),
        ("ja", "レポートを作成して"),
    ):
        folder = tmp_path / language
        folder.mkdir()
        _, found, summary = told(folder, language, params(said))
        assert (found.rows, found.about) == (240, ())
        assert "240" in summary[0]


MADE = [
    ("en", "settled repairs for Q3 only", "State = Settled"),
    ("ko", "3분기에 완료된 건만 보고서로", "상태 = 완료"),
    ("ja", "第3四半期の完了分だけでレポート", "状態 = 完了"),
]


@pytest.mark.parametrize(("language", "said", "scope"), MADE)
def test_every_document_says_which_rows_it_is_of(language: str, said: str, scope: str, tmp_path: Path) -> None:
    ctx, found, _ = told(tmp_path, language, params(said))
    assert 0 < found.rows < 240
    bare = re.sub(r"\s", "", scope)
    report.run({}, ctx)
    pdf = pypdfium2.PdfDocument(ctx.newest("document.pdf"))
    text = re.sub(r"\s", "", pdf[0].get_textpage().get_text_bounded())
    head = text[: text.index("1.")]
    assert bare in head and str(found.rows) in head and "240" in head
    report.run({"file": "docx"}, ctx)
    paragraphs = [one.text for one in Document(io.BytesIO(ctx.newest("document.pdf"))).paragraphs[:4]]
    assert any(scope in one for one in paragraphs)
    sales_material.run({}, ctx)
    cover, *pages = Presentation(io.BytesIO(ctx.newest("document.slides"))).slides
    assert any(scope in shape.text_frame.text for shape in cover.shapes if shape.has_text_frame)
    for page in pages:
        assert any(scope in shape.text_frame.text for shape in page.shapes if shape.has_text_frame)
    dashboard.run({}, ctx)
    assert scope in html.unescape(ctx.newest("document.dashboard").decode()).split("</header>")[0]


UNKNOWN = [
    ("en", "Report on repairs settled by Fiona", "fiona"),
    ("en", "Make a PDF of repairs settled by Fiona by depot, for Q3 only", "fiona"),
    ("ko", "2024년 4분기 빼고 보고서 만들어줘", "4분기"),
    ("ko", "쿠폰 쓴 건만 보고서로 만들어줘", "쿠폰"),
    ("ja", "赤字の分だけレポートにして", "赤字"),
]


@pytest.mark.parametrize(("language", "said", "word"), UNKNOWN)
def test_what_is_not_understood_is_said_in_plan_answer_and_file(
    language: str, said: str, word: str, tmp_path: Path
) -> None:
    ctx, _, summary = told(tmp_path, language, params(said))
    assert any(word in line for line in summary)
    report.run({}, ctx)
    text = pypdfium2.PdfDocument(ctx.newest("document.pdf"))[0].get_textpage().get_text_bounded()
    assert word in text
    wish = planned(language, said)
    assert any(word in line for line in wish.cannot)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "I need a report of the repairs for tomorrow's meeting, no video please"),
        ("ko", "내일 회의에 쓸 보고서 만들어줘. 광고 문구는 필요 없어"),
        ("ja", "来週の会議で使うレポートを作ってください。動画はいりません"),
    ],
)
def test_when_it_is_needed_and_what_else_is_not_wanted_choose_no_rows(language: str, said: str) -> None:
    wish = planned(language, said)
    assert (wish.lines, wish.cannot) == ((), ())


NONE = [
    ("en", "a report of repairs with a cost over 5000"),
    ("en", "slides of 2019"),
    ("ko", "2019년 데이터로 보고서 만들어줘"),
    ("ja", "修理金額が5000円以上の分だけでPDFを作って"),
]


@pytest.mark.parametrize(("language", "said"), NONE)
def test_where_no_row_fits_nothing_is_made_and_that_is_said(language: str, said: str, tmp_path: Path) -> None:
    ctx: Any = FakeContext(tmp_path, language=language)
    ctx.upload(written(language), "repairs.csv")
    with pytest.raises(ToolError) as error:
        overview.run(params(said), ctx)
    assert error.value.code is Code.TABLE_EMPTY
    assert "240" in str(error.value)
    assert not ctx.inputs("insight.table")


ARRANGED = [
    ("en", "make a report by depot", "Depot"),
    ("ko", "차고지별 보고서 만들어줘", "차고지"),
    ("ja", "車庫別のレポートを作って", "車庫"),
]


@pytest.mark.parametrize(("language", "said", "heading"), ARRANGED)
def test_a_report_is_arranged_by_what_is_named(language: str, said: str, heading: str, tmp_path: Path) -> None:
    _, found, _ = told(tmp_path, language, params(said))
    first, *others = [one.heading for one in found.parts]
    assert first == heading
    assert HEADS[language][5] not in others, "nothing else is arranged beside it"


WITHOUT = [
    ("en", "slides, but without the state chart", 5),
    ("en", "make a report, don't include the depot", 2),
    ("ko", "상태는 빼고 슬라이드 만들어줘", 5),
    ("ko", "차고지별 내용은 제외하고 보고서", 2),
    ("ja", "状態なしでスライドを作って", 5),
]


@pytest.mark.parametrize(("language", "said", "at"), WITHOUT)
def test_a_chapter_that_is_not_wanted_is_left_out_and_no_row(language: str, said: str, at: int, tmp_path: Path) -> None:
    _, found, summary = told(tmp_path, language, params(said))
    headings = [one.heading for one in found.parts]
    assert found.rows == 240
    assert HEADS[language][at] not in headings
    assert HEADS[language][7 - at] in headings, "the other one is still there"
    assert not any(line.startswith(HEADS[language][at]) for line in summary)


@pytest.mark.parametrize(
    ("language", "said"), [("en", "leave out the trend"), ("ko", "추이는 빼고 보고서"), ("ja", "推移は除いてレポート")]
)
def test_without_the_course_over_time(language: str, said: str, tmp_path: Path) -> None:
    _, found, _ = told(tmp_path, language, params(said))
    assert found.rows == 240
    assert not any(one.over_time for one in found.parts)


@pytest.mark.parametrize("language", HEADS)
def test_names_of_persons_and_yes_or_no_are_no_findings(language: str, tmp_path: Path) -> None:
    _, found, summary = told(tmp_path, language, {})
    assert not any(name in line for line in summary for name in NAMES[language])
    assert not any(HEADS[language][6] in line for line in summary)
    assert not any("%" in one.text for part in found.parts for one in part.lines if part.heading == HEADS[language][6])


@pytest.mark.parametrize("language", HEADS)
def test_how_much_less_is_said_once(language: str, tmp_path: Path) -> None:
    _, _, summary = told(tmp_path, language, {})
    (line,) = [one for one in summary if "2024-11" in one]
    assert line.count("%") == 1


def test_beside_next_to_nothing_much_is_no_finding(tmp_path: Path) -> None:
    lines = ["sold on,branch,total"]
    lines += [f"2024-{at // 40 + 1:02}-{at % 28 + 1:02},Elm,{2 if at < 40 else 300}" for at in range(80)]
    ctx: Any = FakeContext(tmp_path, language="en")
    ctx.upload("\n".join([*lines, "2024-02-29,Elm,300", "2024-01-31,Elm,2"]).encode(), "till.csv")
    summary = overview.run({}, ctx)["summary"]
    assert isinstance(summary, list)
    assert not any("2024-02" in str(line) for line in summary)


@pytest.mark.parametrize("language", HEADS)
@pytest.mark.parametrize("slides", [3, 4, 5])
def test_there_are_as_many_slides_as_are_wished(language: str, slides: int, tmp_path: Path) -> None:
    ctx, _, _ = told(tmp_path, language, {})
    made = sales_material.run({"slides": slides}, ctx)
    assert made["slides"] == slides == len(Presentation(io.BytesIO(ctx.newest("document.slides"))).slides)


@pytest.mark.parametrize("language", HEADS)
@pytest.mark.parametrize(("slides", "made"), [(1, 2), (90, None)])
def test_where_there_cannot_be_so_many_slides_that_is_said(
    language: str, slides: int, made: int | None, tmp_path: Path
) -> None:
    ctx, _, _ = told(tmp_path, language, {})
    result = sales_material.run({"slides": slides}, ctx)
    summary = result["summary"]
    assert isinstance(summary, list)
    assert result["slides"] == (made or result["slides"])
    assert any(str(slides) in str(line) and str(result["slides"]) in str(line) for line in summary[1:2])


def say(language: str) -> Callable[..., str]:
    return lambda key, **values: texts(language)[key].format(**values)


def planned(language: str, said: str, *changes: str, before: JsonObject | None = None) -> Wish:
    table = read_table(written(language), "repairs.csv")
    file: JsonObject = profile_told(table, profile(table)).model_dump(mode="json")
    given: dict[str, Any] = {"files": (file,), "names": ("repairs.csv",)}
    wish = chosen(WishAsked(params=params(said), before=before or {}, **given), say(language))
    for change in changes:
        asked = WishAsked(params=wish.params, said=change, periods=tuple(days(change)), **given)
        wish = chosen(asked, say(language))
    return wish


PLANNED = [
    ("en", "Make a PDF of settled repairs by depot, for Q3 only", ["State = Settled", "Opened 2024-07-01 – 2024-09-30", "by Depot"]),
    ("ko", "속초 빼고 슬라이드 5장 정도로 만들어줘", ["차고지가 속초이(가) 아닌"]),
    ("ja", "8月のデータだけでスライドを作って", ["受付日 2024-08"]),
]  # fmt: skip


@pytest.mark.parametrize(("language", "said", "lines"), PLANNED)
def test_the_plan_says_which_rows_are_meant(language: str, said: str, lines: list[str]) -> None:
    found = [line.replace("차고지 ≠ 속초", "차고지가 속초이(가) 아닌") for line in planned(language, said).lines]
    assert found == lines


def test_what_asks_for_all_rows_is_found_again_whatever_it_says() -> None:
    for language, said in (
        ("en", "make a report"),
        ("ko", "이 표 전체로 PDF 보고서 하나 만들어줘"),
        ("ja", "レポートを作って"),
    ):
        wish = planned(language, said)
        assert (wish.params, wish.lines, wish.cannot) == ({}, (), ())


@pytest.mark.parametrize(
    ("language", "said", "changes", "lines"),
    [
        ("en", "make a report", ["only settled ones please"], ["State = Settled"]),
        (
            "en",
            "a report of settled ones",
            ["only Q2", "no, Q3"],
            ["State = Settled", "Opened 2024-07-01 – 2024-09-30"],
        ),
        ("ko", "보고서 만들어줘", ["9월 데이터만 써줘", "여수만"], ["접수일 2024-09", "차고지 = 여수"]),
        ("ja", "レポートを作って", ["函館だけにして"], ["車庫 = 函館"]),
    ],
)
def test_a_reason_changes_the_rows(language: str, said: str, changes: list[str], lines: list[str]) -> None:
    wish = planned(language, said, *changes)
    assert list(wish.lines) == lines
    assert wish.params["changes"] == changes


def test_what_a_reason_says_of_steps_is_left_to_them() -> None:
    wish = planned("ko", "보고서 만들어줘", "대시보드는 빼고 여수만")
    assert wish.lines == ("차고지 = 여수",)
    assert "대시보드는 빼고" in wish.rest and "여수" not in wish.rest


def test_days_without_rows_are_told_before_the_plan_is_approved() -> None:
    assert any("2024-01-01" in line for line in planned("en", "slides of 2019").cannot)


@pytest.mark.parametrize(
    ("language", "said", "lines"),
    [
        ("en", "now the same as slides", ["State = Settled", "Opened 2024-07-01 – 2024-09-30"]),
        ("en", "and this for Govan as slides", ["State = Settled", "Opened 2024-07-01 – 2024-09-30", "Depot = Govan"]),
        ("en", "slides of open ones", ["State = Open"]),
    ],
)
def test_the_same_is_made_of_the_same_rows(language: str, said: str, lines: list[str]) -> None:
    before = planned(language, "a report of settled ones for Q3").params
    assert list(planned(language, said, before=before).lines) == lines


def test_another_year_is_told() -> None:
    assert date(2025, 9, 15) == NOW.date()
    for language in HEADS:
        said = {"en": "slides of Q2", "ko": "2분기 슬라이드", "ja": "第2四半期のスライド"}[language]
        (line,) = planned(language, said).cannot
        assert "2025-04-01" in line and "2024-04-01" in line
