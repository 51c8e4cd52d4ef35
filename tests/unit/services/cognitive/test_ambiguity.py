"""When layer 1 asks, answers, goes on or gives up. Understandings are made by hand: the rules need no model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.artifacts import Attachment
from contracts.cognitive import Entity, Intent, PlanHint, Route, Task
from contracts.errors import Code
from services.cognitive.domain.ambiguity import MAX_ROUNDS, Ask, Proceed, QuestionKind, Refuse, Reply, decide
from services.cognitive.domain.outcome import cognitive_output
from understanding.result import Ambiguity, Choice, Doubt, Missing, Understanding

CHOICE = Choice(value="ANALYSIS.sentiment", label="intent.analysis.sentiment", pack="marketing")

TASK = Task(intent="ANALYSIS.sentiment", text="이 리뷰들 감성 분석해줘")


def replace(understanding: Understanding, **changes: object) -> Understanding:
    return understanding.model_copy(update=changes)


CLEAR = Understanding(
    text="이 리뷰들 감성 분석해줘",
    language="ko",
    intents=(Intent(domain="ANALYSIS", category="sentiment", confidence=0.9),),
    entities=(),
    plan_hint=PlanHint(goals=("insight.sentiment",)),
    tasks=(TASK,),
    route=Route.PLAN,
    pack="marketing",
    needs=("file.table",),
)
VAGUE = replace(
    CLEAR,
    plan_hint=PlanHint(),
    needs=(),
    ambiguities=(Ambiguity(doubt=Doubt.UNSPECIFIED, domain="ANALYSIS", choices=(CHOICE,)),),
)
STRANGE = replace(VAGUE, ambiguities=(Ambiguity(doubt=Doubt.UNKNOWN, choices=(CHOICE,)),))
INQUIRY = replace(CLEAR, route=Route.ANSWER, needs=(), answer="answer.capabilities", plan_hint=PlanHint())


def file(type_: str, name: str = "reviews.csv") -> Attachment:
    return Attachment(artifact_id="a" * 64, name=name, media_type="text/csv", size=10, type=type_)


def test_a_clear_request_with_its_file_goes_on():
    assert decide(CLEAR, [file("file.table")]) == Proceed()


def test_a_more_special_file_serves_too():
    assert decide(CLEAR, [file("file.table.reviews")]) == Proceed()


def test_a_needed_file_that_is_missing_is_asked_for():
    assert decide(CLEAR, []) == Ask(QuestionKind.FILE, "marketing", needs=("file.table",))


def test_a_web_address_serves_in_place_of_a_table_but_of_nothing_else():
    address = Entity(type="url", text="x", value="https://shop.example/r.csv", start=0, end=1, confidence=1)
    assert decide(replace(CLEAR, entities=(address,)), []) == Proceed()
    verdict = decide(replace(CLEAR, entities=(address,), needs=("file.table", "file.image")), [])
    assert verdict == Ask(QuestionKind.FILE, "marketing", needs=("file.image",))


def test_a_file_that_does_not_serve_is_named():
    verdict = decide(CLEAR, [file("file.document", "notes.pdf")])
    assert isinstance(verdict, Ask)
    assert verdict.refused == ("notes.pdf",)


def test_a_slot_that_is_missing_is_asked_for_in_the_pack_that_needs_it():
    gap = Missing(intent="DEVICES.song", slot="title", pack="devices")
    song = replace(CLEAR, needs=(), missing=(gap, gap))
    assert decide(song, []) == Ask(QuestionKind.SLOT, "devices", intent="DEVICES.song", slot="title")
    assert isinstance(decide(song, [], [QuestionKind.SLOT] * MAX_ROUNDS), Refuse)


def test_the_file_is_asked_for_before_a_slot_and_the_order_before_both():
    gap = Missing(intent="DEVICES.song", slot="title", pack="devices")
    both = replace(CLEAR, missing=(gap,))
    assert decide(both, []) == Ask(QuestionKind.FILE, "marketing", needs=("file.table",))
    assert decide(replace(both, apart=(CHOICE,)), []) == Ask(QuestionKind.ORDER, "marketing", choices=(CHOICE,))


def test_work_without_a_subject_is_asked_for_within_its_domain():
    verdict = decide(VAGUE, [file("file.table")])
    assert verdict == Ask(QuestionKind.SUBJECT, "marketing", "ANALYSIS", (CHOICE,))


def test_the_subject_is_asked_before_the_file():
    verdict = decide(replace(VAGUE, needs=("file.table",)), [])
    assert isinstance(verdict, Ask)
    assert verdict.kind is QuestionKind.SUBJECT


def test_an_inquiry_is_answered():
    assert decide(INQUIRY, []) == Reply("marketing", "answer.capabilities")


def test_a_message_that_means_nothing_is_asked_about():
    verdict = decide(STRANGE, [])
    assert isinstance(verdict, Ask)
    assert verdict.kind is QuestionKind.WHAT


def test_a_request_in_an_unknown_language_is_asked_in_a_known_one():
    verdict = decide(replace(VAGUE, ambiguities=(Ambiguity(doubt=Doubt.FOREIGN),)), [])
    assert isinstance(verdict, Ask)
    assert verdict.kind is QuestionKind.LANGUAGE


def test_the_same_question_is_put_differently_the_second_time():
    first, second = decide(VAGUE, []), decide(replace(VAGUE, rounds=1), [], [QuestionKind.SUBJECT])
    assert isinstance(first, Ask)
    assert isinstance(second, Ask)
    assert (first.again, second.again) == (False, True)


def test_another_question_is_not_the_same_question():
    verdict = decide(replace(CLEAR, rounds=1), [], [QuestionKind.SUBJECT])
    assert isinstance(verdict, Ask)
    assert not verdict.again


@pytest.mark.parametrize("understanding", [VAGUE, STRANGE, CLEAR])
def test_after_three_questions_the_run_is_refused(understanding):
    asked = [QuestionKind.WHAT] * MAX_ROUNDS
    verdict = decide(replace(understanding, rounds=MAX_ROUNDS), [], asked)
    assert isinstance(verdict, Refuse)
    assert verdict.code is Code.INTENT_UNSUPPORTED


def test_after_three_questions_a_clear_request_still_goes_on():
    assert decide(replace(CLEAR, rounds=3), [file("file.table")], [QuestionKind.FILE] * 3) == Proceed()


@given(rounds=st.integers(0, 9), asked=st.lists(st.sampled_from(QuestionKind), max_size=9))
def test_nobody_is_asked_more_than_three_times(rounds, asked):
    verdict = decide(replace(VAGUE, rounds=rounds), [], asked)
    assert isinstance(verdict, Ask) == (max(rounds, len(asked)) < MAX_ROUNDS)


def test_the_output_carries_what_was_understood():
    attachments = [file("file.table")]
    output = cognitive_output(CLEAR, attachments)
    assert output.plan_hint.goals == ("insight.sentiment",)
    assert output.attachments == tuple(attachments)
    assert output.tasks == CLEAR.tasks == (TASK,)
    assert not output.requires_clarification
    assert cognitive_output(VAGUE, [], asks=True).requires_clarification
