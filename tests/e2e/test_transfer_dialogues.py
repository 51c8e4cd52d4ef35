"""The dialogues of source design 002 sections 2-6, and more of them (packs/transfer/cases.yaml), through the whole product:
one session each, said over HTTP, paid at the embedded bank."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

import asyncpg
import pytest

from tests.e2e.person import Json, Person, of, only
from tests.e2e.world import World
from tests.unit.packs.transfer.dialogues import CASES, NAMES, ZONE, expected_slots, filled

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
async def person(bank_house: World) -> AsyncIterator[Person]:
    async with Person(bank_house.stack.url) as person:
        yield person


@pytest.mark.parametrize("case", CASES, ids=NAMES)
async def test_dialogue(case: Json, bank_house: World, person: Person) -> None:
    before = await _payments(bank_house)
    session: dict[str, Any] = {}
    promised = 0
    for turn in case["turns"]:
        today = datetime.now(ZONE).date()
        run = await person.say(turn["said"], **session)
        session = {"session_id": run["session_id"]}
        events = await person.end_of(run)
        answer = only(events, "ResponseOutput", run)
        if "message" in turn:
            assert answer["text"] == filled(turn["message"], today, case["language"]), turn["said"]
        assert answer["text"].startswith(turn.get("begins", "")), turn["said"]
        moved = of(events, "FlowAdvanced", run)
        if "stage" in turn:
            assert moved[-1]["stage"] == turn["stage"], turn["said"]
        if "slots" in turn:
            assert moved[-1]["slots"] == expected_slots(turn["slots"], today), turn["said"]
        if "buttons" in turn:
            assert answer["ui_hint"]["buttons"] == turn["buttons"]
        promised += sum(one["stage"] == "EXECUTED" for one in moved)
    assert await _payments(bank_house) - before == promised
    assert await _total(bank_house) == 0


async def test_work_that_needs_no_word_is_done_beside_a_transfer_and_the_transfer_waits_for_its_own(
    person: Person,
) -> None:
    run = await person.say("엄마한테 만원 보내고 내일 오후 3시 치과 일정 넣어줘")
    ready = only(await person.end_of(run), "ResponseOutput", run)
    assert "엄마에게 1만원을 이체할까요?" in ready["text"] and "치과" in ready["text"]
    assert ready["ui_hint"]["buttons"] == ["확인", "취소"]
    done = await person.say("확인", session_id=run["session_id"])
    assert "1만원" in only(await person.end_of(done), "ResponseOutput", done)["text"]
    shown = await person.say("내일 일정 보여줘", session_id=run["session_id"], auto_approve=True)
    assert "치과" in only(await person.end_of(shown), "ResponseOutput", shown)["text"]


async def test_what_was_sent_and_what_is_left_is_told_in_another_session(person: Person) -> None:
    run = await person.say("아빠한테 2만원 보내줘")
    await person.end_of(run)
    await person.end_of(await person.say("확인", session_id=run["session_id"]))
    asked = await person.say("오늘 아빠한테 얼마 보냈어?")
    told = only(await person.end_of(asked), "ResponseOutput", asked)["text"]
    assert "아빠에게" in told and "2만원" in told
    left = await person.say("잔액 얼마야?", session_id=asked["session_id"])
    assert only(await person.end_of(left), "ResponseOutput", left)["text"].startswith("잔액은 ")


async def _payments(house: World) -> int:
    return await _look(house, "select count(*) from pack_transfer.transfers where payee_id is not null")


async def _total(house: World) -> int:
    return await _look(house, "select coalesce(sum(amount), 0)::bigint from pack_transfer.entries")


async def _look(house: World, sql: str) -> int:
    connection = await asyncpg.connect(house.stack.servers.owner_url)
    try:
        return int(await connection.fetchval(sql))
    finally:
        await connection.close()
