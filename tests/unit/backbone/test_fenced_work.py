"""Work under a lease: its answer counts while the lease is held, and ends it; too late, the message is given up."""

import pytest

from backbone.ledger.port import Fence
from backbone.ledger.postgres import PostgresLedger
from backbone.runner.handlers import Outcome, Takes, WorkHandler, emit
from backbone.runner.work import WorkRunner
from backbone.toolbox.port import Lease, Toolbox
from backbone.toolbox.postgres import PostgresToolbox
from contracts.errors import Code
from contracts.response import RunCompleted, RunFailed
from tests.conformance.facts import PRODUCER
from tests.conformance.harness import Rig, running, until
from tests.conformance.wants import want
from tests.fakes.ledger import MemoryLedger

on_both = pytest.mark.parametrize("rig", ["memory", "real"], indirect=True)


class Careful:
    """A handler that works under a lease on the group that the message names, and may lose it on the way."""

    def __init__(self, toolbox: Toolbox) -> None:
        self.toolbox = toolbox
        self.fences: list[Fence] = []
        self.handler = WorkHandler(
            "careful", "response", (Takes(PRODUCER, "FeedbackGiven"),), self.handle, self.give_up
        )

    async def handle(self, message, event, record) -> Outcome:
        group, *losing = event.comment.split()
        lease = await self.toolbox.acquire(want(group), enqueue=False)
        assert isinstance(lease, Lease)
        if losing:
            await self.toolbox.release(lease)
        self.fences.append(Fence(lease.lease_id, lease.fencing_token))
        return emit(RunCompleted())._replace(fence=self.fences[-1])

    def give_up(self, message, event, error) -> Outcome:
        # even one that names the lost lease again
        return emit(RunFailed(error=error))._replace(fence=self.fences[-1])


def toolbox_of(rig: Rig) -> Toolbox:
    if isinstance(rig.ledger, PostgresLedger):
        return PostgresToolbox(rig.ledger.pool)
    assert isinstance(rig.ledger, MemoryLedger)
    return rig.ledger.toolbox


@on_both
async def test_an_answer_that_lost_its_lease_is_given_up_and_harms_no_other(rig: Rig) -> None:
    toolbox = toolbox_of(rig)
    asked = [await rig.say(text) for text in ("a", "b loses it", "c")]
    async with running(WorkRunner(Careful(toolbox).handler, rig.ledger, rig.bus, 5.0).run()):
        for message, end in zip(asked, ("RunCompleted", "RunFailed", "RunCompleted"), strict=True):
            await until(lambda message=message, end=end: rig.recorded(message.session_id, end))
    (failed,) = await rig.recorded(asked[1].session_id, "RunFailed")
    assert failed.error.code == Code.LEASE_LOST
    assert [await rig.ledger.head(message.session_id) for message in asked] == [2, 2, 2]
    assert [(use.group_key, use.held) for use in await toolbox.usage()] == [("a", 0), ("b", 0), ("c", 0)]
    assert await rig.codes() == []
