"""A run begun under a version that was released is finished under this one: its golden backup is restored, migrated and
served, and the question that waited in it is answered."""

import pytest

from dream import admin_restore
from dream.failures import Exit
from dream.stack import LocalStack
from dream.texts import Texts
from tests.contract.record_ledger import KEY, LEDGERS, PACKS
from tests.e2e.person import Person, of, only
from tests.e2e.world import folder_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.mark.parametrize("version", sorted(place.name for place in LEDGERS.iterdir()))
async def test_a_run_begun_under_a_released_version_ends_under_this_one(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DREAM_PACKS", PACKS)
    place = LEDGERS / version
    with folder_for("upgrade") as folder:
        async with admin_restore.embedded(folder) as target:
            assert await admin_restore.restore(place / "backup", target, place / KEY, Texts("en")) == Exit.DONE
        async with LocalStack(folder) as stack, Person(stack.url) as person:
            (run,) = (await person.ask("GET", "/runs")).json()["runs"]
            question = await person.question(run["session_id"])
            await person.answer(run["session_id"], question, action="approve")
            events = await person.end_of(run, 120)
            assert of(events, "RunCompleted") and only(events, "ResponseOutput")["text"]
            assert (await person.ask("GET", "/dead-letters")).json()["dead_letters"] == []
