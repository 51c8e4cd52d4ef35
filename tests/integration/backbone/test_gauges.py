"""What operators watch, against real servers: lags, rows, questions, waits for connections, certificates."""

import asyncio
import ssl
import subprocess
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import asyncpg
import nats
import pytest
from prometheus_client import REGISTRY

from backbone.bus.jetstream import JetStreamBus
from backbone.gauges import certificates
from backbone.ledger import gauges
from backbone.ledger.gauges import PRODUCERS, LedgerGauges
from backbone.ledger.pool import guarded, open_pool
from backbone.ledger.port import Append, DeadLetter, Fact, Timer
from backbone.ledger.postgres import PostgresLedger
from contracts.decisions import DecisionExpired, DecisionKind
from contracts.errors import Code
from contracts.gateway import FeedbackGiven
from tests.conftest import as_superuser


def value(name: str, **labels: str) -> float | None:
    return REGISTRY.get_sample_value(name, labels)


@pytest.fixture
async def ledger(postgres_url: str) -> AsyncIterator[PostgresLedger]:
    ledger = await PostgresLedger.connect(postgres_url, min_size=1, max_size=4)
    try:
        yield ledger
    finally:
        LedgerGauges.forget()
        await ledger.close()


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


async def both(ledger: PostgresLedger) -> None:
    clock = Clock()
    read = LedgerGauges(ledger.pool, clock)
    await read.look()
    clock.now += 16
    await read.look()


async def said(ledger: PostgresLedger, number: int, *timers: Timer) -> None:
    facts = tuple(
        Fact(FeedbackGiven.model_validate(FeedbackGiven.example), uuid4(), None, uuid4(), None) for _ in range(number)
    )
    await ledger.append("planning", "test", [Append(uuid4(), uuid4(), facts, timers=timers)])


async def test_what_no_relay_has_published_is_counted_and_aged_by_its_producer(ledger: PostgresLedger) -> None:
    await said(ledger, 7)
    await both(ledger)
    assert value("dream_relay_lag_events", producer="planning") == 7
    before = value("dream_relay_lag_seconds", producer="planning")
    await asyncio.sleep(0.3)
    await both(ledger)
    after = value("dream_relay_lag_seconds", producer="planning")
    assert before is not None and after is not None and after >= before + 0.3
    assert {value("dream_relay_lag_events", producer=name) for name in PRODUCERS if name != "planning"} == {0}
    async with ledger.lead("planning") as tail:
        assert tail is not None
        epoch, start = await tail.cursor()
        read = await tail.read(start, 100)
        await tail.save(epoch or "life", read[4][0])
    await both(ledger)
    assert value("dream_relay_lag_events", producer="planning") == 2


async def test_questions_timers_letters_and_rows(ledger: PostgresLedger) -> None:
    now = datetime.now(UTC)
    expired = DecisionExpired(decision_id=uuid4(), kind=DecisionKind.PLAN)
    due = (now + timedelta(hours=1), now + timedelta(days=1), now - timedelta(seconds=95))
    await said(ledger, 3, *(Timer(uuid4(), None, at, expired) for at in due))
    await ledger.keep_dead_letter(DeadLetter(uuid4(), "test", "evt.x", None, {}, b"", Code.INTERNAL, "why", 1))
    await both(ledger)
    assert (value("dream_decisions", state="open"), value("dream_decisions", state="overdue")) == (2, 1)
    late = value("dream_timer_late_seconds")
    assert late is not None and 95 <= late < 200
    assert value("dream_dead_letters_open") == 1
    assert value("dream_ledger_rows", table="events") is not None
    assert value("dream_leases", state="held") == value("dream_leases", state="waiting") == 0
    LedgerGauges.forget()
    assert (value("dream_decisions", state="open"), value("dream_timer_late_seconds")) == (None, 0)


