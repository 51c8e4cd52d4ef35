"""What a reason for rejecting makes of a plan of the marketing pack: steps out, days, one result in place of another,
how many of it; what of a reason was not understood is told."""

import pytest

from backbone import packs
from backbone.kept.arrivals import Arrivals
from backbone.model.offline import OfflineProvider
from backbone.runner.handlers import WorkHandler
from contracts.cognitive import CognitiveOutput, Intent, PlanHint
from contracts.decisions import DecisionRequested
from contracts.model import ModelRole
from contracts.planning import Plan, PlanningOutput, PlanRejected
from services.planning.approval import ApprovalRequests
from services.planning.handlers import Planner
from services.planning.planner import PLANNER, PlanGenerator, chain_offline
from services.planning.proposal import PlanProposer
from tests.fakes.kept import MemoryKept
from tests.fakes.ledger import MemoryLedger
from tests.unit.services.given import Happened, given_session
from tests.unit.services.plans import SAID, file
from understanding.port import TopicFinder, details_of

CATALOGUE = packs.load(("platform", "marketing"))
TOPICS = TopicFinder([topic for pack in CATALOGUE.packs.values() for topic in pack.topics])
DETAILS = details_of(CATALOGUE.packs.values())
REPORT = ("insight.sentiment", "insight.keywords", "insight.trend", "document.pdf")
FILM = (*REPORT[:-1], "document.video")
DECK = (*REPORT[:-1], "document.slides")


def planner(ledger: MemoryLedger) -> WorkHandler:
    generator = PlanGenerator(CATALOGUE)
    provider = OfflineProvider({ModelRole.PLANNER: (PLANNER, chain_offline)})
    proposer, requests = PlanProposer(provider, generator), ApprovalRequests(CATALOGUE, 60)
    arrivals = Arrivals(MemoryKept())
    return Planner(CATALOGUE, generator, proposer, requests, ledger, TOPICS, arrivals, details=DETAILS).handler()


def understood(goals: tuple[str, ...], language: str, text: str = "x", **filters: int) -> CognitiveOutput:
    return CognitiveOutput(
        text=text,
        language=language,
        intent=Intent(domain="CONTENT", confidence=1),
        plan_hint=PlanHint(goals=goals, filters=filters),
        route="plan",
        attachments=(file("file.table"),),
    )


async def rejected(goals: tuple[str, ...], *reasons: str, language: str = "en") -> Happened:
    """What the last of the reasons makes of the plan that those before it have left."""
    session = await given_session(planner, SAID)
    happened = await session.when(understood(goals, language))
    for reason in reasons:
        plan = plan_of(happened)
        happened = await session.when(
            PlanRejected(plan_id=plan.plan_id, plan_version=plan.version, reason=reason, final=False)
        )
    return happened


def plan_of(happened: Happened) -> Plan:
    plan: Plan = happened.only(PlanningOutput).plan
    return plan


def tools(happened: Happened) -> list[str]:
    return [todo.tool.split(".")[1] for todo in plan_of(happened).todos]


WITHOUT_KEYWORDS = ["collector", "preprocessor", "sentiment", "trends", "report"]


@pytest.mark.parametrize(
    ("language", "reason"),
    [
        ("ja", "キーワードは抜いて"), ("ja", "キーワード抽出は外して"), ("ja", "キーワードのステップは省いて"), ("ja", "キーワードは飛ばして"),
        ("ko", "아 키워드는 빼고 해줘"), ("ko", "키워드 분석은 필요 없어"), ("en", "skip the keywords part"), ("en", "leave out the keywords"),
    ],
)  # fmt: skip
async def test_a_step_that_is_to_go_does_not_come_back_in_the_same_breath(language, reason):
    assert tools(await rejected(REPORT, reason, language=language)) == WITHOUT_KEYWORDS


@pytest.mark.parametrize("reason", ["キーワードのこと", "keywords"])
async def test_what_is_named_without_a_verb_is_taken_out_and_not_added_again(reason):
    assert tools(await rejected(REPORT, reason)) == WITHOUT_KEYWORDS


async def test_a_step_that_was_taken_out_does_not_come_back_with_another_result():
    happened = await rejected(REPORT, "skip the keywords", "add slides as well")
    assert tools(happened) == [*WITHOUT_KEYWORDS, "sales_material"]
    assert "keyword" in tools(await rejected(REPORT, "skip the keywords", "add the keywords again"))


SEPTEMBER = {"date_from": "2025-09-01", "date_to": "2025-09-30"}


