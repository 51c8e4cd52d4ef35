"""The next version widens a consumer while this one still pulls from it: what only the next one takes is left to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from backbone.runner.intake import MAX_DELIVERIES, DeadLetterWriter, Intake
from backbone.witness import Witness
from contracts import subjects
from contracts.envelope import Message, to_headers
from tests.conformance.facts import PRODUCER
from tests.conformance.harness import Rig


@dataclass
class Handed:
    """A delivery, and what was said of it."""

    subject: str
    headers: Mapping[str, str]
    body: bytes
    attempt: int = 1
    known: None = None
    verdicts: list[str] = field(default_factory=list)

    async def ack(self) -> None:
        self.verdicts.append("ack")

    async def retry(self, delay: float) -> None:
        self.verdicts.append(f"again after {delay:.0f} s")

    async def extend(self) -> None:
        self.verdicts.append("extend")


def handed(message: Message, attempt: int = 1) -> Handed:
    subject = subjects.event(message.session_id, message.producer, message.type)
    return Handed(subject, to_headers(message), message.body, attempt)


@pytest.fixture
def rig() -> Rig:
    return Rig.in_memory()


def intake(rig: Rig, *types: str) -> Intake:
    """Of a handler that takes these alone."""
    filters = [subjects.pattern(PRODUCER, name) for name in types]
    return Intake(DeadLetterWriter(rig.ledger, "reader"), Witness(rig.ledger), filters)


async def test_what_it_does_not_take_is_given_back_and_handled_by_who_does(rig: Rig) -> None:
    delivery = handed(await rig.say("for the next version"))
    assert await intake(rig, "MessageReceived").take([delivery]) == []
    assert delivery.verdicts == ["again after 1 s"]
    (taken,) = await intake(rig, "MessageReceived", "FeedbackGiven").take([delivery])
    assert taken.message.type == "FeedbackGiven"
    assert await rig.codes() == []


async def test_where_nobody_takes_it_any_more_it_is_kept(rig: Rig) -> None:
    delivery = handed(await rig.say("rolled back"), MAX_DELIVERIES)
    assert await intake(rig, "MessageReceived").take([delivery]) == []
    assert delivery.verdicts == ["ack"]
    assert await rig.codes() == [9002]
    (letter,) = await rig.ledger.dead_letters()
    assert letter["reason"] == f"reader does not take {PRODUCER}.FeedbackGiven in this version"
