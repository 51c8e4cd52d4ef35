"""What of a request goes to which tool, and what a web address stands for."""

from datetime import datetime
from typing import Any

import pytest

from backbone import packs
from backbone.packs import Catalogue
from contracts.artifacts import Attachment
from contracts.cognitive import CognitiveInput, CognitiveOutput, Entity, Intent, Period, PlanHint
from contracts.shape import JsonObject
from contracts.tools import ToolSpec
from services.cognitive.domain.ambiguity import Proceed, decide
from services.cognitive.domain.outcome import cognitive_output
from services.planning.domain.chain import GoalUnreachable, chain
from services.planning.domain.request import MOST_SOURCES, addresses, params_of, with_addresses
from services.planning.planner import PlanGenerator, PlannerQuestion, available_types, chain_offline
from tests.unit.services.catalogues import maker
from tests.unit.services.given import RUN
from tests.unit.services.plans import file
from understanding.grammar.addresses import find_addresses
from understanding.offline.understand import SentenceReader

URL = "https://shop.example/reviews.csv"


def takes(key: str, produces: str, *required: str, **properties: Any) -> ToolSpec:
    schema: JsonObject = {"type": "object", "additionalProperties": False, "properties": properties}
    return maker(key, produces, *required).model_copy(update={"params_schema": schema})


DAY = {"type": "string", "pattern": "^[0-9-]{10}$"}
NAMES = {"type": "array", "items": {"type": "string"}}
COLLECTOR = takes("collector", "reviews.raw", "file.table", sources=NAMES)
PREPROCESSOR = takes("preprocessor", "reviews.clean", "reviews.raw", date_from=DAY, date_to=DAY, products=NAMES)
PREPROCESSOR = PREPROCESSOR.model_copy(update={"names": {"products": ("product", "brand")}})
KEYWORD = takes("keyword", "insight.keywords", "reviews.clean", top={"type": "integer", "minimum": 5})
COMPETITOR = takes("competitor", "insight.competitor", "reviews.clean", product={"type": "string"})
COMPETITOR = COMPETITOR.model_copy(update={"names": {"product": ("product",)}})
INVENTORY = takes("inventory", "insight.stock", "file.table")
TOOLS = (COLLECTOR, PREPROCESSOR, KEYWORD, COMPETITOR, INVENTORY)


def entity(type_: str, value: str, text: str = "x") -> Entity:
    return Entity(type=type_, text=text, value=value, start=0, end=1, confidence=1)


def understood(*entities: Entity, hint: PlanHint | None = None, files: tuple[Attachment, ...] = ()) -> CognitiveOutput:
    return CognitiveOutput(
        text="x",
        language="ko",
        intent=Intent(domain="ANALYSIS", confidence=1),
        entities=entities,
        plan_hint=hint or PlanHint(),
        route="plan",
        attachments=files,
    )


def steps(said: CognitiveOutput, goal: str) -> list[str]:
    return [step.tool.tool_key for step in chain((goal,), (), with_addresses(TOOLS, said))]


def test_a_web_address_takes_the_place_of_a_file_for_the_tool_that_reads_it():
    assert steps(understood(entity("url", URL)), "insight.keywords") == [
        "test.collector",
        "test.preprocessor",
        "test.keyword",
    ]
    with pytest.raises(GoalUnreachable) as raised:
        steps(understood(), "insight.keywords")
    assert raised.value.missing == "file.table"


def test_a_tool_that_reads_no_web_addresses_still_needs_its_file():
    with pytest.raises(GoalUnreachable) as raised:
        steps(understood(entity("url", URL)), "insight.stock")
    assert raised.value.missing == "file.table"


def test_the_addresses_go_to_the_tool_that_reads_them_each_once_and_no_more_than_it_may_take():
    said = understood(*(entity("url", f"{URL}?{n % 25}") for n in range(50)))
    assert params_of(COLLECTOR, said, TOOLS) == {"sources": [f"{URL}?{n}" for n in range(MOST_SOURCES)]}
    assert params_of(PREPROCESSOR, said, TOOLS) == {}
    assert addresses(understood(entity("brand", URL))) == ()


