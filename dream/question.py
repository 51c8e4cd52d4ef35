"""What a line typed in answer to a question means. Pure but for looking whether a file is there."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Question = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, and the files that go with it once they are uploaded."""

    answer: dict[str, Any]
    files: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Unclear:
    """The line is no answer; `why` is a text key."""

    why: str


def takes_files(question: Question) -> bool:
    """Whether a file may be the answer."""
    return "attachments" in _properties(question)


def _properties(question: Question) -> Mapping[str, Any]:
    properties: Mapping[str, Any] = (question.get("answer_schema") or {}).get("properties") or {}
    return properties


def understand(question: Question, line: str) -> Reply | Unclear:
    """An option by number, label or value; else a file, where one may be the answer; else free text."""
    line = line.strip()
    if not line:
        return Unclear("question.empty")
    if option := _option(question.get("options") or (), line):
        return Reply({_choice_name(question, option["value"]): option["value"]})
    if takes_files(question):
        if files := _files(line):
            return Reply({}, files)
        if _looks_like_path(line) or "text" not in _properties(question):
            return Unclear("question.no_such_file")
    if "text" in _properties(question) or not question.get("options"):
        return Reply({"text": line})
    return Unclear("question.pick_one")


def _option(options: Sequence[Mapping[str, Any]], line: str) -> Mapping[str, Any] | None:
    if line.isascii() and line.isdigit() and 1 <= int(line) <= len(options):
        return options[int(line) - 1]
    said = line.casefold()
    return next((one for one in options if said in (one["value"].casefold(), one["label"].casefold())), None)


def _choice_name(question: Question, value: str) -> str:
    """`choice`, unless the schema puts the options elsewhere; `action` of a question that is not about the meaning."""
    properties = _properties(question)
    if "choice" in properties:
        return "choice"
    named = next((name for name, schema in properties.items() if value in (schema.get("enum") or ())), None)
    return named or ("choice" if question["kind"] == "clarify" else "action")


def raises_budget(question: Question, reply: Reply) -> bool:
    """Whether the answer may carry the new limits of a budget."""
    return reply.answer.get("action") == "raise" and "budget" in _properties(question)


def _files(line: str) -> tuple[Path, ...]:
    whole = file_at(line.strip("'\""))
    if whole:
        return (whole,)
    try:
        parts = shlex.split(line)
    except ValueError:
        return ()
    files = [file_at(part) for part in parts]
    return tuple(file for file in files if file) if files and all(files) else ()


def file_at(text: str) -> Path | None:
    """The file of that path, if there is one."""
    try:
        path = Path(text).expanduser()
        return path if path.is_file() else None
    except (OSError, RuntimeError, ValueError):  # a sentence is not always a valid path
        return None


def _looks_like_path(line: str) -> bool:
    line = line.strip("'\"")
    if line.startswith(("/", "./", "../", "~/")):
        return True
    suffix = Path(line).suffix
    return " " not in line and 2 <= len(suffix) <= 6 and suffix[1:].isascii() and suffix[1:].isalnum()
