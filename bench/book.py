"""Seconds of questions about a hundred pages, as PDF and as text, over real servers: `python -m bench book`.

A session of its own for each question, and the file comes with it: the time has its upload, its reading and the answer.
Nothing of a file is kept for the next question but by a worker that is still warm."""

import argparse
import asyncio
import json
import random
import statistics
import sys
import time
from collections.abc import Mapping
from uuid import uuid4

import httpx

from bench.dialogue_file import Turn, plain
from bench.dialogue_play import PATIENCE, PlayedDialogue
from bench.document_files import PAGE, made
from bench.servers import product

PAGES, LINES = 100, 30
AIM = 1.0
"""Seconds."""
TOLD = {
    17: "The spare rudder of the Osprey is kept in shed nine behind the chandlery.",
    58: "The late fee for the Halloway depot is 46.20 pounds a week.",
    82: "창고 열쇠는 예비 담당 선우건이 보관하며 자물쇠는 매년 3월에 바꾼다.",
}
ASKED = (
    ("What is the late fee for the Halloway depot?", "46.20"),
    ("창고 열쇠는 누가 갖고 있어?", "선우건"),
    ("where do they keep the spare rudder", "shednine"),
)
_WHO = ("The harbour office", "A member of the crew", "The treasurer", "Every visitor", "관리인은", "운영팀은")
_DOES = (
    "checks berth {n} and writes what it finds into book {m}.",
    "may leave up to {n} boxes in hall {m} until the end of the season.",
    "보고서 {n}호를 {m}번 서랍에 넣고 다음 달에 다시 살펴봅니다.",
    "pays {n} pounds for a week and {m} pounds for a month in advance.",
)


def main(argv: list[str]) -> int:
    """0 when the slowest kind of document has its median within the aim, 1 when not."""
    parser = argparse.ArgumentParser(prog="python -m bench book", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    parser.add_argument("--times", type=int, default=1, help="how often each question is asked")
    given = parser.parse_args(argv)
    files = book()
    figures = asyncio.run(_measured(files, given.times))
    if given.json:
        print(json.dumps(figures, ensure_ascii=False))
    else:
        for name, seconds in figures.items():
            print(
                f"{name:<9} median {statistics.median(seconds):.2f} s  all {' '.join(f'{one:.2f}' for one in seconds)}"
            )
    return 0 if all(statistics.median(seconds) <= AIM for seconds in figures.values()) else 1


def book() -> dict[str, bytes]:
    """The same text as PDF and as plain text, the same bytes of text every time; and a leaf, to compare with."""
    chance = random.Random(11)
    blocks: list[str] = []
    for page in range(1, PAGES + 1):
        blocks += [PAGE] if page > 1 else []
        blocks.append(f"# Part {page}")
        lines = [
            f"{chance.choice(_WHO)} {chance.choice(_DOES).format(n=chance.randint(2, 900), m=chance.randint(2, 900))}"
            for _ in range(LINES)
        ]
        blocks += [*lines[: LINES // 2], *([TOLD[page]] if page in TOLD else []), *lines[LINES // 2 :]]
    text = "\n".join(block for block in blocks if block != PAGE)
    leaf = "\n".join([*TOLD.values(), *blocks[1:10]])
    return {"leaf.txt": leaf.encode(), "book.pdf": made("book.pdf", blocks), "book.txt": text.encode()}


async def _measured(files: Mapping[str, bytes], times: int) -> dict[str, list[float]]:
    async with product() as stack:
        await _asked(stack.url, "book.txt", files, *ASKED[0])  # models are loaded once
        return {name: await _of(stack.url, name, files, times) for name in files}


async def _of(url: str, name: str, files: Mapping[str, bytes], times: int) -> list[float]:
    return [await _asked(url, name, files, *one) for _ in range(times) for one in ASKED]


async def _asked(url: str, name: str, files: Mapping[str, bytes], question: str, has: str) -> float:
    """Seconds from the question to its answer. Raises RuntimeError for a wrong one: its time says nothing."""
    async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=PATIENCE) as http:
        talk = PlayedDialogue(http, f"bench-{uuid4()}", files)
        begun = time.perf_counter()
        answer = await talk.say(Turn(say=question, attach=(name,)))
        seconds = time.perf_counter() - begun
    if has not in plain(answer):
        raise RuntimeError(f"{question!r} of {name}: {answer!r}")
    return seconds


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
