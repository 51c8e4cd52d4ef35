"""Looks up, before the flow decides, who the names in its tasks are."""

from collections.abc import Sequence

from contracts.shape import JsonObject
from contracts.tables import PackDatabase
from packs.transfer.bank.embedded import EmbeddedBank
from packs.transfer.names import called


async def resolve(tasks: Sequence[JsonObject], user: str, database: PackDatabase) -> JsonObject:
    """{"payees": {name as it was said: [labels of those who are called so]}}."""
    said = [target for task in tasks if isinstance(target := task.get("target"), str)]
    if not said:
        return {"payees": {}}
    payees = await EmbeddedBank(database).payees(user)
    return {"payees": {name: list(called(name, payees)) for name in said}}