async def test_an_open_writer_is_aged(ledger: PostgresLedger, postgres_url: str) -> None:
    writer = await asyncpg.connect(as_superuser(postgres_url))
    try:
        async with writer.transaction():
            await writer.execute("select pg_current_xact_id()")
            await ledger.pool.execute("select pg_current_xact_id()")
            clock = Clock()
            read = LedgerGauges(ledger.pool, clock)
            for _ in range(4):  # whose it is our role may not see: since when it is there, only the second look tells
                await read.look()
                await asyncio.sleep(0.2)
                clock.now += 16
        assert (value("dream_ledger_oldest_writer_seconds") or 0) >= 0.4
    finally:
        await writer.close()


async def test_one_question_in_fifteen_seconds_however_often_it_is_asked(
    ledger: PostgresLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, asked = Clock(), 0
    read = LedgerGauges(ledger.pool, clock)

    async def counted(call):
        nonlocal asked
        asked += 1
        return await guarded(call)

    monkeypatch.setattr(gauges, "guarded", counted)
    monkeypatch.setattr("backbone.ledger.gauges.guarded", counted)
    for _ in range(90):
        await read.look()
        clock.now += 1
    assert asked == 6


async def test_a_question_that_is_refused_ends_nothing_and_is_told_once(
    ledger: PostgresLedger, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(gauges, "_STANDS", "select * from ledger.no_such_table")
    clock = Clock()
    read = LedgerGauges(ledger.pool, clock)
    before = value("dream_ledger_read_timestamp_seconds")
    for _ in range(6):
        await read.look()
        clock.now += 30
    assert [record.message for record in caplog.records].count("the ledger's gauges cannot be read") == 1
    assert value("dream_ledger_read_timestamp_seconds") != before, "the other question is answered"


async def test_waits_for_connections_are_measured(postgres_url: str) -> None:
    def waited() -> tuple[float, float]:
        found = (
            value("dream_pool_wait_seconds_count", pool="narrow"),
            value("dream_pool_wait_seconds_sum", pool="narrow"),
        )
        return found[0] or 0, found[1] or 0

    pool = await open_pool(postgres_url, min_size=1, max_size=1, name="narrow")
    try:
        count, seconds = waited()
        async with pool.acquire() as connection:
            waiting = asyncio.create_task(pool.fetchval("select 5"))
            await connection.fetchval("select pg_sleep(0.4)")
            assert value("dream_pool_connections", pool="narrow", state="used") == 1
        assert await waiting == 5
        assert waited()[0] == count + 2 and waited()[1] >= seconds + 0.3
        assert value("dream_pool_connections", pool="narrow", state="idle") == 1
    finally:
        await pool.close()


def certificate(folder: Path, days: int) -> tuple[Path, Path]:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "nats")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "key.pem").write_bytes(private)
    return folder / "cert.pem", folder / "key.pem"


async def test_the_days_of_the_certificate_of_nats_are_counted(ledger: PostgresLedger, tmp_path: Path) -> None:
    from dream.local.embedded import free_port
    from dream.local.nats import answers, binary

    cert, key = certificate(tmp_path, 40)
    port = free_port()
    config = tmp_path / "nats.conf"
    config.write_text(f'host: localhost\nport: {port}\ntls {{cert_file: "{cert}", key_file: "{key}"}}\n')
    server = subprocess.Popen([binary(), "-c", str(config)], stderr=subprocess.DEVNULL)  # noqa: ASYNC220  # of this test
    try:
        trusting = ssl.create_default_context(cafile=str(cert))
        async with asyncio.timeout(20):
            while not answers(port):
                await asyncio.sleep(0.1)
            client = await nats.connect(f"tls://localhost:{port}", tls=trusting)
        bus = JetStreamBus(client, may_create=False, max_bytes=1024, max_age_seconds=60)
        certificates(bus, ledger.pool)
        days = value("dream_certificate_days", peer="nats")
        assert days is not None and 39.9 < days <= 40
        assert value("dream_certificate_days", peer="postgres") is None
        await client.close()
    finally:
        server.terminate()
        server.wait(10)
