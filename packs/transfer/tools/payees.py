"""Whom the person can send money to: their address book."""

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tables import DatabaseUnavailable
from contracts.tools import ToolContext, ToolError
from packs.transfer.bank.embedded import EmbeddedBank
from packs.transfer.names import label

SHOWN = 50


async def payees(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Each by the name that tells them apart from the others, with their bank."""
    try:
        found = await EmbeddedBank(ctx.database).payees(ctx.user)
    except DatabaseUnavailable as error:
        raise ToolError(Code.EXTERNAL_UNAVAILABLE, ctx.text("history.closed"), retryable=True) from error
    names = [label(payee, found, ctx.language) for payee in found]
    title = ctx.text("payees.title" if names else "payees.none", count=len(names))
    more = [ctx.text("payees.more", count=len(names) - SHOWN)] if len(names) > SHOWN else []
    return {"payees": [*names], "summary": [title, *names[:SHOWN], *more]}
