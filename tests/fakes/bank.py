"""The bank in memory: the same rules as the embedded one, for tests."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from packs.transfer.bank import opening
from packs.transfer.bank.port import OPENING_BALANCE, CallOff, NotBooked, Order, Payee, PayeeUnknown, Receipt, Refused
from packs.transfer.bank.rules import check, same, same_called_off


@dataclass(slots=True)
class MemoryBank:
    """See Bank. No `await` stands between a check and the entry that it allows."""

    _entries: list[tuple[str, int]] = field(default_factory=list)
    _books: dict[str, tuple[Payee, ...]] = field(default_factory=dict)
    _paid: dict[str, tuple[str, Receipt]] = field(default_factory=dict)
    _called_off: dict[str, str] = field(default_factory=dict)
    """Key of what has called a payment off -> key of the payment."""

    async def payees(self, owner: str) -> Sequence[Payee]:
        return self._open(owner)

    async def balance(self, owner: str) -> int:
        self._open(owner)
        return self._balance(opening.account_of(owner))

    async def pay(self, order: Order) -> Receipt:
        known = {payee.payee_id for payee in self._open(order.owner)}
        if order.key in self._paid:
            return same(self._receipt(order.key), order)
        if order.payee_id not in known:
            raise PayeeUnknown(order.payee_id)
        account = opening.account_of(order.owner)
        that_day = sum(one.amount for _, one in self._of(order.owner) if one.value_on == order.value_on)
        check(order, self._balance(account), that_day)
        self._enter(account, opening.account_of_payee(order.payee_id), order.amount)
        transfer_id = opening.transfer_of(order.key)
        made = Receipt(
            transfer_id, order.payee_id, order.amount, order.ordered_on, order.value_on, order.memo, balance=0
        )
        self._paid[order.key] = (order.owner, made)
        return self._receipt(order.key)

    async def call_off(self, wanted: CallOff) -> Receipt:
        account = opening.account_of(wanted.owner)
        if gone := await self.look_up_called_off(wanted.key, wanted.owner):
            return same_called_off(gone, wanted)
        alike = (wanted.payee_id, wanted.amount, wanted.value_on)
        for key, one in self._of(wanted.owner):
            if (one.payee_id, one.amount, one.value_on) == alike and one.value_on > wanted.on:
                self._called_off[wanted.key] = key
                self._enter(opening.account_of_payee(wanted.payee_id), account, wanted.amount)
                return self._receipt(key)
        raise NotBooked(wanted)

    async def change(self, wanted: CallOff, order: Order) -> Receipt:
        if paid := await self.look_up(order.key, order.owner):
            return same(paid, order._replace(memo=paid.memo))
        before = list(self._entries), dict(self._called_off)
        gone = await self.call_off(wanted)
        try:
            return await self.pay(order._replace(memo=gone.memo))
        except Refused:
            self._entries, self._called_off = before
            raise

    async def look_up_called_off(self, key: str, owner: str) -> Receipt | None:
        paid = self._called_off.get(key)
        return self._receipt(paid) if paid and self._paid[paid][0] == owner else None

    async def look_up(self, key: str, owner: str) -> Receipt | None:
        return self._receipt(key) if key in self._paid and self._paid[key][0] == owner else None

    async def sent(self, owner: str, since: date, until: date) -> Sequence[Receipt]:
        return [self._receipt(key) for key, one in self._of(owner) if since <= one.ordered_on <= until]

    async def booked(self, owner: str, today: date) -> Sequence[Receipt]:
        coming = [self._receipt(key) for key, one in self._of(owner) if one.value_on > today]
        return sorted(coming, key=lambda one: one.value_on)

    async def total(self) -> int:
        return sum(amount for _, amount in self._entries)

    def _open(self, owner: str) -> tuple[Payee, ...]:
        if owner not in self._books:
            self._books[owner] = opening.address_book(owner)
            self._enter(opening.EQUITY, opening.account_of(owner), OPENING_BALANCE)
        return self._books[owner]

    def _enter(self, debit: str, credit: str, amount: int) -> None:
        self._entries += [(debit, -amount), (credit, amount)]

    def _balance(self, account: str) -> int:
        return sum(amount for one, amount in self._entries if one == account)

    def _of(self, owner: str) -> list[tuple[str, Receipt]]:
        gone = self._called_off.values()
        return [(key, receipt) for key, (one, receipt) in self._paid.items() if one == owner and key not in gone]

    def _receipt(self, key: str) -> Receipt:
        owner, receipt = self._paid[key]
        return receipt._replace(balance=self._balance(opening.account_of(owner)))
