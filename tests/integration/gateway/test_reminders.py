"""Reminders on the socket and over REST: pushed when they are due, kept until they are seen, seen once."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import orjson

from contracts.timers import ReminderDue
from tests.integration.gateway.conftest import House

DUE = datetime(2026, 11, 23, 6, tzinfo=UTC)


async def remind(house: House, session: str, reminder: str, hours: int = 0) -> int:
    due = ReminderDue(reminder_id=reminder, text="치과 예약", due_at=DUE + timedelta(hours=hours))
    return await house.tell(session, None, due, by="timers")


async def test_a_reminder_comes_on_the_socket_and_waits_until_it_is_seen(house: House) -> None:
    session, reminder = (await house.begin())["session_id"], str(uuid4())
    async with house.socket(session, "?after=2") as socket:
        assert orjson.loads(await socket.recv())["reminders"] == []
        await remind(house, session, reminder)
        shown = orjson.loads(await socket.recv())
    assert (shown["type"], shown["event"], shown["version"], shown["run_id"]) == ("reminder", "ReminderDue", 3, None)
    assert shown["data"]["text"] == "치과 예약"
    async with house.socket(session, "?after=3") as socket:  # connected again
        waiting = orjson.loads(await socket.recv())["reminders"]
        assert waiting == [
            {
                "reminder_id": reminder,
                "text": "치과 예약",
                "due_at": "2026-11-23T06:00:00Z",
                "timezone": "",
                "times": 1,
                "version": 3,
            }
        ]
        await socket.send(orjson.dumps({"type": "reminder_seen", "reminder_id": reminder, "ref": 7}).decode())
        frames = [orjson.loads(await socket.recv()), orjson.loads(await socket.recv())]
        answers = {one["type"]: one for one in frames}
    assert answers["ack"] == {"type": "ack", "of": "reminder_seen", "version": 4, "ref": 7}
    assert (answers["reminder"]["event"], answers["reminder"]["producer"]) == ("ReminderSeen", "gateway")
    assert (await house.http.get(f"/sessions/{session}")).json()["reminders"] == []


async def test_seeing_a_reminder_over_rest_is_recorded_once_and_up_to_the_time_that_was_shown(house: House) -> None:
    session, reminder = (await house.begin())["session_id"], str(uuid4())
    await remind(house, session, reminder)
    await remind(house, session, reminder, hours=1)
    address = f"/sessions/{session}/reminders/{reminder}/seen"
    early = await house.http.post(address, json={"due_at": DUE.isoformat()})
    assert (early.status_code, early.json()) == (200, {"reminder_id": reminder, "version": 5})
    assert len((await house.http.get(f"/sessions/{session}")).json()["reminders"]) == 1
    versions = [(await house.http.post(address, headers={"Idempotency-Key": "k"})).json()["version"] for _ in range(3)]
    assert versions == [6, 6, 6]
    await remind(house, session, reminder, hours=2)
    again = await house.http.post(address, headers={"Idempotency-Key": "k"})
    assert again.json()["version"] == 6  # the key is of what was seen then
    assert len((await house.http.get(f"/sessions/{session}")).json()["reminders"]) == 1


async def test_what_is_no_reminder_of_the_session_is_refused_with_its_id(house: House) -> None:
    session = (await house.begin())["session_id"]
    unknown = str(uuid4())
    for address, status, code in (
        (f"/sessions/{session}/reminders/{unknown}/seen", 404, 3004),
        (f"/sessions/{uuid4()}/reminders/{unknown}/seen", 404, 3000),
        (f"/sessions/{session}/reminders/nothing/seen", 400, 1009),
    ):
        answer = await house.http.post(address)
        assert (answer.status_code, answer.json()["code"]) == (status, code)
    odd = await house.http.post(f"/sessions/{session}/reminders/{unknown}/seen", json={"due_at": "soon"})
    assert (odd.status_code, odd.json()["code"]) == (400, 1000)
