"""After the bus was lost: what somebody waits for is published again, and no more."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from backbone.ledger.port import Append
from backbone.relay import owed
from contracts.decisions import DecisionAnswered, DecisionRequested
from contracts.gateway import RunControlRequested
from tests.conformance.facts import PRODUCER, append, fact, run_begins, run_ends
from tests.conformance.harness import Rig, running, until
from tests.fakes.bus import MemoryBus
from tests.fakes.ledger import MemoryLedger
from tests.unit.backbone.test_relay import comments, note_down, started


async def test_what_waits_for_its_person_and_what_is_over_is_not_published_again() -> None:
    """After a day with one question open, losing the bus must not mean publishing the day."""
    bus, now = MemoryBus(), datetime.now(UTC)
    ledger = MemoryLedger(clock=lambda: now)
    session, asked, works, paused = uuid4(), uuid4(), uuid4(), uuid4()
    deadline = now + timedelta(days=1)
    question = DecisionRequested.model_validate(
        DecisionRequested.example | {"decision_id": str(uuid4()), "deadline": deadline.isoformat()}
    )
    pause = RunControlRequested.model_validate(RunControlRequested.example | {"control": "pause"})

    async def record(*appends: Append, producer: str = PRODUCER) -> None:
        await ledger.append(producer, "test", appends)

    now -= timedelta(hours=9)
    await record(run_begins(session, asked), run_begins(session, paused))
    await record(append(session, fact(question, run_id=asked)))
    await record(append(session, fact(pause, run_id=paused)))
    for _ in range(20):
        over = uuid4()
        await record(run_begins(session, over), run_ends(session, over))
    now += timedelta(hours=1)
    await record(run_begins(session, works))
    await note_down(Rig(ledger, bus, bus.put), "of no run")
    over = uuid4()
    await record(run_begins(session, over), run_ends(session, over))
    now += timedelta(hours=8)
    await record(run_begins(session, over := uuid4()), run_ends(session, over))
    async with running((await started(Rig(ledger, bus, bus.put))).run()):
        await until(lambda: len(bus.store) == len(ledger.rows))
        bus.wipe()
        await note_down(Rig(ledger, bus, bus.put), "the last")
        await until(lambda: "the last" in comments(bus))
    again = [(stored.headers.get("ce-runid"), stored.subject.split(".")[4]) for stored in bus.store]
    assert again == [
        (str(works), "MessageReceived"),
        (None, "FeedbackGiven"),
        (str(over), "MessageReceived"),  # just now: who knows whether everybody has handled it
        (str(over), "RunCompleted"),
        (None, "FeedbackGiven"),
    ]


async def test_an_answer_makes_a_run_move_again(rig: Rig) -> None:
    assert isinstance(rig.ledger, MemoryLedger)
    now, run, session = datetime.now(UTC) - timedelta(hours=3), uuid4(), uuid4()
    rig.ledger.clock = lambda: now
    question = DecisionRequested.model_validate(
        DecisionRequested.example | {"deadline": (now + timedelta(days=1)).isoformat()}
    )
    answer = DecisionAnswered(
        decision_id=question.decision_id, kind=question.kind, answer={"action": "approve"}, answered_by="me"
    )
    later = datetime.now(UTC)
    await rig.ledger.append(PRODUCER, "test", [run_begins(session, run), append(session, fact(question, run_id=run))])
    assert (await owed(rig.ledger, later)).runs == set()
    await rig.ledger.append(PRODUCER, "test", [append(session, fact(answer, run_id=run))])
    assert (await owed(rig.ledger, later)).runs == {run}
