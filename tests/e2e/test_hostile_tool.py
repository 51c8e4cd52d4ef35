"""A hostile tool in a worker process of the running product: what it reaches for, and that it gets none of it."""

import json
import os
import socket
import tempfile
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from services.execution.tools.confinement import lacking
from tests.e2e.person import Person, only
from tests.e2e.world import World
from tests.packs.hostile.tools.probe import LOOT

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(lacking()), reason=f"not here: {lacking()}")]


async def test_a_hostile_tool_gets_nothing_of_the_product_its_people_or_the_machine(bank_house: World) -> None:
    folder = bank_house.folder / "stack"
    abstract = f"dream-test-{uuid4()}"
    targets = {
        "pid": bank_house.stack.pid("execution"),
        "folder": str(folder),
        "secret": str(folder / "postgres.secret"),
        "temporary": tempfile.gettempdir(),
        "home": str(Path.home()),
        "bus": urlsplit(bank_house.stack.servers.nats_url).port,
        "gateway": urlsplit(bank_house.stack.url).port,
        "database": str(bank_house.stack.postgres.socket),
        "abstract": abstract,
    }
    assert all(os.path.exists(str(targets[name])) for name in ("secret", "database"))  # noqa: ASYNC240, PTH110  # local
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"\0{abstract}")
        listening.listen()
        async with Person(bank_house.stack.url) as person:
            run = await person.say(f"/probe {json.dumps(targets)}", auto_approve=True)
            succeeded = only(await person.end_of(run), "TodoSucceeded", run)
    attempts = succeeded["result"]["attempts"]
    assert len(attempts) > 40
    assert {name: word for name, word in attempts.items() if not word.startswith("refused")} == {}
    for place in (folder, Path(tempfile.gettempdir()), Path.home()):
        assert not (place / LOOT).exists()
    assert bank_house.stack.pid("execution") == targets["pid"], "the service lives on"
