"""Two questions in one sentence: where it is cut, what the second leaves to the first, and that each is answered."""

import pytest

from packs.documents.answering import each_answered
from packs.documents.formats.pages import Page
from packs.documents.parts import parts_of
from packs.documents.passages import passages


@pytest.mark.parametrize(
    ("text", "said", "last"),
    [
        ("who painted it and when?", ["who painted it", "when?"], "when painted it?"),
        ("how much is the fee and when is it due?", ["how much is the fee", "when is it due?"], "when is it due is the fee?"),
        ("where and when is the fair?", ["where is the fair?", "when is the fair?"], "when is the fair?"),
        ("What time does it open, where is it and who is the guide?", ["What time does it open", "where is it", "who is the guide?"], "who is the guide?"),
        ("회비는 얼마고 회장은 누구야?", ["회비는 얼마고", "회장은 누구야?"], "회장은 누구야?"),
        ("회비가 얼마이고 언제까지 내?", ["회비가 얼마이고", "언제까지 내?"], "언제까지 내 회비가?"),
        ("전시는 어디서 언제 해?", ["전시는 어디서 해?", "전시는 언제 해?"], "전시는 언제 해?"),
        ("会費はいくらで、会長は誰ですか", ["会費はいくらで", "会長は誰ですか"], "会長は誰ですか"),
        ("会費はいくらで、いつまでですか", ["会費はいくらで", "いつまでですか"], "いつまでですか 会費は?"),
        ("誰がいつ描きましたか", ["誰が描きましたか", "いつ描きましたか"], "いつ描きましたか"),
    ],
)  # fmt: skip
def test_a_question_with_two_words_that_ask_is_two(text: str, said: list[str], last: str) -> None:
    parts = parts_of(text)
    assert [one.said for one in parts] == said
    assert parts[-1].text == last


@pytest.mark.parametrize(
    "text",
    [
        "what is the fee?", "what happens when a member leaves?", "who decides what is paid?", "", "when?" * 60,
        "회비가 얼마야?", "누가 뭐라고 했어?", "会長は誰ですか", "どんな条件で、いつやめられますか",
    ],
)  # fmt: skip
def test_one_question_is_one(text: str) -> None:
    assert parts_of(text) == ()


CLUB = {
    "en": "The chair of the club is Ines Rowe.\n\nThe fee is 40 dollars.\n\nThe fair was opened by Tom Ash on 3 May 2026.",
    "ko": "동호회 회장은 노아름입니다.\n\n가입비는 4만원입니다.\n\n전시는 2026년 5월 3일에 오지우가 열었습니다.",
    "ja": "会長は岡本葵です。\n\n入会金は4千円です。\n\n展示は2026年5月3日に森蓮が始めました。",
}


def told(language: str, text: str) -> list[tuple[str, str]]:
    """By their letters alone: each question, and what answers it."""
    there = [("club.md", one) for one in passages([Page(None, CLUB[language])])]
    return [(part.said, answer.best[0].passage.text) for part, answer in each_answered(there, text, lambda texts: [])]


@pytest.mark.parametrize(
    ("language", "text", "answers"),
    [
        ("en", "who is the chair and how much is the fee?", ["Ines Rowe", "40 dollars"]), ("en", "who opened the fair and when?", ["Tom Ash"]),
        ("ko", "회장은 누구고 가입비는 얼마야?", ["노아름", "4만원"]), ("ko", "전시는 누가 언제 열었어?", ["오지우"]),
        ("ja", "会長は誰で、入会金はいくらですか", ["岡本葵", "4千円"]), ("ja", "展示は誰がいつ始めましたか", ["森蓮"]),
    ],
)  # fmt: skip
def test_each_question_gets_its_answer_and_one_sentence_that_answers_both_is_told_once(language, text, answers) -> None:
    found = told(language, text)
    assert len(found) == len(answers), found
    for (_, passage), answer in zip(found, answers, strict=True):
        assert answer in passage
