"""Aggregating results, deciding the format, writing the answer."""

from typing import Any

import pytest

from contracts.artifacts import Attachment
from contracts.cognitive import CognitiveOutput, Intent, OutputFormat, PlanHint
from contracts.execution import ExecutionOutput, ExecutionResult, ExecutionStatus, TodoStatus
from contracts.packs import FollowUp
from contracts.planning import Plan, TodoItem
from contracts.response import ResponseInput, ResponseOutput
from services.response.domain.aggregate import aggregate
from services.response.domain.formats import decide_format
from services.response.formatter import NAMED, ResponseGenerator
from tests.unit.services.catalogues import LANGUAGES, catalogue, maker, platform
from tests.unit.services.given import named
from tests.unit.services.plans import failed, plan, todo

CATALOGUE = catalogue(
    maker("sentiment", "insight.sentiment"), maker("keyword", "insight.keywords"),
    maker("report", "document.pdf chart.png"), maker("trends", "insight.trend"),
    texts={"ko": {
        "then.report": "문서로 받기", "then.report_text": "문서로 줘", "then.trend": "흐름 보기", "then.trend_text": "흐름 보여줘",
        "then.keywords": "낱말 보기", "then.keywords_text": "낱말 보여줘", "then.film": "영상 받기", "then.film_text": "영상 줘",
    }},
    follow_ups=(
        FollowUp(text="then.report", makes="document.pdf", after=("insight.",)),
        FollowUp(text="then.film", makes="document.video", after=("insight.",)),
        FollowUp(text="then.trend", makes="insight.trend", after=("insight.",)),
        FollowUp(text="then.keywords", makes="insight.keywords", after=("insight.",)),
    ),
)  # fmt: skip
SENTIMENT = todo("s", tool="test.sentiment", title="감성", produces=("insight.sentiment",))
KEYWORDS = todo("k", tool="test.keyword", title="키워드", produces=("insight.keywords",))
REPORT = todo("r", "s", "k", tool="test.report", title="리포트 {0}", produces=("document.pdf", "chart.png"))


def made(type_: str, media_type: str, digest: str) -> Attachment:
    return Attachment(artifact_id=digest * 64, name=f"{digest}.x", media_type=media_type, size=1, type=type_)


PDF, CHART = made("document.pdf", "application/pdf", "a"), made("chart.png", "image/png", "b")
DATA, VIDEO = made("reviews.clean", "application/json", "c"), made("content.video", "video/mp4", "d")


def good(todo_id: str, *summary: str, **fields: Any) -> ExecutionResult:
    return ExecutionResult(todo_id=todo_id, status=TodoStatus.SUCCEEDED, result={"summary": list(summary)}, **fields)


def bad(todo_id: str, status: TodoStatus = TodoStatus.FAILED) -> ExecutionResult:
    return ExecutionResult(todo_id=todo_id, status=status, error=failed(todo_id).error)


def ran(*results: ExecutionResult, status: str = "succeeded") -> ExecutionOutput:
    return ExecutionOutput(
        plan_id=named("plan"), plan_version=1, status=ExecutionStatus(status), results=tuple(results)
    )


def answer(todos: list[TodoItem], execution: ExecutionOutput, language: str = "ko", formats=()) -> ResponseOutput:
    the_plan: Plan = plan(*todos)
    understood = CognitiveOutput(
        text="x", language=language, intent=Intent(domain="A", confidence=1), route="plan",
        plan_hint=PlanHint(formats=formats),
    )  # fmt: skip
    given = ResponseInput(cognitive=understood, plan=the_plan, execution=execution)
    return ResponseGenerator(CATALOGUE).generate(given, aggregate(the_plan, execution))


def test_sentences_come_in_plan_order_each_once():
    found = aggregate(plan(SENTIMENT, KEYWORDS), ran(good("s", "하나", "둘"), good("k", "둘", "셋")))
    assert found.sentences == ("하나", "둘", "셋")


def test_a_document_speaks_for_what_went_into_it():
    found = aggregate(plan(SENTIMENT, KEYWORDS, REPORT), ran(good("s", "하나"), good("k", "둘"), good("r", "모두")))
    assert found.sentences == ("모두",)


def test_people_get_documents_first_then_charts_and_no_data_between_tools():
    found = aggregate(
        plan(SENTIMENT, REPORT), ran(good("s", attachments=(DATA, CHART)), good("r", attachments=(PDF, CHART)))
    )
    assert found.attachments == (PDF, CHART)


def test_failed_skipped_and_cancelled_todos_are_kept():
    found = aggregate(
        plan(SENTIMENT, KEYWORDS, REPORT), ran(bad("s"), bad("k", TodoStatus.CANCELLED), bad("r", TodoStatus.SKIPPED))
    )
    assert [one.id for one, _ in found.failed] == ["s"]
    assert [one.id for one, _ in found.skipped] == ["k", "r"]


def test_figures_are_named_by_their_tool_and_two_of_one_tool_by_their_todos():
    twice = [SENTIMENT, todo("again", tool="test.sentiment")]
    found = aggregate(plan(*twice), ran(good("s", "하나"), good("again", "둘")))
    assert found.data == {"sentiment": {"summary": ["하나"]}, "again": {"summary": ["둘"]}}


def test_results_of_todos_that_are_not_in_the_plan_are_left_out():
    assert aggregate(plan(SENTIMENT), ran(good("stranger", "x"))).sentences == ()


def test_a_summary_that_is_no_list_is_not_told():
    odd = ExecutionResult(todo_id="s", status=TodoStatus.SUCCEEDED, result={"summary": "text"})
    assert aggregate(plan(SENTIMENT), ran(odd)).sentences == ()


