"""Nobody here writes or sends mails and messages: whoever wants one is told so, and no transfer, reminder, note or
appointment is begun for it."""

from datetime import datetime

import pytest

from contracts.cognitive import CognitiveInput
from understanding.offline.understand import SentenceReader


@pytest.mark.parametrize(
    "text",
    [
        "담임 선생님께 결석한다고 문자 남겨줘",
        "영업팀에 2시까지 가격표 달라고 메일 보내 주세요",
        "교수님께 드릴 메일 초안 잡아줘",
        "부장님한테 지각한다고 메시지 좀 전해줘",
        "이 보고서 실장님한테 메일로 보내줘",
        "compose an email to the school about friday's trip",
        "please text Rosa that I will be there at 6",
        "send the plumber a message asking for a quote by Monday",
        "email the report to Nora",
        "先生に明日欠席するとメール送ってください",
        "妻に先に寝ててとLINE送って",
        "取引先への返信メールを下書きしてほしい",
    ],
)
def test_a_mail_or_a_message_is_declined_by_what_it_is(text: str, everything: SentenceReader, now: datetime) -> None:
    found = everything.understand(CognitiveInput(text=text), now)
    assert found.answer == "answer.no_messages"
    assert found.declined
    assert not found.ambiguities


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("5시에 카톡 답장하라고 알려줘", "ASSISTANT.reminder"),
        ("내일 3시에 이모한테 문자 보내라고 알려줘", "ASSISTANT.reminder"),
        ("할 일에 교수님 메일 쓰기 추가", "ASSISTANT.calendar"),
        ("금요일 10시에 메일 정리 일정 넣어줘", "ASSISTANT.calendar"),
        ("동생한테 5만원 보내줘", "TRANSFER"),
        ("tomorrow remind me to text Rosa", "ASSISTANT.reminder"),
        ("add send a message to Rosa to my to-do list", "ASSISTANT.calendar"),
        ("send 20000 won to Rosa", "TRANSFER"),
        ("明日の朝、母にメールを送るようにリマインドして", "ASSISTANT.reminder"),
    ],
)
def test_what_is_to_be_kept_in_mind_about_one_is_kept(
    text: str, intent: str, everything: SentenceReader, now: datetime
) -> None:
    assert [one.intent for one in everything.understand(CognitiveInput(text=text), now).tasks] == [intent]


@pytest.mark.parametrize("text", ["보내", "보내 줘", "응, 보내", "send it", "Send that!", "send", "送って", "送って。"])
def test_a_bare_send_opens_no_transfer_and_pretends_nothing(
    text: str, everything: SentenceReader, now: datetime
) -> None:
    found = everything.understand(CognitiveInput(text=text), now)
    assert not found.tasks
    assert found.ambiguities


@pytest.mark.parametrize("text", ["송금할래", "돈 보내줘", "I want to send money", "送金したい"])
def test_who_says_that_it_is_money_begins_a_transfer(text: str, everything: SentenceReader, now: datetime) -> None:
    assert [one.intent for one in everything.understand(CognitiveInput(text=text), now).tasks] == ["TRANSFER"]
