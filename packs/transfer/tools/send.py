"""Pays, once per idempotency key, after checking everything again: what was approved may be old."""

from datetime import date

from contracts.errors import Code
from contracts.reading import Checking, SlotRefused
from contracts.shape import JsonObject, JsonValue
from contracts.tables import DatabaseUnavailable
from contracts.tools import ToolContext, ToolError
from packs.transfer import slots
from packs.transfer.bank.embedded import EmbeddedBank
from packs.transfer.bank.port import Bank, DailyLimitReached, InsufficientBalance, Order, Receipt
from packs.transfer.names import called
from packs.transfer.resolver import daily_limit
from packs.transfer.wording import amount_in_words, day_in_words

_CHECKS = {"target": slots.target, "amount": slots.amount, "date": slots.day, "memo": slots.memo}


async def send(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Raises ToolError when nothing was paid. Whatever else happens to the call, `reconcile` tells whether it paid."""
    bank = EmbeddedBank(ctx.database)
    order = await _order(params, ctx, bank)
    try:
        receipt = await bank.pay(order)
    except (InsufficientBalance, DailyLimitReached) as refused:
        raise told_why(refused, order, ctx) from refused
    return _told(receipt, str(params["target"]), ctx)


async def reconcile(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Whether the payment of this key was made."""
    receipt = await EmbeddedBank(ctx.database).look_up(ctx.idempotency_key, ctx.user)
    if receipt is None:
        return {"happened": False}
    return {"happened": True, "result": _told(receipt, str(params["target"]), ctx)}


async def _order(params: JsonObject, ctx: ToolContext, bank: Bank) -> Order:
    today = ctx.now.date()
    try:
        payees = await bank.payees(ctx.user)
    except DatabaseUnavailable as error:
        raise ToolError(Code.EXTERNAL_UNAVAILABLE, ctx.text("send.closed"), retryable=True) from error
    said = str(params.get("target", ""))
    found = called(said, payees)
    facts: JsonObject = {"payees": {said: list(found)}}
    kept = {name: _checked(name, value, Checking(params, facts, today), ctx) for name, value in params.items()}
    return Order(
        key=ctx.idempotency_key,
        owner=ctx.user,
        payee_id=found[str(kept["target"])],
        amount=int(str(kept["amount"])),
        ordered_on=today,
        value_on=date.fromisoformat(str(kept.get("date", today.isoformat()))),
        memo=str(kept.get("memo", "")),
        daily_limit=daily_limit(ctx.config),
    )


def _checked(name: str, value: JsonValue, checking: Checking, ctx: ToolContext) -> JsonValue:
    try:
        return _CHECKS[name](value, checking)
    except SlotRefused as refused:
        raise _refused(ctx, name, refused.key, **refused.values) from refused


def told_why(refused: InsufficientBalance | DailyLimitReached, order: Order, ctx: ToolContext) -> ToolError:
    """What the bank refused, in the person's language."""
    if isinstance(refused, InsufficientBalance):
        return _refused(ctx, "amount", "send.insufficient", balance=amount_in_words(refused.balance, ctx.language))
    limit, left = (amount_in_words(one, ctx.language) for one in (refused.limit, refused.left))
    key = "send.daily_limit_on" if order.value_on > order.ordered_on else "send.daily_limit"
    return _refused(ctx, "amount", key, limit=limit, left=left, date=day_in_words(order.value_on, ctx.language))


def _refused(ctx: ToolContext, slot: str, key: str, **values: JsonValue) -> ToolError:
    error = ToolError(Code.TOOL_ARGUMENTS_INVALID, ctx.text(key, **values))
    error.detail = {"slot": slot, **values}
    return error


def _told(receipt: Receipt, target: str, ctx: ToolContext) -> JsonObject:
    values = {
        "target": target,
        "amount": amount_in_words(receipt.amount, ctx.language),
        "balance": amount_in_words(receipt.balance, ctx.language),
        "date": day_in_words(receipt.value_on, ctx.language),
    }
    booked = receipt.value_on > receipt.ordered_on
    return {
        "transfer_id": receipt.transfer_id,
        "target": target,
        "amount": receipt.amount,
        "date": receipt.value_on.isoformat(),
        "balance": receipt.balance,
        "booked": booked,
        "summary": [ctx.text("send.booked" if booked else "send.done", **values)],
    }
