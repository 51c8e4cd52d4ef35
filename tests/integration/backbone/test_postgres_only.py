"""What only a real database can break: overlapping transactions, rights, connections that die."""

import asyncio
from contextlib import suppress
from uuid import uuid4

import asyncpg
import pytest

from backbone.ledger.port import START, LedgerUnavailable, Position
from backbone.ledger.postgres import PostgresLedger
from tests.conformance.facts import CONSUMER, PRODUCER, append, fact
from tests.conftest import as_owner

CHANGES = (
    "update ledger.events set data = '{}'",
    "delete from ledger.events",
    "truncate ledger.events",
    "truncate ledger.events_0",
    "truncate ledger.events_1, ledger.events_2, ledger.events_3",
)


@pytest.mark.parametrize("change", CHANGES)
async def test_nobody_changes_history_neither_a_service_nor_the_owner(ledger, owner, change) -> None:
    await ledger.append(PRODUCER, CONSUMER, [append(uuid4()) for _ in range(8)])
    with pytest.raises(asyncpg.PostgresError) as refused:
        await owner.execute(change)
    assert refused.value.sqlstate == "DR403"
    await owner.execute("set role dream_service")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await owner.execute(change)
    assert await ledger.verify() == {}


RIGHTS_OF_ANOTHER = (
    # to be somebody else again
    *(f"reset role; set role {role}" for role in ("dream", "postgres", "dream_pack_transfer")),
    "set session authorization dream",
    "grant dream to dream_service",
    "alter role dream_service createrole",
    # past the function that numbers and chains
    """insert into ledger.events (stream_id, version, event_id, type, schema_version, producer, correlation_id, data, hash)
       values (gen_random_uuid(), 1, gen_random_uuid(), 'RunCompleted', 1, 'response', gen_random_uuid(), '{}', 'any')""",
    "insert into ledger.events_2 select * from ledger.events",
    "update ledger.streams set version = version - 1",
    "insert into ledger.streams values (gen_random_uuid(), 7, 'any')",
    "delete from ledger.streams",
    "insert into ledger.inbox (consumer, cause) values ('planning', gen_random_uuid())",
    "update ledger.inbox set handled_at = now()",
    "select nextval('ledger.event_seq')",
    "delete from ledger.open_runs",
    "insert into ledger.timers values (gen_random_uuid(), gen_random_uuid(), null, now(), 'TimerFired', '{}')",
    "update ledger.timers set due_at = now()",
    "update ledger.dead_letters set body = ''",
    "delete from ledger.dead_letters",
    "delete from ledger.relay_cursors",
    "update memory.items set text = 'something else'",
    "delete from toolbox.groups",
    # what keeps history as it is
    "alter table ledger.events disable trigger all",
    "set session_replication_role = replica; alter table ledger.events_1 disable trigger all",
    "create or replace function ledger.mine() returns int language sql return 1",
    "alter function ledger.refuse() owner to dream_service",
    "drop trigger append_only on ledger.events",
    "create schema mine",
)


async def test_a_service_that_was_taken_over_appends_as_always_and_can_do_nothing_else(
    ledger: PostgresLedger, postgres_url: str
) -> None:
    await ledger.append(PRODUCER, CONSUMER, [append(uuid4())])
    service = await asyncpg.connect(postgres_url)
    try:
        for statements in RIGHTS_OF_ANOTHER:
            *before, last = statements.split("; ")
            for one in before:
                with suppress(asyncpg.InsufficientPrivilegeError):
                    await service.execute(one)
            assert await _code(service, last) == "42501", last
    finally:
        await service.close()
    assert await ledger.append(PRODUCER, CONSUMER, [append(uuid4())])
    assert await ledger.verify() == {}


async def _code(connection: "asyncpg.Connection[asyncpg.Record]", statement: str) -> str:
    try:
        return await connection.execute(statement)
    except asyncpg.PostgresError as error:
        return error.sqlstate


async def test_the_append_of_a_service_has_the_owners_rights_and_nobody_elses_names(
    ledger: PostgresLedger, postgres_url: str
) -> None:
    who = await ledger.pool.fetchval("select array[session_user::text, current_user::text]")
    assert who == ["dream_service", "dream_service"]
    pinned = await ledger.pool.fetch(
        "select proname, proconfig from pg_proc where prosecdef and pronamespace::regnamespace::text !~ '^pg_'"
    )
    ours = {"append", "append_believed", "append_fenced", "readmit_session", "remove_session", "seal", "unseal"}
    assert {row["proname"] for row in pinned} == ours
    assert all("search_path=pg_catalog, pg_temp" in row["proconfig"] for row in pinned)
    assert (
        await ledger.pool.fetch(
            r"""select r.rolname from pg_proc p, pg_roles r where p.prosecdef and has_function_privilege(r.oid, p.oid, 'execute')
           and p.pronamespace = 'ledger'::regnamespace and r.rolname like 'dream\_pack%'"""
        )
        == []
    )


