"""Two requests in one sentence, however they are tied; what is one request stays one; what is taken back is asked about."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.cognitive import CognitiveInput
from understanding.offline.clauses import splitter
from understanding.offline.scoring import Expected, Heard, judge
from understanding.offline.understand import SentenceReader
from understanding.result import Understanding

NOW = datetime.fromisoformat("2026-09-28T14:30:00+09:00")


@pytest.fixture
def understand(everything: SentenceReader):
    def of(text: str) -> Understanding:
        return everything.understand(CognitiveInput(text=text), NOW)

    return of


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        ("한별이한테 3만원 부치고 내일 제주 날씨 알려줘", ["TRANSFER", "DEVICES.weather"]),
        ("광화문으로 안내 시작하고 신나는 노래 틀어줘", ["DEVICES.navigation", "DEVICES.song"]),
        ("내일 일정이랑 제주 날씨 같이 알려줘", ["ASSISTANT.calendar", "DEVICES.weather"]),
        ("배너랑 홍보 동영상 만들어줘", ["CONTENT.ad", "CONTENT.video"]),
        ("후기 긍부정 따져보고 많이 나온 불만도 뽑아줘", ["ANALYSIS.sentiment", "ANALYSIS.keyword"]),
        ("임대차 계약서 찾아서 요약해줘", ["DOCUMENTS.search", "DOCUMENTS.read"]),
        ("집으로 가자, 가는 동안 재즈 틀어줘", ["DEVICES.navigation", "DEVICES.song"]),
        ("Show the keywords and the monthly trend of the reviews", ["ANALYSIS.keyword", "ANALYSIS.trend"]),
        ("How happy are customers, and which complaints come up most", ["ANALYSIS.sentiment", "ANALYSIS.keyword"]),
        ("Find the lease and summarize it", ["DOCUMENTS.search", "DOCUMENTS.read"]),
        ("バナーと紹介動画を作って", ["CONTENT.ad", "CONTENT.video"]),
        ("契約書を探して要点をまとめて", ["DOCUMENTS.search", "DOCUMENTS.read"]),
        ("母に3万ウォン送って、明日の大阪の天気を教えて", ["TRANSFER", "DEVICES.weather"]),
        ("3월 매출 실적 알려주시고 팀장님께 드릴 주간 보고서도 작성해주세요", ["OPERATION.sales", "CONTENT.report"]),
        (
            "What was our revenue in May? Also I need a report on customer feedback",
            ["OPERATION.sales", "CONTENT.report"],
        ),
        ("Design a banner for the autumn sale and cut a short promo clip for it", ["CONTENT.ad", "CONTENT.video"]),
    ],
)
def test_requests_for_different_things_are_two(understand, text, intents):
    assert [task.intent for task in understand(text).tasks] == intents


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("영화 보고 저녁 먹는 약속 토요일 6시에 잡아줘", "ASSISTANT.calendar"),
        ("영화랑 저녁 약속 토요일 6시에 잡아줘", "ASSISTANT.calendar"),
        ("밥 먹고 약 먹으라고 1시에 알려줘", "ASSISTANT.reminder"),
        ("날씨 좋으니까 신나는 노래 틀어줘", "DEVICES.song"),
        ("달빛 전기포트 광고 영상 만들어줘", "CONTENT.video"),
        ("재고 보고서 만들어줘", "CONTENT.report"),
        ("리뷰 불만 분석해서 리포트 만들어줘", "CONTENT.report"),
        ("한별이한테 3만원 부쳐줘, 생일 축하해 라고 메모 남겨서", "TRANSFER"),
        ("Make a report on sentiment and keywords", "CONTENT.report"),
        ("Remind me to check the stock and call mom at 5pm", "ASSISTANT.reminder"),
        ("映画と食事の予定を土曜6時に入れて", "ASSISTANT.calendar"),
    ],
)
def test_what_is_one_request_stays_one(understand, text, intent):
    assert [task.intent for task in understand(text).tasks] == [intent]


def test_what_is_taken_out_is_put_in_again_by_its_name(understand):
    out, again = understand("이번 주 금요일 동창회 지우고 다음 주 월요일 오전 11시로 다시 잡아줘").tasks
    assert (out.slots["action"], out.slots["title"], out.slots["date"]) == ("delete", "동창회", "2026-10-02")
    assert again.slots == {"title": "동창회", "date": "2026-10-05", "time": "11:00"}


@pytest.mark.parametrize(
    "text",
    [
        "내일 밤 9시 회식 일정 빼주고 그 시간에 수영 넣어줘",
        "Cancel the dinner tomorrow at 9pm and book the gym at that time",
    ],
)
def test_that_time_is_the_one_of_the_request_before(understand, text):
    _, other = understand(text).tasks
    assert (other.slots["date"], other.slots["time"]) == ("2026-09-29", "21:00")


def test_that_day_is_the_one_that_was_said_in_whatever(understand):
    _, reminder = understand("언니 생일이 11월 9일이니까 기억해두고 그날 아침 9시에 알림도 맞춰줘").tasks
    assert (reminder.slots["date"], reminder.slots["time"]) == ("2026-11-09", "09:00")
    _, weather = understand("Schedule a review for October 16 at 10 am and show me the weather in Busan that day").tasks
    assert weather.slots == {"place": "Busan", "date": "2026-10-16"}


def test_a_thing_that_is_said_twice_is_taken_out_once(understand):
    (task,) = understand("10월 2일 워크숍 취소됐대. 일정에서 지워줘").tasks
    assert task.slots == {"action": "delete", "title": "워크숍", "date": "2026-10-02"}


@pytest.mark.parametrize(
    "text",
    [
        "내일 면담 잡아줘 아니 잡지마 아 모르겠다",
        "한별이한테 2만원 보내지 말고 보내줘",
        "Send Emma 20k won, no wait, don't",
        "明日の会議を入れて、いややっぱり入れないで",
        "한별이한테 2만원 보내되 보내지는 마",
        "어 그게 뭐였더라",
    ],
)
def test_what_is_asked_for_and_taken_back_is_asked_about(understand, text):
    assert understand(text).ambiguities


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("주말이니 영화나 볼래, 쥬라기공원 재생해줘", {"title": "쥬라기공원"}),
        ("노래 좋은날 한 번만 더 틀어줘", {"title": "좋은날"}),
        ("let's watch the film Arrival tonight, start it up", {"title": "Arrival"}),
        ("千と千尋を再生して、みんなで映画観るから", {"title": "千と千尋"}),
        ("금요일 약속 남은 거 읊어봐", {"action": "list", "date": "2026-10-02"}),
        ("10月10日の同窓会、カレンダーから消しといて", {"action": "delete", "title": "同窓会", "date": "2026-10-10"}),
        (
            "I can't make pilates tomorrow, take it off my calendar",
            {"action": "delete", "title": "pilates", "date": "2026-09-29"},
        ),
    ],
)
def test_only_the_thing_itself_is_its_title(understand, text, slots):
    (task,) = understand(text).tasks
    assert task.slots == slots


def test_what_no_pack_does_ends_with_a_question():
    declined = Heard((Expected(intent="INQUIRY.unsupported"),), asks=False, unclear=False, declined=True)
    assert judge((), declined).asked
    assert not judge((), Heard((Expected(intent="INQUIRY.general"),), asks=False, unclear=False)).asked


@given(st.text(st.sampled_from("가고랑 와,and그리고、てとを.xyz줘틀어"), max_size=60))
def test_a_tie_lies_between_two_pieces_of_the_text(text):
    for tie in splitter().ties(text):
        assert 0 <= tie.left <= tie.right <= len(text)
        assert text[: tie.left].strip()
        assert text[tie.right :].strip()


@pytest.mark.parametrize(("said", "same"), [("수빈이", True), ("수빈님", True), ("수빈", True), ("수민", False)])
def test_a_payee_is_the_same_with_the_ending_that_names_are_called_with(said, same):
    given_ = Heard(
        (Expected(intent="TRANSFER", slots={"target": said, "memo": "수빈이"}),),
        False,
        False,
        names=frozenset({"target"}),
    )
    expected = [Expected(intent="TRANSFER", slots={"target": "수빈", "memo": "수빈"})]
    assert judge(expected, given_).slots == (("target", same), ("memo", False))
