"""All sources of a request at once. A source that fails does not lose the others."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from contracts.errors import Code
from packs.marketing.tables.columns import Guess, guess_columns
from packs.marketing.tables.raw import Unreadable
from packs.marketing.web.content import Content, name_of, read_content
from packs.marketing.web.fetch import Rules, Unfetched, fetch
from packs.marketing.web.found import COLUMNS

# More at once would look like an attack to a small shop.
_AT_ONCE: Final = 4
_SHOWN_COLUMNS: Final = 40
_CODES: Final = {
    "address": Code.ADDRESS_REFUSED,
    "credentials": Code.ADDRESS_REFUSED,
    "refused": Code.ADDRESS_REFUSED,
    "large": Code.FILE_TOO_LARGE,
}


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a source gave nothing: a key under `collector.source` and the value that fills it."""

    reason: str
    value: str = ""
    code: Code = Code.EXTERNAL_UNAVAILABLE
    may_pass: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """One address and what came of it: content with a guess for each column, or a failure."""

    url: str
    name: str
    content: Content | None = None
    guesses: Sequence[Guess] = ()
    failure: Failure | None = None


def collect_sources(
    urls: Sequence[str], mapping: Mapping[str, str], rules: Rules, done: Callable[[str], None]
) -> list[Source]:
    """In the order given, each address once. `done` hears the name of every source that is through."""
    return asyncio.run(_all(list(dict.fromkeys(urls)), mapping, rules, done))


async def _all(
    urls: Sequence[str], mapping: Mapping[str, str], rules: Rules, done: Callable[[str], None]
) -> list[Source]:
    turn = asyncio.Semaphore(_AT_ONCE)
    names = _names(urls)

    async def one(url: str, name: str) -> Source:
        async with turn:
            result = await _collect(url, rules)
        done(name)
        return (
            Source(url, name, failure=result) if isinstance(result, Failure) else _guessed(url, name, result, mapping)
        )

    return list(await asyncio.gather(*(one(url, name) for url, name in zip(urls, names, strict=True))))


async def _collect(url: str, rules: Rules) -> Content | Failure:
    try:
        page = await fetch(url, rules)
        # Parsing takes time: in a thread, so that the others' answers are not late for it.
        content = await asyncio.to_thread(read_content, page)
    except Unfetched as error:
        return Failure(error.reason, error.value, _CODES.get(error.reason, Code.EXTERNAL_UNAVAILABLE), error.may_pass)
    except Unreadable:
        return Failure("unreadable", code=Code.TABLE_UNREADABLE)
    if not content.table.records and not content.table.bad:
        return Failure("empty", code=Code.TABLE_EMPTY)
    return content


def _guessed(url: str, name: str, content: Content, mapping: Mapping[str, str]) -> Source:
    table = content.table
    certain = content.kind != "table"
    cells = [record.cells for record in table.records]
    guesses = guess_columns(table.columns, cells, {role: role for role in COLUMNS} if certain else mapping)
    if table.records and not any(guess.role == "text" for guess in guesses):
        columns = ", ".join(table.columns[:_SHOWN_COLUMNS])
        return Source(url, name, failure=Failure("text_column", columns, Code.TEXT_COLUMN_MISSING))
    return Source(url, name, content, guesses)


def _names(urls: Sequence[str]) -> list[str]:
    """Names that tell the sources apart, also where they differ in their query only."""
    names: list[str] = []
    for url in urls:
        try:
            name = name_of(url)
        except ValueError:
            name = url[:80]
        again = names.count(name) + sum(one.startswith(f"{name} (") for one in names)
        names.append(f"{name} ({again + 1})" if again else name)
    return names
