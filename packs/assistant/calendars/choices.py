"""What a call chose to take out or to tick off, kept by its idempotency key before it acts on it.

Without it a repeated call would choose again: what it had chosen is gone by then, and something else may answer."""

import json

from contracts.shape import JsonObject
from contracts.tables import Rows
from contracts.tools import ToolContext

_ADD = "insert into calendar_choices (user_id, key, choice) values ($1, $2, $3::jsonb) on conflict do nothing"
_GET = "select choice::text as choice from calendar_choices where user_id = $1 and key = $2"


async def chosen_before(context: ToolContext) -> JsonObject | None:
    """What an earlier attempt of this call chose."""
    async with context.database.transaction() as rows:
        return await _kept(rows, context)


async def choose(context: ToolContext, choice: JsonObject) -> JsonObject:
    """Keeps the choice, unless an attempt of this call has kept one; returns that which holds."""
    async with context.database.transaction() as rows:
        await rows.execute(_ADD, context.user, context.idempotency_key, json.dumps(choice, ensure_ascii=False))
        return await _kept(rows, context) or choice


async def _kept(rows: Rows, context: ToolContext) -> JsonObject | None:
    row = await rows.fetchrow(_GET, context.user, context.idempotency_key)
    if row is None:
        return None
    kept: JsonObject = json.loads(row["choice"])
    return kept
