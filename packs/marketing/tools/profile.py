"""marketing.profile: what a table holds, found once when the file arrives, for people, planning and questions."""

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolContext, ToolError, ToolInput
from packs.marketing.artifacts import TABLE, dump
from packs.marketing.asking.arrived import save_typed
from packs.marketing.asking.profile import Profile, profile
from packs.marketing.asking.telling import told
from packs.marketing.tables.raw import RawTable, Unreadable
from packs.marketing.tables.read import read_table


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """A contracts.profiles.TableProfile. Raises INPUT_MISSING, TABLE_UNREADABLE and TABLE_EMPTY."""
    tables = ctx.inputs(TABLE)
    if not tables:
        raise ToolError(Code.INPUT_MISSING, ctx.text("error.input_missing"), type=TABLE)
    table, found = opened(tables[-1], ctx)
    save_typed(ctx, found)
    return dump(told(table, found))


def opened(item: ToolInput, ctx: ToolContext) -> tuple[RawTable, Profile]:
    """The table and its profile. Raises TABLE_UNREADABLE and TABLE_EMPTY."""
    name = item.attachment.name
    try:
        table = read_table(item.path.read_bytes(), name)
    except Unreadable as error:
        reason = ctx.text(f"collector.unreadable.{error.reason}")
        message = ctx.text("collector.error.unreadable", file=name, reason=reason)
        raise ToolError(Code.TABLE_UNREADABLE, message, file=name, reason=error.reason) from error
    if not table.records:
        raise ToolError(Code.TABLE_EMPTY, ctx.text("collector.error.empty", file=name), files=[name])
    return table, profile(table)
