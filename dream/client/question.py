"""What a line typed in answer to a question means. Pure but for looking whether a file is there."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Question = Mapping[str, Any]
_SUFFIXES = frozenset({
    ".pdf", ".doc", ".docx", ".hwp", ".hwpx", ".md", ".markdown", ".txt", ".csv", ".tsv", ".json", ".jsonl", ".xls",
    ".xlsx", ".pptx", ".ics", ".html", ".png", ".jpg",
})  # fmt: skip
"""Of files that people bring; @mina.kim is a name."""
_ATTACHED = re.compile(r"""(?:^|(?<=\s))@(?:"([^"]+)"|'([^']+)'|(\S+))""")


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
    """Whether a file may be the answer by itself."""
    enough = (question.get("answer_schema") or {}).get("anyOf")
    return _brings_files(question) and (enough is None or {"required": ["attachments"]} in enough)


def _brings_files(question: Question) -> bool:
    """Whether files may come with the answer."""
    return "attachments" in _properties(question)


def _properties(question: Question) -> Mapping[str, Any]:
    properties: Mapping[str, Any] = (question.get("answer_schema") or {}).get("properties") or {}
    return properties


def understand(question: Question, line: str) -> Reply | Unclear:
    """An option by number, label or value; else a file, where one may be the answer; else free text."""
    line = line.strip()
    if not line:
        return Unclear("question.empty")
    if reply := _with_files(question, line):
        return reply
    if option := _option(question.get("options") or (), line):
        return Reply({_choice_name(question, option["value"]): option["value"]})
    if takes_files(question) and (_files(line) or _looks_like_path(line) or "text" not in _properties(question)):
        return Reply({}, files) if (files := _files(line)) else Unclear("question.no_such_file")
    if "text" in _properties(question) or not question.get("options"):
        return Reply({"text": line})
    return Unclear("question.pick_one")


def _with_files(question: Question, line: str) -> Reply | Unclear | None:
    """What is said with files named in it (@path); None when there are none, or none may come."""
    if missing_files(line):
        return Unclear("question.no_such_file")
    text, files = attached(line)
    if not files or not _brings_files(question):
        return None
    said = text or ("" if takes_files(question) else files[0].name)
    return Reply({"text": said} if said else {}, files)


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


def attached(line: str) -> tuple[str, tuple[Path, ...]]:
    """What is said, and the files that it names as @path or @"a path"; an @ before anything else stays in the text."""
    files: list[Path] = []

    def taken(found: re.Match[str]) -> str:
        file = file_at(_path_in(found))
        if file is None:
            return found.group()
        files.append(file)
        return ""

    text = _ATTACHED.sub(taken, line)
    return " ".join(text.split()) if files else text.strip(), tuple(files)


def missing_files(line: str) -> tuple[str, ...]:
    """Paths that it names as @path, and where no file is; @mina is a name, and no path."""
    named = (_path_in(found) for found in _ATTACHED.finditer(line))
    return tuple(path for path in named if _is_meant_as_file(path) and file_at(path) is None)


def _is_meant_as_file(text: str) -> bool:
    return "/" in text or Path(text).suffix.lower() in _SUFFIXES


def _path_in(found: re.Match[str]) -> str:
    return next(part for part in found.groups() if part)


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
