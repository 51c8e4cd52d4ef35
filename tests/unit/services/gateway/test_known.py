"""Who shows what, as it is remembered: a logout is known at once, whatever the database has just answered."""

import asyncio

import pytest

from contracts.access import Principal, Role
from contracts.errors import Code
from services.gateway.domain.refusal import Refused
from services.gateway.http.authentication import Known, Lasting, Shown

KIM = Principal(user="kim", role=Role.PERSON, key_id="a" * 12)
LOGIN = Shown("login", "secret")


class SlowStore:
    """A database that has looked a login up, and says so when it is let."""

    def __init__(self) -> None:
        self.asked = 0
        self.answers = asyncio.Event()

    async def of_login(self, _: str) -> Principal:
        self.asked += 1
        await self.answers.wait()
        return KIM


async def admit(_: bool) -> Principal:  # as it is called
    return KIM


async def test_who_logged_out_while_the_database_was_asked_is_nobody() -> None:
    store = SlowStore()
    known = Known(store)  # type: ignore[arg-type]  # the part of it that is asked
    asking = asyncio.create_task(known.who(LOGIN))
    await asyncio.sleep(0)
    known.forget(LOGIN)
    store.answers.set()
    assert await asking is None
    assert await known.who(LOGIN) is None


async def test_who_is_known_is_not_asked_for_again() -> None:
    store = SlowStore()
    store.answers.set()
    known = Known(store)  # type: ignore[arg-type]  # as above
    assert [await known.who(LOGIN) for _ in range(3)] == [KIM] * 3
    assert store.asked == 1


@pytest.mark.parametrize("opened", ["before", "after"])
async def test_what_a_login_has_opened_ends_with_it(opened: str) -> None:
    known = Known(SlowStore())  # type: ignore[arg-type]  # as above
    own, others = Lasting(admit), Lasting(admit)
    if opened == "after":  # it was admitted, and then there was a logout
        known.forget(LOGIN)
    with known.ending(LOGIN, own), known.ending(Shown("login", "another"), others):
        if opened == "before":
            await own.require()
            known.forget(LOGIN)
        with pytest.raises(Refused) as refused:
            await own.require()
        await others.require()
    assert refused.value.code is Code.UNAUTHENTICATED
