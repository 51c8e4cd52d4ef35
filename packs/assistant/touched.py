"""What a person speaks of when they do not name it: the thing that was put in, changed or shown by itself last, of whatever
kind, if that was not long ago."""

from contracts.tools import ToolContext
from packs.assistant.additions import Added

_TOUCH = "insert into touched (user_id, key, kind, item, title) values ($1, $2, $3, $4, $5) on conflict do nothing"
_NEWEST = """select kind, item, title from touched where user_id = $1 and at > clock_timestamp() - interval '1 hour'
order by at desc limit 1"""
_OLD = "delete from touched where user_id = $1 and at < clock_timestamp() - interval '1 hour'"


async def touch(context: ToolContext, thing: Added) -> None:
    """It is what the next sentence may be about; another attempt of the call touches it once."""
    async with context.database.transaction() as rows:
        await rows.execute(_OLD, context.user)
        await rows.execute(_TOUCH, context.user, context.idempotency_key, thing.kind, thing.item, thing.title[:4000])


async def touched(context: ToolContext) -> Added | None:
    """The last one, which may be gone by now."""
    async with context.database.transaction() as rows:
        row = await rows.fetchrow(_NEWEST, context.user)
    return None if row is None else Added(row["kind"], row["item"], row["title"])
