"""What clients say over a socket, and how one ends that should not have been opened."""

from typing import Any
from uuid import uuid4

import orjson
import pytest
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from contracts.response import ResponseOutput
from tests.integration.gateway.conftest import House, frames

ANSWER = ResponseOutput(format="text", text="끝", language="ko")


async def test_an_unknown_session_is_an_error_frame_and_4404(house: House) -> None:
    async with house.socket(uuid4()) as socket:
        (error,) = await frames(socket, 1)
        assert (error["type"], error["code"]) == ("error", 3000)
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4404


async def test_a_malformed_session_id_is_an_error_frame_and_4400(house: House) -> None:
    async with house.socket("not-a-uuid") as socket:
        (error,) = await frames(socket, 1)
        assert (error["type"], error["code"]) == ("error", 1009)
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4400


async def test_a_position_that_cannot_be_is_an_error_frame_and_the_socket_goes_on_at_the_head(house: House) -> None:
    for after in ("3", "99999999999999999999", "-1", "abc", "1.5", ""):
        begun = await house.begin()
        async with house.socket(begun["session_id"], f"?after={after}") as socket:
            state, error = await frames(socket, 2)
            assert state["version"] == 2
            assert (error["type"], error["code"]) == ("error", 1011)
            await house.tell(begun["session_id"], begun["run_id"], ANSWER)
            assert [frame["version"] for frame in await frames(socket, 1)] == [3]


async def _ask(socket: ClientConnection, frame: object) -> dict[str, Any]:
    """Sends a frame and reads up to its answer."""
    await socket.send(frame if isinstance(frame, str | bytes) else orjson.dumps(frame).decode())
    while True:
        answer: dict[str, Any] = orjson.loads(await socket.recv())
        if answer["type"] in ("ack", "pong", "error"):
            return answer


async def test_bad_frames_are_answered_and_never_close_the_socket(house: House) -> None:
    begun = await house.begin()
    message = {"type": "message", "ref": "r1"}
    cases: list[tuple[object, int]] = [
        ("{", 1007),
        ("", 1007),
        ("[]", 1007),
        ("null", 1007),
        (b"\x00\x01", 1007),
        ({"text": "no type"}, 1008),
        ({"type": "dance"}, 1008),
        ({"type": 7}, 1008),
        ({"type": "ping", "extra": 1}, 1007),
        ({**message}, 1007),
        ({**message, "text": ""}, 1001),
        ({**message, "text": "  "}, 1001),
        ({**message, "text": "x" * 20_000}, 1002),
        ({**message, "text": "x", "language": "xx"}, 1003),
        ({**message, "text": "a\0b"}, 1007),
        ({"type": "hitl_response", "decision_id": "nope", "answer": {}}, 1009),
        ({"type": "hitl_response", "decision_id": str(uuid4()), "answer": []}, 1007),
        ({"type": "hitl_response", "decision_id": str(uuid4()), "answer": {}}, 5000),
        ('{"type": "ping", "ref": NaN}', 1007),
        ("[" * 100_000, 1007),
    ]
    async with house.socket(begun["session_id"]) as socket:
        for frame, code in cases:
            answer = await _ask(socket, frame)
            assert (answer["type"], answer["code"]) == ("error", code), (frame, answer)
            if isinstance(frame, dict) and frame.get("ref"):
                assert (answer["ref"], answer["of"]) == ("r1", "message")
        assert await _ask(socket, {"type": "ping", "ref": 7}) == {"type": "pong", "ref": 7}
        assert await _ask(socket, {"type": "ping"}) == {"type": "pong"}


async def test_a_message_and_an_answer_go_over_the_socket(house: House) -> None:
    begun = await house.begin()
    async with house.socket(begun["session_id"]) as socket:
        said = await _ask(socket, {"type": "message", "text": "하나 더", "ref": "a"})
        assert (said["of"], said["ref"]) == ("message", "a")
        received = (await house.stream(begun["session_id"]))[-1]
        assert (str(received.run_id), received.version) == (said["run_id"], said["version"])
        question = await house.open_decision(begun["session_id"], said["run_id"])
        answer = {"type": "hitl_response", "decision_id": question, "answer": {"action": "approve"}, "ref": 2}
        done = await _ask(socket, answer)
        assert (done["type"], done["of"], done["ref"]) == ("ack", "hitl_response", 2)
        recorded = (await house.stream(begun["session_id"]))[-1]
        assert (recorded.type, recorded.version) == ("DecisionAnswered", done["version"])
        assert (await _ask(socket, answer))["code"] == 5001
        assert (await _ask(socket, {**answer, "answer": {}, "decision_id": str(uuid4())}))["code"] == 5000
