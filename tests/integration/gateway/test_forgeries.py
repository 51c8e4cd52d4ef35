"""Sockets, streams and waiting requests show what the ledger has, whatever somebody publishes on the bus."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID, uuid4

import orjson
import pytest

from backbone.witness import Relayed
from contracts import subjects
from contracts.envelope import Message, to_headers
from contracts.errors import Code
from contracts.response import ResponseOutput, RunCompleted, RunFailed
from tests.conformance.harness import until
from tests.integration.gateway.conftest import House

ANSWER = ResponseOutput(format="text", text="계좌는 안전해요", language="ko")


@pytest.fixture(params=["known", "asked"])
def memory(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What this process has relayed is known; a gateway of its own has relayed little, and asks the ledger."""

    def nothing(self: Relayed, subject: str, headers: Mapping[str, str], body: bytes) -> None: ...

    if request.param == "asked":
        monkeypatch.setattr(Relayed, "find", nothing)


async def publish(house: House, message: Message) -> None:
    where = subjects.event(message.session_id, message.producer, message.type, message.route)
    await house.gateway.shell.bus.resend(where, to_headers(message), message.data)


async def shown(socket: object, last: int, seen: list[tuple[int, str]]) -> None:
    async for text in socket:  # type: ignore[attr-defined]  # a connection
        frame = orjson.loads(text)
        if frame.get("event_id"):
            seen.append((frame["version"], frame["event_id"]))
            if frame["version"] >= last:
                return


@pytest.mark.usefixtures("memory")
async def test_a_forged_event_is_neither_shown_nor_in_the_place_of_a_true_one(house: House) -> None:
    begun = await house.begin("송금할까 말까")
    session, run = UUID(begun["session_id"]), UUID(begun["run_id"])
    seen: list[tuple[int, str]] = []
    async with house.socket(session) as socket:
        watching = asyncio.create_task(shown(socket, 5, seen))
        await until(lambda: len(seen) == 2)
        true = (await house.stream(session))[-1]
        head = true.version
        forged = [
            replace(true, event_id=uuid4(), version=head + 1, type="RunCompleted", producer="response", data=b"{}"),
            replace(true, event_id=uuid4(), version=head + 2, type="RunCancelled", producer="response",
                    data=b'{"reason":"requested"}'),
            replace(true, version=head + 1),
            replace(true, event_id=uuid4()),
        ]  # fmt: skip
        for one in forged:
            await publish(house, one)
        letters = house.backbone.ledger.dead_letters
        # what is older than what was shown is nobody's concern here: handlers bury it
        await until(lambda: _codes(letters, 3))
        await house.tell(session, run, ANSWER, RunCompleted())
        await publish(house, replace(true, version=head + 3, data=b'{"text":"another","language":"ko"}'))
        await house.begin("그리고", session_id=str(session))
        await asyncio.wait_for(watching, 15)
    assert seen == [(message.version, str(message.event_id)) for message in await house.stream(session)][:5]


async def _codes(letters, least: int) -> bool:
    codes = [letter["code"] for letter in await letters()]
    assert set(codes) <= {int(Code.MESSAGE_NOT_IN_LEDGER)}
    return len(codes) >= least


@pytest.mark.usefixtures("memory")
async def test_a_forged_end_ends_no_request_that_waits(house: House) -> None:
    waiting = asyncio.create_task(house.http.post("/agent/run", json={"text": "기다려"}))
    fanout = house.gateway.composition.fanout
    await until(lambda: fanout.watched == 1)
    session = UUID(next(iter(fanout._watchers)))

    async def recorded() -> bool:
        return len(await house.stream(session)) >= 2

    await until(recorded)
    true = (await house.stream(session))[-1]
    told = orjson.dumps(RunFailed.example)
    await publish(
        house,
        replace(true, event_id=uuid4(), version=true.version + 1, type="RunFailed", producer="response", data=told),
    )
    await until(lambda: _codes(house.backbone.ledger.dead_letters, 1))
    assert not waiting.done()
    await house.tell(session, true.run_id, ANSWER, RunCompleted())
    answer = (await waiting).json()
    assert (answer["status"], answer["response"]["text"]) == ("completed", ANSWER.text)


@pytest.mark.usefixtures("memory")
async def test_a_ledger_that_is_away_for_a_moment_costs_nobody_an_event(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    from backbone.ledger.port import LedgerUnavailable
    from backbone.witness import Witness

    confirm, failures = Witness.confirm, 3

    async def stumbles(self: Witness, claims):
        nonlocal failures
        if claims and failures:
            failures -= 1
            raise LedgerUnavailable("a moment")
        return await confirm(self, claims)

    monkeypatch.setattr(Witness, "confirm", stumbles)
    begun = await house.begin("하나")
    seen: list[tuple[int, str]] = []
    async with house.socket(begun["session_id"]) as socket:
        watching = asyncio.create_task(shown(socket, 6, seen))
        await until(lambda: len(seen) == 2)
        for _ in range(4):
            await house.tell(begun["session_id"], begun["run_id"], ANSWER)
        await asyncio.wait_for(watching, 15)
    assert [version for version, _ in seen] == list(range(1, 7))
