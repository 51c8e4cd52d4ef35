"""Orders a booked transfer anew, once per idempotency key: with another amount, another day, or both."""

from datetime import date

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tables import DatabaseUnavailable
from contracts.tools import ToolContext, ToolError
from packs.transfer.bank.embedded import EmbeddedBank
from packs.transfer.bank.port import Bank, CallOff, DailyLimitReached, InsufficientBalance, NotBooked, Order, Receipt
from packs.transfer.names import called
from packs.transfer.resolver import daily_limit
from packs.transfer.tools.send import told_why
from packs.transfer.wording import amount_in_words, day_in_words


async def change(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Raises ToolError when nothing was changed. Whatever else happens, `reconcile` tells whether it was."""
    bank: Bank = EmbeddedBank(ctx.database)
    said = str(params["target"])
    try:
        payees = called(said, await bank.payees(ctx.user))
    except DatabaseUnavailable as error:
        raise ToolError(Code.EXTERNAL_UNAVAILABLE, ctx.text("history.closed"), retryable=True) from error
    if len(payees) != 1:
        raise _not_booked(params, ctx)
    (payee_id,), today = payees.values(), ctx.now.date()
    amount, day = int(str(params["amount"])), date.fromisoformat(str(params["date"]))
    key = ctx.idempotency_key
    wanted = CallOff(f"{key}/off", ctx.user, payee_id, amount, value_on=day, on=today)
    order = Order(
        key=key,
        owner=ctx.user,
        payee_id=payee_id,
        amount=int(str(params.get("to_amount", amount))),
        ordered_on=today,
        value_on=date.fromisoformat(str(params.get("to_date", day))),
        daily_limit=daily_limit(ctx.config),
    )
    try:
        return _told(await bank.change(wanted, order), said, ctx)
    except NotBooked as refused:
        raise _not_booked(params, ctx) from refused
    except (InsufficientBalance, DailyLimitReached) as refused:
        raise told_why(refused, order, ctx) from refused


async def reconcile(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Whether a transfer was ordered anew under this key."""
    made = await EmbeddedBank(ctx.database).look_up(ctx.idempotency_key, ctx.user)
    return {"happened": True, "result": _told(made, str(params["target"]), ctx)} if made else {"happened": False}


def _not_booked(params: JsonObject, ctx: ToolContext) -> ToolError:
    words = _words(str(params["target"]), int(str(params["amount"])), date.fromisoformat(str(params["date"])), ctx)
    return ToolError(Code.TOOL_ARGUMENTS_INVALID, ctx.text("change.not_booked", **words))


def _told(made: Receipt, target: str, ctx: ToolContext) -> JsonObject:
    balance = amount_in_words(made.balance, ctx.language)
    said = ctx.text("change.done", balance=balance, **_words(target, made.amount, made.value_on, ctx))
    return {
        "transfer_id": made.transfer_id,
        "target": target,
        "amount": made.amount,
        "date": made.value_on.isoformat(),
        "booked": made.value_on > ctx.now.date(),
        "balance": made.balance,
        "summary": [said],
    }


def _words(target: str, amount: int, day: date, ctx: ToolContext) -> dict[str, str]:
    return {
        "target": target,
        "amount": amount_in_words(amount, ctx.language),
        "date": day_in_words(day, ctx.language),
    }