def test_a_period_goes_to_the_tool_that_picks_out_its_days():
    hint = PlanHint(period=Period(start="2026-04-01", end="2026-06-30"))
    assert params_of(PREPROCESSOR, understood(hint=hint), TOOLS) == {"date_from": "2026-04-01", "date_to": "2026-06-30"}
    open_end = PlanHint(period=Period(start="2026-04-01", grain="month"))
    assert params_of(PREPROCESSOR, understood(hint=open_end), TOOLS) == {"date_from": "2026-04-01"}
    assert params_of(PREPROCESSOR, understood(hint=PlanHint(period=Period(grain="month"))), TOOLS) == {}


def test_a_named_product_narrows_by_its_normal_form_and_as_it_was_written():
    hint = PlanHint(filters={"brand": "Samsung", "product": "Galaxy Buds"})
    said = understood(entity("brand", "Samsung", "삼성"), entity("product", "Galaxy Buds", "갤럭시버즈"), hint=hint)
    planned = (COLLECTOR, PREPROCESSOR, KEYWORD)
    assert params_of(PREPROCESSOR, said, planned) == {"products": ["Galaxy Buds", "갤럭시버즈"]}
    brand = understood(entity("brand", "Samsung", "삼성"), hint=PlanHint(filters={"brand": "Samsung"}))
    assert params_of(PREPROCESSOR, brand, planned) == {"products": ["Samsung", "삼성"]}


def test_a_plan_that_compares_a_product_with_others_leaves_none_out():
    said = understood(entity("product", "Kindle"), hint=PlanHint(filters={"product": "Kindle"}))
    assert params_of(PREPROCESSOR, said, (COLLECTOR, PREPROCESSOR, COMPETITOR)) == {}
    assert params_of(COMPETITOR, said, (COLLECTOR, PREPROCESSOR, COMPETITOR)) == {"product": "Kindle"}


@pytest.fixture(scope="module")
def marketing() -> Catalogue:
    return packs.load(("marketing",))


def plan_for(text: str, catalogue: Catalogue, understander: SentenceReader, now: datetime) -> dict[str, JsonObject]:
    """The params of the real pack's tools, from the sentence on; a table is attached unless an address is named."""
    understanding = understander.understand(CognitiveInput(text=text), now)
    files = () if find_addresses(text) else (file("file.table"),)
    assert isinstance(decide(understanding, files), Proceed)
    said = cognitive_output(understanding, files)
    question = PlannerQuestion(
        hint=said.plan_hint,
        available=available_types(said.attachments),
        tools=with_addresses(catalogue.tools.values(), said),
    )
    plan = PlanGenerator(catalogue).from_steps(RUN, said, chain_offline(question).steps)
    return {todo.tool.split(".")[1]: todo.params for todo in plan.todos}


def test_last_quarter_of_the_headline_sentence_reaches_the_tool(marketing, understander, now):
    planned = plan_for("지난 분기 리뷰 감성 분석해서 리포트 만들어줘", marketing, understander, now)
    assert set(planned) == {"collector", "preprocessor", "sentiment", "report"}
    days = {"said": "지난 분기", "start": "2026-04-01", "end": "2026-06-30"}
    assert planned["preprocessor"] == {"date_from": "2026-04-01", "date_to": "2026-06-30", "periods": [days]}
    assert planned["collector"] == {"asked": "지난 분기 리뷰 감성 분석해서 리포트 만들어줘"}


def test_an_address_a_month_and_a_product_of_one_sentence_reach_their_tools(marketing, understander, now):
    planned = plan_for(f"{URL} 에서 갤럭시 버즈 지난달 리뷰 상위 20개 키워드 뽑아줘", marketing, understander, now)
    assert planned == {
        "collector": {"sources": [URL]},
        "preprocessor": {
            "date_from": "2026-08-01",
            "date_to": "2026-08-31",
            "products": ["Galaxy Buds", "갤럭시 버즈"],
            "periods": [{"said": "지난달", "start": "2026-08-01", "end": "2026-08-31"}],
        },
        "keyword": {"top": 20},
    }


@pytest.mark.parametrize(("top", "params"), [(20, {"top": 20}), (2, {})])
def test_a_number_of_keywords_goes_to_the_tool_if_it_can_take_it(top, params):
    assert params_of(KEYWORD, understood(hint=PlanHint(filters={"top": top})), TOOLS) == params
