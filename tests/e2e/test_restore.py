"""Backed up, destroyed, restored into a server with fewer transactions: an open run ends, a new one runs, files are there.

By a dump here and always; by a base backup with its log to a named point in `make ops-test`, as docs/runbook.md has it."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path

import asyncpg
import pytest

from dream.failures import Exit
from dream.local.postgres import binaries
from dream.local.postgres_tools import without_password
from dream.local.postgres_user import NAME as SERVER_USER
from dream.local.stack import LocalStack
from dream.ops import backup, bus
from dream.ops import restore as restoring
from dream.texts import Texts
from tests.conformance.harness import until
from tests.e2e.person import Json, Person, of, only
from tests.e2e.world import PLAIN, folder_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

SAID = Texts("en")
CSV = b"product,review,rating\nlamp,I love this lamp,5\nlamp,It broke and I hate it,1\nsofa,Nice and comfortable,4\n"
ASKED = "Analyze the sentiment of these reviews"
AGE = 20_000
WAYS = ("dump", "base backup") if "DREAM_OPS" in os.environ else ("dump",)


@pytest.mark.parametrize("way", WAYS)
async def test_an_open_run_ends_after_the_ledger_was_destroyed_and_restored(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DREAM_PACKS", PLAIN)
    with folder_for("restore") as folder:
        old, new = folder / "old", folder / "new"
        bring_back = by_dump if way == "dump" else by_base_backup
        async with LocalStack(old) as stack, Person(stack.url) as person:
            await grow_old(stack)
            file = await person.upload("reviews.csv", CSV)
            over = await person.say(ASKED, attachments=[file], auto_approve=True)
            before = await person.end_of(over, 120)
            waits = await person.say(ASKED, attachments=[file])
            question = await person.question(waits["session_id"])
            restore = await bring_back(stack, folder)
            lost = await person.say(ASKED, attachments=[file], auto_approve=True)
        old.rename(folder / "gone")
        await restore(new)
        shutil.rmtree(folder / "gone")
        async with LocalStack(new) as stack, Person(stack.url) as person:
            if way == "base backup":
                assert await bus.rebuilt(stack.servers.nats_url, new, SAID, as_json=False) == Exit.DONE
            assert await person.events(over["session_id"]) == before
            gone = await person.ask("GET", f"/sessions/{lost['session_id']}")
            assert gone.status_code == 404, "what came after the backup is gone, and nobody says otherwise"
            assert await person.download(file) == CSV
            await person.answer(waits["session_id"], question, action="approve")
            assert said(await person.end_of(waits, 120)).startswith(said(before)), "the same, be it kept from before"
            again = await person.say(ASKED, attachments=[file], auto_approve=True)
            assert of(await person.end_of(again, 120), "RunCompleted")
            assert await bus.compared(stack.servers.nats_url, new, SAID, as_json=False) == Exit.DONE


def said(events: list[Json]) -> str:
    return str(only(events, "ResponseOutput")["text"])


async def grow_old(stack: LocalStack) -> None:
    connection = await asyncpg.connect(stack.servers.owner_url)
    loop = f"do $$ begin for i in 1..{AGE} loop perform pg_current_xact_id(); commit; end loop; end $$"
    await connection.execute(loop, timeout=120)
    await connection.close()


Restore = Callable[[Path], Awaitable[None]]


async def by_dump(stack: LocalStack, folder: Path) -> Restore:
    saved, key = folder / "saved", folder / "audit.key"
    artifacts = stack.settings.artifacts_url
    assert await backup.backup(stack.servers.owner_url, artifacts, saved, key, SAID, as_json=False) == Exit.DONE

    async def restore(new: Path) -> None:
        async with restoring.embedded(new) as target:
            assert await restoring.restore(saved, target, key, SAID) == Exit.DONE

    return restore


async def by_base_backup(stack: LocalStack, folder: Path) -> Restore:
    """With the log from then on, to a named point; the store of the bus is the old one, and knows more."""
    archive, base, secret = folder / "archive", folder / "base", folder / "postgres.secret"
    archive.mkdir()
    assert stack.servers.postgres is not None
    url, password = without_password(stack.servers.postgres.admin_url)
    environment = {**os.environ, "PGPASSWORD": password}

    def tool(name: str, *options: str) -> None:
        command = [str(binaries() / name), *options]
        subprocess.run(command, env=environment, check=True, capture_output=True, timeout=120)

    receive = [str(binaries() / "pg_receivewal"), "-d", url, "-D", str(archive)]
    receiving = subprocess.Popen(receive, env=environment)  # noqa: ASYNC220  # it is not waited for
    try:
        await asyncio.to_thread(tool, "pg_basebackup", "-d", url, "-D", str(base), "-X", "none", "-c", "fast")
        await asyncio.to_thread(tool, "pg_verifybackup", "--no-parse-wal", str(base))
        connection = await asyncpg.connect(stack.servers.postgres.admin_url)
        point = await connection.fetchval("select pg_walfile_name(pg_create_restore_point('before the mistake'))")
        await connection.execute("select pg_switch_wal()")
        await connection.close()
        await until((archive / point).exists, 60)
    finally:
        receiving.terminate()
        receiving.wait(30)
    shutil.copytree(folder / "old/artifacts", folder / "files")
    shutil.copy(folder / "old/postgres.secret", secret)

    async def restore(new: Path) -> None:
        shutil.copytree(folder / "files", new / "artifacts")
        shutil.copytree(folder / "gone/nats", new / "nats")
        shutil.copytree(base, new / "postgres")
        shutil.copy(secret, new)
        with (new / "postgres/postgresql.auto.conf").open("a") as settings:
            settings.write(
                f"restore_command = 'cp {archive}/%f %p'\nrecovery_target_name = 'before the mistake'\n"
                "recovery_target_action = 'promote'\nhot_standby = off\n"
            )
        (new / "postgres/recovery.signal").touch()
        if os.geteuid() == 0:
            for path in (archive, *archive.iterdir(), new / "postgres", *(new / "postgres").rglob("*")):
                shutil.chown(path, SERVER_USER, SERVER_USER)
        (new / "postgres").chmod(0o700)

    return restore
