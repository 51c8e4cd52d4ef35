"""marketing.profile: what a table holds, found once when the file arrives, for people, planning and questions."""

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolContext, ToolError, ToolInput
from packs.marketing.arrivals import table_of
from packs.marketing.artifacts import TABLE, dump
from packs.marketing.asking.arrived import save_typed
from packs.marketing.asking.profile import Profile, profile
from packs.marketing.asking.telling import told
from packs.marketing.tables.raw import RawTable


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """A contracts.profiles.TableProfile. Raises INPUT_MISSING, TABLE_UNREADABLE and TABLE_EMPTY."""
    table, found = opened(newest(ctx), ctx)
    save_typed(ctx, found)
    return dump(told(table, found))


def newest(ctx: ToolContext) -> ToolInput:
    """The table that came last. Raises INPUT_MISSING."""
    tables = ctx.inputs(TABLE)
    if not tables:
        raise ToolError(Code.INPUT_MISSING, ctx.text("error.input_missing"), type=TABLE)
    return tables[-1]


def opened(item: ToolInput, ctx: ToolContext) -> tuple[RawTable, Profile]:
    """The table and its profile. Raises TABLE_UNREADABLE and TABLE_EMPTY."""
    name, table = item.attachment.name, table_of(item, ctx)
    if not table.records:
        raise ToolError(Code.TABLE_EMPTY, ctx.text("collector.error.empty", file=name), files=[name])
    return table, profile(table)
