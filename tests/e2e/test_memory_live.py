"""Source design 002 section 6 over the five processes: what was said stays with the person, and is summed up."""

from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import nats
import pytest

from backbone.ledger.pool import Pool, open_pool
from backbone.memories.port import Embedding, Query
from backbone.memories.postgres import PostgresMemories
from contracts import subjects
from contracts.memory import Found, MeaningFound, MeaningWanted
from tests.e2e.person import Json, Person, eventually, of, only
from tests.e2e.world import World

GREETING, QUESTION = "뭘 할 수 있어?", "내 데이터는 안전하게 보관되나요"


@pytest.fixture
async def pool(house: World) -> AsyncIterator[Pool]:
    pool = await open_pool(house.stack.database_url, min_size=1)
    try:
        yield pool
    finally:
        await pool.close()


async def turn(person: Person, text: str, **more: object) -> tuple[Json, list[Json]]:
    """Says something that is answered at once."""
    run = await person.say(text, **more)
    return run, await person.end_of(run, 30)


async def meaning(house: World, text: str) -> Embedding:
    """As a tool in another process asks for it."""
    client = await nats.connect(house.stack.nats.url)
    try:
        answer = await client.request(
            subjects.meaning(), MeaningWanted(text=text).model_dump_json().encode(), timeout=30
        )
    finally:
        await client.close()
    found = MeaningFound.model_validate_json(answer.data)
    return Embedding(found.encoder, found.vector)


async def test_what_was_said_is_found_by_meaning_from_any_session_of_the_same_person(
    house: World, person: Person, pool: Pool
) -> None:
    user = f"mina-{uuid4()}"
    await turn(person, GREETING, user=user)
    run, events = await turn(person, QUESTION, user=user)
    assert events[0]["data"]["user"] == user
    memories = PostgresMemories(pool)
    asked = await meaning(house, "is my data kept safe")

    async def look() -> list[Found] | None:
        found = await memories.search(Query(user, "is my data kept safe", meaning=asked))
        return found if found and found[0].item.text.startswith(f"{QUESTION}\n") else None

    found = await eventually(look, "the memory of what was said, with its vector")
    assert (str(found[0].item.session_id), str(found[0].item.run_id)) == (run["session_id"], run["run_id"])
    assert await memories.search(Query(f"jun-{uuid4()}", QUESTION, meaning=asked)) == []


@pytest.mark.parametrize(
    ("language", "asks", "quotes"),
    [
        ("ko", "내가 맨 처음에 한 말이 뭐였지", "“뭘 할 수 있어?”"), ("en", "what did I ask first", "“What can you do?”"),
        ("ja", "最初に何て言ったか教えて", "「何ができますか」"),
    ],
)  # fmt: skip
async def test_what_was_said_in_this_conversation_is_told_and_nothing_of_another(
    house: World, person: Person, pool: Pool, language: str, asks: str, quotes: str
) -> None:
    user = f"mina-{uuid4()}"
    await turn(person, "고마워", user=user, language=language)
    first, _ = await turn(person, quotes.strip("“”「」"), user=user, language=language)
    memories, session = PostgresMemories(pool), UUID(first["session_id"])

    async def kept() -> bool:
        return len(await memories.newest(user, 5, (), session)) == 1

    await eventually(kept, "the memory of the turn")
    run, events = await turn(person, asks, session_id=first["session_id"])
    assert quotes in only(events, "ResponseOutput", run)["text"]


async def test_a_session_of_more_than_eight_turns_is_summed_up_once(house: World, person: Person) -> None:
    first, _ = await turn(person, GREETING, user=f"mina-{uuid4()}")
    session = first["session_id"]
    for _ in range(8):
        await turn(person, QUESTION, session_id=session)

    async def look() -> list[Json] | None:
        events = await person.events(session)
        return events if of(events, "SessionSummarized") else None

    events = await eventually(look, "a summary after the ninth turn")
    summary = only(events, "SessionSummarized")
    assert summary["turns"] == 9
    assert GREETING in summary["summary"]
    assert summary["summary"].count(QUESTION) == 8
    assert [one["role"] for one in of(events, "ModelCalled") if one["role"] == "summarizer"] == ["summarizer"]
    await turn(person, GREETING, session_id=session)
    assert len(of(await person.events(session), "SessionSummarized")) == 1
