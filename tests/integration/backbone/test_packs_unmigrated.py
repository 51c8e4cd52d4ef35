"""A pack whose migration the database does not take: it alone is left as it was, and who migrates is told which file."""

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import asyncpg
import pytest

from backbone.ledger.migrate import PacksUnmigrated, migrate
from dream.cli import database_commands
from dream.cli.error_messages import error_message
from dream.failures import Exit
from dream.texts import Texts
from tests.conftest import as_owner

MANIFEST = "name: {name}\nversion: 1\ntitle: {{en: {name}}}\ndatabase: true\n"
SOUND = "create table things (id int primary key);\ngrant select on things to dream_pack_{name};\n"


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Makes a pack of a name with these migrations; `packs.<name>` is found."""

    def make(name: str, **migrations: str | bytes) -> Path:
        folder = tmp_path / name / "migrations"
        folder.mkdir(parents=True)
        (tmp_path / name / "pack.yaml").write_text(MANIFEST.format(name=name))
        (tmp_path / name / "__init__.py").touch()
        for number, (file, sql) in enumerate(migrations.items(), 1):
            data = sql if isinstance(sql, bytes) else sql.encode()
            (folder / f"{number:04}_{file}.sql").write_bytes(data)
        return folder

    path = importlib.import_module("packs").__path__
    path.append(str(tmp_path))
    yield make
    path.remove(str(tmp_path))
    for name in [one for one in sys.modules if one.startswith("packs.") and one.endswith("pack")]:
        del sys.modules[name]
    importlib.invalidate_caches()


async def tables(url: str, schema: str) -> set[str]:
    connection = await asyncpg.connect(url)
    try:
        rows = await connection.fetch("select tablename from pg_tables where schemaname = $1", schema)
        return {row["tablename"] for row in rows}
    finally:
        await connection.close()


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("create table more (id int);\n\nselec 1;\n", (", line 3: ", "selec")),
        ("create table more (id int);\ncreate table\n things (id int);\n", (", line 2: ", "things")),
        (
            "create table more (id int references things);\ninsert into more values (7);\n",
            (", line 2: ", "more_id_fkey"),
        ),
        (
            "create table more (id int references things deferrable initially deferred);\ninsert into more values (7);\n",
            (": ", "more_id_fkey"),
        ),
        ("create table more (id int);\ncommit;\n", (", line 2: ", "'commit'")),
        ("create table more (id int);\ncopy more from stdin;\n7\n\\.\n", (", line ", "")),
        ("create extension no_such_thing_1;\n", (", line 1: ", "no_such_thing_1")),
        (b"create table more (id int); -- \xff\n", (": ", "utf-8")),
    ],
)
async def test_a_pack_with_a_broken_migration_is_left_as_it_was_and_the_others_are_done(
    sql: str | bytes, told: tuple[str, str], postgres_url: str, made: Callable[..., Path]
) -> None:
    broken = made("brokenpack", things=SOUND.format(name="brokenpack"), more=sql)
    made("soundpack", things=SOUND.format(name="soundpack"))
    owner = as_owner(postgres_url)
    with pytest.raises(PacksUnmigrated) as caught:
        await migrate(owner, ("brokenpack", "soundpack"), postgres_url)
    assert caught.value.applied == ["soundpack/0001_things.sql"]
    (reason,) = caught.value.failures.values()
    assert reason.startswith(f"{broken / '0002_more.sql'}{told[0]}")
    assert told[1] in reason
    assert await tables(owner, "pack_brokenpack") == set()
    assert await tables(owner, "pack_soundpack") == {"things"}
    # when the file is mended, all of it comes
    (broken / "0002_more.sql").write_text("create table more (id int);\n")
    assert await migrate(owner, ("brokenpack", "soundpack"), postgres_url) == [
        "brokenpack/0001_things.sql",
        "brokenpack/0002_more.sql",
    ]


async def test_a_migration_that_was_edited_keeps_its_own_pack_back(
    postgres_url: str, made: Callable[..., Path]
) -> None:
    edited = made("editedpack", things=SOUND.format(name="editedpack"))
    owner = as_owner(postgres_url)
    assert await migrate(owner, ("editedpack",), postgres_url) == ["editedpack/0001_things.sql"]
    (edited / "0001_things.sql").write_text(SOUND.format(name="editedpack") + "-- more\n")
    made("laterpack", things=SOUND.format(name="laterpack"))
    with pytest.raises(PacksUnmigrated, match="add a new migration") as caught:
        await migrate(owner, ("editedpack", "laterpack"), postgres_url)
    assert caught.value.failures.keys() == {"editedpack"}
    assert await tables(owner, "pack_laterpack") == {"things"}


@pytest.mark.parametrize("language", ["en", "ko", "ja"])
async def test_the_command_says_which_pack_and_file_and_ends_with_an_exit_code(
    language: str, postgres_url: str, made: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = made("brokenpack", things="selec 1;\n")
    monkeypatch.setenv("DREAM_PACK_PATH", str(broken.parents[1]))
    with pytest.raises(PacksUnmigrated) as caught:
        await database_commands.migrate(as_owner(postgres_url), Texts(language), postgres_url)
    told = error_message(caught.value, Texts(language))
    assert told is not None
    assert told.exit_code == Exit.FAILED
    for part in ("brokenpack", f"{broken / '0001_things.sql'}, line 1: ", "selec"):
        assert part in told.message
