"""The format of dialogues: what is said turn by turn, what the answers must have in them, what must have been paid."""

import datetime as dt
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from contracts.shape import Contract


class FileUnusable(Exception):
    """The file cannot be played; the message names the line and what is wrong in it."""


class Paid(Contract):
    """One transfer. Memo and date absent = none: at once."""

    target: str
    amount: int
    memo: str = ""
    date: dt.date | None = None


class Turn(Contract):
    """What is said, with files of the dialogue by name. `contains`: all of them are in the answer; `any`: one is;
    `lacks`: none is. The answer is compared in lower case, without spaces and commas."""

    say: str = Field(min_length=1)
    attach: tuple[str, ...] = ()
    contains: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()


class File(Contract):
    """A text file that a turn brings."""

    name: str
    text: str


class Expect(Contract):
    """`paid` is the exact multiset of the transfers that the bank's books have at the end."""

    paid: tuple[Paid, ...] = ()


class Dialogue(Contract):
    """A line of the file."""

    id: str
    lang: Literal["ko", "en", "ja"]
    kind: str
    files: tuple[File, ...] = ()
    turns: tuple[Turn, ...] = Field(min_length=1)
    expect: Expect = Expect()


def read(path: Path) -> list[Dialogue]:
    """Raises FileUnusable."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileUnusable(f"{path}: {error}") from None
    found: list[Dialogue] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            found.append(_dialogue(line, f"{path}, line {number}"))
    if not found:
        raise FileUnusable(f"{path}: no dialogues in it")
    names = [one.id for one in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise FileUnusable(f"{path}: the id {twice!r} is there twice")
    return found


def _dialogue(line: str, where: str) -> Dialogue:
    try:
        dialogue = Dialogue.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the line"
        raise FileUnusable(f"{where}: {place}: {first['msg']} ({line[:120]!r})") from None
    named = {file.name for file in dialogue.files}
    missing = [name for turn in dialogue.turns for name in turn.attach if name not in named]
    if missing:
        raise FileUnusable(f"{where}: {missing[0]!r} is attached and not among `files`")
    return dialogue


def misses(turn: Turn, answer: str) -> list[str]:
    """What of a turn's answer is not as it must be."""
    told = plain(answer)
    found = [f"lacks {one!r}" for one in turn.contains if plain(one) not in told]
    if turn.any and not any(plain(one) in told for one in turn.any):
        found.append(f"has none of {list(turn.any)!r}")
    return found + [f"has {one!r}" for one in turn.lacks if plain(one) in told]


def plain(text: str) -> str:
    """Lower case, without spaces and commas."""
    return "".join(text.lower().split()).replace(",", "")


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
