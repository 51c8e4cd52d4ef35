"""The embedded bank keeps what every bank promises, and its tables keep it too when the code does not."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import pytest

from contracts.shape import JsonObject
from contracts.tables import PackDatabase, RowRefused
from packs.transfer.bank import opening
from packs.transfer.bank.embedded import EmbeddedBank
from packs.transfer.bank.port import OPENING_BALANCE, Bank
from packs.transfer.resolver import resolve
from tests.unit.packs.transfer.bank_conformance import ME, BankConformance, order


class TestEmbeddedBank(BankConformance):
    @pytest.fixture
    def bank(self, database: PackDatabase) -> Bank:
        return EmbeddedBank(database)


async def test_history_cannot_be_edited_by_the_pack(bank: Bank, database: PackDatabase) -> None:
    await bank.pay(await order(bank, "k1", 10_000))
    columns = {"accounts": "owner", "payees": "place", "payee_names": "bank", "transfers": "memo", "entries": "amount"}
    for table, column in columns.items():
        for statement in (f"delete from {table}", f"truncate {table}", f"update {table} set {column} = {column}"):
            with pytest.raises(RowRefused, match="InsufficientPrivilege"):
                async with database.transaction() as rows:
                    await rows.execute(statement)
    assert await bank.balance(ME) == OPENING_BALANCE - 10_000


async def test_entries_that_do_not_sum_to_zero_are_not_committed(bank: Bank, database: PackDatabase) -> None:
    await bank.balance(ME)
    assert await _refusal(database, ("k1", 100), (opening.account_of(ME), 100)) == "entries_balanced"
    assert await bank.total() == 0


async def test_entries_cannot_be_added_to_a_payment_that_was_made(bank: Bank, database: PackDatabase) -> None:
    await bank.pay(await order(bank, "k1", 100))
    minsu = (await bank.payees(ME))[3]
    more = (opening.EQUITY, -50), (opening.account_of_payee(minsu.payee_id), 50)
    assert await _refusal(database, ("k1", 0), *more) == "entries_of_amount"


async def test_an_account_cannot_be_overdrawn_whatever_the_code_checks(bank: Bank, database: PackDatabase) -> None:
    mother = (await bank.payees(ME))[0]
    much = OPENING_BALANCE + 1
    entries = (opening.account_of(ME), -much), (opening.account_of_payee(mother.payee_id), much)
    assert await _refusal(database, ("k1", much), *entries) == "accounts_not_overdrawn"
    assert await bank.balance(ME) == OPENING_BALANCE


async def test_a_transfer_without_entries_is_none(bank: Bank, database: PackDatabase) -> None:
    assert await _refusal(database, ("k1", 100)) == "transfers_entered"


@pytest.mark.parametrize(
    ("fields", "broken"),
    [
        ({"owner": "somebody"}, "transfers_undone_before_their_day"),
        ({"on": date(2026, 11, 23)}, "transfers_undone_before_their_day"),
        ({"amount": 60}, "entries_undone"),
        ({"account": opening.EQUITY}, "entries_undone"),
    ],
)
async def test_only_what_is_the_payers_comes_back_whole_and_before_its_day_whatever_the_code_checks(
    fields: dict[str, Any], broken: str, bank: Bank, database: PackDatabase
) -> None:
    await bank.balance("somebody")
    await bank.pay(await order(bank, "k1", 100, value_on=date(2026, 11, 23)))
    mother = opening.account_of_payee((await bank.payees(ME))[0].payee_id)
    given = {"owner": ME, "on": date(2026, 11, 22), "amount": 100, "account": mother, **fields}
    with pytest.raises(RowRefused) as refused:
        await _undo(database, given)
    assert refused.value.constraint == broken
    assert await bank.balance(ME) == OPENING_BALANCE - 100


async def test_names_are_looked_up_in_the_persons_address_book(database: PackDatabase) -> None:
    tasks: list[JsonObject] = [
        {"target": "어머니"},
        {"target": "민수"},
        {"target": "용걸"},
        {"target": "철수"},
        {"amount": 10_000},
    ]
    assert await resolve(tasks, ME, database, today=date(2026, 11, 22), config={"DAILY_LIMIT": "700"}) == {
        "payees": {
            "어머니": ["엄마"],
            "민수": ["민수 (한빛은행)", "민수 (푸른은행)"],
            "용걸": ["용걸이"],
            "철수": [],
        },
        "limits": {"day": 700, "balance": OPENING_BALANCE, "on": {}},
    }


async def _refusal(database: PackDatabase, transfer: tuple[str, int], *entries: tuple[str, int]) -> str | None:
    """The constraint that a transfer (of 0: an old one) with these entries breaks."""
    with pytest.raises(RowRefused) as refused:
        await _book(database, transfer, entries)
    return refused.value.constraint


async def _undo(database: PackDatabase, given: dict[str, Any]) -> None:
    """What would undo the payment of the key k1."""
    async with database.transaction() as rows:
        await rows.execute(
            "insert into transfers (transfer_id, key, owner, amount, ordered_on, value_on, undoes)"
            " values ($1::uuid, 'c1', $2, $3, $4, $4, $5::uuid)",
            opening.transfer_of("c1"), given["owner"], given["amount"], given["on"], opening.transfer_of("k1"),
        )  # fmt: skip
        for account, amount in ((given["account"], -given["amount"]), (opening.account_of(ME), given["amount"])):
            await rows.execute(
                "insert into entries (transfer_id, account_id, amount) values ($1::uuid, $2::uuid, $3)",
                opening.transfer_of("c1"),
                account,
                amount,
            )


async def _book(database: PackDatabase, transfer: tuple[str, int], entries: Sequence[tuple[str, int]]) -> None:
    key, amount = transfer
    async with database.transaction() as rows:
        if amount:
            await rows.execute(
                "insert into transfers (transfer_id, key, owner, amount, ordered_on, value_on)"
                " values ($1::uuid, $2, $3, $4, current_date, current_date)",
                opening.transfer_of(key),
                key,
                ME,
                amount,
            )
        for account, share in entries:
            await rows.execute(
                "insert into entries (transfer_id, account_id, amount) values ($1::uuid, $2::uuid, $3)",
                opening.transfer_of(key),
                account,
                share,
            )
