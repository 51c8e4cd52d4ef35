"""The ledger behind a real PgBouncer: in session mode it works, in transaction mode it is refused with a sentence."""

import asyncio
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest
from pydantic import SecretStr

from backbone.backbone import Backbone
from backbone.ledger.logins import login_of
from backbone.ledger.pool import open_pool
from backbone.ledger.postgres import PostgresLedger
from backbone.ledger.readable import LedgerRefused
from backbone.ledger.sessions import check_sessions
from backbone.settings import Settings
from dream.local import postgres_user
from dream.local.nats import answers, free_port
from dream.local.postgres import binaries
from tests.conformance.facts import PRODUCER, append, fact, note
from tests.support.folders import own_folder


@pytest.fixture
def bouncer(postgres_url: str) -> Iterator[Callable[[str], str]]:
    """The URL of the test's database through a PgBouncer in a mode."""
    role, secret = login_of(postgres_url)
    parts = urlsplit(postgres_url)
    sockets, database = parse_qs(parts.query)["host"][0], parts.path.lstrip("/")
    program = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/bin") or "pgbouncer"
    running: list[subprocess.Popen[bytes]] = []
    with own_folder("bouncer") as folder:
        user = postgres_user.needed(binaries(), folder)

        def start(mode: str) -> str:
            port = free_port()
            users, config = folder / f"{mode}.users", folder / f"{mode}.ini"
            users.write_text(f'"{role}" "{secret}"\n')
            config.write_text(f"""[databases]
{database} = host={sockets} dbname={database}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {users}
pool_mode = {mode}
default_pool_size = 20
max_client_conn = 50
""")
            given(folder, user)
            process = subprocess.Popen([program, "-q", str(config)], user=user, group=user)
            running.append(process)
            for _ in range(500):
                if answers(port):
                    return f"postgresql://{role}:{secret}@127.0.0.1:{port}/{database}"
                assert process.poll() is None, "PgBouncer has ended"
                subprocess.run(["sleep", "0.02"], check=True)
            pytest.fail("PgBouncer does not listen")

        try:
            yield start
        finally:
            for process in running:
                process.terminate()
                process.wait(10)


def given(folder: Path, user: str | None) -> None:
    """What is in the folder is the user's, who alone may read it."""
    folder.chmod(0o711)
    for file in folder.iterdir():
        if user:
            shutil.chown(file, user, user)
        file.chmod(0o600)


async def test_in_session_mode_we_act_as_the_role_we_should_with_our_time_limits(
    bouncer: Callable[[str], str],
) -> None:
    url = bouncer("session")
    ledger = await PostgresLedger.connect(url)
    try:
        await check_sessions(ledger.pool)
        session = uuid4()
        await ledger.append(PRODUCER, "test", [append(session, fact(note("behind a pooler")))])
        async with ledger.lead(PRODUCER) as first, ledger.lead(PRODUCER) as second:
            assert first is not None
            assert second is None, "one leads at a time"
        shown = await ledger.pool.fetchrow(
            "select current_user as who, current_setting('idle_in_transaction_session_timeout') as idle,"
            " current_setting('jit') as jit"
        )
        assert shown is not None
        assert tuple(shown) == ("dream_service", "15s", "off")
    finally:
        await ledger.close()
    kept = await open_pool(url, min_size=1, max_size=1, reset=True, more={"statement_timeout": "777"})
    try:
        for _ in range(2):  # given back in between, and reset
            assert await kept.fetchval("select current_setting('statement_timeout')") == "777ms"
            await kept.execute("set statement_timeout = 0")
    finally:
        await kept.close()


async def test_in_transaction_mode_it_is_refused_with_a_sentence(bouncer: Callable[[str], str], tmp_path: Path) -> None:
    settings = Settings(database_url=SecretStr(bouncer("transaction")), artifacts_url=tmp_path.as_uri())
    for _ in range(3):
        with pytest.raises(LedgerRefused, match="pool_mode = session"):
            await asyncio.wait_for(Backbone.connect(settings), 20)
