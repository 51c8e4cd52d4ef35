"""A database that says it needs a newer program is left alone: by migrations, by services, by whoever starts them."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest
from pydantic import SecretStr

from backbone.ledger.migrate import migrate
from backbone.ledger.readable import DatabaseTooNew, known
from backbone.service import Backbone
from backbone.settings import Settings
from tests.conftest import as_owner


@pytest.fixture
def settings(postgres_url: str, tmp_path: Path) -> Settings:
    return Settings(database_url=SecretStr(postgres_url), artifacts_url=tmp_path.as_uri())


async def needs(owner: "asyncpg.Connection[asyncpg.Record]", migration: int) -> None:
    """What a contracting migration of a newer version does."""
    await owner.execute("update dream_meta.min_reader set migration = $1", migration)


async def test_a_contracting_migration_of_a_newer_version_keeps_this_one_out(
    owner, postgres_url: str, settings: Settings
) -> None:
    before = await owner.fetch("select * from dream_meta.migrations")
    await owner.execute("delete from dream_meta.migrations where name like '0003%'")  # something to apply
    await needs(owner, known() + 1)
    with pytest.raises(DatabaseTooNew, match=f"needs .* migration {known() + 1:04}, this one knows .* {known():04}"):
        await migrate(as_owner(postgres_url), (), postgres_url)
    assert len(await owner.fetch("select * from dream_meta.migrations")) == len(before) - 1, "nothing was applied"
    with pytest.raises(DatabaseTooNew):
        async with asyncio.timeout(10):  # at once, not after waiting for a ledger
            await Backbone.connect(settings)


async def test_a_newer_schema_alone_keeps_nobody_out_while_a_version_rolls_out(
    owner, postgres_url: str, settings: Settings
) -> None:
    await owner.execute("insert into dream_meta.migrations values ('8123_later.sql', 'x')")
    await needs(owner, known())
    assert await migrate(as_owner(postgres_url), (), postgres_url) == []
    await (await Backbone.connect(settings)).close()


async def test_a_service_works_with_a_database_from_before_there_was_a_mark(owner, settings: Settings) -> None:
    await owner.execute("drop table dream_meta.min_reader; revoke usage on schema dream_meta from dream_service")
    await (await Backbone.connect(settings)).close()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (
            ("-m", "services.planning"),
            1,
            "planning cannot start: the database needs a Dream Agent that knows migration",
        ),
        (
            ("-c", "from dream.cli.app import main; main()", "up", "--port", "0"),
            2,
            "The database needs a newer Dream Agent",
        ),
    ],
)
async def test_programs_end_with_a_sentence(
    words: tuple[str, ...], code: int, said: str, owner, postgres_url: str, tmp_path: Path
) -> None:
    await needs(owner, 7654)
    environment = {
        **os.environ,
        "DREAM_DATABASE_URL": postgres_url,
        "DREAM_NATS_URL": "nats://127.0.0.1:9",
        "DREAM_DATA_DIR": str(tmp_path / "data"),
        "DREAM_ARTIFACTS_URL": tmp_path.as_uri(),
        "LC_ALL": "C",
    }
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, *words], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    assert said in done.stderr and "7654" in done.stderr
    assert "Traceback" not in done.stderr