@pytest.mark.parametrize(
    ("language", "reason"),
    [
        ("en", "skip the keywords and only September 2025 please"), ("ko", "키워드는 빼고 2025년 9월 것만 해줘"),
        ("ja", "キーワードは外して、2025年9月だけにして"), ("ja", "2025年9月だけでキーワードなしでお願いします"),
    ],
)  # fmt: skip
async def test_a_step_and_days_may_be_said_together(language, reason):
    happened = await rejected(REPORT, reason, language=language)
    assert tools(happened) == WITHOUT_KEYWORDS
    assert plan_of(happened).todos[1].params == SEPTEMBER
    assert not happened.only(PlanningOutput).cannot


@pytest.mark.parametrize(
    "reason", ["only September", "September only", "just september please", "make it about September"]
)
async def test_a_month_by_its_name_alone_is_a_time(reason):
    params = plan_of(await rejected(REPORT, reason)).todos[1].params
    assert str(params["date_from"]).endswith("-09-01") and str(params["date_to"]).endswith("-09-30")


@pytest.mark.parametrize(
    ("language", "reason", "unheard"),
    [
        ("en", "skip the keywords and paint the cover blue", "paint the cover blue"),
        ("ko", "키워드는 빼고 표지는 파랗게 칠해줘", "표지는 파랗게 칠해줘"),
        ("ja", "キーワードは抜いて、表紙は青く塗って", "表紙は青く塗って"),
        ("ja", "キーワードは抜いて表紙は青く塗って", "表紙は青く塗って"),
    ],
)
async def test_the_half_of_a_reason_that_changes_nothing_is_told(language, reason, unheard):
    happened = await rejected(REPORT, reason, language=language)
    (told,) = happened.only(PlanningOutput).cannot
    assert unheard in told and told in happened.only(DecisionRequested).question
    assert tools(happened) == WITHOUT_KEYWORDS


@pytest.mark.parametrize(
    ("language", "reason"),
    [
        ("en", "yes, but skip the keywords, please, and thanks"), ("ko", "네, 근데 키워드는 빼고 나머지는 그대로 해주세요"),
        ("ja", "はい、でもキーワードは抜いて、あとはそのままお願いします"),
    ],
)  # fmt: skip
async def test_what_asks_for_nothing_is_not_told_as_left_undone(language, reason):
    happened = await rejected(REPORT, reason, language=language)
    assert tools(happened) == WITHOUT_KEYWORDS
    assert not happened.only(PlanningOutput).cannot


SLIDES = ["collector", "preprocessor", "sentiment", "keyword", "trends", "sales_material"]


@pytest.mark.parametrize(
    ("language", "reason", "slides"),
    [
        ("ko", "아니 그거 말고 슬라이드 4장으로", 4), ("ko", "영상 말고 5장짜리 슬라이드로 해줘", 5), ("en", "not a video, make it a 3 slide deck instead", 3),
        ("en", "make it 6 slides rather", 6), ("ja", "動画じゃなくてスライド4枚にして", 4), ("ja", "やっぱりスライド5枚で", 5),
    ],
)  # fmt: skip
async def test_what_is_wanted_instead_takes_the_place_of_the_result_with_its_number(language, reason, slides):
    happened = await rejected(FILM, reason, language=language)
    assert tools(happened) == SLIDES
    assert plan_of(happened).todos[-1].params == {"slides": slides}


@pytest.mark.parametrize("reason", ["슬라이드도 만들어줘", "add slides too", "スライドも作って"])
async def test_what_is_wanted_as_well_takes_nobodys_place(reason):
    assert {"video", "sales_material"} < set(tools(await rejected(FILM, reason)))


@pytest.mark.parametrize(
    ("language", "reason"), [("ko", "4장으로 줄여줘"), ("en", "make it 4 slides"), ("ja", "4枚にして")]
)
async def test_a_number_by_itself_is_that_of_what_is_made(language, reason):
    happened = await rejected(DECK, reason, language=language)
    assert (tools(happened), plan_of(happened).todos[-1].params) == (SLIDES, {"slides": 4})


@pytest.mark.parametrize(
    ("text", "slides"),
    [
        ("only for Busan", {"slides": 3}),
        ("아니 그거 말고 스피커만", {"slides": 3}),
        ("make slides of these reviews", {}),
    ],
)
async def test_what_is_made_once_more_has_as_many_of_it(text, slides):
    session = await given_session(planner, SAID)
    await session.when(understood(DECK, "en", "a deck of 3 slides", slides=3))
    again = plan_of(await session.when(understood(DECK, "en", text)))
    assert again.todos[-1].params == slides


async def test_another_number_is_the_one_that_is_said_now():
    session = await given_session(planner, SAID)
    await session.when(understood(DECK, "en", "a deck of 3 slides", slides=3))
    again = plan_of(await session.when(understood(DECK, "en", "5 pages, and only for Busan", slides=5)))
    assert again.todos[-1].params == {"slides": 5}
