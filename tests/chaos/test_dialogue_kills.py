"""Dialogues about money in which somebody dies at almost every turn: each turn is answered once, each confirmed payment is
paid exactly once and as it was shown, nothing else is, and the dialogue goes on where it stood.

DREAM_CHAOS_REPEATS says how many kills (`make chaos-dialogues`: 200)."""

import asyncio
import logging
import os
import re
import time
from collections import Counter
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

import asyncpg
import pytest

from contracts.cognitive import FlowAdvanced, FlowStage
from contracts.envelope import Message
from contracts.gateway import MessageReceived
from tests.e2e.books import gapless
from tests.e2e.person import Json, Person, of
from tests.e2e.world import World

log = logging.getLogger(__name__)

KILLS = int(os.environ.get("DREAM_CHAOS_REPEATS", "4"))
SERVICES = ("cognitive", "execution", "gateway")
POINTS = ("decided", "appended", "received", "published", "settled")
PASSES = (1, 2)
AIMS = [(service, point, number) for number in PASSES for point in POINTS for service in SERVICES]
ENDS = {"RunCompleted", "RunFailed", "RunCancelled"}
NOTICED = 0.4
"""Seconds after a turn in which a point may still be passed."""

pytestmark = [pytest.mark.chaos, pytest.mark.slow, pytest.mark.timeout(90 + 30 * KILLS)]


class Script(NamedTuple):
    """What is said, with {a} and {b} for amounts that no other dialogue has, and what is paid in the end."""

    turns: tuple[str, ...]
    paid: tuple[tuple[str, str], ...]


SCRIPTS = (
    Script(("엄마한테 {a}원 보내줘", "아 미안 아빠한테로 바꿔줘", "{b}원이 맞아", "응 보내줘"), (("아빠", "b"),)),
    Script(("send mom {a} won and dad {b} won", "yes", "hm, what's my balance", "yes please"), (("Mom", "a"), ("Dad", "b"))),
    Script(("민수한테 {a}원 보내줘", "한빛 쓰는 쪽", "메모는 회식비", "그렇게 해줘"), (("민수 (한빛은행)", "a"),)),
    Script(("母に{a}ウォン、父に{b}ウォン送って", "やっぱり父のは取り消して", "はい、お願いします"), (("お母さん", "a"),)),
    Script(("누나한테 {a}원 보내줘", "음 글쎄", "그냥 안 할래", "지영이한테 {b}원", "ㅇㅇ"), (("지영", "b"),)),
)  # fmt: skip


async def test_whoever_dies_in_a_dialogue_each_turn_is_answered_once_and_each_yes_paid_once(bank: World) -> None:
    kills, wanted, began = Counter[str](), Counter[int](), time.monotonic()
    before = await _payments(bank)
    sessions: list[str] = []
    async with Person(bank.stack.url) as person:
        for number in count():
            if kills.total() >= KILLS:
                break
            assert number < KILLS + len(SCRIPTS), "crash points are hardly ever reached"
            played = _Play(bank, person, number)
            await played.through(kills)
            sessions.append(played.session)
            wanted.update(played.wanted)
            await _is_consistent(bank, played)
    await bank.quiet()
    assert not await bank.books.dead_letters()
    assert await _payments(bank) - before == wanted, "each confirmed payment once, and no other"
    assert await _total(bank) == 0, "no money is made or lost"
    turns = sum(len(SCRIPTS[number % len(SCRIPTS)].turns) for number in range(len(sessions)))
    log.warning(
        "%d kills (%s) in %d dialogues of %d turns, %d payments, %.0f s",
        kills.total(), ", ".join(f"{name} {many}" for name, many in sorted(kills.items())), len(sessions), turns,
        wanted.total(), time.monotonic() - began,
    )  # fmt: skip


class _Play:
    """One dialogue of a person of its own."""

    def __init__(self, bank: World, person: Person, number: int) -> None:
        self._bank, self._person, self._number = bank, person, number
        self.script = SCRIPTS[number % len(SCRIPTS)]
        self.amounts = {"a": 20_000 + 2 * number, "b": 20_001 + 2 * number}
        self.wanted = [self.amounts[name] for _, name in self.script.paid]
        self.session = ""

    async def through(self, kills: Counter[str]) -> None:
        for place, turn in enumerate(self.script.turns):
            service, point, passes = AIMS[(5 * self._number + place) % len(AIMS)]
            armed = kills.total() < KILLS
            if armed:
                self._bank.arm(service, point, passes)
            watch = asyncio.create_task(_revive(self._bank, service)) if armed else None
            await self._says(turn.format(**self.amounts))
            if watch is None:
                continue
            if await _gone_off(self._bank, service):
                await watch
                kills[service] += 1
            else:
                self._bank.trap(service).unlink(missing_ok=True)  # the point was not passed so often
                watch.cancel()
                await self._bank.mend()

    async def _says(self, text: str) -> None:
        known = {"session_id": self.session} if self.session else {"user": f"chaos-{self._number}"}
        run = await self._person.say(text, auto_approve=True, **known)
        self.session = run["session_id"]
        events = await self._person.end_of(run)
        assert len(of(events, "ResponseOutput", run)) == 1, f"{text!r} was answered not once"


async def _is_consistent(bank: World, played: _Play) -> None:
    """What the ledger has of a dialogue: every turn with one end, a flow that never goes back, and for each payment one
    confirmation of what was shown."""
    messages = await bank.books.read(played.session)
    gapless(messages)
    said = Counter(str(one.run_id) for one in messages if isinstance(one.event, MessageReceived))
    ended = Counter(str(one.run_id) for one in messages if one.type in ENDS)
    assert said == ended == Counter(dict.fromkeys(said, 1)), "each turn ends once"
    assert len(said) == len(played.script.turns), "no turn is lost, none is doubled"
    moves = [one.event for one in messages if isinstance(one.event, FlowAdvanced)]
    assert [move.turn for move in moves] == sorted(move.turn for move in moves), "a flow never goes back"
    confirmed = [move.approval.params for move in moves if move.stage is FlowStage.CONFIRMED and move.approval]
    wanted = [(name, played.amounts[amount]) for name, amount in played.script.paid]
    assert [(one["target"], one["amount"]) for one in confirmed] == wanted
    _were_shown(messages, confirmed)


def _were_shown(messages: Sequence[Message], confirmed: Sequence[Json]) -> None:
    texts = [re.sub(r"\D", "", one.event.message) for one in messages if isinstance(one.event, FlowAdvanced)]
    for params in confirmed:
        thousands, rest = divmod(int(params["amount"]), 10_000)
        forms = (str(params["amount"]), f"{thousands}{rest}" if rest else str(thousands))
        assert any(form in text for text in texts for form in forms), f"{params} was never shown"


async def _gone_off(bank: World, service: str) -> bool:
    for _ in range(int(NOTICED / 0.05)):
        if not bank.trap(service).exists():
            return True
        await asyncio.sleep(0.05)
    return False


async def _revive(bank: World, service: str) -> None:
    await bank.stack.wait_ended(service, 120)
    await bank.stack.restart(service)
    await bank.stack.wait_ready()


async def _payments(bank: World) -> Counter[int]:
    rows = await _rows(bank, "select amount from pack_transfer.transfers where payee_id is not null")
    return Counter(row["amount"] for row in rows)


async def _total(bank: World) -> int:
    (row,) = await _rows(bank, "select coalesce(sum(amount), 0)::bigint as total from pack_transfer.entries")
    return int(row["total"])


async def _rows(bank: World, sql: str) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(bank.stack.servers.owner_url)
    try:
        return list(await connection.fetch(sql))
    finally:
        await connection.close()
