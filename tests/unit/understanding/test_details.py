"""Details of a sentence: lengths, levels, titles in quotes, and products that no list holds."""

from itertools import pairwise

import pytest

from contracts.cognitive import CognitiveInput
from understanding.offline.details import read_details


@pytest.fixture
def understand(understander, now):
    return lambda text, *answers: understander.understand(CognitiveInput(text=text, answers=answers), now)


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        ("이 리뷰들로 30초 영상 만들어줘", {"seconds": 30}),
        ("1분짜리 릴스 영상 만들어줘", {"seconds": 60, "aspect": "9:16"}),
        ("Make a 30-second video of these reviews", {"seconds": 30}),
        ("30秒の動画を作って", {"seconds": 30}),
        ("이 리뷰들로 쇼츠 영상 만들어줘", {"aspect": "9:16"}),
        ("세로 영상 하나 만들어줘", {"aspect": "9:16"}),
        ("이 리뷰들로 정사각형 홍보 영상 만들어줘", {"aspect": "1:1"}),
        ("Make a square video of these reviews", {"aspect": "1:1"}),
        ("縦型の15秒の動画を作って", {"aspect": "9:16", "seconds": 15}),
        ("이 후기들로 한 페이지짜리 리포트 뽑아줘", {"form": "one_page"}),
        ("가방 후기로 홍보 영상 20초", {"seconds": 20}),
        ("a 25s promo of these reviews please", {"seconds": 25}),
        ("이 후기들 분석 결과를 영상으로 만들어줘", {"film": "results"}),
        ("Show me the findings as a video", {"film": "results"}),
        ("この口コミの分析結果を動画にして", {"film": "results"}),
        ("이 후기로 일본어로만 광고 문구 써줘", {"languages": "ja"}),
        ("I need a one-page report on these reviews", {"form": "one_page"}),
        ("レビューを1ページのレポートにまとめて", {"form": "one_page"}),
        ("이 리뷰로 고급스럽게 광고 문구 써줘", {"tone": "premium"}),
        ("광고 문구 재미있게 써줘", {"tone": "playful"}),
        ("Write friendly ad copy from these reviews", {"tone": "friendly"}),
        ("親しみやすく広告コピーを書いて", {"tone": "friendly"}),
        ("Write ad copy aimed at young parents in a playful tone", {"audience": "young parents", "tone": "playful"}),
        ("서비스 수준 98%로 재고 확인해줘", {"service_level": 0.98}),
        ("Check the inventory levels with a service level of 97.5%", {"service_level": 0.975}),
        ("サービスレベル97%で在庫を確認して", {"service_level": 0.97}),
        ("재고 확인하고 30일치 수요 예측해줘", {"horizon_days": 30}),
        ("Forecast demand for the next 60 days", {"horizon_days": 60}),
        ("今後45日の需要を予測して", {"horizon_days": 45}),
        ("제목은 '우리 리뷰'로 리포트 만들어줘", {"title": "우리 리뷰"}),
        ('Make a report titled "What people say"', {"title": "What people say"}),
        ("タイトルは「夏の声」でレポートを作って", {"title": "夏の声"}),
        ("제목: 「여름의 목소리」 리포트 만들어줘", {"title": "여름의 목소리"}),
        ("'고객의 말'이라는 제목으로 리포트 만들어줘", {"title": "고객의 말"}),
        ("Make a report titled “Summer voices”", {"title": "Summer voices"}),
        ("「秋の声」というタイトルでレポートを作って", {"title": "秋の声"}),
        ("Make a 2-minute promo video of these reviews", {"seconds": 120}),
        ("2分の動画を作って", {"seconds": 120}),
        ("이 리뷰들로 슬라이드 5장 정도로 만들어줘", {"slides": 5}),
        ("이 후기로 다섯 장짜리 슬라이드", {"slides": 5}),
        ("Make 6 slides of these reviews", {"slides": 6}),
        ("a four-slide deck of these reviews please", {"slides": 4}),
        ("slides of these reviews, no more than 8 slides", {"slides": 8}),
        ("Make slides of the Q3 reviews", {}),
        ("a five-page deck of these reviews please", {"slides": 5}),
        ("Make slides of these reviews: a deck of at most 7", {"slides": 7}),
        ("このレビューでスライドを5枚作って", {"slides": 5}),
        ("口コミのスライドを十枚でお願いします", {"slides": 10}),
        ("95% 서비스 수준으로 재고 확인해줘", {"service_level": 0.95}),
        ("Check the inventory levels at a 96% service level", {"service_level": 0.96}),
        ("98%のサービス水準で在庫を確認して", {"service_level": 0.98}),
        ("앞으로 90일 수요 예측해줘", {"horizon_days": 90}),
        ("Run a 45-day demand forecast", {"horizon_days": 45}),
        ("Forecast demand for 21 days", {"horizon_days": 21}),
        ("Do we have 40 days of stock, check the inventory levels", {"horizon_days": 40}),
        ("在庫を確認して20日分の需要を予測して", {"horizon_days": 20}),
        ("30代の女性向けに広告コピーを書いて", {"audience": "30代の女性"}),
        ("리포트 제목을 바꿔서 만들어줘", {}),
        ("배송이 3초 만에 왔다는 리뷰 감성 분석해줘", {}),
        ("지난 30일간 리뷰 감성 분석해줘", {}),
    ],
)
def test_what_a_sentence_says_of_a_tool_is_found(understand, text, filters):
    understood = understand(text)
    assert understood.plan_hint.filters == filters
    for entity in understood.entities:
        assert text[entity.start : entity.end] == entity.text
    spans = sorted((one.start, one.end) for one in understood.entities)
    assert all(left[1] <= right[0] for left, right in pairwise(spans))


