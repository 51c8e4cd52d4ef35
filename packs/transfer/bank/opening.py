"""What a person finds at the bank on first use: the address book of addressbook.yaml. Ids follow from names, so that
opening twice is opening once."""

from functools import cache
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from packs.transfer.bank.port import Payee, PayeeWords
from understanding.kit.data import read_data

_BOOK = Path(__file__).parent / "addressbook.yaml"
_SPACE = uuid5(NAMESPACE_URL, "dream:pack:transfer")
EQUITY = str(uuid5(_SPACE, "equity"))
"""The account that opening balances are taken from."""


def account_of(owner: str) -> str:
    return str(uuid5(_SPACE, f"person:{owner}"))


def account_of_payee(payee_id: str) -> str:
    return str(uuid5(_SPACE, f"payee:{payee_id}"))


def transfer_of(key: str) -> str:
    return str(uuid5(_SPACE, f"transfer:{key}"))


def opening_key(owner: str) -> str:
    return f"opening:{owner}"


def address_book(owner: str) -> tuple[Payee, ...]:
    """The payees that a new account comes with."""
    return tuple(
        Payee(str(uuid5(_SPACE, f"{owner}:{entry['id']}")), {name: _words(entry[name]) for name in ("ko", "en", "ja")})
        for entry in _entries()
    )


def _words(said: dict[str, object]) -> PayeeWords:
    names = said["names"]
    assert isinstance(names, list)
    return PayeeWords(tuple(str(name) for name in names), str(said["bank"]))


@cache
def _entries() -> list[dict[str, dict[str, object]]]:
    found: list[dict[str, dict[str, object]]] = read_data(_BOOK)
    return found
