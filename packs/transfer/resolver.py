"""Looks up, before the flow decides, who the names in its tasks are, and what can be sent today."""

from collections.abc import Mapping, Sequence
from datetime import date

from contracts.shape import JsonObject
from contracts.tables import PackDatabase
from packs.transfer.bank.embedded import EmbeddedBank
from packs.transfer.bank.port import MOST_A_DAY
from packs.transfer.names import banks_of, called, names_of

DAILY_LIMIT = "DAILY_LIMIT"
"""DREAM_PACK_TRANSFER_DAILY_LIMIT: the most that a person can send in a day, in won."""


def daily_limit(config: Mapping[str, str]) -> int:
    return int(config.get(DAILY_LIMIT, MOST_A_DAY))


async def vocabulary(user: str, database: PackDatabase) -> Mapping[str, Sequence[str]]:
    """What the payees are called, in every language."""
    payees = await EmbeddedBank(database).payees(user)
    return {"target": names_of(payees), "bank": banks_of(payees)}


async def resolve(
    tasks: Sequence[JsonObject], user: str, database: PackDatabase, *, today: date, config: Mapping[str, str]
) -> JsonObject:
    """{"payees": {name as it was said: [labels of those who are called so]}, "limits": {"day", "left", "balance"}}."""
    bank = EmbeddedBank(database)
    payees = await bank.payees(user)
    said = [target for task in tasks if isinstance(target := task.get("target"), str)]
    limit = daily_limit(config)
    sent = sum(one.amount for one in await bank.sent(user, today, today))
    limits: JsonObject = {"day": limit, "left": max(limit - sent, 0), "balance": await bank.balance(user)}
    return {"payees": {name: list(called(name, payees)) for name in said}, "limits": limits}