def test_days_of_stock_are_no_period_of_the_data(understand):
    assert understand("재고 확인하고 30일치 수요 예측해줘").plan_hint.period is None
    period = understand("최근 30일 재고 현황 알려줘").plan_hint
    assert (period.period is None, period.filters) == (False, {})


def test_what_a_title_says_is_neither_asked_for_nor_a_name_nor_a_date(understand):
    hint = understand('감성 리포트 만들어줘. 제목은 "지난 분기 갤럭시 키워드 재고 현황"').plan_hint
    assert hint.goals == ("insight.sentiment", "document.pdf")
    assert (hint.period, hint.filters) == (None, {"title": "지난 분기 갤럭시 키워드 재고 현황"})


@pytest.mark.parametrize(
    ("text", "product"),
    [
        ("달빛 전기포트 광고 문구 만들어줘", "달빛 전기포트"),
        ("고급스럽게 달빛 전기포트 광고 문구 만들어줘", "달빛 전기포트"),
        ("30대를 위한 캠핑 의자 광고 문구 써줘", "캠핑 의자"),
        ("갤럭시 버즈 광고 문구 써줘", "Galaxy Buds"),
        ("나이키 광고 문구 만들어줘", "나이키"),
        ("Write ad copy for the Moonlight Kettle", "Moonlight Kettle"),
        ("月光ケトルの広告コピーを書いて", "月光ケトル"),
    ],
)
def test_an_ad_for_a_named_product_needs_no_file(understand, text, product):
    understood = understand(text)
    assert understood.plan_hint.goals == ("content.ad",)
    assert understood.plan_hint.filters["product"] == product
    assert understood.needs == ()


@pytest.mark.parametrize(
    "text",
    [
        "광고 문구 만들어줘",
        "이 리뷰로 광고 문구랑 배너 만들어줘",
        "재미있는 광고 문구 써줘",
        "신제품 광고 만들어줘",
        "페이스북에 올릴 광고 소재가 필요해요",
        "Make an ad for our new product",
        "Create a banner ad",
        "広告コピーを書いて",
    ],
)
def test_an_ad_for_nothing_in_particular_needs_data_or_a_product(understand, text):
    understood = understand(text)
    assert "product" not in understood.plan_hint.filters
    assert understood.needs == ("file.table",)


def test_the_answer_to_which_product_is_the_product(understand):
    answered = understand("광고 문구 만들어줘", "달빛 전기포트예요")
    assert (answered.plan_hint.filters, answered.needs) == ({"product": "달빛 전기포트"}, ())
    assert understand("광고 문구 만들어줘", "잘 모르겠어요").needs == ("file.table",)


def test_a_product_of_an_ad_serves_no_other_goal(understand):
    assert understand("달빛 전기포트 광고 문구랑 리포트 만들어줘").needs == ("file.table",)
    assert "product" not in understand("달빛 전기포트 광고 영상 댓글 감성 분석해줘").plan_hint.filters


def test_formats_follow_the_goals(understand):
    for text in ("경쟁사 비교 영상", "경쟁사 비교 영상 만들어줘"):
        hint = understand(text).plan_hint
        assert hint.goals == ("insight.competitor", "document.video")
        assert [str(one) for one in hint.formats] == ["video"]


def test_a_pack_without_details_has_none(tmp_path):
    assert read_details(tmp_path / "details.yaml") == ()
