"""What a typed line means."""

from pathlib import Path
from typing import Any

import pytest

from dream.client.question import Reply, Unclear, understand

OPTIONS = [{"value": "ANALYSIS.sentiment", "label": "감성"}, {"value": "ANALYSIS.trend", "label": "Trend"}]


def question(*properties: str, options: list[Any] | None = None) -> dict[str, Any]:
    schema = {"type": "object", "properties": {name: {} for name in properties}}
    return {"kind": "clarify", "question": "What?", "options": options or [], "answer_schema": schema}


@pytest.mark.parametrize("line", ["1", " 1 ", "감성", "analysis.sentiment"])
def test_an_option_is_chosen_by_number_label_or_value(line: str) -> None:
    assert understand(question("choice", "text", options=OPTIONS), line) == Reply({"choice": "ANALYSIS.sentiment"})


def test_another_line_is_free_text_where_that_is_allowed() -> None:
    assert understand(question("choice", "text", options=OPTIONS), "both") == Reply({"text": "both"})


@pytest.mark.parametrize("line", ["3", "0", "both", "²"])
def test_without_free_text_one_of_the_options_is_needed(line: str) -> None:
    assert understand(question("choice", options=OPTIONS), line) == Unclear("question.pick_one")


def test_a_question_about_an_error_is_answered_by_its_action() -> None:
    asked = question()
    asked["options"] = [{"value": "retry", "label": "Again"}]
    asked["answer_schema"]["properties"] = {"action": {"enum": ["retry", "skip"]}}
    assert understand(asked, "1") == Reply({"action": "retry"})


@pytest.mark.parametrize("kind", ["tool", "error", "lock", "budget"])
def test_the_options_of_other_questions_are_actions(kind: str) -> None:
    asked = question("action", options=[{"value": "wait", "label": "Wait"}, {"value": "cancel", "label": "Cancel"}])
    assert understand(asked | {"kind": kind}, "2") == Reply({"action": "cancel"})


def test_nothing_is_no_answer() -> None:
    assert understand(question("text"), "  ") == Unclear("question.empty")


def test_a_path_is_a_file_where_a_file_may_be_the_answer(tmp_path: Path) -> None:
    file = tmp_path / "내 리뷰.csv"
    file.write_text("text\n")
    asked = question("text", "attachments")
    assert understand(asked, str(file)) == Reply({}, (file,))
    assert understand(asked, f"'{file}'") == Reply({}, (file,))
    assert understand(question("text"), str(file)) == Reply({"text": str(file)})


def test_several_paths_are_several_files(tmp_path: Path) -> None:
    files = tmp_path / "a.csv", tmp_path / "b c.csv"
    for file in files:
        file.touch()
    assert understand(question("attachments"), f"{files[0]} '{files[1]}'") == Reply({}, files)


@pytest.mark.parametrize("line", ["reviews.csv", "./reviews", "~/reviews.csv", "/nowhere/x y.csv"])
def test_a_path_without_a_file_is_not_taken_for_text(line: str) -> None:
    assert understand(question("text", "attachments"), line) == Unclear("question.no_such_file")


def test_a_sentence_is_text_even_where_a_file_may_be_the_answer() -> None:
    line = "The ones I sent you. Is that OK?"
    assert understand(question("text", "attachments"), line) == Reply({"text": line})


def test_a_very_long_line_is_no_path() -> None:
    line = "word " * 2000
    assert understand(question("text", "attachments"), line) == Reply({"text": line.strip()})


def test_a_file_comes_with_the_words_of_an_answer(tmp_path: Path) -> None:
    file = tmp_path / "규약.pdf"
    file.write_bytes(b"%PDF-")
    asked = question("choice", "text", "attachments", options=OPTIONS)
    asked["answer_schema"]["anyOf"] = [{"required": ["choice"]}, {"required": ["text"]}]
    assert understand(asked, f"@{file} 탈퇴 절차가 뭐야?") == Reply({"text": "탈퇴 절차가 뭐야?"}, (file,))
    assert understand(asked, f"@{file}") == Reply({"text": "규약.pdf"}, (file,))
    assert understand(asked, str(file)) == Reply({"text": str(file)}), "a path alone is an answer to no such question"


def test_a_path_where_no_file_is_is_told(tmp_path: Path) -> None:
    assert understand(question("text", "attachments"), "@gone.docx sum it up") == Unclear("question.no_such_file")
    assert understand(question("text"), "ask @mina") == Reply({"text": "ask @mina"})
