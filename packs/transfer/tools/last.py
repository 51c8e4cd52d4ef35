"""What the person has sent today, whole: to whom of that name, how much, with which memo, and when it is there."""

from contracts.errors import Code
from contracts.shape import JsonObject, JsonValue
from contracts.tables import DatabaseUnavailable
from contracts.tools import ToolContext, ToolError
from packs.transfer.bank.embedded import EmbeddedBank
from packs.transfer.bank.port import Receipt
from packs.transfer.names import label
from packs.transfer.speaker import speak

SHOWN = 5


async def last(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """The newest last. Nothing of it is repeated or changed."""
    bank, today = EmbeddedBank(ctx.database), ctx.now.date()
    try:
        payees = await bank.payees(ctx.user)
        sent = await bank.sent(ctx.user, today, today)
    except DatabaseUnavailable as error:
        raise ToolError(Code.EXTERNAL_UNAVAILABLE, ctx.text("history.closed"), retryable=True) from error
    names = {payee.payee_id: label(payee, payees, ctx.language) for payee in payees}
    lines: list[JsonValue] = [_line(one, names[one.payee_id], ctx) for one in sent[-SHOWN:]]
    return {"sent": len(sent), "summary": lines or [ctx.text("last.none")]}


def _line(sent: Receipt, name: str, ctx: ToolContext) -> str:
    booked = sent.value_on > sent.ordered_on
    slots: JsonObject = {"target": name, "amount": sent.amount}
    slots |= {"memo": sent.memo} if sent.memo else {}
    slots |= {"date": sent.value_on.isoformat()} if booked else {}
    return ctx.text("last.booked" if booked else "last.sent", **speak(slots, ctx.language))
