"""The tasks that wait in a flow: so many and no more, and none of them lost."""

from uuid import uuid4

from contracts.cognitive import FlowAct, FlowReading, FlowStage
from contracts.shape import JsonObject
from services.cognitive.domain.moves import FlowState
from services.cognitive.domain.slots import ValidationContext
from services.cognitive.domain.turn import read
from services.cognitive.domain.updating import MOST_WAITING
from tests.unit.services.cognitive.dialogue import RULES, SPEC, TODAY, Dialogue


def test_a_queue_takes_so_many_says_what_it_did_not_take_and_keeps_what_waits():
    dialogue = Dialogue()
    tasks: list[JsonObject] = [{"target": f"사람{number}", "amount": number + 1} for number in range(1000)]
    text = dialogue.says(*tasks)
    assert text.startswith(f"한 번에 {MOST_WAITING}건까지만 기다릴 수 있어서 뒤에 말씀하신 979건은 넣지 않았어요.")
    assert f"먼저 사람0에게 1원을 보낼까요? (1/{MOST_WAITING + 1}) 그다음: 사람1 2, 사람2 3" in text
    waiting = tuple(tasks[1 : MOST_WAITING + 1])
    assert (dialogue.state.queue, dialogue.state.task_total) == (waiting, MOST_WAITING + 1)
    for number in range(3):
        text = dialogue.says({}, {"target": "늦은 사람", "amount": 5})
        assert "뒤에 말씀하신 1건은 넣지 않았어요." in text
        assert f"사람0에게 1원을 보낼까요? (1/{MOST_WAITING + 1}) 그다음: 사람1 2" in text, number
    assert (dialogue.state.queue, dialogue.state.stage, dialogue.slots()) == (waiting, FlowStage.READY, tasks[0])
    dialogue.cancels()
    dialogue.says({}, {"target": "늦은 사람", "amount": 5})
    assert dialogue.state.queue == (*waiting[1:], {"target": "늦은 사람", "amount": 5})


def test_tasks_that_a_full_queue_does_not_take_do_not_end_a_flow_that_asks_something():
    dialogue = Dialogue()
    full: list[JsonObject] = [{"target": "아이", "amount": 1}] * MOST_WAITING
    dialogue.says({"target": "엄마"}, *full)
    for _ in range(SPEC.max_fill_turns + 2):
        dialogue.says({}, {"target": "늦은 사람", "amount": 5})
    assert (dialogue.state.stage, len(dialogue.state.queue)) == (FlowStage.FILLING, MOST_WAITING)


def test_what_is_said_beside_a_flow_waits_with_it_so_many_and_no_more():
    at = FlowState(RULES, None, ValidationContext("ko", {}, TODAY))
    said: list[str] = []
    for number in range(2 * MOST_WAITING):
        said.append(f"할 일 {number}")
        turn, slots = (at.last.turn, {}) if at.last else (0, {"target": "엄마", "amount": 1})
        reading = FlowReading(flow="pay", act=FlowAct.FILL, turn=turn, tasks=(slots,), beside=(said[0], said[-1]))
        at = at._replace(last=read(at, reading, uuid4())[-1])
    assert at.last is not None and at.last.is_open
    assert at.last.beside == tuple(said[:MOST_WAITING])


def test_of_two_that_are_said_when_one_is_asked_about_neither_is_lost():
    dialogue = Dialogue()
    nobody: JsonObject = {"people": {"김부장": False, "지수": False, "민호": False}}
    dialogue.says({"target": "김부장", "amount": 30_000}, facts=nobody)
    assert dialogue.state.refused == {"target": "김부장"}
    two: list[JsonObject] = [{"target": "지수", "amount": 20_000}, {"target": "민호", "amount": 20_000}]
    dialogue.says(*two, facts=nobody)
    assert [{**dialogue.state.refused, **dialogue.slots()}, *dialogue.state.queue] == two
