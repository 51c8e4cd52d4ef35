"""`dream runs` and `dream dead` over a gateway that answers from a script."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
import uvicorn
from fastapi import FastAPI
from fastapi.responses import JSONResponse

from dream.client.gateway_client import Refused
from dream.ops import dead_letters, open_runs
from dream.texts import Texts

RUN, SESSION = "0197a1f0-0000-7000-8000-00000000000a", "0197a1f0-0000-7000-8000-00000000000b"
LETTER = UUID("0197a1f0-0000-7000-8000-00000000000c")
NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


def run(state: str = "stuck", **other: Any) -> dict[str, Any]:
    turn = {"actor": "planning", "what": "plan", "since": "2026-01-01T11:58:55Z", "deadline": "2026-01-01T11:59:25Z"}
    whole = {
        "run_id": RUN,
        "session_id": SESSION,
        "text": "이 리뷰들\n분석해 줘 " + "x" * 99,
        "state": state,
        "stuck": True,
    }
    return whole | turn | {"actors": [turn]} | other


def letter(state: str = "dead") -> dict[str, Any]:
    return {
        "dead_letter_id": str(LETTER), "consumer": "planning-desk", "subject": "evt.1", "event_id": None, "code": 9005,
        "reason": "after 6 deliveries", "deliveries": 6, "state": state, "recorded_at": "2026-01-01T12:00:00.000001Z",
    }  # fmt: skip


@pytest.fixture
def url() -> Iterator[str]:
    app = FastAPI()
    asked: list[str | None] = []

    @app.get("/runs")
    async def runs(stuck: bool, before: str | None = None) -> dict[str, Any]:
        asked.append(before)
        if before is None:
            return {"runs": [run()], "next": RUN}
        return {"runs": [] if stuck else [run("paused", actor="person", what="paused")], "next": None}

    @app.get("/dead-letters")
    async def letters(state: str | None = None) -> dict[str, Any]:
        return {"dead_letters": [letter()] if state == "dead" else [letter(), letter("retried")]}

    @app.get("/dead-letters/{_}")
    async def whole(_: UUID) -> dict[str, Any]:
        return letter() | {"headers": {"ce-id": "x"}, "body": {"text": "안녕"}, "body_as": "json"}

    @app.post("/dead-letters/{_}/{verb}")
    async def settle(_: UUID, verb: str) -> Any:
        if verb == "discard":
            return JSONResponse({"code": 9010, "detail": "it is retried already"}, 409)
        return letter("retried")

    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off"))
    server.capture_signals = nullcontext  # type: ignore[method-assign, assignment]  # a thread has none
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join()


async def test_open_runs_come_as_json_lines_over_all_pages(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    await open_runs.runs(url, only_stuck=False, as_json=True, texts=Texts("en"))
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["run_id"], line["state"]) for line in lines] == [(RUN, "stuck"), (RUN, "paused")]
    await open_runs.runs(url, only_stuck=True, as_json=True, texts=Texts("en"))
    assert len(capsys.readouterr().out.splitlines()) == 1


async def test_the_table_of_runs_says_who_is_next(
    url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    await open_runs.runs(url, only_stuck=False, as_json=False, texts=Texts("ko"))
    shown = capsys.readouterr().out
    assert all(one in shown for one in (RUN[:8], "stuck", "planning", "paused", "다음 차례", "이 리뷰들 분석해 줘"))
    assert "x" * 50 not in shown


async def test_what_was_said_is_read_in_words_on_a_narrow_screen(
    url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    await open_runs.runs(url, only_stuck=False, as_json=False, texts=Texts("ko"))
    assert "이 리뷰들 분석해" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        ("2026-01-01T12:00:00Z", "0 s"),
        ("2026-01-01T12:02:05Z", "2 min 5 s"),
        ("2026-01-01T11:59:25Z", "-35 s"),
        ("2026-01-02T13:00:07+00:00", "25 h 7 s"),
        (None, "–"),
    ],
)
def test_a_span_of_time_is_said_shortly(moment: str | None, said: str) -> None:
    assert open_runs.span(moment, NOW, Texts("en")) == said


async def test_dead_letters_are_listed_shown_and_sent_again(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    texts = Texts("en")
    await dead_letters.listed(url, everything=True, as_json=True, texts=texts)
    assert [json.loads(line)["state"] for line in capsys.readouterr().out.splitlines()] == ["dead", "retried"]
    await dead_letters.listed(url, everything=False, as_json=False, texts=texts)
    assert "9005" in capsys.readouterr().out
    await dead_letters.shown(url, LETTER, as_json=False, texts=texts)
    shown = capsys.readouterr().out
    assert '"text": "안녕"' in shown
    assert '"ce-id": "x"' in shown
    await dead_letters.settled(url, LETTER, "retry", as_json=False, texts=texts)
    assert capsys.readouterr().out.startswith(f"{LETTER} was sent again")


async def test_what_the_gateway_refuses_is_said_in_its_words(url: str) -> None:
    with pytest.raises(Refused, match="it is retried already"):
        await dead_letters.settled(url, LETTER, "discard", as_json=True, texts=Texts("en"))
