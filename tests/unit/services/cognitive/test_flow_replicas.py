"""Two processes lead the same flows, each with a cache of its own: what was confirmed once is done once."""

from uuid import UUID, uuid4

from backbone.ledger.port import Append, Fact
from backbone.runner.decisions import DecisionRunner
from contracts.cognitive import FlowAct, FlowAdvanced, FlowReading
from contracts.gateway import MessageReceived
from contracts.shape import Event
from tests.conformance.harness import running, until
from tests.fakes.bus import MemoryBus
from tests.fakes.ledger import MemoryLedger
from tests.unit.services.cognitive.dialogue import DESK, TODAY, understood

TASK = {"target": "엄마", "amount": 5}


async def told(ledger: MemoryLedger, bus: MemoryBus, session: UUID, *events: Event) -> None:
    """A run: its message, and what a worker has read in it."""
    run = uuid4()
    for event in events:
        producer = min(type(event).producers)
        await ledger.append(producer, "test", [Append(session, uuid4(), (Fact(event, uuid4(), run, run, None),))])
        await bus.publish([ledger.rows[-1].message])


async def moves(ledger: MemoryLedger, session: UUID) -> list[FlowAdvanced]:
    found = await ledger.find(session, frozenset({"FlowAdvanced"}))
    return [one.event for one in found if isinstance(one.event, FlowAdvanced)]


async def test_many_clicks_at_two_processes_let_it_be_done_once():
    ledger, bus, session = MemoryLedger(), MemoryBus(), uuid4()
    runners = [DecisionRunner(DESK, ledger, bus, 5.0) for _ in range(2)]
    said = MessageReceived(text="x")

    async def so_many(number: int) -> bool:
        return len(await moves(ledger, session)) == number

    async with running(*(one.run() for one in runners)):
        await told(ledger, bus, session, said, understood(FlowReading(flow="pay", tasks=(TASK,), today=TODAY)))
        await until(lambda: so_many(1))
        click = understood(FlowReading(flow="pay", act=FlowAct.CONFIRM, turn=1, today=TODAY))
        for _ in range(8):
            await told(ledger, bus, session, said, click)
        await until(lambda: so_many(9))
    ready, *after = await moves(ledger, session)
    assert ready.message
    assert sum(move.approval is not None for move in after) == 1
    assert [move.message for move in after if move.approval is None] == ["보내고 있어요."] * 7
