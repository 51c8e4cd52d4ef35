"""The adapter that asks a model, over real HTTP to each maker's API: one that reads well, one that makes things up, one
that does not answer."""

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from llmock.pytest_plugin import LLMock

from backbone import packs
from backbone.model.chat import patience
from backbone.model.port import Conversation
from backbone.model.prompts import PromptBook
from backbone.model.provider import provider_of
from backbone.packs import Catalogue
from contracts.cognitive import Turn
from contracts.model import ModelRole
from tests.support.llm import MAKERS, chats, hang_up, settings, told
from tests.understanding.conformance import CLEAR, HERE, NOW, TWO, UnderstanderConformance
from understanding.offline.adapter import OfflineUnderstander
from understanding.port import PROMPTS, Situation, Understander, Understanding, UserTurn, with_model

MADE_UP = {"tasks": [{"intent": "SYSTEM.shutdown", "text": "전부", "slots": {"amount": 999_999, "target": "사기꾼"}}]}


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "POLICY", replace(patience.POLICY, initial_interval=0.001))


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return packs.load()


@pytest.fixture
def maker() -> str:
    return MAKERS[0]


@pytest.fixture
async def behind(
    llmock: LLMock, catalogue: Catalogue, offline: OfflineUnderstander, maker: str
) -> AsyncIterator[Understander]:
    provider = provider_of(settings(llmock, maker, model_timeout_seconds=2.0), {}, PromptBook(PROMPTS))
    yield with_model(provider, offline, offline, catalogue)
    for chat in chats(provider):
        await hang_up(chat)


class _Scripted(UnderstanderConformance):
    """Before each sentence the server is told what its model will say of it."""

    @pytest.fixture
    def understander(self, llmock: LLMock, behind: Understander) -> Understander:
        return _Prompted(self, llmock, behind)

    def script(self, llmock: LLMock, turn: UserTurn) -> None:
        raise NotImplementedError


class _Prompted:
    def __init__(self, suite: _Scripted, llmock: LLMock, behind: Understander) -> None:
        self._suite, self._llmock, self._behind = suite, llmock, behind

    async def understand(self, turn: UserTurn, situation: Situation) -> Understanding:
        self._llmock.reset()
        self._suite.script(self._llmock, turn)
        return await self._behind.understand(turn, situation)


class TestAModelThatReadsWell(_Scripted):
    @pytest.fixture(params=MAKERS)
    def maker(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)

    def script(self, llmock: LLMock, turn: UserTurn) -> None:
        said = _read(turn)
        if not turn.wants and not (turn.answers and "." in turn.answers[-1]):
            llmock.call_tool("answer", {"tasks": [{"intent": one["intent"], "text": one["text"]} for one in said]})
        llmock.call_tool("answer", {"tasks": said}, times=None)


class TestAModelThatMakesThingsUp(_Scripted):
    """What it says is in no catalogue and in no sentence: code's reading stands."""

    def script(self, llmock: LLMock, turn: UserTurn) -> None:
        llmock.call_tool("answer", MADE_UP, times=None)


class TestAModelThatTalksInstead(_Scripted):
    def script(self, llmock: LLMock, turn: UserTurn) -> None:
        llmock.reply("Sure! I have moved the money for you.", times=None)


class TestAModelThatDoesNotAnswer(_Scripted):
    def script(self, llmock: LLMock, turn: UserTurn) -> None:
        llmock.fail(401, times=None)


def _read(turn: UserTurn) -> list[dict[str, Any]]:
    """What a good model would say of the suite's sentences."""
    for text, _, intent, slots in CLEAR:
        if turn.text == text:
            return [{"intent": intent, "text": text, "slots": slots}]
    if turn.text == TWO:
        weather, swim = TWO.split("고 ", 1)
        return [
            {"intent": "DEVICES.weather", "text": weather, "slots": {"place": "제주"}},
            {"intent": "ASSISTANT.calendar", "text": swim, "slots": {"title": "수영"}},
        ]
    return []


class _Roles:
    """One sentence, with what the model says first and then."""

    def __init__(self, llmock: LLMock, understander: Understander) -> None:
        self.llmock, self._understander = llmock, understander

    async def read(self, text: str, *said: Mapping[str, Any], at: Situation = HERE) -> Understanding:
        for one in said:
            self.llmock.call_tool("answer", json.loads(json.dumps(one)))
        return await self._understander.understand(UserTurn(text, "ko"), at)


@pytest.fixture
def roles(llmock: LLMock, behind: Understander) -> _Roles:
    return _Roles(llmock, behind)


async def test_a_model_reads_where_code_was_not_sure(roles: _Roles) -> None:
    talk = Conversation(history=(Turn(role="user", text="후기 파일 올려 뒀어"),))
    said = {"tasks": [{"intent": "ANALYSIS.sentiment", "text": "사람들 속마음이 어떤지"}]}
    found = await roles.read("저거 말이야 사람들 속마음이 어떤지 좀", said, at=Situation(NOW, talk=talk))
    assert (found.intent.name, found.plan_hint.goals, found.ambiguities) == (
        "ANALYSIS.sentiment", ("insight.sentiment",), (),
    )  # fmt: skip
    assert found.text == "저거 말이야 사람들 속마음이 어떤지 좀" and found.rounds == 0
    assert [one.role for one in found.called if not one.local] == [ModelRole.CLASSIFIER]
    assert "후기 파일 올려 뒀어" in told(roles.llmock)


async def test_an_intent_that_is_in_no_catalogue_changes_nothing(roles: _Roles) -> None:
    found = await roles.read("이 후기들 감성 분석 부탁해", MADE_UP, MADE_UP)
    assert found.intent.name == "ANALYSIS.sentiment"
    assert any(one.error for one in found.called)


async def test_slots_are_added_only_where_the_sentence_bears_them_out(roles: _Roles) -> None:
    text = "외할머니께 5만원만 드려"
    task = {"intent": "TRANSFER", "text": text}
    slots = {"target": "외할머니", "amount": 888_888, "date": "2026-03-09"}
    found = await roles.read(text, {"tasks": [task]}, {"tasks": [{**task, "slots": slots}]})
    (read,) = found.tasks
    assert str(read.slots["target"]).startswith("외할머니") and read.slots["amount"] == 50_000
    assert "date" not in read.slots


async def test_a_model_that_is_away_is_recorded_and_code_reads(roles: _Roles) -> None:
    roles.llmock.outage()
    found = await roles.read("おばに8000ウォン送って")
    assert [one.intent for one in found.tasks] == ["TRANSFER"]
    assert any(one.error for one in found.called)


async def test_a_turn_of_a_dialogue_is_not_put_to_a_model(roles: _Roles) -> None:
    found = await roles.read("5만원", at=Situation(NOW, flow="transfer"))
    assert all(one.local for one in found.called) and not roles.llmock.requests
