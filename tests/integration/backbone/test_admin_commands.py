"""`dream admin …` as it is typed: options, exit codes, one sentence, no password."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import nats
import nats.js.errors
import pytest
from typer.testing import CliRunner, Result

from backbone.bus import administration
from backbone.bus.rights import Rights
from backbone.ledger.migrate import migrate
from backbone.ledger.postgres import PostgresLedger
from contracts import subjects
from contracts.gateway import SessionOpened
from dream.cli import running
from dream.cli.app import app
from dream.cli.running import Interrupts, T
from dream.local.embedded import EmbeddedNats
from tests.conformance.facts import CONSUMER, PRODUCER, append, fact
from tests.conftest import as_owner, as_superuser, wait_for

_numbers = count(1)


class Undisturbed(Interrupts):
    """No signal of the test's process is taken over."""

    async def guard(self, work: Coroutine[Any, Any, T]) -> T:
        return await work


def simply(command: Callable[[Interrupts], Awaitable[int]]) -> int:
    """As running.run, which also ends all that descends from its process: here those are the servers of the tests."""

    async def run() -> int:
        return await command(Undisturbed())

    return asyncio.run(run())


@pytest.fixture
def dream(
    postgres_url: str, nats_server: EmbeddedNats, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    """With the exit code that is expected. No password of a server stands in what it says."""
    monkeypatch.setattr(running, "run", simply)
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("DREAM_PACKS", "marketing")
    monkeypatch.setenv("DREAM_NATS_URL", nats_server.url)
    monkeypatch.setenv("DREAM_DATABASE_URL", postgres_url)
    monkeypatch.setenv("DREAM_ARTIFACTS_URL", (tmp_path / "files").as_uri())
    monkeypatch.setenv("DREAM_DATA_DIR", str(tmp_path / "data"))
    secrets = [url.split("@")[0].rsplit(":", 1)[1] for url in (postgres_url, as_owner(postgres_url), nats_server.url)]

    def run(*words: str, code: int = 0) -> Result:
        done = CliRunner().invoke(app, ["admin", *words])
        assert done.exit_code == code, f"{words}: {done.output} {done.exception!r}"
        assert not any(secret in done.output for secret in secrets)
        return done

    return run


@pytest.fixture
def empty(postgres_server: Callable[[str], str]) -> Iterator[str]:
    """The owner's URL of a database with nothing in it."""
    name = f"empty_{next(_numbers)}"
    admin = as_superuser(postgres_server("postgres"))

    async def execute(statement: str) -> None:
        connection = await asyncpg.connect(admin)
        await connection.execute(statement)
        await connection.close()

    asyncio.run(execute(f"create database {name} owner dream"))
    yield as_owner(postgres_server(name))
    asyncio.run(execute(f"drop database {name} with (force)"))


async def opened(url: str) -> UUID:
    session = uuid4()
    ledger = await PostgresLedger.connect(url, min_size=1, max_size=1)
    await ledger.append(PRODUCER, CONSUMER, [append(session, fact(SessionOpened(user="kim")))])
    await ledger.close()
    return session


def test_the_bus_is_compared_declared_and_rebuilt(
    dream: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "MISSING stream" in dream("bus", "diff", code=1).output
    assert "Declared: the stream and" in dream("bus", "declare").output
    assert json.loads(dream("bus", "diff", "--json").output) == []
    assert json.loads(dream("bus", "rebuild", "--json").output) == {"messages": 0}
    assert "as this version declares" in dream("bus", "diff").output
    monkeypatch.setattr(administration, "SECONDS", 1.0)
    assert "no NATS" in dream("bus", "diff", "--nats", "nats://dream:secret@127.0.0.1:9", code=3).output


@dataclass(slots=True)
class Told(EmbeddedNats):
    """With the users of a text."""

    text: str = ""

    def _configured(self, rights: Mapping[str, Rights] | None = None) -> Path:
        file = self.folder / "nats.conf"
        file.write_text(self.text)
        return file


@pytest.mark.parametrize("split", [(), ("--split",)])
def test_a_server_takes_the_users_that_are_printed_and_their_keys_open_it(
    split: tuple[str, ...], dream: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds = tmp_path / "keys"
    server = Told(tmp_path / "nats", text=dream("bus", "rights", "--keys", str(seeds), *split).output)
    server.start()
    try:
        monkeypatch.setenv("DREAM_NATS_URL", server.door)
        monkeypatch.setenv("DREAM_NATS_NKEY_FILE", str(seeds / "admin.seed"))
        assert "Declared: the stream and" in dream("bus", "declare").output
        assert "0 messages dropped" in dream("bus", "make-room").output
        assert "as this version declares" in dream("bus", "diff").output
        monkeypatch.setattr(administration, "SECONDS", 1.0)
        monkeypatch.setenv("DREAM_NATS_NKEY_FILE", str(seeds / "gateway.seed"))
        assert "permissions violation" in dream("bus", "rebuild", code=3).output
        monkeypatch.setenv("DREAM_NATS_NKEY_FILE", str(tmp_path / "nothing"))
        assert "seed cannot be read" in dream("bus", "diff", code=3).output
    finally:
        server.stop()


def test_a_ledger_is_saved_brought_back_pruned_and_erased(
    dream: Callable[..., Result], postgres_url: str, empty: str, tmp_path: Path
) -> None:
    asyncio.run(opened(postgres_url))
    owner, saved, key = as_owner(postgres_url), str(tmp_path / "saved"), ["--key", str(tmp_path / "key")]
    assert "no ledger" in dream("backup", str(tmp_path / "x"), *key, "--url", empty, code=2).output
    assert "1 events of 1 sessions" in dream("backup", saved, *key, "--url", owner).output
    assert "is there already" in dream("backup", saved, *key, "--url", owner, code=2).output
    assert "dream admin bus rebuild" in dream("restore", saved, *key, "--url", empty).output
    assert "has a ledger already" in dream("restore", saved, *key, "--url", empty, code=2).output
    assert "is no backup" in dream("restore", str(tmp_path), *key, "--url", empty, code=2).output
    told = json.loads(dream("prune", "--sessions-older-than", "1h", "--dry-run", "--json", "--url", owner).output)
    assert (told["sessions"], told["events"]) == (0, 0)
    assert "no duration" in dream("prune", "--inbox-older-than", "soon", "--url", owner, code=2).output
    assert "at least 48h" in dream("prune", "--inbox-older-than", "2h", "--url", owner, code=2).output
    assert "not archived" in dream("restore-session", str(uuid4()), "--url", owner, code=2).output
    assert "Erased kim: 1 sessions, 1 events" in dream("erase", "kim", "--url", owner).output
    assert {"kind": "login", "name": "dream_service", "since": None} in json.loads(
        dream("keys", "list", "--json", "--url", owner).output
    )
    assert "no secret" in dream("keys", "rotate", "nothing", "--url", owner, code=2).output
    assert "Nothing to apply" in dream("migrate", "--url", owner).output


async def told(url: str, session: UUID) -> int:
    """Publishes what a relay would have published of the session; how many messages the stream has of it."""
    client = await nats.connect(url)
    try:
        subject = subjects.event(session, "gateway", "SessionOpened")
        await client.jetstream().publish(subject, b"{}")
        info = await client.jetstream().stream_info(subjects.STREAM, subjects_filter=f"evt.*.{session}.>")
        return sum((info.state.subjects or {}).values())
    finally:
        await client.close()


async def left(url: str) -> int:
    client = await nats.connect(url)
    try:
        return int((await client.jetstream().stream_info(subjects.STREAM)).state.messages)
    finally:
        await client.close()


def test_what_was_said_leaves_the_bus_with_its_person(
    dream: Callable[..., Result], postgres_url: str, nats_server: EmbeddedNats
) -> None:
    mine, other = asyncio.run(opened(postgres_url)), uuid4()
    dream("bus", "declare")
    assert [asyncio.run(told(nats_server.url, session)) for session in (mine, other)] == [1, 1]
    dream("erase", "kim", "--url", as_owner(postgres_url))
    assert asyncio.run(left(nats_server.url)) == 1


@pytest.fixture
def as_before(postgres_url: str) -> Iterator[None]:
    """Whoever migrates by the owner's login alone gives packs other passwords, in all databases of the server."""
    yield
    wait_for(migrate(as_owner(postgres_url), services_url=postgres_url))


@pytest.mark.usefixtures("as_before")
def test_addresses_may_stand_in_files(
    dream: Callable[..., Result],
    postgres_url: str,
    nats_server: EmbeddedNats,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, url in (("DATABASE", as_owner(postgres_url)), ("NATS", nats_server.url)):
        file = tmp_path / name
        file.write_text(f"{url}\n")
        monkeypatch.delenv(f"DREAM_{name}_URL")
        monkeypatch.setenv(f"DREAM_{name}_URL_FILE", str(file))
    assert "Declared: the stream and" in dream("bus", "declare").output
    assert "Nothing to apply" in dream("migrate").output
    (tmp_path / "NATS").unlink()
    assert "DREAM_NATS_URL_FILE" in dream("bus", "diff", code=2).output


def test_a_bus_is_kept_until_the_keeper_is_stopped(nats_server: EmbeddedNats, tmp_path: Path) -> None:
    words = [
        sys.executable,
        "-c",
        "from dream.cli.app import main; main()",
        "admin",
        "bus",
        "keep",
        "--nats",
        nats_server.url,
    ]
    keeper = subprocess.Popen(words, env={**os.environ, "DREAM_PACKS": "marketing", "DREAM_DATA_DIR": str(tmp_path)})
    try:
        asyncio.run(there(nats_server.url))
    finally:
        keeper.send_signal(signal.SIGTERM)
    assert keeper.wait(20) == 0


async def there(url: str) -> None:
    """Waits until there is a stream with its consumers."""
    client = await nats.connect(url)
    try:
        async with asyncio.timeout(60):
            while True:
                try:
                    if await client.jetstream().consumers_info(subjects.STREAM):
                        return
                except nats.js.errors.NotFoundError:
                    pass
                await asyncio.sleep(0.1)
    finally:
        await client.close()
