"""What the person has sent in a period, from the bank's books."""

from datetime import date, timedelta

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tables import DatabaseUnavailable
from contracts.tools import ToolContext, ToolError
from packs.transfer.bank.embedded import EmbeddedBank
from packs.transfer.bank.port import Receipt
from packs.transfer.names import called, label
from packs.transfer.wording import amount_in_words, day_in_words

USUAL_DAYS = 30
SHOWN = 30
"""Lines; of more the newest are shown, and all are counted."""
KEPT = 100
"""Of more the newest are in the result, which has a limit: a year of payments with their memos would not fit."""


async def history(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Oldest first, with their sum."""
    until = _day(params, "until", ctx.now.date(), ctx)
    since = _day(params, "since", until - timedelta(days=USUAL_DAYS), ctx)
    target = str(params.get("target") or "").strip()
    bank = EmbeddedBank(ctx.database)
    try:
        payees = await bank.payees(ctx.user)
        booked = params.get("booked") is True
        sent = await (bank.booked(ctx.user, ctx.now.date()) if booked else bank.sent(ctx.user, since, until))
    except DatabaseUnavailable as error:
        raise ToolError(Code.EXTERNAL_UNAVAILABLE, ctx.text("history.closed"), retryable=True) from error
    names = {payee.payee_id: label(payee, payees, ctx.language) for payee in payees}
    if target:
        wanted = called(target, payees)
        target = next(iter(wanted)) if len(wanted) == 1 else target
        sent = [one for one in sent if one.payee_id in wanted.values()]
    days = {"since": day_in_words(since, ctx.language), "until": day_in_words(until, ctx.language)}
    period = ctx.text("history.day" if since == until else "history.period", **days)
    later = [one for one in sent if one.value_on > ctx.now.date()]
    told = later if booked else [one for one in sent if one not in later]
    total = sum(one.amount for one in told)
    title = ("history.title" if told else "history.none") + ("_booked" if booked else "_to" if target else "")
    said = [ctx.text(title, period=period, target=target, count=len(told), total=amount_in_words(total, ctx.language))]
    if later and not booked:
        going = amount_in_words(sum(one.amount for one in later), ctx.language)
        said.append(ctx.text("history.later", count=len(later), total=going))
    shown = sent[-SHOWN:]
    more = [ctx.text("history.more", count=len(sent) - len(shown))] if len(sent) > len(shown) else []
    return {
        "transfers": [
            {
                "target": names[one.payee_id],
                "amount": one.amount,
                "date": one.value_on.isoformat(),
                "memo": one.memo,
                "booked": one.value_on > ctx.now.date(),
            }
            for one in sent[-KEPT:]
        ],
        "total": total,
        "summary": [*said, *more, *(_line(one, names[one.payee_id], ctx) for one in shown)],
    }


def _line(sent: Receipt, name: str, ctx: ToolContext) -> str:
    amount, day = amount_in_words(sent.amount, ctx.language), day_in_words(sent.value_on, ctx.language)
    key = "history.line_booked" if sent.value_on > ctx.now.date() else "history.line"
    return ctx.text(key, date=day, target=name, amount=amount)


def _day(params: JsonObject, name: str, usual: date, ctx: ToolContext) -> date:
    try:
        return date.fromisoformat(str(params[name])) if name in params else usual
    except ValueError as error:
        raise ToolError(
            Code.TOOL_ARGUMENTS_INVALID, ctx.text("flow.transfer.date_unreadable"), slot=name, value=str(params[name])
        ) from error
