"""Whom the person can send money to: their address book."""

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tables import DatabaseUnavailable
from contracts.tools import ToolContext, ToolError
from packs.transfer.bank.embedded import EmbeddedBank
from packs.transfer.names import label, label_with_bank

SHOWN = 50


async def payees(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Each by the name that tells them apart from the others; shown with the bank, which is asked for, too."""
    try:
        found = await EmbeddedBank(ctx.database).payees(ctx.user)
    except DatabaseUnavailable as error:
        raise ToolError(Code.EXTERNAL_UNAVAILABLE, ctx.text("history.closed"), retryable=True) from error
    names = [label(payee, found, ctx.language) for payee in found]
    title = ctx.text("payees.title" if names else "payees.none", count=len(names))
    more = [ctx.text("payees.more", count=len(names) - SHOWN)] if len(names) > SHOWN else []
    return {
        "payees": [*names],
        "summary": [title, *(label_with_bank(payee, ctx.language) for payee in found[:SHOWN]), *more],
    }
