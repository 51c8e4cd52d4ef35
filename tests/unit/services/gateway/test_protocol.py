"""Frames: what clients send and what they are shown."""

import re
from typing import Any
from uuid import uuid4

import orjson
import pytest

from contracts.errors import Code
from contracts.gateway import RunControl, RunControlRequested
from contracts.registry import EVENTS
from contracts.response import RunCompleted
from services.gateway.domain.refusal import Refused
from services.gateway.domain.session import Session, evolve
from services.gateway.views.frame_types import FRAME_TYPES
from services.gateway.views.protocol import (
    MessageFrame,
    ack,
    error_frame,
    frame,
    page,
    pong,
    run_result,
    session_state,
    session_view,
)
from services.gateway.ws.endpoint import parse_frame
from tests.architecture.sources import ROOT
from tests.unit.services.gateway.facts import ANSWER, ASKED, DECISION, RUN, SAID, SESSION, message, stream


def test_an_event_frame_has_the_members_that_the_protocol_names() -> None:
    text = (ROOT / "docs/protocol.md").read_text(encoding="utf-8")
    named = re.search(r'`\{("type", "version", "event", .*?)\}`', text)
    assert named
    assert list(orjson.loads(frame(message(SAID, 2)))) == orjson.loads(f"[{named[1]}]")


def test_an_event_frame_carries_the_bytes_of_the_ledger() -> None:
    made = frame(message(SAID, 2, data=b'{"text":   "spaces stay"}', producer="gateway"))
    assert b'"data":{"text":   "spaces stay"}' in made
    shown = orjson.loads(made)
    assert (shown["type"], shown["layer"], shown["recorded_at"]) == ("layer_start", "cognitive", "2026-01-01T00:00:00Z")


@pytest.mark.parametrize(
    ("type_", "data", "layer"),
    [
        ("CognitiveOutput", {"route": "plan"}, "planning"),
        ("CognitiveOutput", {"route": "answer"}, "response"),
        ("PlanApproved", {}, "execution"),
        ("ExecutionOutput", {}, "response"),
        ("TodoStarted", {}, None),
    ],
)
def test_a_layer_starts_where_the_one_before_it_ended(type_: str, data: dict[str, str], layer: str | None) -> None:
    shown = orjson.loads(frame(message(SAID, 2, type=type_, data=orjson.dumps(data))))
    assert shown["layer"] == layer


def test_every_type_of_frame_stands_for_events_that_exist() -> None:
    assert set(FRAME_TYPES) <= set(EVENTS)
    assert {"MessageReceived", *(name for name in EVENTS if name.startswith(("Todo", "Decision")))} <= set(FRAME_TYPES)


def test_an_event_of_a_newer_kind_is_shown_as_it_is() -> None:
    for newer in (message(SAID, 2, schema_version=9), message(SAID, 2, type="DreamDreamt")):
        assert orjson.loads(frame(newer))["data"] == {"text": "안녕"}


def test_a_page_holds_the_frames_of_the_socket() -> None:
    messages = stream(SAID, ANSWER)
    shown = orjson.loads(page(SESSION, 2, messages))
    assert shown["events"] == [orjson.loads(frame(one)) for one in messages]
    assert (shown["session_id"], shown["version"]) == (str(SESSION), 2)


def test_the_state_is_that_of_the_session() -> None:
    session = Session()
    for one in stream(SAID, ASKED):
        evolve(session, one)
    shown = orjson.loads(session_state(session_view(SESSION, session)))
    assert list(shown) == ["type", "session_id", "version", "runs", "open_decisions", "reminders"]
    assert shown["open_decisions"][0]["decision_id"] == str(DECISION)
    assert shown["runs"][0]["status"] == "waiting"


def test_a_run_that_goes_on_has_no_result_yet() -> None:
    session = evolve(Session(), message(SAID, 1))
    assert run_result(SESSION, session, RUN) is None
    assert run_result(SESSION, session, uuid4()) is None
    evolve(evolve(session, message(ANSWER, 2)), message(RunCompleted(), 3))
    result = run_result(SESSION, session, RUN)
    assert result
    assert (result.status, result.version, result.response, result.decision) == ("completed", 3, ANSWER, None)


def test_answers_leave_out_what_is_not_there() -> None:
    assert orjson.loads(ack("message", 3, None, RUN)) == {
        "type": "ack", "of": "message", "version": 3, "run_id": str(RUN)
    }  # fmt: skip
    assert pong(None) == b'{"type":"pong"}'
    assert orjson.loads(pong("r")) == {"type": "pong", "ref": "r"}
    assert orjson.loads(error_frame(Code.TEXT_EMPTY, "m")) == {"type": "error", "code": 1001, "message": "m"}


def test_a_message_frame_is_read() -> None:
    read = parse_frame('{"type": "message", "text": "안녕", "auto_approve": true, "ref": "1"}')
    assert isinstance(read, MessageFrame)
    assert (read.text, read.auto_approve, read.ref) == ("안녕", True, "1")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (None, Code.FRAME_MALFORMED),
        ("nonsense", Code.FRAME_MALFORMED),
        ('"a"', Code.FRAME_MALFORMED),
        ("{}", Code.FRAME_TYPE_UNKNOWN),
        ('{"type": "dance"}', Code.FRAME_TYPE_UNKNOWN),
        ('{"type": "message", "text": ""}', Code.TEXT_EMPTY),
        ('{"type": "message", "text": "a", "language": "fr"}', Code.LANGUAGE_UNSUPPORTED),
        ('{"type": "ping", "ref": {}}', Code.FRAME_MALFORMED),
    ],
)
def test_a_bad_frame_has_its_code_and_a_sentence(text: Any, code: Code) -> None:
    with pytest.raises(Refused) as refused:
        parse_frame(text)
    assert refused.value.code is code
    assert len(refused.value.message) > 20


def test_a_paused_run_is_waited_for_unless_it_asks_something() -> None:
    pause = RunControlRequested(control=RunControl.PAUSE)
    session = Session()
    for one in stream(SAID, pause):
        evolve(session, one)
    assert run_result(SESSION, session, RUN) is None
    evolve(session, message(ASKED, 3))
    result = run_result(SESSION, session, RUN)
    assert result
    assert (result.status, result.decision and result.decision.decision_id) == ("paused", DECISION)
