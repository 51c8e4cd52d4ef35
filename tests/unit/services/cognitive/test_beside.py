"""Other work in a sentence that begins a dialogue, or that takes back what one has asked."""

import pytest

from contracts.cognitive import CognitiveOutput, FlowReading, Intent, Route, Task
from contracts.packs import IntentSpec
from services.cognitive.domain.beside import behind_a_question, is_other_work, taken_back_first, work_beside

LED = {"PAY"}
SPECS = {
    spec.intent: spec
    for spec in (
        IntentSpec(intent="PAY", route=Route.FLOW, flow="pay", label="l", examples={}),
        IntentSpec(intent="DAY.note", tool="day.note", approve="policy", requires=("title",), label="l", examples={}),
        IntentSpec(intent="DAY.wipe", tool="day.wipe", label="l", examples={}),
        IntentSpec(intent="DATA.look", goals=("insight.look",), label="l", examples={}),
    )
}
PAY = Task(intent="PAY", slots={"target": "Ann"}, text="pay Ann")
NOTE = Task(intent="DAY.note", slots={"title": "tea"}, text="note tea")


def said(*tasks: Task, asked: bool = True) -> CognitiveOutput:
    return CognitiveOutput(
        text="pay Ann and note tea",
        language="en",
        intent=Intent(domain="PAY", confidence=0.9),
        route=Route.FLOW,
        tasks=tasks,
        flow=FlowReading(flow="pay"),
        auto_approve=not asked,
    )


def test_what_policy_approves_is_done_beside_the_dialogue():
    work = work_beside(said(PAY, NOTE), SPECS, LED)
    assert work is not None
    assert (work.route, work.tasks, work.flow, work.text) == (Route.PLAN, (NOTE,), None, "note tea")


@pytest.mark.parametrize(
    "other",
    [
        NOTE.model_copy(update={"slots": {}}),
        Task(intent="DAY.wipe", text="wipe it"),
        Task(intent="DATA.look", text="look"),
        Task(intent="DAY.gone", text="gone"),
    ],
    ids=["it lacks something", "the person is to approve it", "it needs a plan", "nobody knows it"],
)
def test_what_cannot_be_done_without_a_question_waits(other):
    assert work_beside(said(PAY, other), SPECS, LED) is None


def test_who_asked_to_be_asked_nothing_is_not_asked():
    wipe = Task(intent="DAY.wipe", text="wipe it")
    work = work_beside(said(PAY, wipe, asked=False), SPECS, LED)
    assert work is not None and work.tasks == (wipe,)


def test_a_dialogue_alone_has_nothing_beside_it():
    assert work_beside(said(PAY), SPECS, LED) is None


@pytest.mark.parametrize(
    ("text", "divided"),
    [
        ("never mind. show me the map", ("never mind", "show me the map")),
        ("됐고 지도 보여줘", ("됐어", "지도 보여줘")),
        ("やめて、地図を見せて", ("やめて", "地図を見せて")),
        ("stop it now show the map", ("stop it", "now show the map")),
    ],
)
def test_a_turn_is_divided_where_it_may_go_on_with_something_else(text, divided):
    assert divided in list(taken_back_first(text))


@pytest.mark.parametrize(
    "text", ["delete the call with Ann", "cancel the dentist", "stop the music", "drop my reminder"]
)
def test_what_a_verb_governs_is_what_is_to_be_taken_back(text):
    assert list(taken_back_first(text)) == []


@pytest.mark.parametrize("text", ["stop", "네", "", "x " * 500])
def test_a_word_alone_and_a_page_are_not_divided(text):
    assert list(taken_back_first(text)) == []


def test_only_plain_work_is_other_work():
    work = said(NOTE).model_copy(update={"route": Route.PLAN, "flow": None})
    assert is_other_work(work)
    assert not is_other_work(said(PAY))
    assert not is_other_work(work.model_copy(update={"intent": Intent(domain="DAY", confidence=0.3)}))
    assert not is_other_work(work.model_copy(update={"route": Route.ANSWER, "answer": "hi"}))


def test_what_follows_a_question_is_what_is_wanted():
    assert behind_a_question("why did you send it?? cancel it") == "cancel it"
    assert behind_a_question("cancel it?") == "cancel it?"
