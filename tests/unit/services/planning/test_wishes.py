"""What a plan means of a file: somebody is asked to look at it, if nobody has."""

from uuid import uuid4

from backbone import packs
from backbone.bus.port import Bus
from backbone.kept.arrivals import Arrivals
from backbone.kept.port import Kept, Made
from contracts import subjects
from contracts.artifacts import Attachment
from contracts.planning import Estimate, Plan, TodoItem
from services.planning.wishes import Wishes
from tests.fakes.bus import MemoryBus
from tests.fakes.kept import MemoryKept

FILE = Attachment(artifact_id="c" * 64, name="cups.csv", media_type="text/csv", size=9, type="table.raw")


async def looking(bus: Bus, kept: MemoryKept) -> list[str]:
    """Files that somebody was asked about."""
    asked: list[str] = []

    async def looked(payload: bytes) -> bytes:
        file = Attachment.model_validate_json(payload).artifact_id
        asked.append(file)
        await kept.keep(Kept(key=file, tool="marketing.profile", files=(file,), made=Made(result={"rows": 9})))
        return b"{}"

    await bus.on_ask(subjects.arrival(), looked)
    return asked


async def test_a_file_that_nobody_has_looked_at_is_asked_about_once_and_one_that_is_known_is_not():
    catalogue, kept, bus = packs.load(("marketing",)), MemoryKept(), MemoryBus()
    arrivals = Arrivals(kept)
    arrivals.bus = bus
    asked = await looking(bus, kept)
    types = {one.type for tool in catalogue.tools.values() if tool.arrival for one in tool.consumes}
    taking = [(tool, one.type) for tool in catalogue.tools.values() if tool.wish for one in tool.consumes]
    step, type_ = next((tool, type_) for tool, type_ in taking if type_ in types)
    file = FILE.model_copy(update={"type": type_})
    todo = TodoItem(id="t1", title="x", tool=step.tool_key, executor=step.executor, consumes=(file.type,))
    plan = Plan(plan_id=uuid4(), todos=(todo,), estimate=Estimate(total_seconds=1, critical_path_seconds=1))
    wishes = Wishes(catalogue, arrivals)
    assert await wishes._found(plan, [file]) == {file.type: [{"rows": 9}]}
    assert await wishes._found(plan, [file]) == {file.type: [{"rows": 9}]}
    assert asked == [file.artifact_id]
