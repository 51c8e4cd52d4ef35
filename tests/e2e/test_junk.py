"""Junk on the bus harms nobody: it is kept as a dead letter with its code, and everybody else's runs go on."""

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import nats
import pytest
from nats.js import JetStreamContext

from contracts import subjects
from contracts.errors import Code
from contracts.gateway import MessageReceived, RunControlRequested
from tests.e2e.person import Json, Person, eventually
from tests.e2e.world import World, errand

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

SESSION = uuid4()
SAID = MessageReceived.model_validate(MessageReceived.example).model_dump_json().encode()


def headers(type_: str = "MessageReceived", producer: str = "gateway", **changed: str) -> dict[str, str]:
    event_id = str(uuid4())
    return {
        "ce-specversion": "1.0", "ce-id": event_id, "ce-source": f"/dream/{producer}", "ce-type": type_,
        "ce-subject": str(SESSION), "ce-time": "2026-01-01T00:00:00Z", "ce-dataversion": "1", "ce-streamversion": "1",
        "ce-runid": event_id, "content-type": "application/json", **changed,
    }  # fmt: skip


def without(name: str) -> dict[str, str]:
    return {key: value for key, value in headers().items() if key != name}


RECEIVED = subjects.event(SESSION, "gateway", "MessageReceived")
APPROVED = subjects.event(SESSION, "planning", "PlanApproved")
ANSWERED = subjects.event(SESSION, "gateway", "DecisionAnswered")
JUNK: dict[str, tuple[str, dict[str, str] | None, bytes, str, Code]] = {
    # what it is -> subject, headers, body, who buries it, code
    "no headers": (RECEIVED, None, SAID, "cognitive", Code.MESSAGE_UNREADABLE),
    "invalid JSON": (RECEIVED, headers(), b'{"text": "half', "cognitive", Code.MESSAGE_UNREADABLE),
    "not JSON at all": (RECEIVED, headers(), b"\xff\xfe\x00junk", "cognitive", Code.MESSAGE_UNREADABLE),
    "an empty body": (RECEIVED, headers(), b"", "cognitive", Code.MESSAGE_UNREADABLE),
    "another contract": (RECEIVED, headers(), b'{"amount": 3}', "cognitive", Code.MESSAGE_UNREADABLE),
    "an unknown version": (RECEIVED, headers(**{"ce-dataversion": "99"}), SAID, "cognitive", Code.MESSAGE_VERSION_UNKNOWN),
    "a missing attribute": (RECEIVED, without("ce-id"), SAID, "cognitive", Code.MESSAGE_UNREADABLE),
    "an id that is none": (RECEIVED, headers(**{"ce-id": "seven"}), SAID, "cognitive", Code.MESSAGE_UNREADABLE),
    "a type that is not its subject's": (APPROVED, headers(), SAID, "execution-dispatcher", Code.MESSAGE_UNREADABLE),
    "an answer that is in no ledger": (
        ANSWERED, headers("DecisionAnswered"),
        b'{"decision_id": "0197a1f0-0000-7000-8000-000000000002", "kind": "plan", "answer": {}, "answered_by": "x"}',
        "planning-desk", Code.MESSAGE_NOT_IN_LEDGER,
    ),
    "an unknown type": (
        subjects.event(SESSION, "gateway", "Nonsense"), headers("Nonsense"), b"{}", "gateway", Code.MESSAGE_TYPE_UNKNOWN
    ),
    "no subject of ours": ("evt.junk", None, b"junk", "gateway", Code.MESSAGE_UNREADABLE),
}  # fmt: skip


async def test_junk_becomes_dead_letters_while_another_run_completes(house: World, person: Person) -> None:
    client = await nats.connect(house.stack.nats.url)
    js = client.jetstream(timeout=10)
    try:
        for subject, head, body, _, _ in JUNK.values():
            await js.publish(subject, body, headers=head)
        run = await errand(person)
        for subject, head, body, _, _ in JUNK.values():
            await js.publish(subject, body, headers=head)
        await person.end_of(run)
        await house.quiet()
        await house.books.balance(run)
        for what, (subject, head, body, consumer, code) in JUNK.items():
            look = _letter(house, subject, head, consumer, int(code))
            await eventually(_or_again(look, js, subject, head, body), f"a dead letter for {what}", 90)
    finally:
        await client.close()


def _or_again(
    look: Callable[[], Any], js: JetStreamContext, subject: str, head: dict[str, str] | None, body: bytes
) -> Callable[[], Any]:
    """So many strangers a minute are kept, and another test may just have sent a flood of them."""

    async def look_again() -> list[Json]:
        if found := await look():
            return list(found)
        await asyncio.sleep(1)
        await js.publish(subject, body, headers=head)
        return []

    return look_again


def _letter(house: World, subject: str, head: dict[str, str] | None, consumer: str, code: int) -> Callable[[], Any]:
    async def look() -> list[Json]:
        return [
            letter
            for letter in await house.books.dead_letters()
            if (letter["consumer"], letter["subject"], letter["code"]) == (consumer, subject, code)
            and (not head or letter["event_id"] in (head.get("ce-id"), None))
        ]

    return look


async def test_the_same_junk_twice_is_one_dead_letter(house: World) -> None:
    client = await nats.connect(house.stack.nats.url)
    js = client.jetstream(timeout=10)
    head = headers(**{"ce-dataversion": "98"})
    try:
        for _ in range(3):
            await js.publish(RECEIVED, SAID, headers=head)
        look = _letter(house, RECEIVED, head, "cognitive", int(Code.MESSAGE_VERSION_UNKNOWN))
        await eventually(_or_again(look, js, RECEIVED, head, SAID), "the dead letter", 90)
    finally:
        await client.close()
    await house.quiet()
    assert len([one for one in await look() if one["event_id"] == head["ce-id"]]) == 1


async def test_a_flood_of_forgeries_is_summed_up(house: World) -> None:
    """The last here: so many strangers a minute are kept, and who looks for one of them would wait for the next minute."""
    session = uuid4()
    subject = subjects.event(session, "gateway", "RunControlRequested")
    wanted = RunControlRequested.model_validate({**RunControlRequested.example, "control": "cancel"})
    client = await nats.connect(house.stack.nats.url)
    js = client.jetstream(timeout=10)
    try:
        for number in range(200):
            forged = headers("RunControlRequested", **{"ce-subject": str(session), "ce-streamversion": str(number + 1)})
            await js.publish(subject, wanted.model_dump_json().encode(), headers=forged)
    finally:
        await client.close()
    await house.quiet()
    letters = [one for one in await house.books.dead_letters() if str(session) in str(one["subject"])]
    consumers = {letter["consumer"] for letter in letters}
    assert 0 < len(letters) <= 100 * len(consumers) < 400
