"""What columns a table has is part of what is there when somebody speaks, where an intent is particular about it."""

from uuid import uuid4

from backbone.kept.arrivals import Arrivals
from backbone.kept.port import Kept, Made
from contracts.artifacts import Attachment
from contracts.context import FileSeen
from contracts.gateway import MessageReceived
from contracts.packs import IntentSpec
from contracts.profiles import ColumnProfile, TableProfile
from services.cognitive.columns import Columns
from services.cognitive.context import Surroundings
from tests.fakes.kept import MemoryKept
from tests.unit.services.cognitive.talks import conversation
from tests.unit.services.plans import file

TREND = IntentSpec(
    intent="ANALYSIS.trend", needs=("file.table",), having=("text",), instead="ANALYSIS.ask", label="x", examples={}
)


async def seen(kept: MemoryKept, *brought: Attachment) -> tuple[FileSeen, ...]:
    talking = await conversation(1)
    received = MessageReceived(text="추이는?", attachments=brought)
    message = await talking.record(received, uuid4())
    columns = Columns.wanted_by([TREND], Arrivals(kept))
    _, context = await Surroundings(talking.ledger, columns).context(message, received, ())
    return context.files


async def found(kept: MemoryKept, table: Attachment, *columns: ColumnProfile) -> None:
    profile = TableProfile(format="csv", rows=3, columns=columns)
    made = Made(result=profile.model_dump(mode="json"))
    await kept.keep(Kept(key="k", tool="marketing.profile", files=(table.artifact_id,), made=made))


async def test_the_roles_of_the_columns_are_told() -> None:
    kept, table = MemoryKept(), file("file.table")
    day = ColumnProfile(name="day", kind="date", role="date", filled=3)
    await found(kept, table, day, ColumnProfile(name="sold", kind="number", filled=3))
    (one,) = await seen(kept, table)
    assert one.now and one.roles == ("date",)


async def test_of_a_file_that_nobody_has_looked_at_or_asks_about_nothing_is_known() -> None:
    assert [one.roles for one in await seen(MemoryKept(), file("file.table"))] == [None]
    kept, paper = MemoryKept(), file("file.document")
    await found(kept, paper, ColumnProfile(name="day", kind="date", role="date", filled=3))
    assert [one.roles for one in await seen(kept, paper)] == [None]
