"""`dream ask` against a gateway that plays a script: exit codes, what stands on standard output, files."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from dream.cli.running import Interrupts
from dream.client.ask import Request, ask
from dream.local.nats import free_port
from dream.texts import Texts
from tests.unit.dream.fake_gateway import FakeGateway
from tests.unit.dream.person import Scripted
from tests.unit.dream.scripts import (
    CHART,
    COMPLETED,
    DECISION,
    PDF,
    PLANNED,
    UNDERSTOOD,
    approved_run,
    asked,
    asking_run,
    attachment,
    responded,
)

KEYS = ["session_id", "run_id", "status", "response", "attachments", "events", "error"]


def content(path: str) -> bytes:
    return Path(path).read_bytes()


async def asking(gateway: FakeGateway, folder: Path, *lines: str, **options: Any) -> int:
    request = Request("Analyze these", folder, **({"url": gateway.url} | options))
    return await ask(request, Texts("en"), Interrupts(), Scripted(list(lines)))


async def test_a_run_that_asks_nothing_ends_with_its_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with FakeGateway(approved_run()) as gateway:
        assert await asking(gateway, tmp_path) == 0
    assert capsys.readouterr().out == "61 % are positive.\n"


async def test_the_main_document_is_the_last_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with FakeGateway([]) as gateway:
        files = (
            attachment(gateway.store(PDF), "../../report.pdf", "application/pdf"),
            attachment(gateway.store(CHART), "chart.png", "image/png"),
            attachment(gateway.store(CHART), "chart.png", "image/png"),
        )
        gateway.steps += [UNDERSTOOD, responded(attachments=files), COMPLETED]
        assert await asking(gateway, tmp_path) == 0
    folder = tmp_path / "out" / str(gateway.run)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:] == [str(folder / name) for name in ("chart.png", "chart-2.png", "report.pdf")]
    assert (folder / "report.pdf").read_bytes() == PDF


async def test_files_go_where_out_says(tmp_path: Path) -> None:
    with FakeGateway([]) as gateway:
        gateway.steps += [
            responded(attachments=(attachment(gateway.store(PDF), "r.pdf", "application/pdf"),)),
            COMPLETED,
        ]
        assert await asking(gateway, tmp_path, out=tmp_path / "here") == 0
    assert (tmp_path / "here" / "r.pdf").exists()


async def test_json_is_one_object_with_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with FakeGateway([]) as gateway:
        gateway.steps += [
            responded(attachments=(attachment(gateway.store(PDF), "r.pdf", "application/pdf"),)),
            COMPLETED,
        ]
        assert await asking(gateway, tmp_path, json=True) == 0
    told = json.loads(capsys.readouterr().out)
    assert list(told) == KEYS
    assert (told["session_id"], told["run_id"]) == (str(gateway.session), str(gateway.run))
    assert (told["status"], told["error"]) == ("completed", None)
    assert [frame["event"] for frame in told["events"]] == ["MessageReceived", "ResponseOutput", "RunCompleted"]
    assert content(told["attachments"][0]["path"]) == PDF


@pytest.mark.parametrize(("verbose", "shown"), [(True, 1), (False, 0)])
async def test_verbose_shows_what_the_tools_write_and_json_does_not_hold_it(
    verbose: bool, shown: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = {5: [{"todo_id": "t1", "line": "utf-8, 2400 rows"}, {"run_id": "another", "todo_id": "t1", "line": "no"}]}
    with FakeGateway(approved_run(), lines=lines) as gateway:
        assert await asking(gateway, tmp_path, verbose=verbose) == 0
    assert capsys.readouterr().err.count("    Read reviews │ utf-8, 2400 rows") == shown
    with FakeGateway(approved_run(), lines=lines) as gateway:
        assert await asking(gateway, tmp_path, verbose=verbose, json=True) == 0
    assert "2400 rows" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("event", "data", "status", "code"),
    [
        ("RunCompleted", {"partial": True}, "partial", 0),
        ("RunFailed", {"error": {"code": 6102, "message": "no column with text"}}, "failed", 3),
        ("RunFailed", {"error": {"code": 5004, "message": "Nothing was done."}}, "failed", 4),
        ("RunFailed", {"error": {"code": 5003, "message": "Nobody answered."}}, "failed", 4),
        ("RunCancelled", {"reason": "rejected"}, "rejected", 4),
        ("RunCancelled", {"reason": "expired", "message": "too late"}, "expired", 4),
    ],
)
async def test_the_exit_code_says_how_it_ended(
    event: str, data: dict[str, Any], status: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeGateway([UNDERSTOOD, (event, data)]) as gateway:
        assert await asking(gateway, tmp_path, json=True) == code
    assert json.loads(capsys.readouterr().out)["status"] == status


async def test_a_failure_is_told_on_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with FakeGateway([("RunFailed", {"error": {"code": 6102, "message": "no column with text"}})]) as gateway:
        assert await asking(gateway, tmp_path) == 3
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "no column with text (6102)" in shown.err


async def test_lines_answer_the_questions(tmp_path: Path) -> None:
    with FakeGateway(asking_run()) as gateway:
        assert await asking(gateway, tmp_path, "edit", "remove t3", "send") == 0
    assert gateway.answers == [{"action": "edit", "patch": [{"op": "remove", "path": "/2"}]}]


async def test_approve_needs_nobody(tmp_path: Path) -> None:
    with FakeGateway(asking_run()) as gateway:
        assert await asking(gateway, tmp_path, approve=True) == 0
    assert gateway.messages[0]["auto_approve"] is True
    assert gateway.answers == [{"action": "approve"}]


async def test_a_question_without_a_person_is_told_with_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeGateway(asking_run()) as gateway:
        assert await asking(gateway, tmp_path, json=True) == 3
    told = json.loads(capsys.readouterr().out)
    assert told["status"] == "waiting"
    assert '"Shall I?"' in told["error"]["message"]
    assert "--approve" in told["error"]["message"]
    assert told["error"]["detail"] == {"decision_id": DECISION}


async def test_an_answer_that_is_refused_is_asked_for_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with FakeGateway(asking_run(), refusals=[(422, 5002, "there is no such todo")]) as gateway:
        assert await asking(gateway, tmp_path, "approve", "approve") == 0
    assert "there is no such todo" in capsys.readouterr().err


async def test_files_are_uploaded_and_sent_along(tmp_path: Path) -> None:
    file = tmp_path / "reviews.csv"
    file.write_text("text\ngood\n")
    with FakeGateway(approved_run()) as gateway:
        assert await asking(gateway, tmp_path, files=(file,), language="ko", session=str(gateway.session)) == 0
    (message,) = gateway.messages
    assert [one["name"] for one in message["attachments"]] == ["reviews.csv"]
    assert (message["language"], message["session_id"]) == ("ko", str(gateway.session))
    assert list(gateway.artifacts.values()) == [b"text\ngood\n"]


async def test_a_file_answers_a_question_for_a_file(tmp_path: Path) -> None:
    file = tmp_path / "reviews.csv"
    file.write_text("text\n")
    schema = {"type": "object", "properties": {"attachments": {"type": "array"}}}
    with FakeGateway([asked("clarify", "Which file?", answer_schema=schema), responded(), COMPLETED]) as gateway:
        assert await asking(gateway, tmp_path, "nowhere.csv", str(file)) == 0
    assert [one["name"] for one in gateway.answers[0]["attachments"]] == ["reviews.csv"]


async def test_a_dropped_connection_is_not_noticed(tmp_path: Path) -> None:
    with FakeGateway(asking_run(), cut_after={2, 4, 6}) as gateway:
        assert await asking(gateway, tmp_path, "approve") == 0
    assert len(gateway.connections) > 2


async def test_events_of_other_runs_are_not_ours(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with FakeGateway(asking_run()) as gateway:
        gateway._append("RunFailed", {"error": {"code": 9000, "message": "another one"}})
        gateway.frames[0]["run_id"] = "0197a1f0-0000-7000-8000-00000000000f"
        assert await asking(gateway, tmp_path, "approve", json=True) == 0
    assert json.loads(capsys.readouterr().out)["events"][0]["event"] == "MessageReceived"


async def test_a_server_that_is_not_there_is_an_error_in_json_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    request = Request("x", tmp_path, url=f"http://127.0.0.1:{free_port()}", json=True)
    assert await ask(request, Texts("en"), Interrupts(), Scripted([])) == 3
    told = json.loads(capsys.readouterr().out)
    assert list(told) == KEYS
    assert told["error"]["message"]


@pytest.mark.parametrize("url", ["127.0.0.1:8765", "ftp://x", "http://"])
async def test_an_address_that_is_none_is_wrong_usage(url: str, tmp_path: Path) -> None:
    assert await ask(Request("x", tmp_path, url=url), Texts("en"), Interrupts(), Scripted([])) == 2


async def test_a_question_settled_elsewhere_is_withdrawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    class Slow(Scripted):
        async def line(self, prompt: str) -> str:
            gateway._append("DecisionAnswered", {"decision_id": DECISION, "kind": "plan", "answer": {}})
            gateway._play()
            await asyncio.sleep(30)
            return "approve"

    with FakeGateway([UNDERSTOOD, PLANNED, asked(), responded(), COMPLETED]) as gateway:
        assert await ask(Request("x", tmp_path, url=gateway.url), Texts("en"), Interrupts(), Slow([])) == 0
    assert gateway.answers == []
    assert "settled" in capsys.readouterr().err


async def test_ctrl_c_leaves_the_run_of_a_server_going(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    interrupts = Interrupts()

    class Leaving(Scripted):
        async def line(self, prompt: str) -> str:
            interrupts._arrived()
            await asyncio.sleep(30)
            return ""

    with FakeGateway(asking_run()) as gateway:
        code = await ask(Request("x", tmp_path, url=gateway.url, json=True), Texts("en"), interrupts, Leaving([]))
    told = json.loads(capsys.readouterr().out)
    assert code == 130
    assert told["status"] == "running"
    assert f"dream events {gateway.session} --follow" in told["error"]["message"]


DUE = {"reminder_id": "0197a1f0-0000-7000-8000-0000000000cc", "text": "dentist", "due_at": "2026-11-23T06:00:00Z"}
LATER = DUE | {"due_at": "2026-11-24T06:00:00Z"}


async def test_reminders_are_shown_once_and_then_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with FakeGateway([("ReminderDue", DUE), ("ReminderDue", LATER), *approved_run()]) as gateway:
        gateway.reminders = [DUE | {"times": 1, "version": 1}]
        assert await asking(gateway, tmp_path, session=str(gateway.session)) == 0
    told = capsys.readouterr().err
    assert [told.count(f"Reminder (2026-11-{day}") for day in (23, 24)] == [1, 1]
    assert gateway.seen == [(one["reminder_id"], one["due_at"]) for one in (DUE, LATER)]


async def test_a_reminder_that_cannot_be_marked_as_seen_ends_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeGateway([("ReminderDue", DUE), *approved_run()]) as gateway:
        gateway.refusals = [(404, 3004, "reminder x was not due")]
        assert await asking(gateway, tmp_path) == 0
    assert "reminder x was not due" in capsys.readouterr().err


async def test_a_new_session_is_that_of_the_user_in_their_time_zone(tmp_path: Path) -> None:
    with FakeGateway(approved_run()) as gateway:
        await asking(gateway, tmp_path, user="mina", timezone="Asia/Tokyo")
    assert gateway.messages[0]["user"] == "mina"
    assert gateway.messages[0]["profile"] == {"timezone": "Asia/Tokyo"}
