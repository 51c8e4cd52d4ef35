"""What the person can spend, from the bank's books; what is booked for a later day is taken off already."""

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tables import DatabaseUnavailable
from contracts.tools import ToolContext, ToolError
from packs.transfer.bank.embedded import EmbeddedBank
from packs.transfer.wording import amount_in_words


async def balance(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """The balance, and what is on its way."""
    bank = EmbeddedBank(ctx.database)
    try:
        left = await bank.balance(ctx.user)
        coming = await bank.booked(ctx.user, ctx.now.date())
    except DatabaseUnavailable as error:
        raise ToolError(Code.EXTERNAL_UNAVAILABLE, ctx.text("history.closed"), retryable=True) from error
    booked = sum(one.amount for one in coming)
    sentences = [ctx.text("balance.now", balance=amount_in_words(left, ctx.language))]
    if coming:
        total = amount_in_words(booked, ctx.language)
        sentences.append(ctx.text("balance.booked", count=len(coming), total=total))
    return {"balance": left, "booked": booked, "summary": [*sentences]}
