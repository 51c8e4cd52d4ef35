"""What one message leads to: goals, formats, period, filters, doubts, and the effect of answers."""

from dataclasses import replace
from datetime import date, datetime
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.cognitive import CognitiveInput, OutputFormat, Period, Route
from contracts.packs import IntentSpec
from understanding.offline.encoder import NgramEncoder
from understanding.offline.pack import PackUnderstanding
from understanding.offline.understand import SentenceReader
from understanding.result import Doubt, Understanding


@pytest.fixture
def understand(understander: SentenceReader, now: datetime):
    def of(text: str, *answers: str, language: str | None = None) -> Understanding:
        return understander.understand(CognitiveInput(text=text, answers=answers, language=language), now)

    return of


def test_a_request_for_two_things_gets_the_goals_of_both(understand):
    understood = understand("이 리뷰들 감성 분석하고 월별 트렌드 리포트 만들어줘")
    assert understood.intent.name == "CONTENT.report"
    assert understood.intent.subcategory == "trend_report"
    assert understood.plan_hint.goals == ("insight.sentiment", "insight.trend", "document.pdf")
    assert understood.plan_hint.formats == (OutputFormat.PDF,)
    assert understood.plan_hint.period == Period(grain="month")
    assert understood.needs == ("file.table",)
    assert understood.ambiguities == ()


@pytest.mark.parametrize(
    "text", ["리포트 만들어줘", "report please", "レポートを作成してください", "금요일까지 지난달 리뷰 보고서 작성해줘"]
)
def test_a_bare_report_holds_every_insight(understand, text):
    assert understand(text).plan_hint.goals == (
        "insight.sentiment",
        "insight.keywords",
        "insight.trend",
        "document.pdf",
    )


@pytest.mark.parametrize(
    "text",
    [
        "감성은 빼고 리포트 만들어줘",
        "감성은 넣지 말고 리포트 만들어줘",
        "write a report without sentiment",
        "write a report of these reviews, but don't include the sentiment",
        "a report that doesn’t show sentiment, please",
        "感情は除いてレポートを作って",
        "感情は入れないでレポートを作って",
        "感情は抜いてレポートを作って",
        "感情分析は外して、レポートを作って",
    ],
)
def test_what_is_left_out_is_not_made(understand, text):
    assert "insight.sentiment" not in understand(text).plan_hint.goals
    assert "document.pdf" in understand(text).plan_hint.goals


@pytest.mark.parametrize(
    ("text", "goals"),
    [("트렌드", ("insight.trend",)), ("키워드요", ("insight.keywords",)), ("sentiment", ("insight.sentiment",))],
)
def test_a_single_word_that_names_a_subject_is_a_request_for_it(understand, text, goals):
    assert understand(text).plan_hint.goals == goals


def test_a_wavering_model_follows_the_words_of_the_sentence(understand):
    understood = understand("갤럭시 버즈 인스타그램 리뷰를 지난 분기 기준으로 감성 분석해서 차트로 보여줘")
    assert understood.plan_hint.goals == ("insight.sentiment",)
    assert understood.plan_hint.formats == (OutputFormat.IMAGE,)
    assert understood.plan_hint.period == Period(start=date(2026, 4, 1), end=date(2026, 6, 30))
    assert understood.plan_hint.filters == {"product": "Galaxy Buds", "platform": "Instagram"}


@pytest.mark.parametrize("text", ["분석해줘", "analyze this please", "分析してください"])
def test_work_without_a_subject_is_a_question_about_its_domain(understand, text):
    understood = understand(text)
    (doubt,) = understood.ambiguities
    assert doubt.doubt is Doubt.UNSPECIFIED
    assert doubt.domain == "ANALYSIS"
    assert {choice.value for choice in doubt.choices} == {
        "ANALYSIS.ask",
        "ANALYSIS.sentiment",
        "ANALYSIS.keyword",
        "ANALYSIS.trend",
        "ANALYSIS.competitor",
    }
    assert understood.intent.category is None


@pytest.mark.parametrize(
    "answer", ["감성", "ANALYSIS.sentiment", "감성 분석", "고객 감정이 어떤지 분석해줘", "sentiment"]
)
def test_an_answer_completes_the_request(understand, answer):
    understood = understand("분석해줘", answer)
    assert understood.ambiguities == ()
    assert understood.plan_hint.goals == ("insight.sentiment",)
    assert understood.rounds == 1


def test_a_chosen_option_stands_in_the_text_by_its_label(understand):
    assert understand("분석해줘", "ANALYSIS.keyword").text == "분석해줘\n키워드 분석"
    assert understand("分析して", "ANALYSIS.keyword").text == "分析して\nキーワード分析"


def test_a_chosen_option_survives_later_small_answers(understand):
    understood = understand("분석해줘", "키워드 분석", "여기 있어요", "")
    assert understood.intent.name == "ANALYSIS.keyword"
    assert understood.rounds == 3


def test_a_clear_later_answer_takes_the_place_of_a_choice(understand):
    understood = understand("분석해줘", "ANALYSIS.keyword", "아니다, 리뷰 감성 분석으로 해줘")
    assert understood.intent.name == "ANALYSIS.sentiment"


