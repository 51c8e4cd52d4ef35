"""`dream pause` and its like, and what Ctrl-C asks in the middle of a run."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from dream.cli.running import Interrupts
from dream.client.ask import Request, ask
from dream.client.gateway_client import Refused
from dream.client.patch import EditRefused, operations
from dream.client.prompt import BudgetUnclear, budget_of
from dream.client.run_selector import Changes, Which, control, edit
from dream.failures import CommandFailed
from dream.local.data_dir import DataDir
from dream.texts import Texts
from tests.unit.dream.fake_gateway import FakeGateway
from tests.unit.dream.person import Scripted
from tests.unit.dream.scripts import APPROVED, COMPLETED, PLANNED, TODOS, UNDERSTOOD, Step, asked, responded

EN = Texts("en")


@pytest.fixture
def begun() -> Any:
    """A gateway with a run that was begun."""
    with FakeGateway([], run=UUID(int=0xB << 124)) as gateway:
        gateway._append(*PLANNED)
        yield gateway


def which(gateway: FakeGateway, folder: Path, run: str = "", session: str | None = "") -> Which:
    known = str(gateway.session) if session == "" else session
    return Which(run or str(gateway.run)[:8], known, gateway.url, folder)


@pytest.mark.parametrize("wanted", ["pause", "resume", "interrupt", "cancel"])
async def test_the_beginning_of_the_id_is_enough_to_control_a_run(
    wanted: str, begun: FakeGateway, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await control(which(begun, tmp_path), wanted, "lunch", EN) == 0
    assert begun.controls == [{"control": wanted, "reason": "lunch"}]
    assert str(begun.run) in capsys.readouterr().out


async def test_without_a_session_it_is_that_of_the_last_ask_or_of_an_open_run(
    begun: FakeGateway, tmp_path: Path
) -> None:
    with pytest.raises(CommandFailed, match="--session"):
        await control(which(begun, tmp_path, session=None), "pause", "", EN)
    begun.steps += [responded(), COMPLETED]
    assert await ask(Request("x", tmp_path, url=begun.url), EN, Interrupts(), Scripted([])) == 0
    assert DataDir(tmp_path).last_session() == str(begun.session)
    assert await control(which(begun, tmp_path, session=None), "pause", "", EN) == 0
    begun.open_runs += [UUID(int=0xA << 124), UUID(int=0xA1 << 120)]
    assert await control(which(begun, tmp_path, "a1", session=None), "cancel", "", EN) == 0
    with pytest.raises(CommandFailed, match="Several"):
        await control(which(begun, tmp_path, "a", session=None), "cancel", "", EN)


async def test_the_last_session_may_be_one_of_another_server(begun: FakeGateway, tmp_path: Path) -> None:
    DataDir(tmp_path).remember(str(UUID(int=1)))
    begun.open_runs.append(begun.run)
    assert await control(which(begun, tmp_path, session=None), "pause", "", EN) == 0
    with pytest.raises(Refused):
        await control(which(begun, tmp_path, session=str(UUID(int=1))), "pause", "", EN)


async def test_an_unknown_run_and_what_the_server_refuses_are_told(begun: FakeGateway, tmp_path: Path) -> None:
    with pytest.raises(CommandFailed, match="No run"):
        await control(which(begun, tmp_path, run="zz"), "pause", "", EN)
    begun.refusals.append((409, 4014, "it is not paused"))
    with pytest.raises(Refused, match="not paused"):
        await control(which(begun, tmp_path), "resume", "", EN)


async def test_an_edit_is_a_patch_of_the_newest_plan(
    begun: FakeGateway, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "patch.json"
    file.write_text('[{"op": "test", "path": "/0/id", "value": "t1"}]')
    assert await edit(which(begun, tmp_path), Changes(("t3",), ("t2.params.top_n=5",), file), EN) == 0
    assert begun.edits == [
        {
            "plan_version": 1,
            "patch": [
                {"op": "test", "path": "/0/id", "value": "t1"},
                {"op": "add", "path": "/1/params/top_n", "value": 5},
                {"op": "remove", "path": "/2"},
            ],
        }
    ]
    assert "version 2" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["{", '{"op": "remove"}', '["x"]'])
async def test_a_file_without_a_patch_is_wrong_usage(text: str, begun: FakeGateway, tmp_path: Path) -> None:
    file = tmp_path / "patch.json"
    file.write_text(text)
    with pytest.raises(CommandFailed):
        await edit(which(begun, tmp_path), Changes(file=file), EN)
    assert begun.edits == []


@pytest.mark.parametrize(
    ("remove", "assign", "patch"),
    [
        (["t1", "t3", "t1"], [], [{"op": "remove", "path": "/2"}, {"op": "remove", "path": "/0"}]),
        ([], ["t1.title=A = b"], [{"op": "add", "path": "/0/title", "value": "A = b"}]),
        ([], ["t2.params.a/b=[1]"], [{"op": "add", "path": "/1/params/a~1b", "value": [1]}]),
    ],
)
def test_words_become_operations(remove: Sequence[str], assign: Sequence[str], patch: list[Any]) -> None:
    assert operations(TODOS, remove, assign) == patch


@pytest.mark.parametrize("assign", ["t2", "t2.title", "t2=5", "t2..x=5", "t9.title=x", "=5"])
def test_an_assignment_that_names_nothing_is_refused(assign: str) -> None:
    with pytest.raises(EditRefused):
        operations(TODOS, (), [assign])


def test_a_budget_is_read_as_it_is_typed() -> None:
    assert budget_of("tool_calls=10,seconds=1.5, money=0.2 tokens=5") == {
        "tool_calls": 10, "seconds": 1.5, "money": 0.2, "tokens": 5
    }  # fmt: skip
    assert budget_of("  ") == {}


@pytest.mark.parametrize(
    "text", ["seconds", "seconds=", "tokens=1.5", "days=3", "money=-1", "seconds=inf", "money=nan"]
)
def test_a_limit_that_is_none_is_named(text: str) -> None:
    with pytest.raises(BudgetUnclear, match=text):
        budget_of(f"tool_calls=1,{text}")


async def test_a_budget_goes_with_the_message(tmp_path: Path) -> None:
    with FakeGateway([responded(), COMPLETED]) as gateway:
        request = Request("x", tmp_path, url=gateway.url, budget={"tool_calls": 3})
        assert await ask(request, EN, Interrupts(), Scripted([])) == 0
    assert gateway.messages[0]["budget"] == {"tool_calls": 3}


def asking(kind: str, *actions: str, **more: Any) -> Step:
    schema = {"type": "object", "properties": {"action": {"enum": list(actions)}, **more.pop("properties", {})}}
    options = [{"value": one, "label": one.title()} for one in actions]
    return asked(kind, "What now?", options=options, answer_schema=schema, **more)


@pytest.mark.parametrize(
    ("question", "lines", "answer"),
    [
        (asking("tool", "approve", "reject"), ["approve"], {"action": "approve"}),
        (asking("error", "retry", "skip", "abort"), ["2"], {"action": "skip"}),
        (asking("lock", "wait", "cancel"), ["later", "wait"], {"action": "wait"}),
        (asking("budget", "raise", "stop", properties={"budget": {}}), ["stop"], {"action": "stop"}),
        (
            asking("budget", "raise", "stop", properties={"budget": {}}),
            ["raise", "lots", "tool_calls=20"],
            {"action": "raise", "budget": {"tool_calls": 20}},
        ),
        (asking("budget", "raise", "stop", properties={"budget": {}}), ["1", ""], {"action": "raise"}),
    ],
)
async def test_questions_of_execution_are_answered_by_their_options(
    question: Step, lines: list[str], answer: dict[str, Any], tmp_path: Path
) -> None:
    with FakeGateway([UNDERSTOOD, PLANNED, APPROVED, question, responded(), COMPLETED]) as gateway:
        assert await ask(Request("x", tmp_path, url=gateway.url), EN, Interrupts(), Scripted(lines)) == 0
    assert gateway.answers == [answer]


async def test_a_question_about_a_tool_shows_with_which_values_it_would_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    question = asking("tool", "approve", "reject", subject={"params": {"to": "mum", "amount": 5}})
    with FakeGateway([question, responded(), COMPLETED]) as gateway:
        assert await ask(Request("x", tmp_path, url=gateway.url), EN, Interrupts(), Scripted(["2"])) == 0
    assert "to=mum, amount=5" in capsys.readouterr().err


class Pressing(Scripted):
    """Presses Ctrl-C when the plan is asked about, as often as the lines say `^C`."""

    def __init__(self, interrupts: Interrupts, lines: list[str]) -> None:
        super().__init__(lines, at_terminal=True)
        self._interrupts = interrupts

    async def line(self, prompt: str) -> str:
        line = await super().line(prompt)
        if line == "^C":
            self._interrupts._arrived()
            await asyncio.sleep(30)
        return line


async def pressed(gateway: FakeGateway, folder: Path, *lines: str) -> tuple[int, Pressing]:
    interrupts = Interrupts()
    person = Pressing(interrupts, list(lines))
    code = await ask(Request("x", folder, url=gateway.url, json=True), EN, interrupts, person)
    return code, person


@pytest.fixture
def waiting() -> Any:
    """A gateway whose run asks about its plan, and then does what it should."""
    with FakeGateway([UNDERSTOOD, PLANNED, asked(), responded(), COMPLETED]) as gateway:
        yield gateway


async def test_ctrl_c_and_going_on_changes_nothing_and_asks_the_question_again(
    waiting: FakeGateway, tmp_path: Path
) -> None:
    code, person = await pressed(waiting, tmp_path, "^C", "what?", "g", "^C", "go on", "approve")
    assert (code, person.lines, waiting.controls) == (0, [], [])
    assert waiting.answers == [{"action": "approve"}]


async def test_ctrl_c_and_cancel_ends_the_run(
    waiting: FakeGateway, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (await pressed(waiting, tmp_path, "^C", "cancel"))[0] == 4
    assert [one["control"] for one in waiting.controls] == ["cancel"]
    assert json.loads(capsys.readouterr().out)["status"] == "cancelled"


async def test_ctrl_c_and_pause_asks_how_to_go_on(waiting: FakeGateway, tmp_path: Path) -> None:
    # the fake plays on when it is resumed: the question may be asked once more before that is seen
    assert (await pressed(waiting, tmp_path, "^C", "p", "r", "approve"))[0] == 0
    assert [one["control"] for one in waiting.controls] == ["pause", "resume"]


@pytest.mark.parametrize("lines", [["^C", "^C"], ["^C", "p", "leave"], ["^C"]])
async def test_a_second_ctrl_c_or_leaving_lets_the_run_be(
    lines: list[str], waiting: FakeGateway, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (await pressed(waiting, tmp_path, *lines))[0] == 130
    told = json.loads(capsys.readouterr().out)
    assert (told["status"], waiting.answers) == ("running", [])
    assert str(waiting.session) in told["error"]["message"]


async def test_a_control_that_is_refused_is_told_and_the_run_goes_on(
    waiting: FakeGateway, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    waiting.refusals.append((409, 3002, "it has ended"))
    assert (await pressed(waiting, tmp_path, "^C", "cancel", "approve"))[0] == 0
    assert "it has ended" in capsys.readouterr().err
