"""A rejection with a reason: what it names is taken out, or is all that stays."""

import pytest

from contracts.planning import Plan
from services.planning.domain.editing import only_named, without_named
from tests.unit.services.catalogues import maker
from tests.unit.services.plans import plan, todo

TOOLS = {
    spec.tool_key: spec
    for spec in (
        maker("collector", "reviews.raw"),
        maker("sentiment", "insight.sentiment", "reviews.raw"),
        maker("keyword", "insight.keywords", "reviews.raw"),
        maker("trends", "insight.trend", "reviews.raw"),
        maker("report", "document.pdf", wants="insight.sentiment insight.keywords insight.trend"),
    )
}
TITLES = {
    "ko": ("리뷰 파일 읽기", "감성 분석하기", "키워드 뽑기", "추이 살펴보기", "리포트 만들기"),
    "en": ("Read the review files", "Analyse sentiment", "Find keywords", "Follow the trend", "Write the report"),
    "ja": ("レビューファイルを読み込む", "感情を分析する", "キーワードを抽出する", "推移を調べる", "レポートを作る"),
}


def full(language: str) -> Plan:
    afters = ((), ("t1",), ("t1",), ("t1",), ("t2", "t3", "t4"))
    return plan(
        *(
            todo(f"t{n}", *after, title=title, tool=key, produces=spec.produces)
            for n, (after, title, (key, spec)) in enumerate(
                zip(afters, TITLES[language], TOOLS.items(), strict=True), 1
            )
        )
    )


def removed(language: str, reason: str, *types: str) -> list[str]:
    patch = without_named(full(language), reason, TOOLS, types)
    return [TITLES[language][int(str(one["path"])[1:])] for one in reversed(patch)]


@pytest.mark.parametrize(
    ("language", "reason", "titles"),
    [
        ("ko", "키워드는 필요 없어요", ["키워드 뽑기"]),
        ("ko", "추이랑 키워드는 빼 주세요", ["키워드 뽑기", "추이 살펴보기"]),
        ("ko", "리포트 말고 숫자만", ["리포트 만들기"]),
        ("en", "I don't need the keywords", ["Find keywords"]),
        ("en", "Please drop the trend.", ["Follow the trend"]),
        ("en", "no reports, no TRENDS", ["Follow the trend", "Write the report"]),
        ("ja", "キーワードはいりません", ["キーワードを抽出する"]),
        ("ja", "感情分析は不要です", ["感情を分析する"]),
        ("ko", "keyword는 빼줘", ["키워드 뽑기"]),
    ],
)
def test_the_steps_that_a_reason_names_are_taken_out(language, reason, titles):
    assert removed(language, reason) == titles


@pytest.mark.parametrize(
    ("language", "reason"),
    [
        ("ko", "너무 오래 걸려요"),
        ("en", "I find this takes too long, follow up later"),
        ("ko", "리뷰를 읽지 마세요"),
        ("en", "reporters are not trendy"),
        ("ja", "遅すぎます"),
        ("en", ""),
    ],
)
def test_a_reason_that_names_nothing_that_can_go_takes_nothing_out(language, reason):
    assert removed(language, reason) == []


def test_a_reason_may_name_a_step_by_what_it_makes():
    assert removed("ko", "트렌드는 빼줘", "insight.trend") == ["추이 살펴보기"]


def test_a_reason_that_names_everything_takes_nothing_out():
    alone = plan(todo("t1", title="Write the report", tool="test.report"))
    assert without_named(alone, "no report", TOOLS) == []


def test_only_what_is_named_stays_with_all_it_stands_on():
    patch = only_named(full("ko"), "감성만 해 주세요")
    assert [one["path"] for one in patch] == ["/4", "/3", "/2"]


def test_only_the_report_leaves_everything_that_goes_into_it():
    assert only_named(full("en"), "only the report") == []


def test_only_nothing_changes_nothing():
    assert only_named(full("en"), "only that") == []
