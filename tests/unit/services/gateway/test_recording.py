"""One way to record a command: folded and judged under the stream's lock, once, however often it is sent."""

import asyncio
from uuid import UUID, uuid4

import pytest

from backbone.ledger.port import Append, Fact, NotRecordable
from contracts.envelope import Message
from contracts.errors import Code
from contracts.gateway import FeedbackGiven, SessionOpened
from services.gateway.commands.record import Command, Fold, record_command, refuse_infinite
from services.gateway.commands.session_messages import NAME
from services.gateway.domain.refusal import Refused, Repeated
from tests.fakes.ledger import MemoryLedger

SESSION = UUID(int=7)
Stars = dict[UUID, int]


def _count(stars: Stars, message: Message) -> None:
    stars[message.event_id] = message.version


STARS = Fold(frozenset({"FeedbackGiven"}), dict[UUID, int], _count)


@pytest.fixture
async def ledger() -> MemoryLedger:
    ledger = MemoryLedger()
    await ledger.append(NAME, NAME, [Append(SESSION, uuid4(), (Fact(SessionOpened(), uuid4(), None, uuid4(), None),))])
    return ledger


async def rate(ledger: MemoryLedger, command: Command, most: int = 99) -> int:
    """Gives a star, unless so many were given."""

    def judge(stars: Stars, handled: bool) -> Fact | Repeated:  # as record_command calls it
        if handled or len(stars) >= most:
            return Repeated(max(stars.values(), default=0))
        return Fact(FeedbackGiven(about="answer", rating=1), command.event_id, None, command.event_id, None)

    return await record_command(ledger, command, STARS, judge)


async def test_a_command_is_recorded_at_the_version_that_is_answered(ledger: MemoryLedger) -> None:
    version = await rate(ledger, Command.of(SESSION, "star", None))
    (message,) = await ledger.read(SESSION, version - 1)
    assert (version, message.type) == (2, "FeedbackGiven")


async def test_of_many_at_once_one_key_makes_one_event(ledger: MemoryLedger) -> None:
    command = Command.of(SESSION, "star", uuid4())
    versions = await asyncio.gather(*(rate(ledger, command) for _ in range(5)))
    assert versions == [2] * 5
    assert await ledger.head(SESSION) == 2


async def test_what_had_no_effect_under_a_key_has_none_later_either(ledger: MemoryLedger) -> None:
    await rate(ledger, Command.of(SESSION, "star", None))
    late = Command.of(SESSION, "star", uuid4())
    assert await rate(ledger, late, most=1) == 2
    assert await rate(ledger, late, most=99) == 2
    assert await ledger.head(SESSION) == 2


async def test_nothing_is_recorded_in_a_session_that_is_not_there(ledger: MemoryLedger) -> None:
    with pytest.raises(Refused) as refused:
        await rate(ledger, Command.of(uuid4(), "star", None))
    assert refused.value.code is Code.SESSION_UNKNOWN


async def test_what_the_ledger_cannot_keep_is_refused_as_too_much(
    ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: object) -> None:
        raise NotRecordable("900,001 bytes")

    monkeypatch.setattr(MemoryLedger, "decide", full)
    with pytest.raises(Refused, match=r"cannot be recorded \(900,001 bytes\): send less") as refused:
        await rate(ledger, Command.of(SESSION, "star", None))
    assert refused.value.status == 413


def test_one_key_stands_for_another_event_in_another_command() -> None:
    key = uuid4()
    assert Command.of(SESSION, "star", key) == Command.of(SESSION, "star", key)
    assert Command.of(SESSION, "star", key).event_id != Command.of(SESSION, "note", key).event_id
    assert Command.of(SESSION, "star", None) != Command.of(SESSION, "star", None)


def test_numbers_that_json_does_not_have_are_refused_wherever_they_are() -> None:
    refuse_infinite({"a": [1.5, {"b": None}]}, "the note")
    with pytest.raises(Refused, match="the note holds a number that is infinite"):
        refuse_infinite({"a": [{"b": float("inf")}]}, "the note")
