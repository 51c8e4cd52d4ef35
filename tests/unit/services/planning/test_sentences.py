"""From a sentence to the todos of the marketing pack, by the offline models: reports on what was asked for, ads by name."""

import pytest

from backbone import packs
from backbone.packs import Catalogue
from contracts.artifacts import Attachment
from contracts.cognitive import CognitiveInput
from contracts.planning import Plan
from contracts.tools import Need
from services.cognitive.clarifier import AmbiguityDetector
from services.cognitive.domain.ambiguity import Ask, Proceed, QuestionKind, decide
from services.cognitive.domain.outcome import cognitive_output
from services.planning.domain.request import drop_unreachable_inputs, with_addresses
from services.planning.planner import PlanGenerator, PlannerQuestion, available_types, chain_offline
from tests.unit.services.catalogues import maker
from tests.unit.services.given import RUN
from tests.unit.services.plans import file

TABLE = file("file.table")
REVIEWS = ["collector", "preprocessor", "sentiment"]


@pytest.fixture(scope="module")
def marketing() -> Catalogue:
    return packs.load(("marketing",))


@pytest.fixture
def planned(marketing, understander, now):
    def plan(text: str, *files: Attachment) -> Plan:
        understanding = understander.understand(CognitiveInput(text=text, attachments=files), now)
        assert isinstance(decide(understanding, files), Proceed)
        said = cognitive_output(understanding, files)
        tools = with_addresses(marketing.tools.values(), said)
        question = PlannerQuestion(hint=said.plan_hint, available=available_types(files), tools=tools)
        return PlanGenerator(marketing).from_steps(RUN, said, chain_offline(question).steps)

    return plan


def tools(plan: Plan) -> list[str]:
    return [todo.tool.split(".")[1] for todo in plan.todos]


@pytest.mark.parametrize(
    "text",
    ["경쟁사 비교해서 리포트 만들어줘", "Compare the competitors and make a report", "競合を比較してレポートを作って"],
)
def test_a_report_on_competitors_waits_for_the_comparison(planned, text):
    plan = planned(text, TABLE)
    assert tools(plan) == [*REVIEWS, "competitor", "report"]
    assert "t4-competitor" in plan.todos[-1].depends_on


@pytest.mark.parametrize(
    "text",
    [
        "재고 현황 리포트 만들어줘",
        "재고 확인해서 리포트로 만들어줘",
        "Make an inventory status report",
        "Check the inventory and make a report",
        "在庫状況のレポートを作って",
    ],
)
def test_a_report_on_the_stock_reads_no_reviews(planned, text):
    plan = planned(text, TABLE)
    assert tools(plan) == ["inventory", "report"]
    assert plan.todos[-1].depends_on == ("t1-inventory",)


@pytest.mark.parametrize("text", ["리포트 만들어줘", "Make a report", "レポートを作って"])
def test_a_bare_report_is_on_reviews_alone(planned, text):
    assert tools(planned(text, TABLE)) == [*REVIEWS, "keyword", "trends", "report"]


def test_a_report_on_both_holds_both(planned):
    plan = planned("감성 분석하고 재고 확인해서 리포트 만들어줘", TABLE)
    assert set(tools(plan)) == {*REVIEWS, "inventory", "report"}
    report = next(todo for todo in plan.todos if todo.tool == "marketing.report")
    assert {one.split("-", 1)[1] for one in report.depends_on} == {"sentiment", "inventory", "preprocessor"}


def test_a_report_beside_an_ad_is_a_bare_report(planned):
    assert set(tools(planned("광고 문구랑 리포트 만들어줘", TABLE))) == {
        *REVIEWS, "keyword", "trends", "report", "ad_creative",
    }  # fmt: skip


def test_details_reach_the_tool_that_takes_them_and_no_other(planned):
    plan = planned("서비스 수준 98%로 앞으로 60일치 재고 확인해서 리포트 만들어줘. 제목은 '9월 재고'", TABLE)
    assert [todo.params for todo in plan.todos] == [{"service_level": 0.98, "horizon_days": 60}, {"title": "9월 재고"}]
    film = planned("Make a vertical 20 second video of these reviews", TABLE).todos[-1]
    assert film.params == {"seconds": 20, "aspect": "9:16"}
    # a film of five minutes is more than the tool can take
    assert planned("300초 영상 만들어줘", TABLE).todos[-1].params == {}


@pytest.mark.parametrize(
    ("text", "product"),
    [("달빛 전기포트 광고 문구 만들어줘", "달빛 전기포트"), ("Write ad copy for the Galaxy Buds", "Galaxy Buds")],
)
def test_an_ad_for_a_named_product_is_planned_without_a_file(planned, text, product):
    plan = planned(text)
    assert [(todo.tool, todo.params, todo.depends_on) for todo in plan.todos] == [
        ("marketing.ad_creative", {"product": product}, ())
    ]
    assert tools(planned(text, TABLE)) == [*REVIEWS, "keyword", "ad_creative"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("광고 문구 만들어줘", "상품 이름"),
        ("Create an ad", "name of the product"),
        ("広告コピーを書いて", "商品名"),
    ],
)
def test_an_ad_without_a_product_or_a_file_is_asked_about(understander, pack, now, text, words):
    understanding = understander.understand(CognitiveInput(text=text), now)
    asked = decide(understanding, ())
    assert isinstance(asked, Ask)
    assert asked.kind is QuestionKind.FILE
    question = AmbiguityDetector((pack,)).question(asked, understanding.language)
    assert words in question.text


@pytest.mark.parametrize(
    ("text", "reviews"), [("재고 현황 알려줘", "리뷰가 담긴"), ("Check the stock levels", "with the reviews")]
)
def test_a_stock_request_is_not_asked_for_reviews_twice(understander, pack, now, text, reviews):
    understanding = understander.understand(CognitiveInput(text=text), now)
    asked = decide(understanding, (), (QuestionKind.FILE,))
    assert isinstance(asked, Ask)
    assert asked.again
    assert reviews not in AmbiguityDetector((pack,)).question(asked, understanding.language).text


def test_a_name_takes_the_place_of_what_is_welcome_never_of_what_is_required():
    named = {"type": "object", "properties": {"product": {"type": "string"}}}
    takes = {"params_schema": named, "names": {"product": ("product",)}}
    ad = maker("ad", "content.ad", wants="reviews.clean").model_copy(update=takes)
    compare = maker("compare", "insight.x", "reviews.clean").model_copy(update=takes)
    report = maker("report", "document.pdf", wants="reviews.clean")
    clean = maker("clean", "reviews.clean", "file.table")
    every = (ad, compare, report, clean)

    def kept(filters: dict[str, str], *there: str) -> list[str]:
        return [tool.tool_key for tool in drop_unreachable_inputs(every, filters, there) if tool.consumes]

    assert kept({"product": "x"}) == ["test.compare", "test.report", "test.clean"]
    assert kept({}) == kept({"product": "x"}, "file.table") == [tool.tool_key for tool in every]
    assert all(one.need is Need.WANTED for one in ad.consumes)