@pytest.mark.parametrize(
    ("asked", "files", "expected"),
    [
        ((), (), "text"),
        ((), (PDF,), "pdf"),
        ((), (CHART,), "image"),
        ((), (VIDEO,), "video"),
        ((), (PDF, CHART), "mixed"),
        (("pdf",), (PDF, CHART), "pdf"),
        (("pdf",), (CHART,), "image"),
        (("pdf",), (), "text"),
        (("pdf", "image"), (PDF, CHART), "mixed"),
        (("text",), (PDF, CHART), "text"),
        (("text", "pdf"), (PDF,), "mixed"),
        ((), (DATA,), "text"),
        (("pdf", "pdf"), (PDF,), "pdf"),
    ],
)
def test_the_format_is_what_was_asked_for_if_it_was_made_else_what_there_is(asked, files, expected):
    assert decide_format([OutputFormat(one) for one in asked], files) == OutputFormat(expected)


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        ("ko", ["모두", "첨부했어요: a.x", "일부는 실패했어요.", "키워드: 안 돼요"]),
        ("en", ["모두", "Attached: a.x", "Part of it failed:", "키워드: 안 돼요"]),
        ("ja", ["모두", "添付しました: a.x", "一部が失敗しました。", "키워드: 안 돼요"]),
    ],
)
def test_the_answer_names_the_document_and_what_failed(language, lines):
    execution = ran(good("s"), bad("k"), good("r", "모두", attachments=(PDF,)), status="partial")
    said = answer([SENTIMENT, KEYWORDS, REPORT], execution, language)
    assert said.text.split("\n") == lines
    assert said.language == language
    assert said.ui_hint.primary_artifact == PDF.artifact_id


def test_skipped_steps_are_named_and_braces_in_titles_stay():
    execution = ran(bad("s"), bad("r", TodoStatus.SKIPPED), status="failed")
    assert answer([SENTIMENT, REPORT], execution, "en").text.split("\n") == [
        "That did not work:", "감성: 안 돼요", "리포트 {0}: skipped, because it builds on a step that failed",
    ]  # fmt: skip


def test_of_a_thousand_failures_some_are_named_and_the_rest_are_counted():
    todos = [todo(f"t{n}", title=f"일 {n}") for n in range(1000)]
    lines = answer(todos, ran(*(bad(one.id) for one in todos), status="failed")).text.split("\n")
    assert len(lines) == 1 + NAMED + 1
    assert lines[-1] == f"… 외 {1000 - NAMED}건"


@pytest.mark.parametrize("language", LANGUAGES)
def test_work_without_words_is_counted(language):
    silent = ExecutionResult(todo_id="s", status=TodoStatus.SUCCEEDED)
    assert "1" in answer([SENTIMENT], ran(silent), language).text


@pytest.mark.parametrize("language", LANGUAGES)
def test_work_that_was_called_off_before_it_began_is_not_called_done(language):
    silent = ExecutionResult(todo_id="s", status=TodoStatus.SUCCEEDED)
    off = ExecutionResult(todo_id="s", status=TodoStatus.CANCELLED)
    told = answer([SENTIMENT], ran(off, status="failed"), language).text
    assert told and told != answer([SENTIMENT], ran(silent), language).text
    assert not any(char.isdigit() for char in told)


def test_of_work_without_words_that_was_called_off_only_what_was_done_is_counted():
    some = [ExecutionResult(todo_id="s", status=TodoStatus.SUCCEEDED)]
    some.append(ExecutionResult(todo_id="k", status=TodoStatus.CANCELLED))
    assert answer([SENTIMENT, KEYWORDS], ran(*some)).text == "완료했어요. 1단계."


def test_next_actions_are_what_can_be_made_and_is_not_there_yet():
    said = answer([SENTIMENT, KEYWORDS], ran(good("s", "x"), good("k", "y")))
    assert [action.label for action in said.next_actions] == ["문서로 받기", "흐름 보기"]
    assert said.ui_hint.buttons == ("문서로 받기", "흐름 보기")


def test_what_failed_is_proposed_again():
    said = answer([SENTIMENT, KEYWORDS], ran(good("s", "x"), bad("k"), status="partial"))
    assert "낱말 보기" in said.ui_hint.buttons


@pytest.mark.parametrize(
    ("todos", "execution"),
    [
        ([SENTIMENT], ran(bad("s"), status="failed")),
        ([todo("x", tool="test.other", produces=("ops.order",))], ran(good("x", "x"))),
    ],
    ids=["nothing worked", "nothing to go on with"],
)
def test_nothing_is_proposed_after_a_failure_or_beside_the_point(todos, execution):
    assert answer(todos, execution).next_actions == ()


def test_every_text_is_there_in_every_language():
    texts = platform().texts
    assert texts["ko"].keys() == texts["en"].keys() == texts["ja"].keys()


BRING = todo("b", "s", "k", tool="test.bring", title="정리", role="synthesis")


def test_a_synthesis_speaks_for_its_workers_and_names_what_failed_once():
    execution = ran(good("s", "좋아요"), bad("k"), good("b", "좋아요", "키워드: 못 했어요. 안 돼요"), status="partial")
    said = answer([SENTIMENT, KEYWORDS, BRING], execution)
    assert said.text.split("\n") == ["좋아요", "키워드: 못 했어요. 안 돼요"]
    assert said.data.keys() == {"sentiment", "bring"}


def test_where_the_synthesis_failed_the_workers_speak_for_themselves():
    said = answer(
        [SENTIMENT, KEYWORDS, BRING], ran(good("s", "좋아요"), good("k", "많아요"), bad("b"), status="partial")
    )
    assert said.text.split("\n")[:2] == ["좋아요", "많아요"]
    assert said.text.split("\n")[-1] == "정리: 안 돼요"
