"""The format of dialogues: what is said turn by turn, what the answers must have in them, what must have been paid."""

import datetime as dt
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from contracts.shape import Contract
from dream.client import dialogue_file
from dream.client.dialogue_file import DialogueLine, FileUnusable, Turn, misses, plain

__all__ = ["Booked", "Dialogue", "FileUnusable", "Paid", "Turn", "differences", "misses", "plain", "read", "shown"]


class Paid(Contract):
    """One transfer. Memo and date absent = none: at once."""

    target: str
    amount: int
    memo: str = ""
    date: dt.date | None = None


class Expect(Contract):
    """`paid` is the exact multiset of the transfers that the bank's books have at the end."""

    paid: tuple[Paid, ...] = ()


class Dialogue(DialogueLine):
    """A line of the file."""

    expect: Expect = Expect()


def read(path: Path) -> list[Dialogue]:
    """Raises FileUnusable."""
    return dialogue_file.read(path, Dialogue)


class Booked(Contract):
    """A transfer in the bank's books. `names` are all that the payee is called."""

    names: frozenset[str]
    amount: int
    memo: str = ""
    date: dt.date | None = None


def differences(expected: Sequence[Paid], booked: Sequence[Booked]) -> tuple[list[Paid], list[Booked]]:
    """What was not paid though it had to be, and what was paid though it had not to be: the least of both."""
    best: tuple[list[Paid], list[Booked]] = (list(expected), list(booked))
    if not expected or not booked:
        return best
    first, rest = expected[0], expected[1:]
    for place, one in enumerate(booked):
        if _same(first, one):
            best = min(best, differences(rest, [*booked[:place], *booked[place + 1 :]]), key=_size)
    unpaid, more = differences(rest, booked)
    return min(best, ([first, *unpaid], more), key=_size)


def _size(found: tuple[list[Paid], list[Booked]]) -> int:
    return len(found[0]) + len(found[1])


def _same(expected: Paid, booked: Booked) -> bool:
    facts = (booked.amount, booked.memo, booked.date)
    return plain(expected.target) in booked.names and facts == (expected.amount, expected.memo, expected.date)


def shown(one: Paid | Booked) -> str:
    """For people."""
    facts: dict[str, Any] = one.model_dump(mode="json", exclude_defaults=True)
    if isinstance(one, Booked):
        facts["names"] = sorted(one.names)
    return json.dumps(facts, ensure_ascii=False)
