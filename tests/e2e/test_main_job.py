"""The main job from the first sentence to the PDF, as a person has it: through five processes, and in one."""

import io
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pypdfium2
import pytest
from pypdf import PdfReader

from dream.local.stack import LocalStack
from tests.e2e.person import Json, Person, of, only
from tests.e2e.recount import Recount, recount
from tests.e2e.world import World, folder_for
from understanding.kit.data import read_data

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

DATA = Path(str(files("packs.marketing") / "data"))
NEUTRAL, VOLUME = (0xC3, 0xCA, 0xD3), (0xB9, 0xC7, 0xD8)
"""Colours of charts."""
SENTENCE = {
    "ko": "이 리뷰들 감성 분석하고 월별 트렌드 리포트 만들어줘",
    "en": "Analyze the sentiment of these reviews and make a report with monthly trends",
}


async def test_a_korean_sentence_becomes_a_plan_an_approval_and_a_report(house: World, person: Person) -> None:
    run, events = await main_job(person, "ko")
    messages = await house.books.read(run["session_id"])
    assert [str(message.event_id) for message in messages] == [event["event_id"] for event in events]


async def test_an_english_sentence_becomes_a_report_in_one_process() -> None:
    with folder_for("local") as folder:
        async with LocalStack(folder) as stack, Person(stack.url) as person:
            await main_job(person, "en")


async def main_job(person: Person, language: str) -> tuple[Json, list[Json]]:
    """Uploads, says, looks at the plan, approves it, and opens the report."""
    csv = demo(language)
    file = await person.upload(f"demo_reviews_{language}.csv", csv)
    assert (file["type"], file["size"]) == ("file.table", len(csv))
    run = await person.say(SENTENCE[language], attachments=[file])
    question = await person.question(run["session_id"], seconds=120)
    before = await person.events(run["session_id"])
    assert not of(before, "PlanApproved"), "nothing is approved before the person has answered"
    plan = only(before, "PlanningOutput")["plan"]
    assert question["language"] == language and str(len(plan["todos"])) in question["question"]
    assert_is_the_plan(plan, language)
    await person.answer(run["session_id"], question, action="approve")
    events = await person.end_of(run, 180)
    assert only(events, "PlanApproved")["approved_by"] == "person"
    assert only(events, "CognitiveOutput")["language"] == language
    assert not only(events, "RunCompleted").get("partial")
    truth = recount(csv.decode())
    response = only(events, "ResponseOutput")
    assert response["language"] == language
    assert f"{truth.reviews}" in response["text"]
    await assert_is_the_report(person, response, truth, language)
    return run, events


def assert_is_the_plan(plan: Json, language: str) -> None:
    tools = [todo["tool"].split(".")[1] for todo in plan["todos"]]
    assert set(tools) == {"collector", "preprocessor", "sentiment", "trends", "report"}
    texts = words(language)
    assert [todo["title"] for todo in plan["todos"]] == [texts[f"todo.{tool}"] for tool in tools]
    place = {todo["id"]: number for number, todo in enumerate(plan["todos"])}
    for todo in plan["todos"]:
        assert all(place[before] < place[todo["id"]] for before in todo.get("depends_on", []))
    assert plan["mermaid"].startswith("flowchart") and plan["estimate"]["total_seconds"] > 0


async def assert_is_the_report(person: Person, response: Json, truth: Recount, language: str) -> None:
    kinds = [attachment["media_type"] for attachment in response["attachments"]]
    assert kinds == ["application/pdf", "image/png", "image/png"]
    document = await person.download(response["attachments"][0])
    pdf = PdfReader(io.BytesIO(document))
    text = "\n".join(page.extract_text() for page in pdf.pages)
    texts = words(language)
    headings = [texts[f"report.heading.{name}"] for name in ("summary", "quality", "sentiment", "trend", "limits")]
    assert [heading for heading in headings if heading not in text] == []
    places = [text.index(heading) for heading in (texts["report.title"], *headings[:1])]
    assert all(earlier < later for earlier, later in pairwise(places))
    flat = " ".join(text.split())
    for key, number in (("rows_read", truth.read), ("rows_kept", truth.kept), ("reviews", truth.reviews)):
        assert f"{texts[f'report.quality.{key}']} {number}" in flat
    for product, number in truth.by_product.items():
        assert f"{product} {number} " in flat, f"{product} has {number} reviews"
    for month, number in truth.months.items():
        assert f"{month} {number} " in flat, f"{month} has {number} reviews"
    assert f"{truth.mean_rating:.2f}" in flat or f"{truth.mean_rating:.1f}" in flat
    assert pages_with(document, NEUTRAL) and pages_with(document, VOLUME), "sentiment and the trend are drawn in it"
    for chart in response["attachments"][1:]:
        assert (await person.download(chart)).startswith(b"\x89PNG")


def pages_with(document: bytes, colour: tuple[int, int, int]) -> int:
    """Pages on which the colour is seen: charts are drawn there, not pasted as images."""
    seen = [page.render(scale=1).to_pil().convert("RGB").getcolors(1 << 20) for page in pypdfium2.PdfDocument(document)]
    return sum(any(found == colour for _, found in colours or ()) for colours in seen)


def demo(language: str) -> bytes:
    """The bundled synthetic reviews."""
    return (DATA / f"demo_reviews_{language}.csv").read_bytes()


def words(language: str) -> dict[str, str]:
    texts = read_data(DATA.parent / "texts" / f"{language}.yaml")
    return dict(texts)
