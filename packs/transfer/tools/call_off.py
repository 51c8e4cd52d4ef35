"""Calls a booked transfer off, once per idempotency key: what was approved may have gone out meanwhile."""

from datetime import date

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tables import DatabaseUnavailable
from contracts.tools import ToolContext, ToolError
from packs.transfer.bank.embedded import EmbeddedBank
from packs.transfer.bank.port import CallOff, NotBooked, Receipt
from packs.transfer.names import called
from packs.transfer.wording import amount_in_words, day_in_words


async def call_off(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Raises ToolError when nothing was called off. Whatever else happens to the call, `reconcile` tells whether it
    was."""
    bank, said = EmbeddedBank(ctx.database), str(params["target"])
    try:
        payees = called(said, await bank.payees(ctx.user))
    except DatabaseUnavailable as error:
        raise ToolError(Code.EXTERNAL_UNAVAILABLE, ctx.text("history.closed"), retryable=True) from error
    if len(payees) != 1:
        raise _refused(params, ctx)
    wanted = CallOff(
        key=ctx.idempotency_key,
        owner=ctx.user,
        payee_id=next(iter(payees.values())),
        amount=int(str(params["amount"])),
        value_on=date.fromisoformat(str(params["date"])),
        on=ctx.now.date(),
    )
    try:
        return _told(await bank.call_off(wanted), said, ctx)
    except NotBooked as refused:
        raise _refused(params, ctx) from refused


async def reconcile(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Whether a transfer was called off under this key."""
    gone = await EmbeddedBank(ctx.database).look_up_called_off(ctx.idempotency_key, ctx.user)
    return {"happened": True, "result": _told(gone, str(params["target"]), ctx)} if gone else {"happened": False}


def _refused(params: JsonObject, ctx: ToolContext) -> ToolError:
    return ToolError(Code.TOOL_ARGUMENTS_INVALID, ctx.text("call_off.not_booked", **_words(params, ctx)))


def _told(gone: Receipt, target: str, ctx: ToolContext) -> JsonObject:
    told: JsonObject = {"target": target, "amount": gone.amount, "date": gone.value_on.isoformat()}
    balance = amount_in_words(gone.balance, ctx.language)
    said = ctx.text("call_off.done", balance=balance, **_words(told, ctx))
    return {"transfer_id": gone.transfer_id, **told, "balance": gone.balance, "summary": [said]}


def _words(params: JsonObject, ctx: ToolContext) -> dict[str, str]:
    return {
        "target": str(params["target"]),
        "amount": amount_in_words(int(str(params["amount"])), ctx.language),
        "date": day_in_words(date.fromisoformat(str(params["date"])), ctx.language),
    }
