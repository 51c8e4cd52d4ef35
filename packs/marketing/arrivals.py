"""What tools take of people: tables that they have uploaded, and which of their columns they have named."""

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolContext, ToolError, ToolInput
from packs.marketing.tables.raw import RawTable, Unreadable
from packs.marketing.tables.read import read_table


def mapping_of(params: JsonObject) -> dict[str, str]:
    """Column -> its role, as the person has said."""
    given = params.get("mapping")
    return {column: str(role) for column, role in given.items()} if isinstance(given, dict) else {}


def table_of(item: ToolInput, ctx: ToolContext) -> RawTable:
    """Raises TABLE_UNREADABLE."""
    name = item.attachment.name
    try:
        return read_table(item.path.read_bytes(), name)
    except Unreadable as error:
        raise unreadable_table(name, error.reason, ctx) from error


def unreadable_table(name: str, reason: str, ctx: ToolContext) -> ToolError:
    """`reason` as Unreadable has it."""
    message = ctx.text("collector.error.unreadable", file=name, reason=ctx.text(f"collector.unreadable.{reason}"))
    return ToolError(Code.TABLE_UNREADABLE, message, file=name, reason=reason)