def test_an_answer_that_says_nothing_keeps_the_doubt(understand):
    assert understand("분석해줘", "배고파").ambiguities[0].doubt is Doubt.UNSPECIFIED


def test_a_clear_answer_replaces_a_message_that_meant_nothing(understand):
    understood = understand("배고파", "이 리뷰들 감성 좀 분석해줘")
    assert understood.plan_hint.goals == ("insight.sentiment",)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("뭘 할 수 있어?", "answer.capabilities"),
        ("how do I upload a file?", "answer.how_to"),
        ("どのファイル形式に対応していますか", "answer.faq"),
        ("배고파", "answer.not_ours"),
    ],
)
def test_an_inquiry_is_answered_with_a_text_of_the_platform(understand, text, key):
    understood = understand(text)
    assert understood.route is Route.ANSWER
    assert (understood.pack, understood.answer) == ("platform", key)
    assert understood.plan_hint.goals == ()


@pytest.mark.parametrize("text", [" ", "\n\t", "😀🎉", "?!…", "　"])
def test_a_text_without_letters_is_a_question(understand, text):
    assert understand(text).ambiguities


def test_a_deadline_is_no_period_of_the_data(understand):
    understood = understand("금요일까지 지난달 리뷰 보고서 작성해줘")
    assert understood.plan_hint.period == Period(start=date(2026, 8, 1), end=date(2026, 8, 31))


def test_the_language_the_person_chose_holds(understand):
    assert understand("analyze the sentiment of these reviews", language="ko").language == "ko"
    assert understand("analyze the sentiment of these reviews").language == "en"
    assert understand("レビューを分析して").language == "ja"


def test_a_request_in_another_language_is_doubted_only_if_it_is_not_understood(understand):
    assert understand("Fais une analyse de sentiment de ces avis").plan_hint.goals == ("insight.sentiment",)


def test_pasted_data_does_not_hide_the_request(understand):
    text = "다음 리뷰들 감성 분석해줘\n" + "배송이 2023년 5월에 왔는데 정말 좋았어요. 재구매 의사 있습니다.\n" * 300
    understood = understand(text)
    assert understood.intent.name == "ANALYSIS.sentiment"


def test_two_packs_may_bring_the_same_intent(platform, encoder, now):
    other = PackUnderstanding(
        name="other",
        intents=(
            IntentSpec(
                intent="INQUIRY.general",
                route=Route.ANSWER,
                answer="answer.other",
                label="x",
                examples={"en": ("help me",)},
            ),
            IntentSpec(
                intent="TRANSFER.send",
                route=Route.FLOW,
                label="y",
                examples={"ko": ("엄마한테 3만원 보내줘", "송금해줘", "친구에게 돈 이체해 줘")},
            ),
        ),
    )
    both = SentenceReader((replace(platform, sentences=()), other), encoder, ())
    transfer = both.understand(CognitiveInput(text="동생한테 5만원 송금해줘"), now)
    assert (transfer.route, transfer.pack) == (Route.FLOW, "other")
    assert both.understand(CognitiveInput(text="뭘 할 수 있어?"), now).answer == "answer.capabilities"


@pytest.mark.long  # it learns
def test_without_the_sentence_weights_the_named_things_are_still_understood(pack, now):
    fallback = SentenceReader((replace(pack, sentences=pack.sentences[::8]),), NgramEncoder(), ())
    understood = fallback.understand(CognitiveInput(text="이 리뷰들 감성 분석해줘"), now)
    assert understood.plan_hint.goals == ("insight.sentiment",)


_ALPHABETS = st.one_of(
    st.text(max_size=200),
    st.text(alphabet="가나다라마바사분석감성리뷰월별 지난최근0123456789년월일주분기부터까지~-/.", max_size=80),
    st.text(alphabet="レビュー分析感情先月年度第四半期〜からまで0123456789/ ", max_size=80),
    st.text(alphabet="aeiou last months 0123456789/-.Q since until report 😀👩\u200d👩\u200d👧\u0301", max_size=80),
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=_ALPHABETS.filter(bool), answer=_ALPHABETS)
def test_any_text_is_read_and_every_span_is_true(understander, now, text, answer):
    understood = understander.understand(CognitiveInput(text=text, answers=(answer,)), now)
    assert understood.intents
    for entity in understood.entities:
        assert understood.text[entity.start : entity.end] == entity.text
        assert entity.text.strip()
    spans = sorted((e.start, e.end) for e in understood.entities if e.type not in ("grain", "format", "metric"))
    assert all(left[1] <= right[0] for left, right in pairwise(spans))


@pytest.mark.parametrize(
    "piece",
    [
        "가나다 3월 ",
        "in 2024 ",
        "先月の",
        "😀",
        "a",
        "1",
        " ",
        "İ",
        "삼성 애플 ",
        "2015년 3월부터 ",
        "\u0000",
        "misspelt instagrm ",
    ],
)
def test_sixteen_kilobytes_are_read_in_a_moment(understand, piece):
    text = (piece * 16384)[:16384]
    assert understand(text).text == text
