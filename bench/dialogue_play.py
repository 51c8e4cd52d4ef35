"""Plays dialogues through the gateway's public interface, each as a person with an account of their own, and reads
from the bank's books what was paid."""

from dataclasses import dataclass, field
from uuid import uuid4

import asyncpg

from bench.dialogue_file import Booked, Dialogue, Paid, differences, plain, shown
from dream.client.dialogue_talk import PATIENCE, Json, PlayedDialogue, say_all

__all__ = ["PATIENCE", "Json", "Played", "PlayedDialogue", "booked", "play"]

_BOOKS = """select t.amount, t.memo, t.value_on, t.ordered_on,
 (select array_agg(distinct name) from (
    select unnest(n.names) as name from pack_transfer.payee_names n where n.payee_id = t.payee_id
    union select n.names[1] || ' (' || n.bank || ')' from pack_transfer.payee_names n where n.payee_id = t.payee_id
    union select n.bank || ' ' || n.names[1] from pack_transfer.payee_names n where n.payee_id = t.payee_id
 ) called) as names
 from pack_transfer.transfers t where t.owner = $1 and t.payee_id is not null order by t.made_at"""


@dataclass(slots=True)
class Played:
    """How a dialogue went. `wrong` says of each failing turn what is wrong; `unpaid` and `overpaid` are wrong money."""

    dialogue: Dialogue
    answers: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    unpaid: list[Paid] = field(default_factory=list)
    overpaid: list[Booked] = field(default_factory=list)

    @property
    def wrong_money(self) -> bool:
        return bool(self.unpaid or self.overpaid)

    @property
    def right(self) -> bool:
        return not self.wrong and not self.wrong_money

    def reasons(self) -> list[str]:
        """All that is wrong, for people."""
        unpaid = [f"not paid: {shown(one)}" for one in self.unpaid]
        return [*self.wrong, *unpaid, *(f"paid though it should not be: {shown(one)}" for one in self.overpaid)]


async def play(url: str, owner_url: str, dialogue: Dialogue) -> Played:
    """The dialogue from its first turn to its last, whatever fails on the way."""
    person = f"bench-{dialogue.id}-{uuid4()}"
    played = Played(dialogue)
    played.answers, played.wrong = await say_all(url, person, dialogue)
    played.unpaid, played.overpaid = differences(dialogue.expect.paid, await booked(owner_url, person))
    return played


async def booked(owner_url: str, person: str) -> list[Booked]:
    """What the bank's books say of a person. A payee goes by any name in any language, perhaps with the bank."""
    connection = await asyncpg.connect(owner_url)
    try:
        rows = await connection.fetch(_BOOKS, person)
    finally:
        await connection.close()
    return [
        Booked(
            names=frozenset(plain(name) for name in row["names"]),
            amount=row["amount"],
            memo=row["memo"],
            date=row["value_on"] if row["value_on"] != row["ordered_on"] else None,
        )
        for row in rows
    ]
