"""Around the store of memories: letters of every script, meanings asked over the bus, one person's view."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from backbone.memories.asking import LONGEST as LONGEST_TEXT
from backbone.memories.asking import AskedMeanings
from backbone.memories.letters import LONGEST, WORDS, letters, query_words
from backbone.memories.personal import PersonalMemories
from backbone.memories.port import Embedding
from backbone.memories.ranking import Hit, by_letters, fused
from contracts import subjects
from contracts.memory import MOST_AT_ONCE, MeaningFound, MeaningWanted, MemoryItem, MemoryKind
from tests.fakes.bus import MemoryBus
from tests.fakes.memories import MemoryMemories

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RUN = UUID(int=5)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("치과 예약!", "clrhk dPdir".lower()),
        ("WiFi-비번: 1234", "wifi qlqjs 1234"),
        ("Ｗｉｆｉ", "wifi"),
        ("café", "cafe"),
        ("값을", "rkqtdmf"),
        ("ㅇㅇ ㅋㅋ", "dd zz"),
        ("🎬 ~ ?!", ""),
        ("", ""),
    ],
)
def test_a_text_becomes_words_of_ascii_letters(text: str, words: str) -> None:
    # the vowel that is typed with shift becomes two letters of its own
    assert letters(text) == words.replace("dpdir", "dupdir")


def test_hiragana_katakana_and_half_width_letters_are_one_word_each() -> None:
    assert letters("ホテル") == letters("ﾎﾃﾙ") == letters("ほてる")
    assert letters("歯医者の予約").count(" ") == 2
    assert letters("歯").isascii()


def test_a_text_of_any_script_and_length_becomes_short_ascii() -> None:
    for text in ("한" * 8000, "漢" * 8000, "Привет, мир", "สวัสดี", "\ud800", "a\x00b", "İ"):
        made = letters(text)
        assert made.isascii()
        assert len(made) <= LONGEST


def test_a_query_is_its_telling_words_without_korean_particles() -> None:
    assert query_words("와이파이가 뭐였지") == [letters("와이파이"), letters("뭐였")]
    assert query_words("歯医者の予約はいつ") == sorted([letters("歯医者"), letters("予約")], key=len, reverse=True)
    assert query_words("いつ") == [letters("いつ")]
    assert query_words("?!") == []
    assert len(query_words(" ".join(f"word{n}" for n in range(50)))) == WORDS


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    rare, common = UUID(int=1), [UUID(int=n) for n in range(2, 30)]
    hits = [Hit("dentist", rare, 1.0), *(Hit("meeting", one, 1.0) for one in common)]
    assert by_letters(hits)[0] == rare


def test_ranks_are_fused_by_their_reciprocals() -> None:
    one, two, three = (UUID(int=n) for n in (1, 2, 3))
    scores = fused([one, two], [two, three])
    assert list(scores) == [two, one, three]
    assert scores[two] == pytest.approx(1 / 62 + 1 / 61)
    assert fused([], []) == {}


async def test_a_meaning_is_asked_of_whoever_has_the_encoder() -> None:
    bus, asked = MemoryBus(), AskedMeanings()
    questions: list[str] = []

    async def answer(payload: bytes) -> bytes:
        questions.append(MeaningWanted.model_validate_json(payload).text)
        return MeaningFound(encoder="suite", vector=(1.0, 0.0)).model_dump_json().encode()

    assert await asked("치과") is None  # not connected yet
    asked.bus = bus
    assert await asked("치과") is None  # nobody answers
    await bus.on_ask(subjects.meaning(), answer)
    assert await asked("치과" * 5000) == Embedding("suite", (1.0, 0.0))
    assert questions == [("치과" * 5000)[:LONGEST_TEXT]]


@pytest.mark.parametrize("payload", [b"", b"not json", b"{}", b'{"vector": "x"}'])
async def test_an_answer_that_is_none_leaves_the_letters(payload: bytes) -> None:
    bus, asked = MemoryBus(), AskedMeanings()

    async def answer(_: bytes) -> bytes:
        return payload

    await bus.on_ask(subjects.meaning(), answer)
    asked.bus = bus
    assert await asked("치과") is None


async def nobody_encodes(_: str) -> Embedding | None:
    return None


def person(store: MemoryMemories, user: str = "mina", key: str = "call-1") -> PersonalMemories:
    return PersonalMemories(store, nobody_encodes, user, "ko", RUN, key, NOW)


async def test_a_call_that_is_made_again_keeps_what_it_kept_once() -> None:
    store = MemoryMemories()
    first = await person(store).keep(MemoryKind.NOTE, "와이파이 비번은 1234")
    assert await person(store).keep(MemoryKind.NOTE, "와이파이 비번은 1234") == first
    assert await person(store).keep(MemoryKind.NOTE, "치과는 3시") != first
    assert await person(store, key="call-2").keep(MemoryKind.NOTE, "와이파이 비번은 1234") != first
    assert len(store.items) == 3


async def test_a_person_searches_and_forgets_their_own() -> None:
    store = MemoryMemories()
    kept = await person(store).keep(MemoryKind.NOTE, "와이파이 비번은 1234")
    (found,) = await person(store).search("와이파이 비번이 뭐였지", kinds=[MemoryKind.NOTE])
    assert (found.item.item_id, found.item.text) == (kept, "와이파이 비번은 1234")
    assert await person(store).search("와이파이", kinds=[MemoryKind.TURN]) == []
    assert await person(store, "jun").search("와이파이") == []
    assert not await person(store, "jun").forget(kept)
    assert await person(store).forget(kept)
    assert not await person(store).forget(uuid4())


async def test_a_call_reads_the_turns_of_its_own_conversation_in_their_order() -> None:
    store, here, elsewhere = MemoryMemories(), uuid4(), uuid4()
    runs = {RUN: here}

    def turn(
        text: str, session: UUID, minutes: int, kind: MemoryKind = MemoryKind.TURN, run: UUID | None = None
    ) -> None:
        at = NOW - timedelta(minutes=minutes)
        item = MemoryItem(
            item_id=uuid4(), user="mina", kind=kind, text=text, language="ko", session_id=session, run_id=run or uuid4(),
            recorded_at=at,
        )  # fmt: skip
        store.items["mina", item.item_id] = item

    async def session_of(run_id: UUID) -> UUID | None:
        return runs.get(run_id)

    turn("둘째", here, 20)
    turn("첫째", here, 30)
    turn("셋째", here, 10)
    turn("다른 대화", elsewhere, 5)
    turn("할 일", here, 15, MemoryKind.FACT)
    turn("지금 묻는 말", here, 0, run=RUN)
    mine = replace(person(store), session_of=session_of)
    assert [one.text for one in await mine.said_here()] == ["첫째", "둘째", "셋째"]
    assert [one.text for one in await mine.said_here(2)] == ["둘째", "셋째"]
    assert await replace(mine, run_id=uuid4()).said_here() == ()
    assert await replace(mine, user="jun").said_here() == []


async def test_a_slow_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backbone.memories.asking.PATIENCE", 0.05)
    bus, asked = MemoryBus(), AskedMeanings()

    async def answer(payload: bytes) -> bytes:
        await asyncio.sleep(60)
        return payload

    await bus.on_ask(subjects.meaning(), answer)
    asked.bus = bus
    async with asyncio.timeout(2):
        assert await asked("x") is None


async def test_vectors_of_many_texts_are_asked_for_a_few_at_once_and_are_all_or_none() -> None:
    bus, asked = MemoryBus(), AskedMeanings()
    sizes: list[int] = []

    async def answer(payload: bytes) -> bytes:
        texts = MeaningWanted.model_validate_json(payload).texts
        sizes.append(len(texts))
        found = [(float(len(text)),) for text in texts if text != "unspeakable"]
        return MeaningFound(encoder="suite", vectors=tuple(found)).model_dump_json().encode()

    assert list(await asked.many(["a"])) == []  # not connected yet
    asked.bus = bus
    assert list(await asked.many(["a"])) == []  # nobody answers
    await bus.on_ask(subjects.meaning(), answer)
    texts = ["x" * (number + 1) for number in range(MOST_AT_ONCE + 3)]
    assert [vector[0] for vector in await asked.many(texts)] == [float(len(text)) for text in texts]
    assert sizes == [MOST_AT_ONCE, 3]
    assert list(await asked.many([*texts, "unspeakable"])) == []
