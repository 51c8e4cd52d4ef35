"""Typed sentences and runs at work: what controls which run, and what is no control. No server."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from contracts.cognitive import FlowAdvanced, FlowStage
from contracts.gateway import MessageReceived, RunControl, RunControlRequested, SessionOpened
from contracts.planning import PlanApproved
from contracts.response import RunCompleted
from services.gateway.commands.control_words import control_words
from services.gateway.commands.runs import start
from services.gateway.commands.yes_words import said, words
from services.gateway.domain.at_work import control_in
from services.gateway.views.protocol import MessageFrame
from tests.unit.services.gateway.test_typed import Spoken

PAUSE, STOP, GO_ON, CANCEL = RunControl.PAUSE, RunControl.INTERRUPT, RunControl.RESUME, RunControl.CANCEL


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("잠깐 멈춰", PAUSE), ("일시 정지해 주세요", PAUSE), ("pause please", PAUSE), ("Hold on.", PAUSE), ("一時停止してください", PAUSE),
        ("멈춰", STOP), ("이제 그만 멈춰줘", None), ("지금 중단해 주세요", STOP), ("stop!", STOP), ("stop it now", STOP), ("止めて", STOP),
        ("계속해", GO_ON), ("이어서 진행해 줘", GO_ON), ("go on", GO_ON), ("ok, continue please", GO_ON), ("続けてください", GO_ON),
        ("그만둬", CANCEL), ("취소해", CANCEL), ("그냥 취소할게요", CANCEL), ("cancel the run", CANCEL), ("never mind", CANCEL),
        ("キャンセルして", CANCEL), ("やっぱりやめて", CANCEL),
        ("노래 멈춰", None), ("stop the music", None), ("음악 꺼줘", None), ("曲を止めて", None), ("멈춰?", None), ("멈춰 말고 계속해", None),
        ("멈춰 취소해", None), ("계속해도 돼?", None), ("취소 수수료 얼마야", None), ("예약 취소해줘", None), ("go on vacation", None), ("", None),
        ("잠깐", PAUSE), ("기다려", PAUSE), ("잠깐 일시정지 좀", PAUSE), ("wait", PAUSE), ("wait, stop!", STOP), ("待って", PAUSE),
        ("ok you can continue now", GO_ON), ("이제 계속해도 돼요", GO_ON), ("잠깐 질문 있어", None), ("응", None), ("please", None),
    ],
)  # fmt: skip
def test_only_a_whole_turn_of_words_of_one_control_is_that_control(text: str, control: RunControl | None) -> None:
    assert control_in(said(text), control_words()) is control


def test_no_word_is_of_two_controls() -> None:
    every = [word for known in control_words().of.values() for word in known]
    assert len(every) == len(set(every))
    assert set(every).isdisjoint(control_words().beside)


class Working(Spoken):
    """A session with runs."""

    async def run(self, *, approved: bool = True) -> UUID:
        run = uuid4()
        await self.records("gateway", MessageReceived(text="리뷰 분석해줘"), run)
        if approved:
            event = PlanApproved(plan_id=uuid4(), plan_version=1, plan_hash="0" * 64, approved_by="policy")
            await self.records("planning", event, run)
        return run

    async def says(self, text: str, key: UUID | None = None) -> Any:
        frame = MessageFrame(type="message", text=text)
        return (await self.talk.say(start(frame, self.session, key, None))).begun

    async def controls(self) -> list[tuple[UUID | None, str]]:
        return [
            (one.run_id, one.event.control)
            for one in await self.ledger.read(self.session)
            if isinstance(one.event, RunControlRequested)
        ]


@pytest.fixture
async def working() -> Working:
    working = Working()
    await working.records("gateway", SessionOpened(user="kim"))
    return working


async def test_the_only_run_at_work_is_paused_goes_on_and_is_cancelled_and_no_run_begins(working) -> None:
    run = await working.run()
    for text in ("잠깐 멈춰", "go on", "止めて", "계속해", "그만둬"):
        begun = await working.says(text)
        assert begun and begun.run_id == run and begun.fresh, text
        assert begun.held is (text in ("잠깐 멈춰", "止めて"))
    assert await working.controls() == [(run, one) for one in ("pause", "resume", "interrupt", "resume", "cancel")]
    assert (await working.types()).count("MessageReceived") == 1


async def test_what_has_its_effect_already_is_answered_with_the_version_of_then(working) -> None:
    run = await working.run()
    first, again = await working.says("일시정지"), await working.says("pause")
    assert (again.run_id, again.version, again.fresh, again.held) == (run, first.version, False, True)
    assert await working.controls() == [(run, "pause")]


async def test_the_same_message_again_is_the_same_control(working) -> None:
    run, key = await working.run(), uuid4()
    first, second = await working.says("멈춰", key), await working.says("멈춰", key)
    assert (first.run_id, first.version, first.fresh) == (second.run_id, second.version, not second.fresh)
    assert second.held and await working.controls() == [(run, "interrupt")]


@pytest.mark.parametrize("text", ["멈춰", "계속해", "취소해", "stop the music"])
async def test_a_message_it_is_where_no_run_is_at_work_that_takes_it(working, text) -> None:
    async def begins() -> bool:
        before = (await working.types()).count("MessageReceived")
        return await working.says(text) is None and (await working.types()).count("MessageReceived") == before + 1

    assert await begins(), "there is none"
    await working.run(approved=False)
    assert await begins(), "its plan waits"
    ended = await working.run()
    await working.records("response", RunCompleted(), ended)
    assert await begins(), "it is over"
    await working.run()
    await working.run()
    assert await begins(), "there are two"
    assert await working.controls() == []


async def test_a_run_that_is_not_paused_does_not_go_on_and_a_cancelled_one_takes_nothing(working) -> None:
    await working.run()
    assert await working.says("계속해") is None
    assert await working.says("그만둬") is not None
    assert await working.says("멈춰") is None


async def test_an_open_dialogue_keeps_its_words_and_a_pause_is_none_of_them(working) -> None:
    run = await working.run()
    led = FlowAdvanced(flow="transfer", turn=1, stage=FlowStage.READY, language="ko", message="보낼까요?")
    await working.records("cognitive", led, uuid4())
    assert [await working.says(text) for text in ("취소", "stop", "go on")] == [None, None, None]
    begun = await working.says("잠깐 멈춰")
    assert begun and begun.run_id == run
    ended = led.model_copy(update={"turn": 2, "stage": FlowStage.CANCELLED})
    await working.records("cognitive", ended, uuid4())
    assert (await working.says("취소")).run_id == run


async def test_a_question_that_was_put_last_takes_its_answer_before_a_run_does(working, monkeypatch) -> None:
    monkeypatch.setattr("services.gateway.domain.typed.SEEN_AFTER", timedelta(0))
    await working.run()
    waits = await working.run(approved=False)
    await working.asks("plan", waits)
    begun = await working.says("취소")
    assert begun and begun.run_id == waits
    assert await working.controls() == [] and (await working.types()).count("DecisionAnswered") == 1


def test_a_word_of_yes_is_no_control_but_those_that_go_on() -> None:
    known = control_words()
    both = words().yes & {word for of in known.of.values() for word in of}
    assert both <= known.of[GO_ON]
