"""What stops an attempt: said after its dispatch, about its todo or its run."""

import pytest

from contracts.envelope import Message
from contracts.execution import TodoSkipped
from contracts.gateway import RunControl, RunControlRequested
from contracts.response import RunCancelled
from contracts.shape import Event
from services.execution.execute.cancellations import judge
from tests.unit.services.given import given_session

DISPATCHED = 5


async def said(event: Event, version: int) -> Message:
    """The event as the `version`-th of its session."""
    session = await given_session(lambda ledger: pytest.fail("no handler"))
    for _ in range(version - 1):
        await session.record(RunControlRequested(control=RunControl.RESUME))
    return await session.record(event)


@pytest.mark.parametrize(
    ("event", "before", "after"),
    [
        (RunControlRequested(control=RunControl.CANCEL), "cancel", "cancel"),
        (RunCancelled(reason="requested"), "cancel", "cancel"),
        (RunControlRequested(control=RunControl.INTERRUPT), "", "interrupt"),
        (RunControlRequested(control=RunControl.PAUSE), "", ""),
        (TodoSkipped(todo_id="a", reason="policy"), "", "skip"),
        (TodoSkipped(todo_id="b", reason="policy"), "", ""),
    ],
    ids=["cancel", "end", "interrupt", "pause", "skip", "skip of another"],
)
async def test_an_attempt_is_stopped_by_what_concerns_it(event: Event, before: str, after: str) -> None:
    # what was said before the dispatch was about an earlier attempt, but a run ends once
    assert judge([await said(event, DISPATCHED - 1)], DISPATCHED, "a") == before
    assert judge([await said(event, DISPATCHED + 1)], DISPATCHED, "a") == after
