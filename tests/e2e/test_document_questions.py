"""Questions about documents in the real product: whatever the words, the file of the session is asked."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
import pytest_asyncio

from tests.e2e.person import Json, Person, eventually, only
from tests.e2e.world import World
from tests.unit.packs.documents.making import docx, hwpx, pdf

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module")
async def person(bank_house: World) -> AsyncIterator[Person]:
    async with Person(bank_house.stack.url) as person:
        yield person


async def session_of(person: Person, language: str, user: str = "", **file: bytes) -> str:
    made = await person.ask(
        "POST", "/sessions", json={"user": user or f"user-{uuid4()}", "language": language},
        headers={"Idempotency-Key": str(uuid4())},
    )  # fmt: skip
    session: str = made.json()["session_id"]
    for name, content in file.items():
        await person.upload(name.replace("__", "."), content, session)
    return session


async def answer(person: Person, session: str, text: str) -> str:
    run = await person.say(text, session_id=session)
    told: str = only(await person.end_of(run), "ResponseOutput", run)["text"]
    return told


async def test_plain_questions_are_answered_turn_after_turn_with_the_page(person: Person):
    pages = (
        "Solar park report. Output reached 52.6 megawatts in May.",
        "The park is guarded by Ulla Brandt. Cows graze there.",
    )
    session = await session_of(person, "en", park__pdf=pdf(*pages))
    assert "Output reached 52.6 megawatts in May.”" in await answer(
        person, session, "How much output was there in May?"
    )
    guarded = await answer(person, session, "Who guards the park?")
    assert "Ulla Brandt" in guarded
    assert "page 2" in guarded
    assert "does not say" in await answer(person, session, "What is the entrance fee?")


async def test_a_row_of_a_table_is_found_by_its_headings_and_a_named_file_counts(person: Person):
    rows = [["노선", "첫차", "배차 간격"], ["701번", "05:40", "12분"], ["마을3번", "06:10", "25분"]]
    session = await session_of(
        person, "ko", 버스_시간표__hwpx=hwpx("시내버스 안내", rows=rows), 기타__docx=docx("첫차는 없다.")
    )
    told = await answer(person, session, "버스_시간표.hwpx에서 701번 배차 간격이 몇 분이야?")
    assert "배차 간격: 12분" in told
    assert "25분" not in told.partition("12분")[0], "the row that is named comes first"
    assert "06:10:" not in told, "nothing is worked out where the cell is there"
    assert "버스_시간표.hwpx" in told


async def test_what_was_said_in_another_session_is_found_by_a_question(person: Person):
    user = f"user-{uuid4()}"
    before = await session_of(person, "ko", user)
    await answer(person, before, "온실 난방비는 매달 78만원으로 하기로 했어")
    session = await session_of(person, "ko", user)

    async def found() -> str | None:
        """Turns are remembered a moment after they were said."""
        told = await answer(person, session, "지난번에 얘기한 온실 난방비가 얼마였지?")
        return told if "78만원" in told else None

    assert "78만원" in await eventually(found, "what was said about the heating")


async def test_the_last_of_a_hundred_pages_answers(person: Person):
    filler = "The committee took note of the report of the working group on matters of procedure. " * 20
    pages = [filler] * 99 + ["The ferry to Lindholm costs 14.75 euros."]
    session = await session_of(person, "en", minutes__pdf=pdf(*pages))
    run = await person.say("What does the ferry to Lindholm cost?", session_id=session)
    events: list[Json] = await person.end_of(run)
    assert "14.75" in only(events, "ResponseOutput", run)["text"]
    assert "page 100" in only(events, "ResponseOutput", run)["text"]
