"""What a person speaks of when they do not name it: the thing that was put in, changed or shown by itself last, of
whatever kind, if that was not long ago; "the other one" is the one before it, "the second one" is of the list that was
shown last."""

from collections.abc import Sequence

from contracts.tools import ToolContext
from packs.assistant import actions, additions
from packs.assistant.additions import Added

LISTED = 9
"""Of a longer list nobody says "the twelfth one"."""
_TOUCH = "insert into touched (user_id, key, kind, item, title) values ($1, $2, $3, $4, $5) on conflict do nothing"
_NEWEST = """select kind, item, title from (
  select distinct on (item) kind, item, title, at from touched
  where user_id = $1 and at > clock_timestamp() - interval '1 hour' order by item, at desc
) as each order by at desc limit 2"""
_OLD = "delete from touched where user_id = $1 and at < clock_timestamp() - interval '1 hour'"
_SHOW = """insert into shown (user_id, key, place, kind, item, title) values ($1, $2, $3, $4, $5, $6)
on conflict do nothing"""
_SHOWN = """select kind, item, title from shown where user_id = $1 and key = (
  select key from shown where user_id = $1 and at > clock_timestamp() - interval '1 hour' order by at desc limit 1
) order by place"""
_LONG_AGO = "delete from shown where user_id = $1 and at < clock_timestamp() - interval '1 hour'"


async def touch(context: ToolContext, thing: Added) -> None:
    """It is what the next sentence may be about; another attempt of the call touches it once."""
    async with context.database.transaction() as rows:
        await rows.execute(_OLD, context.user)
        await rows.execute(_TOUCH, context.user, context.idempotency_key, thing.kind, thing.item, thing.title[:4000])


async def put_in(context: ToolContext, thing: Added) -> None:
    """It is there now: what "undo" takes back, and what the next sentence may be about."""
    await additions.note(context, thing)
    await touch(context, thing)


async def touched(context: ToolContext) -> Added | None:
    """The last one, which may be gone by now."""
    return next(iter(await _touched(context)), None)


async def show(context: ToolContext, things: Sequence[Added]) -> None:
    """They were shown in this order, each once; one alone is touched instead."""
    each = list({thing.item: thing for thing in things}.values())
    if len(each) == 1:
        await touch(context, each[0])
        return
    async with context.database.transaction() as rows:
        await rows.execute(_LONG_AGO, context.user)
        for place, one in enumerate(each[:LISTED], 1):
            await rows.execute(
                _SHOW, context.user, context.idempotency_key, place, one.kind, one.item, one.title[:4000]
            )


async def pointed_out(said: str, context: ToolContext) -> Added | None:
    """What the words point at: the other one of two, one of a list by its number, else what was touched last."""
    if (place := _ordinal(said, context.language)) is not None:
        listed = await _shown(context)
        if not listed and place in (0, -1):
            return await touched(context)  # of a list of one
        return listed[place] if -len(listed) <= place < len(listed) else None
    if not actions.has(said, "others", context.language):
        return await touched(context)
    last = await _touched(context)
    listed = await _shown(context)
    if last and len(listed) == 2 and last[0].item in {one.item for one in listed}:  # one and the other
        return next(one for one in listed if one.item != last[0].item)
    return last[1] if len(last) > 1 else None


async def _touched(context: ToolContext) -> list[Added]:
    """The last two, the newest first."""
    async with context.database.transaction() as rows:
        found = await rows.fetch(_NEWEST, context.user)
    return [Added(row["kind"], row["item"], row["title"]) for row in found]


async def _shown(context: ToolContext) -> list[Added]:
    async with context.database.transaction() as rows:
        found = await rows.fetch(_SHOWN, context.user)
    return [Added(row["kind"], row["item"], row["title"]) for row in found]


def _ordinal(said: str, language: str) -> int | None:
    """Of the places of a list that one which is named, from 0; -1 is the last one."""
    named = actions.words("ordinals", language)
    places = {place for word, place in named.items() if actions.has_word(said, word, language)}
    return int(places.pop()) if len(places) == 1 else None
