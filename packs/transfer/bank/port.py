"""What the pack asks of a bank: who can be paid, one payment per key, and what was paid. Amounts are whole won."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple, Protocol

from contracts.shape import JsonValue

OPENING_BALANCE = 10_000_000
"""What a person's account holds when it is opened."""
MOST_AT_ONCE = 100_000_000
MOST_A_DAY = 5_000_000


class PayeeWords(NamedTuple):
    """How a payee is called in one language: `names`, the shown one first, and the name of their bank."""

    names: tuple[str, ...]
    bank: str


class Payee(NamedTuple):
    """Somebody in a person's address book; two may have one name."""

    payee_id: str
    words: Mapping[str, PayeeWords]


class Order(NamedTuple):
    """A payment to make. `key` is its idempotency key; `ordered_on` the payer's day, `value_on` the payee's."""

    key: str
    owner: str
    payee_id: str
    amount: int
    ordered_on: date
    value_on: date
    memo: str = ""
    daily_limit: int = MOST_A_DAY


class CallOff(NamedTuple):
    """A payment for a later day that is not to go out: of several alike, the one that was ordered first. `key` is its
    idempotency key, `on` the payer's day."""

    key: str
    owner: str
    payee_id: str
    amount: int
    value_on: date
    on: date


class Receipt(NamedTuple):
    """A payment that was made, and what is left."""

    transfer_id: str
    payee_id: str
    amount: int
    ordered_on: date
    value_on: date
    memo: str
    balance: int


class Refused(Exception):
    """The bank does not make the payment, and has changed nothing. `reason` ends a text key, `values` fill it."""

    def __init__(self, reason: str, **values: JsonValue) -> None:
        super().__init__(f"{reason}: {values!r}")
        self.reason = reason
        self.values = values


class InsufficientBalance(Refused):
    """The account holds `balance`, which is less."""

    def __init__(self, balance: int) -> None:
        super().__init__("insufficient", balance=balance)
        self.balance = balance


class DailyLimitReached(Refused):
    """Of the `limit` of the day on which it goes out only `left` is left."""

    def __init__(self, limit: int, left: int) -> None:
        super().__init__("daily_limit", limit=limit, left=left)
        self.limit = limit
        self.left = left


class PayeeUnknown(Refused):
    """Not in this person's address book."""

    def __init__(self, payee_id: str) -> None:
        super().__init__("payee_unknown", payee_id=payee_id)


class NotBooked(Refused):
    """No such payment waits for a later day: it went out, was called off, or was never ordered."""

    def __init__(self, wanted: CallOff) -> None:
        super().__init__("not_booked", amount=wanted.amount, date=wanted.value_on.isoformat())


class KeyReused(Exception):
    """The key belongs to another payment: somebody makes keys that do not tell payments apart."""


class Bank(Protocol):
    """An account and an address book are opened for a person on first use."""

    async def payees(self, owner: str) -> Sequence[Payee]:
        """The person's address book, in its order."""

    async def balance(self, owner: str) -> int:
        """What the person can spend."""

    async def pay(self, order: Order) -> Receipt:
        """Pays once per key, whoever calls however often. Raises Refused, KeyReused."""

    async def look_up(self, key: str, owner: str) -> Receipt | None:
        """The payment of a key, if it was made."""

    async def call_off(self, wanted: CallOff) -> Receipt:
        """Gives the money of a booked payment back, once per key, whoever calls however often: the payment as it was
        ordered, with the balance of now. Raises NotBooked, KeyReused."""

    async def change(self, wanted: CallOff, order: Order) -> Receipt:
        """Orders a booked payment anew, with its memo: calls `wanted` off and pays `order`, both or neither, once per
        key of the order, whoever calls however often. Raises what `call_off` and `pay` raise."""

    async def look_up_called_off(self, key: str, owner: str) -> Receipt | None:
        """The payment that was called off under a key, if one was."""

    async def sent(self, owner: str, since: date, until: date) -> Sequence[Receipt]:
        """Payments ordered on these days, both included, oldest first; none that was called off."""

    async def booked(self, owner: str, today: date) -> Sequence[Receipt]:
        """Payments that the payees have after today, the next one first; their money is not in the balance any more.
        None that was called off."""

    async def total(self) -> int:
        """The sum over all accounts: 0, whatever happens."""
