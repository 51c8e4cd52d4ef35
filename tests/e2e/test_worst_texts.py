"""No text stops the product: whatever fills a message to its limit is answered or refused, and everybody else is served.

Over real servers and processes; what is timed is the gateway's health, against a second of its own doing nothing."""

import asyncio
import time
from collections.abc import AsyncIterator

import httpx
import pytest
import pytest_asyncio

from contracts.gateway import TEXT_LIMIT
from tests.e2e.person import ENDS, Json, Person, eventually, of
from tests.e2e.world import World
from understanding.offline.excerpt import READ

pytestmark = [pytest.mark.timeout(300), pytest.mark.asyncio(loop_scope="module")]

WORST = {
    "a syllable": "천", "figures and a unit": "7만", "figures": "4", "figures apart": "31,", "dots": ".",
    "days": "모레 ", "payees": "이모한테 ", "payees in English": "to Dad ", "payees in Japanese": "父に2万円",
    "yes": "응 ", "spaces": " ", "lines": "\n", "quotes": '"', "brackets": "(", "corners": "「", "half addresses": "http://",
    "addresses": "https://a.example/b ", "mail": "@b.", "nothing wide": "\u200b", "accents": "e\u0301\u0300",
    "faces": "🙂", "dashes": "2-2", "times": "10:45 ", "every week": "매주 화요일 ", "a long word": "abcdefgh",
    "scripts": "가b漢カ1", "plays": "영화 틀어줘 ", "kana": "ぬ",
}  # fmt: skip
SLOWEST = 30.0
"""Seconds until the last of them is over, all at once, on a machine that does other things too."""


@pytest_asyncio.fixture(loop_scope="module")
async def people(bank_house: World) -> AsyncIterator[Person]:
    async with Person(bank_house.stack.url) as person:
        yield person


def filled(unit: str, length: int) -> str:
    end = " 이모한테 4만원 보내줘"
    return (unit * length)[: length - len(end)] + end


async def over(person: Person, run: Json) -> list[Json]:
    """The run's events, once it has ended or asks something."""

    async def look() -> list[Json] | None:
        events = [one for one in await person.events(run["session_id"]) if one["run_id"] == run["run_id"]]
        return events if {one["event"] for one in events} & {*ENDS, "DecisionRequested"} else None

    return await eventually(look, "an answer, a refusal or a question")


@pytest.mark.parametrize("length", [TEXT_LIMIT, READ])
async def test_the_worst_texts_are_answered_and_health_goes_on_meanwhile(
    people: Person, bank_house: World, length: int
) -> None:
    longest, watching = 0.0, True

    async def watch() -> None:
        nonlocal longest
        async with httpx.AsyncClient(base_url=bank_house.stack.url, trust_env=False, timeout=20) as client:
            while watching:
                start = time.perf_counter()
                assert (await client.get("/health")).status_code in (200, 503)
                longest = max(longest, time.perf_counter() - start)
                await asyncio.sleep(0.1)

    health = asyncio.create_task(watch())
    start = time.perf_counter()
    runs = {name: await people.say(filled(unit, length)) for name, unit in WORST.items()}
    other = await people.say("엄마한테 2만 3천원 보내줘")
    answer = of(await over(people, other), "ResponseOutput")[-1]
    assert "23,000원" in answer["text"], "somebody else is served"
    for name, run in runs.items():
        said = of(await over(people, run), "CognitiveOutput")
        assert said, f"{name}: understood, asked about or refused"
        assert (said[-1].get("unread", 0) > 0) == (length > READ) or said[-1].get("error"), name
    watching = False
    await health
    assert time.perf_counter() - start < SLOWEST * 2
    assert longest < 2.0, "the gateway waits for nobody's text"


async def test_the_person_is_told_what_was_not_read(people: Person) -> None:
    text = "누나한테 3만 7천원 보내줘\n" + "지난달에는 여러 가지 일이 있었다. " * 300
    run = await people.say(text)
    answer = of(await over(people, run), "ResponseOutput")[-1]["text"]
    assert "37,000원" in answer and "읽지 않았어요" in answer
