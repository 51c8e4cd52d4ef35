"""What is read of a long text, and that what was found in it is told where it stands."""

from datetime import datetime

import pytest

from contracts.cognitive import CognitiveInput, Entity
from understanding.offline.excerpt import ANSWER, READ, SEAM, Excerpt, excerpt
from understanding.offline.understand import SentenceReader

LONGEST = 16_384


@pytest.mark.parametrize("text", ["", "안녕", "가나 " * (READ // 3), "x" * READ])
def test_a_text_that_is_short_enough_is_read_as_it_is(text: str) -> None:
    assert excerpt(text) == Excerpt(text)


@pytest.mark.parametrize(
    "piece", ["서울 ", "12,345원 ", "word ", "東京、", "끝.\n", "가", "7", "만", "9,", "\u200b", "😀"]
)
@pytest.mark.parametrize("length", [READ + 1, 3 * READ, LONGEST])
def test_never_more_than_the_limit_is_read_and_what_is_not_is_counted(piece: str, length: int) -> None:
    text = (piece * length)[:length]
    read = excerpt(text)
    head, tail = read.text[: read.head], read.text[read.head + len(SEAM) :]
    assert len(read.text) <= READ
    assert text.startswith(head) and text.endswith(tail)
    assert read.unread == length - len(head) - len(tail)


@pytest.mark.parametrize("piece", ["123456789 ", "1,234,567원 ", "0.125 ", "4월15일 "])
@pytest.mark.parametrize("shift", range(12))
def test_no_number_is_cut_in_two(piece: str, shift: int) -> None:
    read = excerpt("가" * shift + " " + piece * 2000)
    said = {*piece.split(), "가" * shift, SEAM.strip()} - {""}
    assert set(read.text.split()) <= said


@pytest.mark.parametrize("text", ["8" * 9000, "3,4" * 4000, "５" * 5000])
def test_a_number_without_an_end_is_none(text: str) -> None:
    assert not any(char.isdecimal() for char in excerpt(text).text)


def test_an_entity_behind_the_seam_stands_where_it_stood() -> None:
    text = "시작 " * 3000 + "끝에는 파랑"
    read = excerpt(text)
    start = read.text.index("파랑")
    found = read.whole(Entity(type="color", text="파랑", value="b", start=start, end=start + 2, confidence=1))
    assert found is not None and text[found.start : found.end] == "파랑"


def test_what_stands_in_the_seam_is_nothing() -> None:
    read = excerpt("시작 " * 3000)
    assert read.whole(Entity(type="x", text="…", value="", start=read.head, end=read.head + 2, confidence=1)) is None


@pytest.mark.parametrize("where", ["head", "tail"])
def test_a_request_around_an_article_is_understood_and_the_text_is_kept(
    everything: SentenceReader, now: datetime, where: str
) -> None:
    article = "올해 상반기에는 여러 매장에서 같은 물건이 팔렸다. " * 400
    request = "할머니한테 4만 7천원 보내줘"
    text = f"{request}\n{article}" if where == "head" else f"{article}\n{request}"
    found = everything.understand(CognitiveInput(text=text[:LONGEST] if where == "head" else text), now)
    assert found.text == (text[:LONGEST] if where == "head" else text)
    assert found.unread > 5000
    assert [task.slots for task in found.tasks][:1] == [{"target": "할머니", "amount": 47000}]
    assert all(found.text[one.start : one.end] == one.text for one in found.entities)


def test_of_an_answer_less_is_read(everything: SentenceReader, now: datetime) -> None:
    given = CognitiveInput(text="분석해줘", answers=("리뷰 감성 " + "아 " * 4000,))
    assert everything.understand(given, now).unread > 8000 - ANSWER
