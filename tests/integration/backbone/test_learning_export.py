"""What is exported for learning from a real ledger: who said it is the same person throughout, and nobody's name."""

import hashlib
from uuid import uuid4

from backbone.ledger.postgres import PostgresLedger
from contracts.gateway import SessionOpened
from dream.learning.export import Wanted, lines
from tests.conformance.facts import CONSUMER, PRODUCER, append, fact, run_begins


async def _users(ledger: PostgresLedger) -> list[str]:
    return [str(one["user"]) async for one in lines(ledger, Wanted())]


async def test_a_person_is_one_pseudonym_in_an_export_and_another_in_the_next(postgres_url: str) -> None:
    ledger = await PostgresLedger.connect(postgres_url, min_size=0)
    try:
        for user in ("minsu", "minsu", "jun"):
            session = uuid4()
            opened = append(session, fact(SessionOpened(user=user)))
            await ledger.append(PRODUCER, CONSUMER, [opened, run_begins(session, uuid4())])
        first, second = await _users(ledger), await _users(ledger)
    finally:
        await ledger.close()
    assert sorted(first.count(user) for user in set(first)) == [1, 2]
    assert not set(first) & set(second)
    assert not set(first) & {hashlib.sha256(user).hexdigest()[:16] for user in (b"minsu", b"jun")}
