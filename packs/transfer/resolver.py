"""Looks up, before the flow decides, who the names in its tasks are, and what can be sent today."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from contracts.shape import JsonObject
from contracts.tables import PackDatabase
from packs.transfer.bank.embedded import EmbeddedBank
from packs.transfer.bank.port import MOST_A_DAY, Bank
from packs.transfer.names import banks_of, called, names_of

DAILY_LIMIT = "DAILY_LIMIT"
"""DREAM_PACK_TRANSFER_DAILY_LIMIT: the most that a person can send in a day, in won."""


def daily_limit(config: Mapping[str, str]) -> int:
    return int(config.get(DAILY_LIMIT, MOST_A_DAY))


async def paid_out(bank: Bank, user: str, since: date) -> Mapping[str, int]:
    """What goes out on each day from `since` on, by day (YYYY-MM-DD), whenever it was ordered."""
    days: dict[str, int] = {}
    for one in await bank.booked(user, since - timedelta(days=1)):
        days[one.value_on.isoformat()] = days.get(one.value_on.isoformat(), 0) + one.amount
    return days


async def vocabulary(user: str, database: PackDatabase) -> Mapping[str, Sequence[str]]:
    """What the payees are called, in every language."""
    payees = await EmbeddedBank(database).payees(user)
    return {"target": names_of(payees), "bank": banks_of(payees)}


async def resolve(
    tasks: Sequence[JsonObject], user: str, database: PackDatabase, *, today: date, config: Mapping[str, str]
) -> JsonObject:
    """{"payees": {name as it was said: [labels of those who are called so]}, "limits": {"day", "balance", "on": {day:
    what is paid out on it}}}."""
    bank = EmbeddedBank(database)
    payees = await bank.payees(user)
    said = [target for task in tasks if isinstance(target := task.get("target"), str)]
    limits: JsonObject = {
        "day": daily_limit(config),
        "balance": await bank.balance(user),
        "on": dict(await paid_out(bank, user, today)),
    }
    return {"payees": {name: list(called(name, payees)) for name in said}, "limits": limits}
