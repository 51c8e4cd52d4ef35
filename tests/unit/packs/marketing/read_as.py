"""A small table as the tool has it, and what it reads a question as."""

from collections.abc import Sequence

from packs.marketing.asking.meaning.guessing import How
from packs.marketing.asking.profile import Profile, profile
from packs.marketing.asking.request import Request
from packs.marketing.asking.several import requests_of
from packs.marketing.tables.read import read_table


def table(head: str, rows: Sequence[str], name: str) -> Profile:
    return profile(read_table("\n".join([head, *rows]).encode(), name))


def requests(table: Profile, text: str) -> list[Request]:
    """All that a text was read as."""
    return requests_of(text, table, (), None, How("table.csv", lambda texts: []))


def asked(table: Profile, *texts: str) -> Request:
    """What the last of the texts was read as, each going on from the one before: by rules, and wholly."""
    before: Request | None = None
    for text in texts:
        before = requests_of(text, table, (), before, How("table.csv", lambda texts: []))[-1]
    assert before is not None
    assert not before.unread, before.unread
    return before
