"""A transfer between the person's word and its end (CONFIRMED -> EXECUTED), with a service killed at its crash points:
the sum of balances is constant, what was confirmed is paid once, and nothing else is.

DREAM_CHAOS_KILLS says how many kills (the long form: 200): every service at every point, at its first passes."""

import asyncio
import os
from collections import Counter
from itertools import count

import asyncpg
import pytest

from backbone.crash import POINTS
from dream.local.stack import SERVICES
from packs.transfer.bank.port import OPENING_BALANCE
from tests.e2e.books import gapless
from tests.e2e.person import Json, Person, of, only
from tests.e2e.world import World

KILLS = int(os.environ.get("DREAM_CHAOS_KILLS", "4"))
FIRST = (
    ("execution", "decided", 2),  # the money is gone, and nobody has recorded it
    ("cognitive", "decided", 2),  # the flow has heard that the money is gone
    ("execution", "appended", 1),
    ("planning", "decided", 1),
)
AIMS = (*FIRST, *((service, point, number) for number in (1, 2, 3) for service in SERVICES for point in POINTS))
SENT, KEPT = 1_000, 500_000
"""What is confirmed in each round is SENT and its number; what never is, KEPT and its number."""

pytestmark = [pytest.mark.chaos, pytest.mark.slow, pytest.mark.timeout(90 + 30 * KILLS)]


async def test_a_confirmed_transfer_is_paid_once_whatever_dies_and_an_unconfirmed_one_never(bank: World) -> None:
    kills, before = 0, await _payments(bank)
    sessions: list[Json] = []
    async with Person(bank.stack.url) as person:
        for number in count():
            if kills == KILLS:
                break
            assert number < 2 * KILLS + len(FIRST), "crash points are hardly ever reached"
            service, point, passes = AIMS[number % len(AIMS)]
            run, killed = await _round(bank, person, number, (service, point, passes))
            kills += killed
            sessions.append(run)
    await bank.quiet()
    for run in sessions:
        gapless(await bank.books.read(run["session_id"]))
    assert not await bank.books.dead_letters()
    paid = await _payments(bank)
    assert paid - before == Counter({SENT + number: 1 for number in range(len(sessions))})
    total, balance, people = await _sums(bank)
    assert total == 0
    assert balance == people * OPENING_BALANCE - sum(amount * times for amount, times in paid.items())


async def _round(bank: World, person: Person, number: int, aim: tuple[str, str, int]) -> tuple[Json, bool]:
    """Two transfers are asked for and the first is confirmed, while somebody is about to die. Says whether they did."""
    asked = await person.say(f"엄마한테 {SENT + number}원, 아빠한테 {KEPT + number}원 보내줘")
    ready = of(await person.end_of(asked), "FlowAdvanced", asked)[-1]
    assert (ready["stage"], ready["slots"]) == ("READY", {"target": "엄마", "amount": SENT + number})
    bank.arm(*aim)
    watch = asyncio.create_task(_revive(bank, aim[0]))
    run = await person.say("확인", session_id=asked["session_id"])
    events = await person.end_of(run)
    moved = of(events, "FlowAdvanced", run)
    assert [one["stage"] for one in moved] == ["CONFIRMED", "EXECUTED", "READY"], f"round {number}, {aim}"
    assert "다음으로 아빠에게" in only(events, "ResponseOutput", run)["text"]
    if await _gone_off(bank, aim[0]):
        await watch
        return asked, True
    bank.trap(aim[0]).unlink(missing_ok=True)  # the point was not passed so often
    watch.cancel()
    await bank.mend()
    return asked, False


async def _gone_off(bank: World, service: str, seconds: float = 0.7) -> bool:
    """Some points come after the end of the run; the trap is gone once it has gone off."""
    for _ in range(int(seconds / 0.05)):
        if not bank.trap(service).exists():
            return True
        await asyncio.sleep(0.05)
    return False


async def _revive(bank: World, service: str) -> None:
    await bank.stack.wait_ended(service, 60)
    await bank.stack.restart(service)
    await bank.stack.wait_ready()


async def _payments(bank: World) -> Counter[int]:
    rows = await _rows(bank, "select amount from pack_transfer.transfers where payee_id is not null")
    return Counter(row["amount"] for row in rows)


async def _sums(bank: World) -> tuple[int, int, int]:
    """Over all accounts, and over those of people; and how many these are."""
    (row,) = await _rows(
        bank,
        "select sum(amount)::bigint as total, sum(amount) filter (where kind = 'person')::bigint as balance,"
        " count(distinct account_id) filter (where kind = 'person') as people"
        " from pack_transfer.entries join pack_transfer.accounts using (account_id)",
    )
    return row["total"], row["balance"], row["people"]


async def _rows(bank: World, sql: str) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(bank.stack.servers.owner_url)
    try:
        return list(await connection.fetch(sql))
    finally:
        await connection.close()
