"""What every store of memories promises. Inherit, and give the fixture `memories`."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from backbone.memories.port import DIMENSIONS, Embedding, MemoryStore, Query
from contracts.memory import MemoryItem, MemoryKind

ENCODER = "suite"
SINCE = datetime(2026, 1, 1, tzinfo=UTC)


def item(text: str, user: str = "mina", kind: MemoryKind = MemoryKind.NOTE, language: str = "ko") -> MemoryItem:
    """Something to remember, with an id of its own."""
    return MemoryItem(item_id=uuid4(), user=user, kind=kind, text=text, language=language, recorded_at=SINCE)


def toward(*axes: int, encoder: str = ENCODER) -> Embedding:
    """A meaning between some axes: two that share an axis are alike."""
    vector = [0.0] * DIMENSIONS
    for axis in axes:
        vector[axis] = len(axes) ** -0.5
    return Embedding(encoder, vector)


async def texts(memories: MemoryStore, query: Query) -> Sequence[str]:
    """What a search finds, as text."""
    return [found.item.text for found in await memories.search(query)]


async def keep(memories: MemoryStore, *items: MemoryItem) -> None:
    await memories.keep(items)


class MemoriesConformance:
    """Kept once, found by letters in three scripts and by meaning, by its owner alone."""

    @pytest.fixture
    def memories(self) -> MemoryStore:
        raise NotImplementedError("the adapter under test")

    @pytest.mark.parametrize(
        ("query", "best"),
        [
            ("와이파이 비번이 뭐였지?", "와이파이 비번은 1234"),
            ("치과는 언제 가지", "내일 오후 3시 치과 예약"),
            ("what was the WIFI password", "The wifi password is 'tiger'"),
            ("歯医者はいつ?", "歯医者の予約は三時です"),
            ("ホテルの名前", "ホテルは駅の前にある"),
            ("ﾎﾃﾙ", "ホテルは駅の前にある"),
            ("1234", "와이파이 비번은 1234"),
            ("my pasword", "The wifi password is 'tiger'"),
        ],
    )
    async def test_it_is_found_by_its_letters_in_every_script(
        self, memories: MemoryStore, query: str, best: str
    ) -> None:
        await keep(
            memories,
            item("와이파이 비번은 1234"), item("내일 오후 3시 치과 예약"), item("The wifi password is 'tiger'"),
            item("歯医者の予約は三時です"), item("ホテルは駅の前にある"), item("엄마 생일은 5월 2일"), item("!?"),
        )  # fmt: skip
        assert (await texts(memories, Query("mina", query)))[0] == best

    async def test_what_shares_no_word_and_no_meaning_is_not_found(self, memories: MemoryStore) -> None:
        await keep(memories, item("와이파이 비번은 1234"))
        assert await texts(memories, Query("mina", "travel plans")) == []
        assert await texts(memories, Query("mina", "?!")) == []

    async def test_nobody_finds_or_removes_what_is_another_persons(self, memories: MemoryStore) -> None:
        mine, theirs = item("와이파이 비번은 1234"), item("와이파이 비번은 9999", user="jun")
        await keep(memories, mine, theirs)
        await memories.understand({("mina", mine.item_id): toward(1), ("jun", theirs.item_id): toward(1)})
        query = Query("jun", "와이파이 비번", limit=10, meaning=toward(1))
        assert [found.item for found in await memories.search(query)] == [theirs]
        assert not await memories.forget("jun", mine.item_id)
        assert await texts(memories, Query("nobody", "와이파이 비번", meaning=toward(1))) == []

    async def test_the_same_id_is_kept_once_as_it_was_first_said(self, memories: MemoryStore) -> None:
        first = item("와이파이 비번은 1234")
        again = first.model_copy(update={"text": "와이파이 비번은 5678"})
        await keep(memories, first)
        await keep(memories, again, again)
        assert await texts(memories, Query("mina", "와이파이")) == [first.text]

    async def test_an_id_is_the_owners_own(self, memories: MemoryStore) -> None:
        mine = item("와이파이 비번은 1234")
        theirs = mine.model_copy(update={"user": "jun", "text": "와이파이가 없다"})
        await keep(memories, mine, theirs)
        assert await memories.forget("mina", mine.item_id)
        assert await texts(memories, Query("jun", "와이파이")) == [theirs.text]

    async def test_what_is_forgotten_is_gone(self, memories: MemoryStore) -> None:
        one = item("와이파이 비번은 1234")
        await keep(memories, one)
        await memories.understand({("mina", one.item_id): toward(1)})
        assert await memories.forget("mina", one.item_id)
        assert not await memories.forget("mina", one.item_id)
        assert await texts(memories, Query("mina", "와이파이", meaning=toward(1))) == []
        assert await memories.without_meaning(10) == []

    async def test_it_is_found_by_meaning_where_no_letter_is_the_same(self, memories: MemoryStore) -> None:
        dentist, bank = item("치과 예약"), item("은행 계좌")
        await keep(memories, dentist, bank)
        await memories.understand({("mina", dentist.item_id): toward(1, 2), ("mina", bank.item_id): toward(3)})
        found = await memories.search(Query("mina", "歯医者", meaning=toward(2)))
        assert [one.item for one in found] == [dentist]

    async def test_what_is_kept_with_its_meaning_is_found_by_it_at_once_and_keeps_it(
        self, memories: MemoryStore
    ) -> None:
        dentist, short = item("치과 예약"), item("은행 계좌")
        await memories.keep([dentist, short], [toward(1), Embedding(ENCODER, [1.0])])
        await memories.keep([dentist], [toward(2)])
        assert await texts(memories, Query("mina", "歯医者", meaning=toward(1))) == [dentist.text]
        assert await texts(memories, Query("mina", "歯医者", meaning=toward(2))) == []
        assert await memories.without_meaning(5) == [short]

    async def test_what_fits_in_both_ways_comes_before_what_fits_in_one(self, memories: MemoryStore) -> None:
        both, spelled, meant = item("치과 예약 세 시"), item("치과 의자 색깔"), item("이가 아프다")
        await keep(memories, spelled, meant, both)
        await memories.understand({("mina", both.item_id): toward(1, 2), ("mina", meant.item_id): toward(1)})
        found = await memories.search(Query("mina", "치과", meaning=toward(1)))
        assert found[0].item == both
        assert {one.item.text for one in found} == {both.text, spelled.text, meant.text}
        assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
        assert await texts(memories, Query("mina", "치과", limit=1, meaning=toward(1))) == [both.text]

    async def test_vectors_of_two_encoders_are_never_compared(self, memories: MemoryStore) -> None:
        one = item("치과 예약")
        await keep(memories, one)
        await memories.understand({("mina", one.item_id): toward(1)})
        assert await texts(memories, Query("mina", "x", meaning=toward(1, encoder="another"))) == []
        assert await texts(memories, Query("mina", "x", meaning=Embedding(ENCODER, [1.0]))) == []

    async def test_the_newest_come_first_and_are_the_owners(self, memories: MemoryStore) -> None:
        old, new, turn, theirs = (
            item("옛것"), item("새것"), item("지나간 말", kind=MemoryKind.TURN), item("남의 것", user="jun")
        )  # fmt: skip
        later = {"recorded_at": SINCE + timedelta(hours=1)}
        await keep(memories, old, new.model_copy(update=later), turn.model_copy(update=later), theirs)
        notes = await memories.newest("mina", 5, (MemoryKind.NOTE,))
        assert [one.text for one in notes] == ["새것", "옛것"]
        assert len(await memories.newest("mina", 5)) == 3
        assert [one.text for one in await memories.newest("mina", 1, (MemoryKind.NOTE,))] == ["새것"]

    async def test_the_newest_of_one_session_are_of_no_other(self, memories: MemoryStore) -> None:
        session, other = uuid4(), uuid4()
        here = item("여기", kind=MemoryKind.TURN).model_copy(update={"session_id": session})
        there = item("저기", kind=MemoryKind.TURN).model_copy(update={"session_id": other})
        await keep(memories, here, there, item("아무 데도"))
        assert [one.text for one in await memories.newest("mina", 5, (), session)] == ["여기"]
        assert [one.text for one in await memories.newest("mina", 5, (MemoryKind.NOTE,), session)] == []
        assert await memories.newest("mina", 5, (), uuid4()) == []
        assert await memories.newest("jun", 5, (), session) == []

    async def test_a_search_keeps_to_kinds(self, memories: MemoryStore) -> None:
        note, turn = item("치과 예약"), item("치과 예약이 언제야", kind=MemoryKind.TURN)
        await keep(memories, note, turn)
        await memories.understand({("mina", note.item_id): toward(1), ("mina", turn.item_id): toward(1)})
        kinds = (MemoryKind.NOTE, MemoryKind.FACT)
        assert await texts(memories, Query("mina", "치과", kinds=kinds, meaning=toward(1))) == [note.text]

    async def test_items_wait_for_their_meaning_the_oldest_first_and_get_it_once(self, memories: MemoryStore) -> None:
        new, old = (item(text).model_copy(update={"recorded_at": SINCE + timedelta(days=day)})
                    for text, day in (("새 것", 2), ("옛것", 1)))  # fmt: skip
        await keep(memories, new, old)
        assert [one.text for one in await memories.without_meaning(10)] == ["옛것", "새 것"]
        assert await memories.without_meaning(1) == [old]
        await memories.understand({("mina", old.item_id): toward(1), ("mina", uuid4()): toward(1)})
        await memories.understand({("mina", old.item_id): toward(2), ("jun", new.item_id): toward(2)})
        assert await memories.without_meaning(10) == [new]
        assert await texts(memories, Query("mina", "x", meaning=toward(2))) == []

    async def test_vectors_of_another_encoder_are_found_and_made_anew_and_no_others(
        self, memories: MemoryStore
    ) -> None:
        old, older, new, bare = item("치과 예약"), item("은행 계좌"), item("새 것"), item("아직 아무것도")
        await keep(memories, old, older, new, bare)
        made = {old: toward(1), older: toward(1, encoder="abacus"), new: toward(2, encoder="zebra")}
        await memories.understand({("mina", one.item_id): meaning for one, meaning in made.items()})
        for encoder, others in (("zebra", {old, older}), (ENCODER, {older, new}), ("abacus", {old, new})):
            assert set(await memories.outdated(encoder, 10)) == others
            assert len(await memories.outdated(encoder, 1)) == 1
        fresh = toward(3, encoder="zebra")
        await memories.understand({("mina", one.item_id): fresh for one in (old, older, new, bare)}, anew=True)
        assert await memories.outdated("zebra", 10) == []
        assert await memories.without_meaning(10) == [bare]
        assert set(await texts(memories, Query("mina", "x", meaning=fresh))) == {old.text, older.text}
        assert await texts(memories, Query("mina", "x", meaning=toward(2, encoder="zebra"))) == [new.text]
        assert await texts(memories, Query("mina", "x", meaning=toward(1))) == []

    async def test_one_encoder_is_in_use_the_one_that_started_last(self, memories: MemoryStore) -> None:
        assert await memories.use("old")
        assert not await memories.use("new")
        assert await memories.use("new", starting=True)
        assert not await memories.use("old")
        assert await memories.use("new")

    async def test_an_item_comes_back_as_it_was_kept(self, memories: MemoryStore) -> None:
        whole = MemoryItem(
            item_id=UUID(int=7), user="mina / '민아'", kind=MemoryKind.FACT, text="엄마에게 10,000원 이체\n완료 ✓",
            language="ko", session_id=uuid4(), run_id=uuid4(), recorded_at=SINCE,
        )  # fmt: skip
        await keep(memories, whole)
        assert [found.item for found in await memories.search(Query(whole.user, "엄마"))] == [whole]
