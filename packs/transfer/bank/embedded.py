"""The embedded bank: double entry in the pack's own tables (migrations/), which it may only add to.

A person's payments, and what calls them off, stand in one line, by a lock that ends with the
transaction; the key is unique in the table, so whoever asks again is given the receipt of what was done."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from contracts.tables import PackDatabase, Rows
from packs.transfer.bank import opening
from packs.transfer.bank.port import (
    OPENING_BALANCE,
    CallOff,
    NotBooked,
    Order,
    Payee,
    PayeeUnknown,
    PayeeWords,
    Receipt,
)
from packs.transfer.bank.rules import check, same, same_called_off

_RECEIPT = """select transfer_id::text, payee_id::text, amount, ordered_on, value_on, memo,
 (select coalesce(sum(amount), 0)::bigint from entries where account_id = $1::uuid) as balance
 from transfers t where payee_id is not null and owner = $2 and """
_STANDS = "not exists (select from transfers u where u.undoes = t.transfer_id)"
"""It was not called off."""
_BOOKED = f"""select t.transfer_id::text, p.account_id::text from transfers t join payees p using (payee_id)
 where t.owner = $1 and t.payee_id = $2::uuid and t.amount = $3 and t.value_on = $4 and t.value_on > $5 and {_STANDS}
 order by t.made_at, t.transfer_id limit 1"""  # noqa: S608  # ours
_ON_THAT_DAY = f"""select coalesce(sum(amount), 0)::bigint as sum from transfers t
 where payee_id is not null and owner = $1 and value_on = $2 and {_STANDS}"""  # noqa: S608  # ours
_UNDONE = f"{_RECEIPT} transfer_id = (select undoes from transfers where key = $3 and owner = $2)"  # noqa: S608  # ours


@dataclass(frozen=True, slots=True)
class EmbeddedBank:
    """See Bank."""

    database: PackDatabase

    async def payees(self, owner: str) -> Sequence[Payee]:
        async with self.database.transaction() as rows:
            await _open(rows, owner)
            found = await rows.fetch(
                "select p.payee_id::text, n.language, n.names, n.bank from payees p join payee_names n using (payee_id)"
                " where p.owner = $1 order by p.place, n.language",
                owner,
            )
        words: dict[str, dict[str, PayeeWords]] = {}
        for row in found:
            words.setdefault(row["payee_id"], {})[row["language"]] = PayeeWords(tuple(row["names"]), row["bank"])
        return [Payee(payee_id, languages) for payee_id, languages in words.items()]

    async def balance(self, owner: str) -> int:
        async with self.database.transaction() as rows:
            await _open(rows, owner)
            return await _balance(rows, owner)

    async def pay(self, order: Order) -> Receipt:
        async with self.database.transaction() as rows:
            await _open(rows, order.owner)
            await _in_line(rows, order.owner)
            if paid := await _receipt(rows, order.key, order.owner):
                return same(paid, order)
            return await _pay(rows, order)

    async def call_off(self, wanted: CallOff) -> Receipt:
        async with self.database.transaction() as rows:
            await _open(rows, wanted.owner)
            await _in_line(rows, wanted.owner)
            if gone := await _called_off(rows, wanted.key, wanted.owner):
                return same_called_off(gone, wanted)
            return await _call_off(rows, wanted)

    async def change(self, wanted: CallOff, order: Order) -> Receipt:
        async with self.database.transaction() as rows:
            await _open(rows, order.owner)
            await _in_line(rows, order.owner)
            if paid := await _receipt(rows, order.key, order.owner):
                return same(paid, order._replace(memo=paid.memo))
            gone = await _call_off(rows, wanted)
            return await _pay(rows, order._replace(memo=gone.memo))

    async def look_up_called_off(self, key: str, owner: str) -> Receipt | None:
        async with self.database.transaction() as rows:
            return await _called_off(rows, key, owner)

    async def look_up(self, key: str, owner: str) -> Receipt | None:
        async with self.database.transaction() as rows:
            return await _receipt(rows, key, owner)

    async def sent(self, owner: str, since: date, until: date) -> Sequence[Receipt]:
        async with self.database.transaction() as rows:
            found = await rows.fetch(
                f"{_RECEIPT} ordered_on between $3 and $4 and {_STANDS} order by made_at, transfer_id",
                opening.account_of(owner),
                owner,
                since,
                until,
            )
        return [Receipt(**row) for row in found]

    async def booked(self, owner: str, today: date) -> Sequence[Receipt]:
        async with self.database.transaction() as rows:
            found = await rows.fetch(
                f"{_RECEIPT} value_on > $3 and {_STANDS} order by value_on, made_at, transfer_id",
                opening.account_of(owner),
                owner,
                today,
            )
        return [Receipt(**row) for row in found]

    async def total(self) -> int:
        async with self.database.transaction() as rows:
            return await _sum(rows, "select coalesce(sum(amount), 0)::bigint as sum from entries")


async def _open(rows: Rows, owner: str) -> None:
    """Opens account and address book on first use. Who comes at the same time waits for the other at the unique key."""
    if await rows.fetchrow("select 1 from accounts where kind = 'person' and owner = $1", owner):
        return
    account = opening.account_of(owner)
    await rows.execute(
        "insert into accounts (account_id, kind, owner) values ($1::uuid, 'equity', ''), ($2::uuid, 'person', $3)"
        " on conflict do nothing",
        opening.EQUITY,
        account,
        owner,
    )
    for place, payee in enumerate(opening.address_book(owner)):
        await _add(rows, owner, place, payee)
    key = opening.opening_key(owner)
    opened = await rows.fetchrow(
        "insert into transfers (transfer_id, key, owner, amount, ordered_on, value_on)"
        " values ($1::uuid, $2, $3, $4, current_date, current_date) on conflict do nothing returning 1",
        opening.transfer_of(key),
        key,
        owner,
        OPENING_BALANCE,
    )
    if opened:
        await _entries(rows, opening.transfer_of(key), opening.EQUITY, account, OPENING_BALANCE)


async def _add(rows: Rows, owner: str, place: int, payee: Payee) -> None:
    account = opening.account_of_payee(payee.payee_id)
    await rows.execute(
        "insert into accounts (account_id, kind, owner) values ($1::uuid, 'payee', $2) on conflict do nothing",
        account,
        owner,
    )
    await rows.execute(
        "insert into payees (payee_id, owner, place, account_id) values ($1::uuid, $2, $3, $4::uuid)"
        " on conflict do nothing",
        payee.payee_id,
        owner,
        place,
        account,
    )
    for language, words in payee.words.items():
        await rows.execute(
            "insert into payee_names (payee_id, language, names, bank) values ($1::uuid, $2, $3, $4)"
            " on conflict do nothing",
            payee.payee_id,
            language,
            list(words.names),
            words.bank,
        )


async def _pay(rows: Rows, order: Order) -> Receipt:
    payee = await rows.fetchrow(
        "select account_id::text from payees where payee_id = $1::uuid and owner = $2", order.payee_id, order.owner
    )
    if payee is None:
        raise PayeeUnknown(order.payee_id)
    check(order, await _balance(rows, order.owner), await _going_out(rows, order))
    await _enter(rows, order, payee["account_id"])
    made = await _receipt(rows, order.key, order.owner)
    assert made is not None, "it was inserted above"
    return made


async def _call_off(rows: Rows, wanted: CallOff) -> Receipt:
    booked = await rows.fetchrow(_BOOKED, wanted.owner, wanted.payee_id, wanted.amount, wanted.value_on, wanted.on)
    if booked is None:
        raise NotBooked(wanted)
    await _give_back(rows, wanted, booked["transfer_id"], booked["account_id"])
    made = await _called_off(rows, wanted.key, wanted.owner)
    assert made is not None, "it was inserted above"
    return made


async def _enter(rows: Rows, order: Order, account: str) -> None:
    transfer_id = opening.transfer_of(order.key)
    await rows.execute(
        "insert into transfers (transfer_id, key, owner, payee_id, amount, memo, ordered_on, value_on)"
        " values ($1::uuid, $2, $3, $4::uuid, $5, $6, $7, $8)",
        transfer_id,
        order.key,
        order.owner,
        order.payee_id,
        order.amount,
        order.memo,
        order.ordered_on,
        order.value_on,
    )
    await _entries(rows, transfer_id, opening.account_of(order.owner), account, order.amount)


async def _give_back(rows: Rows, wanted: CallOff, transfer_id: str, account: str) -> None:
    undoing = opening.transfer_of(wanted.key)
    await rows.execute(
        "insert into transfers (transfer_id, key, owner, amount, ordered_on, value_on, undoes)"
        " values ($1::uuid, $2, $3, $4, $5, $5, $6::uuid)",
        undoing,
        wanted.key,
        wanted.owner,
        wanted.amount,
        wanted.on,
        transfer_id,
    )
    await _entries(rows, undoing, account, opening.account_of(wanted.owner), wanted.amount)


async def _in_line(rows: Rows, owner: str) -> None:
    await rows.execute("select pg_advisory_xact_lock(hashtextextended('transfer:' || $1, 0))", owner)


async def _called_off(rows: Rows, key: str, owner: str) -> Receipt | None:
    row = await rows.fetchrow(_UNDONE, opening.account_of(owner), owner, key)
    return Receipt(**row) if row else None


async def _entries(rows: Rows, transfer_id: str, debit: str, credit: str, amount: int) -> None:
    await rows.execute(
        "insert into entries (transfer_id, account_id, amount)"
        " values ($1::uuid, $2::uuid, -$4::bigint), ($1::uuid, $3::uuid, $4::bigint)",
        transfer_id,
        debit,
        credit,
        amount,
    )


async def _receipt(rows: Rows, key: str, owner: str) -> Receipt | None:
    row = await rows.fetchrow(f"{_RECEIPT} key = $3", opening.account_of(owner), owner, key)
    return Receipt(**row) if row else None


async def _balance(rows: Rows, owner: str) -> int:
    return await _sum(
        rows,
        "select coalesce(sum(amount), 0)::bigint as sum from entries where account_id = $1::uuid",
        opening.account_of(owner),
    )


async def _going_out(rows: Rows, order: Order) -> int:
    return await _sum(rows, _ON_THAT_DAY, order.owner, order.value_on)


async def _sum(rows: Rows, sql: str, *args: object) -> int:
    row = await rows.fetchrow(sql, *args)
    assert row is not None
    return int(row["sum"])
