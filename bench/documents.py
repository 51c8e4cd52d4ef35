"""Questions about documents, over real servers: `python -m bench documents [--file JSONL --data DIR]`.

A line is {"lang", "files": [names], "question", "any"?: [...], "contains"?: [...], "lacks"?: [...], "absent"?: bool}:
the files are attached in a session of their own, and the question comes with them. The answer must have one of `any`,
all of `contains` and none of `lacks`, in lower case, without spaces and commas; of what is `absent` it must say that it
is not in the document, and `any` has the words that count as saying so (ours without it). The files are in DIR; without
it they are those of bench/data/documents/shelf.yaml."""

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import httpx
from pydantic import Field, ValidationError

from bench.dialogue_file import FileUnusable, Turn, misses, plain
from bench.dialogue_play import PATIENCE, PlayedDialogue
from bench.document_files import shelf
from bench.servers import product
from contracts.shape import Contract

DATA = Path(__file__).parent / "data" / "documents"
AT_ONCE = 2
SAID_ABSENT = ("나와 있지 않아요", "does not say this", "do not say this", "書かれていません")
RIGHT, ABSENT = 0.85, 0.9
"""The aims: of questions that a document answers, and of those that none does."""


class Asked(Contract):
    """A line of the file."""

    lang: Literal["ko", "en", "ja"]
    files: tuple[str, ...] = Field(min_length=1)
    question: str = Field(min_length=1)
    any: tuple[str, ...] = ()
    contains: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    absent: bool = False

    @property
    def turn(self) -> Turn:
        said = SAID_ABSENT if self.absent and not self.any and not self.contains else self.any
        return Turn(say=self.question, attach=self.files, any=said, contains=self.contains, lacks=self.lacks)


@dataclass(frozen=True, slots=True)
class Told:
    """The answer to a question, and what is wrong in it."""

    asked: Asked
    answer: str
    wrong: tuple[str, ...]

    @property
    def says_absent(self) -> bool:
        """Whether it says that this is not in the document; it may quote what comes nearest, and that be right."""
        return any(plain(words) in plain(self.answer) for words in SAID_ABSENT)


def main(argv: list[str]) -> int:
    """0 when both aims are reached, 1 when not, 2 for a file that cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m bench documents", description=__doc__)
    parser.add_argument("--file", type=Path, default=DATA / "kept.jsonl", help="JSONL of questions; ours without it")
    parser.add_argument("--data", type=Path, help="the folder of the files; ours without it")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    parser.add_argument("--wrong", action="store_true", help="name every question that fails, with what is wrong")
    given = parser.parse_args(argv)
    try:
        questions = read(given.file)
        files = shelf() if given.data is None else found(given.data, questions)
    except FileUnusable as error:
        print(f"bench documents: {error}", file=sys.stderr)
        return 2
    told = asyncio.run(measure(questions, files))
    figures = report(told)
    if given.json:
        wrong = [
            {"question": one.asked.question, "answer": one.answer, "wrong": one.wrong} for one in told if one.wrong
        ]
        print(json.dumps(figures | {"failing": wrong}, ensure_ascii=False))
    else:
        _show(figures, told, named=given.wrong)
    every = figures["all"]
    return 0 if every["answered"] >= RIGHT and every["absent"] >= ABSENT else 1


def read(path: Path) -> list[Asked]:
    """Raises FileUnusable."""
    try:
        lines = [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
        return [Asked.model_validate_json(line) for line in lines]
    except (OSError, UnicodeDecodeError) as error:
        raise FileUnusable(f"{path}: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise FileUnusable(f"{path}: {first['loc']}: {first['msg']} ({str(first['input'])[:120]!r})") from None


def found(folder: Path, questions: Sequence[Asked]) -> dict[str, bytes]:
    """Raises FileUnusable for one that is not there."""
    try:
        return {name: (folder / name).read_bytes() for asked in questions for name in asked.files}
    except OSError as error:
        raise FileUnusable(str(error)) from None


async def measure(questions: Sequence[Asked], files: Mapping[str, bytes]) -> list[Told]:
    """Asks them of servers of their own: Postgres, NATS and the five services as processes."""
    async with product() as stack:
        return await ask_all(stack.url, questions, files)


async def ask_all(url: str, questions: Sequence[Asked], files: Mapping[str, bytes]) -> list[Told]:
    """All of them, a few at once; in their order."""
    room = asyncio.Semaphore(AT_ONCE)

    async def one(asked: Asked) -> Told:
        async with room, httpx.AsyncClient(base_url=url, trust_env=False, timeout=PATIENCE) as http:
            try:
                answer = await PlayedDialogue(http, f"bench-{uuid4()}", files).say(asked.turn)
            except (httpx.HTTPError, TimeoutError) as error:
                return Told(asked, "", (repr(error),))
            return Told(asked, answer, tuple(misses(asked.turn, answer)))

    return list(await asyncio.gather(*map(one, questions)))


def report(told: Sequence[Told]) -> dict[str, Any]:
    """Shares of all and by language; 1.0 where nothing was asked. `surely`: answered, and not as what comes nearest."""
    groups = {"all": told} | {lang: [one for one in told if one.asked.lang == lang] for lang in ("ko", "en", "ja")}
    return {name: _shares(some) for name, some in groups.items()}


def _shares(told: Sequence[Told]) -> dict[str, float]:
    there = [not one.wrong for one in told if not one.asked.absent]
    absent = [not one.wrong for one in told if one.asked.absent]
    sure = [not one.wrong and not one.says_absent for one in told if not one.asked.absent]
    return {
        "questions": len(there),
        "answered": round(sum(there) / len(there), 3) if there else 1.0,
        "surely": round(sum(sure) / len(sure), 3) if sure else 1.0,
        "absent_questions": len(absent),
        "absent": round(sum(absent) / len(absent), 3) if absent else 1.0,
    }


def _show(figures: dict[str, Any], told: Sequence[Told], *, named: bool) -> None:
    print(f"{'':<6}{'questions':>10}{'answered':>10}{'surely':>8}{'absent ones':>13}{'said so':>9}")
    for name, one in figures.items():
        print(
            f"{name:<6}{one['questions']:>10}{one['answered']:>10}{one['surely']:>8}{one['absent_questions']:>13}{one['absent']:>9}"
        )
    for one in told:
        if named and one.wrong:
            print(f"{one.asked.question!r} -> {one.answer!r}: {'; '.join(one.wrong)}")
