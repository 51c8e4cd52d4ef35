"""What a plan means of a file: somebody is asked to look at it, if nobody has."""

from datetime import date
from uuid import uuid4

from backbone import packs
from backbone.bus.port import Bus
from backbone.kept.arrivals import Arrivals
from backbone.kept.port import Kept, Made
from contracts import subjects
from contracts.artifacts import Attachment
from contracts.planning import Estimate, Plan, TodoItem
from contracts.wishes import Wish, WishAsked
from services.planning.wishes import Since, Wishes
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
    assert await wishes._found(plan, [file]) == {file.type: [(file.name, {"rows": 9})]}
    assert await wishes._found(plan, [file]) == {file.type: [(file.name, {"rows": 9})]}
    assert asked == [file.artifact_id]


async def test_readers_are_told_the_names_of_files_the_days_of_a_reason_and_what_was_planned_before(monkeypatch):
    catalogue, kept, bus = packs.load(("marketing",)), MemoryKept(), MemoryBus()
    arrivals = Arrivals(kept)
    arrivals.bus = bus
    await looking(bus, kept)
    file = FILE.model_copy(update={"type": "file.table"})
    step = catalogue.tools["marketing.overview"]
    todo = TodoItem(id="t1", title="x", tool=step.tool_key, executor=step.executor, consumes=(file.type,))
    plan = Plan(plan_id=uuid4(), todos=(todo,), estimate=Estimate(total_seconds=1, critical_path_seconds=1))
    before = plan.model_copy(update={"todos": (todo.model_copy(update={"params": {"asked": "a"}}),)})
    read: list[WishAsked] = []

    def reader(asked: WishAsked, say: object) -> Wish:
        read.append(asked)
        return Wish(params=asked.params, rest=asked.said)

    monkeypatch.setattr("services.planning.wishes._reader", lambda entry: reader)
    wishes = Wishes(catalogue, arrivals)
    await wishes.told(plan, [file], "en", Since(plan=before))
    assert (read[-1].names, read[-1].before) == ((file.name,), {"asked": "a"})
    await wishes.changed(plan, "only Q3", [file], "en", date(2026, 11, 30))
    assert read[-1].said == "only Q3"
    assert list(read[-1].periods) == [{"said": "Q3", "start": "2026-07-01", "end": "2026-09-30"}]
