"""A run begun under a version that was released is finished under this one: its golden backup is restored, migrated and
served, and the question that waited in it is answered. And this version goes on where the next one has been."""

import tempfile
from uuid import UUID, uuid4

import asyncpg
import nats
import pytest

from backbone.bus import declare
from backbone.ledger.port import Append, Fact
from backbone.ledger.postgres import PostgresLedger
from contracts import subjects
from contracts.shape import Event
from dream.client.gateway_client import Client
from dream.failures import Exit
from dream.local.stack import LocalStack
from dream.ops import restore
from dream.texts import Texts
from tests.contract.record_ledger import KEY, LEDGERS
from tests.e2e.person import Json, Person, of, only
from tests.e2e.world import EFFECTS, PLAIN, STAGE, folder_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.mark.parametrize("version", sorted(place.name for place in LEDGERS.iterdir()))
async def test_a_run_begun_under_a_released_version_ends_under_this_one(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DREAM_PACKS", f"{PLAIN},{STAGE}")
    place = LEDGERS / version
    with folder_for("upgrade") as folder:
        async with restore.embedded(folder) as target:
            assert await restore.restore(place / "backup", target, place / KEY, Texts("en")) == Exit.DONE
            await still_waits(target.owner_url)
        async with LocalStack(folder) as stack, Person(stack.url) as person:
            (run,) = (await person.ask("GET", "/runs")).json()["runs"]
            question = await person.question(run["session_id"])
            await person.answer(run["session_id"], question, action="approve")
            events = await person.end_of(run, 120)
            assert of(events, "RunCompleted") and only(events, "ResponseOutput")["text"]
            assert (await person.ask("GET", "/dead-letters")).json()["dead_letters"] == []


async def still_waits(owner: str) -> None:
    """A question waits for a day; the one in the record was asked on the day of the release."""
    connection = await asyncpg.connect(owner)
    await connection.execute("update ledger.timers set due_at = now() + interval '1 day'")
    await connection.close()


class TodoPraised(Event):
    """Of the next version: no program here knows it."""

    word: str


EXPAND = """
alter table ledger.events add column later text not null default 'as before';
alter table ledger.streams add column later jsonb;
alter table ledger.timers add column later integer not null default 7;
create table ledger.later (session_id uuid primary key, at timestamptz not null default now());
insert into dream_meta.migrations (name, sha256) values ('8123_later.sql', 'x');
"""
"""A migration of the next version that only adds."""


async def test_this_version_works_on_while_the_next_one_migrates_and_declares(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its job has run and its pods come; or they have been, and it was rolled back."""
    monkeypatch.setenv("DREAM_PACKS", EFFECTS)
    with folder_for("next") as folder:
        monkeypatch.setattr(tempfile, "tempdir", str(folder))  # where the effects are
        async with LocalStack(folder) as stack, Person(stack.url) as person:
            run = await person.say("/errand 2")
            question = await person.question(run["session_id"])
            await expanded(stack)
            await widened(stack)
            await recorded(stack, run)
            await person.answer(run["session_id"], question, action="approve")
            events = await person.end_of(run)
            assert of(events, "RunCompleted") and len(of(events, "TodoSucceeded")) == 3
            assert [event["type"] for event in events if event["event"] == "TodoPraised"] == ["event"]
            async for frame in Client(stack.url).follow(run["session_id"]):
                if frame["version"] == len(events):
                    break
        async with LocalStack(folder) as stack, Person(stack.url) as person:
            again = await person.say("/errand 1", session_id=run["session_id"], auto_approve=True)
            assert of(await person.end_of(again), "RunCompleted", again)
            letters = (await person.ask("GET", "/dead-letters")).json()["dead_letters"]
            assert {letter["code"] for letter in letters} == {9002}, "what it does not know it keeps, and nothing else"


async def expanded(stack: LocalStack) -> None:
    connection = await asyncpg.connect(stack.servers.owner_url)
    await connection.execute(EXPAND)
    await connection.execute("create index concurrently streams_later on ledger.streams (later)")
    await connection.close()


async def widened(stack: LocalStack) -> None:
    """Every consumer filters on more."""
    client = await nats.connect(stack.servers.nats_url)
    js = client.jetstream()
    for info in await js.consumers_info(subjects.STREAM):
        filters = declare.filters_of(info.config)
        more = [*filters, subjects.pattern("response", "TodoPraised")]
        await js.add_consumer(subjects.STREAM, info.config.evolve(filter_subject=None, filter_subjects=more))
    await client.close()


async def recorded(stack: LocalStack, run: Json) -> None:
    """An event of the next version, in the session and on the bus."""
    ledger = await PostgresLedger.connect(stack.servers.database_url, min_size=1, max_size=1)
    run_id, event_id = UUID(run["run_id"]), uuid4()
    fact = Fact(TodoPraised(word="good"), event_id, run_id, run_id, None)
    await ledger.append("response", "next", [Append(UUID(run["session_id"]), uuid4(), (fact,))])
    await ledger.close()
