"""A transfer that is booked for a later day is called off by the person's word, through the whole product: what is said is
what the bank's books say, and a dialogue that is open beside it is not taken for it."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import asyncpg
import pytest

from tests.e2e.person import Person, only
from tests.e2e.world import World

pytestmark = pytest.mark.timeout(120)

SAID = {
    "ko": {
        "book": "내일 엄마한테 7만원 보내줘", "word": "응", "open": "아빠한테 3만원 보내줘", "off": "예약한 이체 취소해줘",
        "ask": "취소할까요", "yes": "취소해줘", "done": "취소했어요", "none": "예약 이체가 없어", "waits": "3만원",
        "keep": "그대로 둬", "kept": "그대로 두었어요", "just": "방금 보낸 거 취소해줘",
    },
    "en": {
        "book": "send mom 70,000 won tomorrow", "word": "yes", "open": "send dad 30,000 won",
        "off": "cancel the scheduled transfer", "ask": "Cancel the transfer of 70,000 won to Mom", "yes": "yes, cancel it",
        "done": "is cancelled", "none": "nothing to cancel", "waits": "30,000", "keep": "keep it",
        "kept": "Nothing was cancelled", "just": "cancel the transfer I just made",
    },
    "ja": {
        "book": "明日お母さんに7万ウォン送って", "word": "はい", "open": "お父さんに3万ウォン送って",
        "off": "予約した送金をキャンセルして", "ask": "取り消しますか", "yes": "はい", "done": "取り消しました",
        "none": "予約送金はない", "waits": "3万", "keep": "そのままで", "kept": "取り消していません",
        "just": "さっきの送金を取り消して",
    },
}  # fmt: skip


@pytest.fixture
async def person(bank_house: World) -> AsyncIterator[Person]:
    async with Person(bank_house.stack.url) as person:
        yield person


class Conversation:
    """One session of a person who has never been here."""

    def __init__(self, person: Person, language: str) -> None:
        self._person = person
        self.user = f"dora-{uuid4()}"
        self._session: dict[str, Any] = {"user": self.user}
        self._language = language

    async def says(self, *turns: str) -> str:
        """The answer to the last of them."""
        answer = ""
        for text in turns:
            run = await self._person.say(text, language=self._language, **self._session)
            self._session = {"session_id": run["session_id"]}
            answer = str(only(await self._person.end_of(run), "ResponseOutput", run)["text"])
        return answer


async def books(world: World, user: str) -> tuple[int, int, int]:
    """What is left, how many transfers stand, and the sum over all accounts."""
    connection = await asyncpg.connect(world.stack.servers.owner_url)
    try:
        balance = await connection.fetchval(
            "select sum(e.amount) from pack_transfer.entries e join pack_transfer.accounts a using (account_id)"
            " where a.kind = 'person' and a.owner = $1",
            user,
        )
        stand = await connection.fetchval(
            "select count(*) from pack_transfer.transfers t where owner = $1 and payee_id is not null"
            " and not exists (select from pack_transfer.transfers u where u.undoes = t.transfer_id)",
            user,
        )
        total = await connection.fetchval("select sum(amount) from pack_transfer.entries")
    finally:
        await connection.close()
    return int(balance), int(stand), int(total)


@pytest.mark.parametrize("language", list(SAID))
async def test_what_is_booked_is_called_off_and_the_open_dialogue_waits(
    language: str, person: Person, bank_house: World
) -> None:
    said, talk = SAID[language], Conversation(person, language)
    await talk.says(said["book"], said["word"])
    assert await books(bank_house, talk.user) == (9_930_000, 1, 0)
    await talk.says(said["open"])
    assert said["ask"] in await talk.says(said["off"])
    assert await books(bank_house, talk.user) == (9_930_000, 1, 0), "nothing without the person's word"
    assert said["done"] in await talk.says(said["yes"])
    assert await books(bank_house, talk.user) == (10_000_000, 0, 0)
    nothing = await talk.says(said["off"])
    assert said["none"] in nothing and said["waits"] in nothing, "and what is open is asked about again"
    # a yes behind what was said of another thing is asked for once more, and only then something is sent
    await talk.says(said["word"])
    assert await books(bank_house, talk.user) == (10_000_000, 0, 0)
    await talk.says(said["word"])
    assert await books(bank_house, talk.user) == (9_970_000, 1, 0)


@pytest.mark.parametrize("language", list(SAID))
async def test_what_was_just_booked_is_what_is_meant_and_a_no_keeps_it(
    language: str, person: Person, bank_house: World
) -> None:
    said, talk = SAID[language], Conversation(person, language)
    await talk.says(said["book"], said["word"])
    assert said["ask"] in await talk.says(said["just"])
    assert said["kept"] in await talk.says(said["keep"])
    assert await books(bank_house, talk.user) == (9_930_000, 1, 0)
    assert said["done"] in await talk.says(said["just"], said["yes"])
    assert await books(bank_house, talk.user) == (10_000_000, 0, 0)


BESIDE = {
    "ko": ("예약한 이체 취소하고 잔액 알려줘", "잔액 알려주고 예약한 이체는 취소해줘", "잔액", "취소할까요"),
    "en": ("cancel the scheduled transfer and tell me my balance", "what's my balance? and cancel the booked transfer",
           "balance", "Cancel the transfer of 70,000 won to Mom"),
    "ja": ("予約した送金をキャンセルして残高を教えて", "残高を教えて。あと予約した送金をキャンセルして", "残高", "取り消しますか"),
}  # fmt: skip


@pytest.mark.parametrize("language", list(SAID))
async def test_other_work_in_the_same_sentence_is_done_beside_it(
    language: str, person: Person, bank_house: World
) -> None:
    said, (first, last, looked, asks) = SAID[language], BESIDE[language]
    for text in (first, last):
        talk = Conversation(person, language)
        nothing = await talk.says(text)
        assert said["none"] in nothing and looked in nothing
        await talk.says(said["book"], said["word"])
        both = await talk.says(text)
        assert asks in both and looked in both, both
        assert said["done"] in await talk.says(said["yes"])
        assert await books(bank_house, talk.user) == (10_000_000, 0, 0)


CHANGED = {
    "ko": ("그거 5만원으로 바꿔줘", "5만원으로 바꿀까요", "응", "바꿨어요", "엄마 예약 취소해줘"),
    "en": ("make it 50,000", "make it 50,000 won?", "yes", "is changed", "cancel the scheduled transfer to mom"),
    "ja": ("お母さんの予約を5万に変更して", "5万ウォンに変更しますか", "はい", "変更しました", "お母さんへの予約送金を取り消して"),
}  # fmt: skip


@pytest.mark.parametrize("language", list(SAID))
async def test_what_is_booked_is_changed_and_there_is_one_of_it(
    language: str, person: Person, bank_house: World
) -> None:
    said, (change, asks, yes, done, off) = SAID[language], CHANGED[language]
    talk = Conversation(person, language)
    await talk.says(said["book"], said["word"])
    assert asks in await talk.says(change)
    assert await books(bank_house, talk.user) == (9_930_000, 1, 0), "nothing without the person's word"
    assert done in await talk.says(yes)
    assert await books(bank_house, talk.user) == (9_950_000, 1, 0)
    # "cancel" leaves a change undone, and what was changed can be called off as it is now
    assert asks.replace("5", "6") in await talk.says(change.replace("5", "6"))
    await talk.says({"ko": "취소해줘", "en": "cancel", "ja": "キャンセルして"}[language])
    assert await books(bank_house, talk.user) == (9_950_000, 1, 0)
    assert said["done"] in await talk.says(off, said["yes"])
    assert await books(bank_house, talk.user) == (10_000_000, 0, 0)
