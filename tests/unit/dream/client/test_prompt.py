"""Questions and what people say to them."""

from typing import Any

import pytest
from rich.console import Console

from dream.client.person import NobodyThere
from dream.client.prompt import DecisionPrompt
from dream.client.question import Reply
from dream.texts import Texts
from tests.unit.dream.person import Scripted
from tests.unit.dream.scripts import PLAN, asked


async def said(
    *lines: str, question: dict[str, Any] | None = None, plan: Any = PLAN, strict: bool = False, **how: Any
) -> tuple[Reply, str]:
    console = Console(record=True, quiet=False, width=120, file=open("/dev/null", "w"))  # noqa: ASYNC230, SIM115, PTH123
    desk = DecisionPrompt(Scripted(list(lines), **how), console, Texts("ko"), strict=strict)
    try:
        return await desk.ask(question or asked()[1], plan), console.export_text()
    finally:
        console.file.close()


@pytest.mark.parametrize(
    "line", ["a", "approve", "YES", "1", "승인", "네", "응!", "좋아요.", "ok", "Sure", "はい", "お願いします。"]
)
async def test_a_plan_is_approved(line: str) -> None:
    reply, _ = await said(line)
    assert reply == Reply({"action": "approve"})


async def test_a_rejection_asks_for_the_reason() -> None:
    assert (await said("거절", "너무 비싸요"))[0].answer == {"action": "reject", "reason": "너무 비싸요"}


@pytest.mark.parametrize("line", ["그만", "취소해 줘", "됐어.", "Stop", "never mind", "やめて", "キャンセル"])
async def test_whoever_wants_to_be_rid_of_a_plan_is_not_asked_why(line: str) -> None:
    assert (await said(line))[0].answer == {"action": "reject"}


@pytest.mark.parametrize(
    ("line", "action"), [("네", "approve"), ("いいえ", "reject"), ("그만", "reject"), ("2", "reject")]
)
async def test_a_question_about_a_tool_takes_a_yes_and_a_no_in_any_language(line: str, action: str) -> None:
    options = [{"value": "approve", "label": "Go"}, {"value": "reject", "label": "Leave it"}]
    reply, _ = await said("maybe", line, question=asked("tool", "May I?", options=options)[1])
    assert reply.answer == {"action": action}


async def test_a_no_ends_no_run_that_waits_for_a_word_about_a_failure() -> None:
    options = [{"value": one, "label": one.title()} for one in ("retry", "skip", "abort")]
    reply, _ = await said("no", "그만", question=asked("error", "It failed.", options=options)[1])
    assert reply.answer == {"action": "abort"}


async def test_a_question_about_the_meaning_takes_a_yes_as_it_is() -> None:
    reply, _ = await said("네", question=asked("clarify", "What else?")[1])
    assert reply.answer == {"text": "네"}


async def test_a_rejection_without_a_reason_ends_the_run() -> None:
    assert (await said("reject", " "))[0].answer == {"action": "reject"}


async def test_what_is_not_understood_is_asked_again() -> None:
    reply, shown = await said("maybe", "approve")
    assert reply.answer == {"action": "approve"}
    assert "계획이 먼저 대답을 기다립니다" in shown
    assert "maybe" not in shown  # it can be said afterwards in a talk alone


async def test_a_todo_is_removed_and_the_difference_sent() -> None:
    reply, shown = await said("edit", "remove t2", "send")
    patch = [{"op": "remove", "path": "/2"}, {"op": "remove", "path": "/1"}]
    assert reply.answer == {"action": "edit", "patch": patch}
    assert "함께 빠지는" in shown, "the third needs the second"


async def test_a_step_is_added_and_moved_in_the_editor() -> None:
    reply, _ = await said("edit", "add trends grain=month", "move t1 before t3", "send")
    assert reply.answer is not None
    last = reply.answer["patch"][-1]
    assert last["path"] == "/-" and last["value"]["params"] == {"grain": "month"}


@pytest.mark.parametrize(
    ("text", "value"), [("month", "month"), ("3", 3), ('["a"]', ["a"]), ("true", True), ("a=b", "a=b")]
)
async def test_a_parameter_is_changed_and_json_taken_as_such(text: str, value: Any) -> None:
    reply, _ = await said("edit", f"set t2 grain={text}", "send")
    assert reply.answer["patch"] == [{"op": "add", "path": "/1/params", "value": {"grain": value}}]


async def test_todos_are_changed_in_an_editor_as_yaml() -> None:
    def editor(text: str) -> str:
        assert "Read reviews" in text
        return text.replace("week", "2026-01-31")

    reply, _ = await said("edit", "editor", "send", editor=editor)
    assert reply.answer["patch"] == [{"op": "add", "path": "/1/params", "value": {"grain": "2026-01-31"}}]


@pytest.mark.parametrize("text", ["a: [", "just words", "- no: id", "- 1"])
async def test_an_editor_that_leaves_nonsense_changes_nothing(text: str) -> None:
    reply, _ = await said("edit", "editor", "back", "approve", editor=lambda _: text)
    assert reply.answer == {"action": "approve"}


async def test_mistakes_while_editing_are_told_and_survived() -> None:
    reply, shown = await said("edit", "remove t9", "set t2", "send", "dance", "back", "approve")
    assert reply.answer == {"action": "approve"}
    assert "t9" in shown
    assert "아직 바꾼 것이 없습니다" in shown


async def test_options_are_numbered_and_marks_in_them_are_shown_as_they_are() -> None:
    options = [{"value": "a", "label": "[bold]감성"}, {"value": "b", "label": "추이"}]
    question = asked("clarify", "무엇을 [할까요]?", options=options)[1]
    reply, shown = await said("2", question=question)
    assert reply.answer == {"choice": "b"}
    assert "1 [bold]감성" in shown
    assert "무엇을 [할까요]?" in shown


async def test_nobody_there_is_told_upwards() -> None:
    with pytest.raises(NobodyThere):
        await said()


@pytest.mark.parametrize("wrong", ["set t1.params.count=5", "remove t99", "set t99 a=1"])
async def test_what_a_script_says_after_a_change_that_was_refused_is_not_said_of_the_plan_as_it_was(wrong: str) -> None:
    lines = ("edit", wrong, "send", "back", "approve")
    assert (await said(*lines))[0].answer == {"action": "approve"}  # a person sees what was refused
    with pytest.raises(NobodyThere):
        await said(*lines, strict=True)
