"""Who asks for what was said before wants that, whatever it was about; what else is asked for stays."""

from datetime import UTC, datetime

import pytest

from backbone import packs
from contracts.cognitive import CognitiveInput
from understanding.offline.pack import read_packs
from understanding.offline.understand import SentenceReader

NOW = datetime(2026, 11, 30, 3, tzinfo=UTC)
SEARCH = "DOCUMENTS.search"


@pytest.fixture(scope="module")
def reader() -> SentenceReader:
    return SentenceReader(read_packs(packs.load().packs.values()))


def tasks(reader: SentenceReader, text: str) -> list[str]:
    return [task.intent for task in reader.understand(CognitiveInput(text=text), NOW).tasks]


@pytest.mark.parametrize(
    "text",
    [
        "이모한테 7만원 부치려다 만 적이 있거든? 그 대화 좀 찾아줘",
        "우리 얘기 중에 대전 날씨 물어본 부분 다시 보여줘",
        "수영 강습 몇 시였더라... 너랑 나눈 대화에서 검색해줘",
        "I asked you once to send 40 dollars to Leo. Find that chat for me",
        "Could you dig up the conversation about the train to Busan?",
        "弟に3万円送ろうとしたことがあったよね。そのときのやりとりを見せて",
        "前に話した水泳の時間、チャットの中から探して",
    ],
)
def test_a_request_for_earlier_talk_is_one_and_nothing_of_it_is_done_again(reader: SentenceReader, text: str) -> None:
    assert tasks(reader, text) == [SEARCH]


@pytest.mark.parametrize(
    "text",
    [
        "지난번에 얘기한 대로 이모한테 7만원 보내줘",
        "아까 말한 수영 강습 7시로 옮겨줘",
        "Send Leo the amount we talked about, 40 dollars",
        "前に話した通り、弟に3万円送って",
    ],
)
def test_what_was_talked_about_and_shall_be_done_is_done(reader: SentenceReader, text: str) -> None:
    assert SEARCH not in tasks(reader, text)


def test_what_is_asked_for_after_it_or_in_the_same_breath_stays(reader: SentenceReader) -> None:
    after = tasks(reader, "지난 대화에서 예산 얘기 찾아줘. 그리고 이모한테 3만원 보내줘")
    beside = tasks(reader, "이모한테 3만원 보내고 지난 대화에서 예산 얘기 찾아줘")
    assert "TRANSFER" in after
    assert "TRANSFER" in beside


@pytest.mark.parametrize(
    "text",
    [
        "이모한테 3만원 보내줘. 그리고 지난 대화에서 예산 얘기 찾아줘",
        "Send 40 dollars to Leo. Then find our chat about the budget",
        "弟に3万円送って。それから、前に話した予算の会話を探して",
    ],
)
def test_what_was_asked_for_in_a_sentence_before_is_not_lost(reader: SentenceReader, text: str) -> None:
    assert "TRANSFER" in tasks(reader, text)


@pytest.mark.parametrize(
    "text",
    [
        "방금 뭐 취소한 거였어?",
        "아까 지운 게 뭐였지",
        "왜 그거 취소했어?",
        "너 지금까지 뭘 했는지 말해봐",
        "so what did you just cancel there?",
        "why did you delete it?",
        "summarise what you did this morning",
        "さっき何を取り消したんだっけ",
        "どうして消したんですか",
        "今日何をしてくれた？",
    ],
)
def test_what_was_done_is_asked_of_this_conversation_and_nothing_is_done(reader: SentenceReader, text: str) -> None:
    assert tasks(reader, text) == ["DOCUMENTS.conversation"]


@pytest.mark.parametrize(
    "text",
    [
        "방금 추가한 약속 취소해줘",
        "왜 아직 있어, 요가 일정 지워줘",
        "cancel the yoga I just told you about",
        "さっき入れた予定を消して",
    ],
)
def test_who_wants_it_taken_out_has_it_taken_out(reader: SentenceReader, text: str) -> None:
    assert tasks(reader, text) == ["ASSISTANT.calendar"]
