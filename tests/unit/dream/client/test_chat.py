"""`dream chat` against a gateway that plays a script: one session, files by @path, reminders while it waits."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from fastapi import FastAPI

from dream.cli.running import Interrupts
from dream.client.ask import Request, ask
from dream.client.chat import chat
from dream.client.gateway_client import Refused
from dream.client.person import NobodyThere
from dream.client.question import attached
from dream.failures import Exit
from dream.texts import Texts
from tests.unit.dream.fake_gateway import FakeGateway, problem
from tests.unit.dream.person import Scripted
from tests.unit.dream.scripts import COMPLETED, UNDERSTOOD, asking_run, responded

HINT = {"ui_hint": {"next_action": "CONFIRM", "buttons": ["Confirm", "Cancel"]}}


def answer(text: str, **more: Any) -> list[Any]:
    event, data = responded(text)
    return [UNDERSTOOD, (event, data | more), COMPLETED]


class RequestRefused(Exception):
    """Of a message."""


@dataclass
class Gateway(FakeGateway):
    """Each message is a run of its own, with the next of these scripts; an empty one is a refusal."""

    turns: tuple[list[Any], ...] = ()
    begun: int = 0

    def _play(self) -> None:
        if len(self.messages) > self.begun:
            self.begun += 1
            self.run = uuid4()
            self.frames[-1]["run_id"] = str(self.run)
            self.steps, self.turns = [*self.turns[0]], self.turns[1:]
            if not self.steps:
                raise RequestRefused
        super()._play()

    def _app(self) -> FastAPI:
        app = super()._app()
        app.add_exception_handler(RequestRefused, lambda *_: problem(429, 5001, "it cannot be now"))
        return app


async def talking(gateway: FakeGateway, folder: Path, person: Any, **options: Any) -> int:
    request = Request("", folder, **({"url": gateway.url} | options))
    return await asyncio.wait_for(chat(request, Texts("en"), Interrupts(), person), 30)


async def test_one_sentence_after_the_other_in_the_session_of_the_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    turns = (answer("How much?", **HINT), answer("Send 30,000 won to Mom?"), answer("Done."))
    with Gateway([], turns=turns) as gateway:
        person = Scripted(["send mom money", "", "30000 won", " yes "])
        assert await talking(gateway, tmp_path, person, user="mina", language="en") == Exit.DONE
    shown = capsys.readouterr()
    assert shown.out == "How much?\nSend 30,000 won to Mom?\nDone.\n"
    first, *others = gateway.messages
    assert (first["text"], first["user"], "session_id" in first) == ("send mom money", "mina", False)
    assert [(one["text"], one["session_id"], "user" in one) for one in others] == [
        ("30000 won", str(gateway.session), False),
        ("yes", str(gateway.session), False),
    ]
    assert f"dream chat --session {gateway.session}" in shown.err
    assert "Cognitive" not in shown.err  # what is answered at once shows no progress


async def test_a_single_request_that_becomes_a_dialogue_says_where_it_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Gateway([], turns=(answer("How much?", **HINT),)) as gateway:
        await ask(Request("send mom money", tmp_path, url=gateway.url), Texts("en"), Interrupts(), Scripted([]))
    assert f"dream chat --session {gateway.session}" in capsys.readouterr().err


async def test_what_is_offered_next_is_said_by_its_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    left = {"next_actions": [{"label": "add the dentist", "text": "add the dentist"}]}
    turns = (answer("How much?", **HINT, **left), answer("Done.", **left), answer("Added."))
    with Gateway([], turns=turns) as gateway:
        await talking(gateway, tmp_path, Scripted(["send mom money", "1", "1"]))
    # to a question a number is an answer
    assert [one["text"] for one in gateway.messages] == ["send mom money", "1", "add the dentist"]
    assert capsys.readouterr().out == "How much?\n  → add the dentist\nDone.\n  1) add the dentist\nAdded.\n"


async def test_exit_leaves_and_what_follows_is_not_said(tmp_path: Path) -> None:
    with Gateway([], turns=(answer("Hello."),)) as gateway:
        assert await talking(gateway, tmp_path, Scripted(["hello", "/exit", "more"])) == Exit.DONE
    assert [one["text"] for one in gateway.messages] == ["hello"]


async def test_a_file_named_goes_with_the_sentence_or_with_the_next_one(tmp_path: Path) -> None:
    (tmp_path / "my notes.txt").write_text("one")
    (tmp_path / "b.txt").write_text("two")
    said = [f'@"{tmp_path}/my notes.txt"', f"summarize @{tmp_path}/b.txt please", "and @nobody?"]
    with Gateway([], turns=(answer("One."), answer("Two."))) as gateway:
        await talking(gateway, tmp_path, Scripted(said))
    assert [(one["text"], [file["name"] for file in one["attachments"]]) for one in gateway.messages] == [
        ("summarize please", ["my notes.txt", "b.txt"]),
        ("and @nobody?", []),
    ]


async def test_a_path_without_a_file_is_told_and_nothing_is_sent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Gateway([], turns=(answer("Hello."),)) as gateway:
        await talking(gateway, tmp_path, Scripted([f"@{tmp_path}/lost.hwpx 요약해줘", "hello @mina.kim"]))
    assert "There is no such file" in capsys.readouterr().err
    assert [one["text"] for one in gateway.messages] == ["hello @mina.kim"]


async def test_a_plan_is_shown_where_it_is_asked_about(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Gateway([], turns=(asking_run(),)) as gateway:
        await talking(gateway, tmp_path, Scripted(["analyze", "approve"]))
    assert gateway.answers == [{"action": "approve"}]
    assert capsys.readouterr().err.count("marketing.sentiment") == 1


async def test_what_is_said_while_a_plan_waits_is_kept_and_said_afterwards_with_enter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = ["analyze", "내일 일정 알려줘", "네", "", "thanks"]
    with Gateway([], turns=(asking_run(), answer("Nothing."), answer("You are welcome."))) as gateway:
        assert await talking(gateway, tmp_path, Scripted(said)) == Exit.DONE
    assert gateway.answers == [{"action": "approve"}]
    assert [one["text"] for one in gateway.messages] == ["analyze", "내일 일정 알려줘", "thanks"]
    shown = capsys.readouterr().err
    assert "The plan waits for your word first" in shown
    assert shown.count("“내일 일정 알려줘”") == 2  # when it is kept, and when it can be said


async def test_a_model_that_does_not_answer_is_told_of_once_in_a_talk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    error = {"code": 7004, "message": "openai:gpt-4o-mini: it answered 401 (invalid_api_key)", "retryable": False}
    called = ("ModelCalled", {"role": "classifier", "provider": "openai", "model": "gpt-4o-mini", "error": error})
    with Gateway([], turns=([called, *answer("Hello.")], [called, called, *answer("Bye.")])) as gateway:
        await talking(gateway, tmp_path, Scripted(["hello", "bye"]))
    shown = " ".join(capsys.readouterr().err.split())
    assert shown.count("The language model gave no answer (openai:gpt-4o-mini: it answered 401 (invalid_api_key))") == 1


async def test_what_was_kept_is_dropped_when_something_else_is_said(tmp_path: Path) -> None:
    turns = (asking_run(), answer("Hello."))
    with Gateway([], turns=turns) as gateway:
        await talking(gateway, tmp_path, Scripted(["analyze", "and then this", "1", "hello", "", "/exit"]))
    assert [one["text"] for one in gateway.messages] == ["analyze", "hello"]


async def test_a_sentence_that_is_refused_is_told_of_and_the_talk_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Gateway([], turns=([], answer("Hello."))) as gateway:
        assert await talking(gateway, tmp_path, Scripted(["too much", "hello"])) == Exit.DONE
    shown = capsys.readouterr()
    assert (shown.out, "it cannot be now (5001)" in shown.err) == ("Hello.\n", True)


async def test_a_session_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with FakeGateway([]) as gateway, pytest.raises(Refused) as caught:
        await talking(gateway, tmp_path, Scripted(["hello"]), session=str(uuid4()))
    assert caught.value.status == 404


def test_only_files_that_are_there_are_taken_out_of_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.touch()
    assert attached(f"look at @{file}") == ("look at", (file,))
    assert attached(f"@'{file}'") == ("", (file,))
    for text in ("mail mina@example.com", "@mina says  hi", "@", "a@", f"x@{file}"):
        assert attached(text) == (text, ())


class Waiting:
    """Somebody at a terminal who says one thing, waits until a reminder was seen, and leaves."""

    at_terminal = True
    is_script = False

    def __init__(self, gateway: FakeGateway) -> None:
        self._gateway = gateway
        self._said = False

    async def line(self, prompt: str) -> str:
        if not self._said:
            self._said = True
            return "remind me"
        self._gateway._append("ReminderDue", {"reminder_id": "r1", "due_at": "2026-11-22T06:05:00Z", "text": "water"})
        while not self._gateway.seen:
            await asyncio.sleep(0.01)
        raise NobodyThere

    async def edit(self, text: str, suffix: str) -> str:
        return text


async def test_a_reminder_comes_while_the_person_says_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Gateway([], turns=(answer("I will."),)) as gateway:
        await talking(gateway, tmp_path, Waiting(gateway))
    assert gateway.seen == [("r1", "2026-11-22T06:05:00Z")]
    assert "water" in capsys.readouterr().err
