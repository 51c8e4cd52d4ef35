"""A table of figures in the real product: whoever asks for a report of it gets one, and is told what is left out."""

import csv
import io
from uuid import uuid4

import pytest
from pypdf import PdfReader

from tests.e2e.person import Person, of, only

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


def orders() -> tuple[bytes, int]:
    """Each file is another one, so that no test finds what was made for its neighbour."""
    buffer = io.StringIO()
    rows = [
        (uuid4().hex[:8], f"2026-{at % 5 + 1:02}-{at * 3 % 28 + 1:02}", ("부산점", "대전점", "광주점")[at % 7 % 3], 1000 * (at % 12 + 3))
        for at in range(300)
    ]  # fmt: skip
    csv.writer(buffer).writerows([("주문번호", "주문일", "지점", "결제금액"), *rows])
    return buffer.getvalue().encode(), sum(row[3] for row in rows)


async def test_a_report_of_a_table_without_texts_is_one_of_its_figures(person: Person) -> None:
    data, total = orders()
    file = await person.upload("주문.csv", data)
    run = await person.say("이 주문 내역 전체로 PDF 보고서 하나 만들어줘", attachments=[file])
    question = await person.question(run["session_id"], seconds=120)
    plan = only(await person.events(run["session_id"]), "PlanningOutput")
    assert [todo["tool"] for todo in plan["plan"]["todos"]] == ["marketing.overview", "marketing.report"]
    assert "감성 분석" in question["question"], "what is left out is said before anybody approves"
    await person.answer(run["session_id"], question, action="approve")
    events = await person.end_of(run, 180)
    output = only(events, "ResponseOutput")
    assert f"{total:,}" in output["text"]
    (pdf,) = [one for one in output["attachments"] if one["media_type"] == "application/pdf"]
    content = await person.download(pdf)
    text = "".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)
    assert f"{total:,}" in text
    assert all(branch in text for branch in ("부산점", "대전점", "광주점"))
    again = await person.say("대시보드도 하나 만들어줘", session_id=run["session_id"], auto_approve=True)
    made = only(await person.end_of(again, 180), "ResponseOutput", again)["attachments"]
    assert {"text/html", "image/png"} <= {one["media_type"] for one in made}


async def test_reviews_are_judged_as_ever(person: Person) -> None:
    lines = [
        "지점,별점,후기",
        *(f"부산점,{at % 5 + 1},{at}번째 방문인데 커피가 진하고 직원이 친절해요" for at in range(60)),
    ]
    file = await person.upload("후기.csv", "\n".join(lines).encode())
    run = await person.say("이 파일로 보고서 만들어줘", attachments=[file])
    await person.question(run["session_id"], seconds=120)
    (plan,) = of(await person.events(run["session_id"]), "PlanningOutput")
    tools = {todo["tool"] for todo in plan["plan"]["todos"]}
    assert {"marketing.sentiment", "marketing.report"} <= tools
    assert "marketing.overview" not in tools


async def test_what_is_made_of_a_table_is_of_the_rows_that_are_asked_for(person: Person) -> None:
    data, _ = orders()
    file = await person.upload("주문.csv", data)
    rows = [row for row in csv.DictReader(io.StringIO(data.decode())) if row["주문일"].startswith("2026-02")]
    rows = [row for row in rows if row["지점"] != "대전점"]
    total = f"{sum(int(row['결제금액']) for row in rows):,}"
    run = await person.say("2월 주문을 대전점은 빼고 PDF 보고서로 만들어줘", attachments=[file])
    question = await person.question(run["session_id"], seconds=120)
    assert "2026-02" in question["question"] and "대전점" in question["question"], "which rows, before it is approved"
    await person.answer(run["session_id"], question, action="approve")
    output = only(await person.end_of(run, 180), "ResponseOutput")
    assert total in output["text"] and str(len(rows)) in output["text"]
    (pdf,) = [one for one in output["attachments"] if one["media_type"] == "application/pdf"]
    text = "".join(page.extract_text() for page in PdfReader(io.BytesIO(await person.download(pdf))).pages)
    assert total in text and "2026-02" in text
    again = await person.say("이걸 슬라이드 4장으로도 만들어줘", session_id=run["session_id"])
    question = await person.question(run["session_id"], seconds=120)
    assert "2026-02" in question["question"] and "대전점" in question["question"], "it is of the same rows"
    await person.answer(run["session_id"], question, action="reject", reason="3월만")
    question = await person.question(run["session_id"], seconds=120)
    assert "2026-03" in question["question"] and "2026-02" not in question["question"]
    await person.answer(run["session_id"], question, action="approve")
    output = only(await person.end_of(again, 180), "ResponseOutput", again)
    rows = [row for row in csv.DictReader(io.StringIO(data.decode())) if row["주문일"].startswith("2026-03")]
    rows = [row for row in rows if row["지점"] != "대전점"]
    assert f"{sum(int(row['결제금액']) for row in rows):,}" in output["text"]
    assert "4장" in output["text"]


async def test_where_no_row_is_as_asked_nothing_is_made_and_the_person_is_told(person: Person) -> None:
    file = await person.upload("주문.csv", orders()[0])
    run = await person.say("2019년 주문만 보고서로 만들어줘", attachments=[file])
    question = await person.question(run["session_id"], seconds=120)
    assert "2019" in question["question"], "it is said before anybody approves"
    await person.answer(run["session_id"], question, action="approve")
    events = await person.end_of(run, 180)
    output = only(events, "ResponseOutput")
    assert "2019" in output["text"] and "300" in output["text"]
    assert not output.get("attachments")