async def test_a_service_can_neither_make_tables_nor_forget_what_it_has_handled(owner) -> None:
    await owner.execute("set role dream_service")
    for statement in ("create table ledger.mine (i int)", "delete from ledger.inbox", "drop table ledger.events"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await owner.execute(statement)


@pytest.mark.parametrize(("gone", "first_bad"), [(2, 2), (3, 3), (1, 1)])
async def test_verify_misses_an_event_that_was_taken_out(ledger, owner, gone, first_bad) -> None:
    session = uuid4()
    await ledger.append(PRODUCER, CONSUMER, [append(session, fact(), fact(), fact())])
    await owner.execute("alter table ledger.events disable trigger append_only")
    await owner.execute("delete from ledger.events where stream_id = $1 and version = $2", session, gone)
    assert await ledger.verify() == {session: first_bad}


async def test_verify_misses_a_whole_stream(ledger, owner) -> None:
    session = uuid4()
    await ledger.append(PRODUCER, CONSUMER, [append(session), append(uuid4())])
    await owner.execute("alter table ledger.events disable trigger append_only")
    await owner.execute("delete from ledger.events where stream_id = $1", session)
    assert await ledger.verify() == {session: 1}


async def test_a_tail_waits_for_an_older_transaction_instead_of_skipping_its_events(
    ledger, owner, postgres_url
) -> None:
    slow, quick = uuid4(), uuid4()
    old = owner.transaction()
    await old.start()
    await owner.execute("select pg_current_xact_id()")  # older than everything below
    await ledger.append(PRODUCER, CONSUMER, [append(quick)])
    async with ledger.lead(PRODUCER) as tail:
        assert tail is not None
        assert await tail.read(START, 10) == []
        await _insert_by_hand(owner, slow)
        await old.commit()
        read = await tail.read(START, 10)
        assert [message.session_id for _, message in read] == [slow, quick]


async def _insert_by_hand(connection, session) -> None:
    await connection.execute(
        """insert into ledger.events (stream_id, version, event_id, type, schema_version, producer, correlation_id, data, hash)
           values ($1, 1, gen_random_uuid(), 'FeedbackGiven', 1, $2, gen_random_uuid(), '{"about": "answer"}', '')""",
        session,
        PRODUCER,
    )


async def test_a_tail_sees_every_event_once_and_in_stream_order_while_many_write(ledger, postgres_url) -> None:
    sessions = [uuid4() for _ in range(8)]

    async def write(number: int) -> None:
        for step in range(15):
            first, second = sessions[number % 8], sessions[(number + step) % 8]
            await ledger.append(PRODUCER, CONSUMER, [append(first), append(second)])

    seen: list[tuple[Position, tuple[object, int]]] = []

    async def follow() -> None:
        position = START
        async with ledger.lead(PRODUCER) as tail:
            assert tail is not None
            while len(seen) < 8 * 15 * 2:
                batch = await tail.read(position, 7)
                seen.extend((place, (message.session_id, message.version)) for place, message in batch)
                position = batch[-1][0] if batch else position
                await asyncio.sleep(0.001)

    async with asyncio.timeout(10):
        await asyncio.gather(follow(), *(write(number) for number in range(8)))
    assert [place for place, _ in seen] == sorted(place for place, _ in seen)
    for session in sessions:
        versions = [version for _, (stream, version) in seen if stream == session]
        assert versions == list(range(1, len(versions) + 1))


async def test_leaders_do_not_use_up_the_connections_of_everybody_else(postgres_url: str) -> None:
    ledger = await PostgresLedger.connect(postgres_url, min_size=0, max_size=2)
    try:
        async with (
            asyncio.timeout(5),
            ledger.lead("a") as a,
            ledger.lead("b") as b,
            ledger.lead("c") as c,
        ):
            assert a
            assert b
            assert c
            await ledger.append(PRODUCER, CONSUMER, [append(uuid4())])
    finally:
        await ledger.close()


async def test_connections_that_die_are_an_outage_and_then_it_goes_on(ledger, owner) -> None:
    session = uuid4()
    await ledger.append(PRODUCER, CONSUMER, [append(session)])
    async with ledger._pool.acquire() as connection:
        pid = connection.get_server_pid()
        waiting = asyncio.create_task(ledger._guard(lambda: connection.fetch("select pg_sleep(10)")))
        await asyncio.sleep(0.05)
        await owner.execute("select pg_terminate_backend($1)", pid)
        with pytest.raises(LedgerUnavailable):
            await waiting
    await ledger.append(PRODUCER, CONSUMER, [append(session)])
    assert await ledger.head(session) == 2


async def test_a_database_that_is_not_there_yet_is_an_outage(postgres_url: str, postgres_server) -> None:
    with pytest.raises(LedgerUnavailable, match="no ledger"):
        await PostgresLedger.connect(postgres_server("no_such_database"))
    with pytest.raises(LedgerUnavailable, match="no_such_role"):
        await PostgresLedger.connect(postgres_url, roles=("no_such_role",))


async def test_migrating_again_changes_nothing(postgres_url: str) -> None:
    from backbone.ledger.migrate import migrate

    assert await migrate(as_owner(postgres_url), (), postgres_url) == []
