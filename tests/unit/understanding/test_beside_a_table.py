"""What is said beside a table of reviews is about the reviews, also where other packs know the word ("film")."""

from datetime import datetime

import pytest

from contracts.cognitive import CognitiveInput
from contracts.context import Context, FileSeen, Requested
from tests.unit.services.plans import file
from understanding.offline.understand import SentenceReader


@pytest.mark.parametrize(
    ("said", "category"),
    [
        ("사람들이 이 작품들을 재밌게 봤는지 별로였는지 알고 싶어", "sentiment"),
        ("Did the audience enjoy these pictures?", "sentiment"),
        ("この作品たちの評判は良いの悪いの？", "sentiment"),
        ("왜 작품 12가 점수가 낮지?", "ask"),
        ("그림으로 월별 흐름 보여줘", "trend"),
        ("Show how satisfaction changed over the quarters as a chart", "trend"),
    ],
)
def test_what_is_said_beside_a_table_of_reviews_is_about_the_reviews(
    said: str, category: str, everything: SentenceReader, now: datetime
) -> None:
    found = everything.understand(CognitiveInput(text=said, attachments=(file("file.table"),)), now)
    assert (found.intent.domain, found.intent.category) == ("ANALYSIS", category)


@pytest.mark.parametrize(
    "said",
    [
        "In the Leeds branch during May 2025, how many visitors came and what did they spend on average?",
        "점심에 김밥이 얼마나 팔리는지 보려고요. 결제된 주문만 건수랑 금액 합계 좀 뽑아 주실래요?",
        "내용에 '배터리'라는 말이 나오는 것만 추려서, 몇 건인지하고 평균 점수 알려줄래요?",
        "김밥 총 몇 개 나갔나요 건수 말고 수량으로요! 환불건은 빼주세요",
    ],
)
def test_what_says_of_which_rows_is_no_request_of_its_own(said: str, everything: SentenceReader, now: datetime) -> None:
    """Cut off as one ("a note", "an appointment"), the figures would be of all rows."""
    table = Context(files=(FileSeen(name="visits.csv", type="file.table"),))
    found = everything.understand(CognitiveInput(text=said, context=table), now)
    assert [(one.intent, one.slots["question"]) for one in found.tasks] == [("ANALYSIS.ask", said)]


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("지점별 평균 점수 알려주고 모레 3시에 회의 잡아줘", "ASSISTANT.calendar"),
        ("What is the mean score? And remind me to phone Dana at 6.", "ASSISTANT.reminder"),
        ("月ごとの件数を出して。あと明日の天気も教えて", "DEVICES.weather"),
        ("환불 건수 알려줘. 그리고 누나한테 2만원 보내줘", "TRANSFER"),
    ],
)
def test_other_work_beside_a_question_stays_its_own(
    said: str, other: str, everything: SentenceReader, now: datetime
) -> None:
    table = Context(files=(FileSeen(name="visits.csv", type="file.table"),))
    found = everything.understand(CognitiveInput(text=said, context=table), now)
    assert [one.intent for one in found.tasks] == ["ANALYSIS.ask", other]


@pytest.mark.parametrize(
    "said",
    [
        "이거 분석 좀 해주라",
        "Could you analyse this one for me",
        "このファイルを分析してもらえる？",
        "저번 분기 매장별 매출 알려줘",
        "Revenue by branch, please",
        "支店別の売上を見たい",
    ],
)
def test_what_would_want_a_table_of_sales_or_names_no_subject_is_a_question_about_the_one_that_is_there(
    said: str, everything: SentenceReader, now: datetime
) -> None:
    table = Context(files=(FileSeen(name="takings.csv", type="file.table", now=True, roles=("date",)),))
    found = everything.understand(CognitiveInput(text=said, context=table), now)
    assert [one.intent for one in found.tasks] == ["ANALYSIS.ask"]
    alone = everything.understand(CognitiveInput(text=said), now)
    assert "ANALYSIS.ask" not in [one.intent for one in alone.tasks]


def test_of_a_table_of_texts_it_is_asked_what_exactly_is_to_be_analysed(
    everything: SentenceReader, now: datetime
) -> None:
    seen = FileSeen(name="reviews.csv", type="file.table", now=True, roles=("date", "text"))
    found = everything.understand(CognitiveInput(text="분석해줘", context=Context(files=(seen,))), now)
    assert not found.tasks and found.ambiguities


@pytest.mark.parametrize(
    "said",
    [
        "월별 추이 보여줘",
        "Analyse how we do against the competition",
        "推移を分析して",
        "Show the trend over the year",
    ],
)
def test_a_table_without_texts_is_asked_what_another_would_be_analysed_for(
    said: str, everything: SentenceReader, now: datetime
) -> None:
    def meant(*roles: str) -> list[str]:
        seen = FileSeen(name="visits.csv", type="file.table", now=True, roles=roles)
        found = everything.understand(CognitiveInput(text=said, context=Context(files=(seen,))), now)
        return [one.intent for one in found.tasks]

    assert meant("date", "rating") == ["ANALYSIS.ask"]
    assert meant("date", "text")[0] in ("ANALYSIS.trend", "ANALYSIS.competitor")


@pytest.mark.parametrize(
    "said",
    ["make it about Seoul only", "서울 것만으로 다시 만들어줘", "ソウルだけで作り直して", "redo it for Busan, please"],
)
def test_what_was_made_is_made_again_of_other_rows(said: str, everything: SentenceReader, now: datetime) -> None:
    files = (FileSeen(name="sales.csv", type="file.table"),)
    last = Requested(intent="OPERATION.sales.sales_material")
    found = everything.understand(CognitiveInput(text=said, context=Context(files=files, last=last)), now)
    assert [one.intent for one in found.tasks] == ["OPERATION.sales"]
    asked = Requested(intent="ANALYSIS.ask")
    found = everything.understand(CognitiveInput(text=said, context=Context(files=files, last=asked)), now)
    assert [one.intent for one in found.tasks] != ["OPERATION.sales"]
