"""The format of dialogues: what is said turn by turn, and what the answers must have in them; one per line.

A day that lies so far from the day of the play is written as one: `@{+12 %-m월 %-d일}` is the day in twelve days, and
`@{next fri2 %B %-d}` the second Friday of the next month, as strftime writes it. Days that are written out pass."""

import re
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Literal, TypeVar
from zoneinfo import ZoneInfo

from pydantic import Field, ValidationError

from contracts.shape import Contract

ZONE = ZoneInfo("Asia/Seoul")
"""Where the people of dialogues are."""
_DAY = re.compile(r"@\{([^{}]*)\}")
_WHICH = re.compile(r"(?P<days>[+-]\d{1,4})|next (?P<weekday>mon|tue|wed|thu|fri|sat|sun)(?P<which>[1-4])")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class FileUnusable(Exception):
    """The file cannot be played; the message names the line and what is wrong in it."""


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


class DialogueLine(Contract):
    """A line of the file."""

    id: str
    lang: Literal["ko", "en", "ja"]
    kind: str
    files: tuple[File, ...] = ()
    turns: tuple[Turn, ...] = Field(min_length=1)


S = TypeVar("S", bound=DialogueLine)


def read(path: Path, line_of: type[S]) -> list[S]:
    """Raises FileUnusable."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileUnusable(f"{path}: {error}") from None
    found: list[S] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            found.append(_dialogue(line_of, line, f"{path}, line {number}"))
    if not found:
        raise FileUnusable(f"{path}: no dialogues in it")
    names = [one.id for one in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise FileUnusable(f"{path}: the id {twice!r} is there twice")
    return found


def dated(line: str, today: date) -> str:
    """With the days that are said from today on. Raises ValueError."""

    def written(found: re.Match[str]) -> str:
        said, _, form = found[1].partition(" %")
        which = _WHICH.fullmatch(said)
        if which is None or not form:
            raise ValueError(f"{found[0]} is no day: @{{+12 %-m/%-d}}, @{{next fri2 %-m/%-d}}")
        if which["days"]:
            return f"{today + timedelta(int(which['days'])):%{form}}"
        first = (today.replace(day=1) + timedelta(31)).replace(day=1)
        ahead = (_WEEKDAYS.index(which["weekday"]) - first.weekday()) % 7
        return f"{first + timedelta(ahead + 7 * (int(which['which']) - 1)):%{form}}"

    return _DAY.sub(written, line)


def _dialogue(line_of: type[S], line: str, where: str) -> S:
    try:
        line = dated(line, datetime.now(ZONE).date())
    except ValueError as error:
        raise FileUnusable(f"{where}: {error}") from None
    try:
        dialogue = line_of.model_validate_json(line)
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
