"""How much the person can send today and at once: the day's limit, what of it is left, and the balance."""

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tables import DatabaseUnavailable
from contracts.tools import ToolContext, ToolError
from packs.transfer.bank.embedded import EmbeddedBank
from packs.transfer.resolver import daily_limit, paid_out
from packs.transfer.wording import amount_in_words


async def limits(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """What `send` would hold the person to now."""
    bank, today, day = EmbeddedBank(ctx.database), ctx.now.date(), daily_limit(ctx.config)
    try:
        sent = (await paid_out(bank, ctx.user, today)).get(today.isoformat(), 0)
        balance = await bank.balance(ctx.user)
    except DatabaseUnavailable as error:
        raise ToolError(Code.EXTERNAL_UNAVAILABLE, ctx.text("history.closed"), retryable=True) from error
    left = max(min(day - sent, balance), 0)
    said = {name: amount_in_words(value, ctx.language) for name, value in (("day", day), ("left", left))}
    return {"day": day, "left": left, "summary": [ctx.text("limits.now", **said)]}
