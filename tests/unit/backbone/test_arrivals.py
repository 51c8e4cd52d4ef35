"""What is known of files: whoever needs it asks, and an executor looks at them then."""

import asyncio

from backbone.kept.arrivals import Arrivals
from backbone.kept.port import Kept, Made
from contracts import subjects
from contracts.artifacts import Attachment
from tests.fakes.bus import MemoryBus
from tests.fakes.kept import MemoryKept

FILE = Attachment(artifact_id="a" * 64, name="orders.csv", media_type="text/csv", size=3, type="marketing.table")


async def with_a_looker(seconds: float = 0) -> Arrivals:
    bus, kept = MemoryBus(), MemoryKept()

    async def looked(payload: bytes) -> bytes:
        await asyncio.sleep(seconds)
        file = Attachment.model_validate_json(payload).artifact_id
        await kept.keep(Kept(key=file, tool="test.look", files=(file,), made=Made(result={"rows": 3})))
        return b"{}"

    await bus.on_ask(subjects.arrival(), looked)
    arrivals = Arrivals(kept)
    arrivals.bus = bus
    return arrivals


async def test_a_file_that_nobody_has_looked_at_is_looked_at_when_somebody_needs_it():
    arrivals = await with_a_looker()
    assert await arrivals.known(FILE.artifact_id) == ()
    assert [(one.tool, one.result) for one in await arrivals.asked(FILE)] == [("test.look", {"rows": 3})]
    assert await arrivals.known(FILE.artifact_id), "from then on it is known"


async def test_whoever_has_no_more_time_goes_on_without():
    assert await (await with_a_looker(5)).asked(FILE, 0.01) == ()


async def test_without_a_bus_only_what_is_known_is_known():
    arrivals = Arrivals(MemoryKept())
    arrivals.tell(FILE)
    assert await arrivals.asked(FILE) == ()
