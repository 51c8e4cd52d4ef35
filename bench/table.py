"""Seconds of a table of 100,000 rows over real servers: its profile, questions about it, the same again, sentiment and
keywords of all rows and a follow-up; and a full report of 2,400 reviews from its approval. Beside the time by the clock
stand the seconds of processor time that all services took, and for the analysis the resident megabytes of the largest
process of a tool: `python -m bench table`; `--million` analyses a table of 1,000,000 rows instead."""

import argparse
import asyncio
import json
import random
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple
from uuid import uuid4

import httpx
import psutil

from bench.dialogue_file import Turn
from bench.dialogue_play import PATIENCE, PlayedDialogue
from bench.servers import product
from dream.local.processes import ProcessStack
from dream.local.stack import SERVICES

ROWS, REVIEWS, MILLION = 100_000, 2_400, 1_000_000
LONG = 900.0
"""Seconds that the largest analysis is waited for."""
AIMS = {
    "profile": 2.0, "question": 1.0, "another": 1.0, "again": 1.0, "analysis": 35.0, "follow-up": 1.0, "report": 6.0,
    "million": 480.0,
}  # fmt: skip
"""Seconds on two quiet cores."""
MEGABYTES = {"analysis": 500, "million": 900}
"""Of the largest process of a tool."""
READS = 20.0
"""Seconds of a person who looks at what was brought before asking."""
_SHOPS = ("판교점", "성수점", "광교점", "강릉점", "양양점")
_SAYS = (
    "배송이 빨라요",
    "맛이 좋아요",
    "포장이 별로예요",
    "다시 사고 싶어요",
    "가격이 비싸요",
    "직원이 친절해요",
    "너무 늦게 왔어요",
)


def main(argv: list[str]) -> int:
    """0 when all are within their aims, 1 when not."""
    parser = argparse.ArgumentParser(prog="python -m bench table", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    parser.add_argument(
        "--million", action="store_true", help="sentiment and keywords of 1,000,000 rows, and nothing else"
    )
    given = parser.parse_args(argv)
    found = asyncio.run(_measured(million=given.million))
    if given.json:
        print(json.dumps({name: one._asdict() for name, one in found.items()}))
    else:
        for name, one in found.items():
            size = f"{one.megabytes:>7.0f} MB (aim {MEGABYTES[name]})" if name in MEGABYTES else ""
            print(f"{name:<10}{one.seconds:>7.2f} s  (aim {AIMS[name]:g} s){one.processor:>8.2f} s of processor{size}")
    fits = (one.megabytes <= MEGABYTES.get(name, one.megabytes) for name, one in found.items())
    return 0 if all(one.seconds <= AIMS[name] for name, one in found.items()) and all(fits) else 1


class Took(NamedTuple):
    """`processor`: seconds of all services; `megabytes` of the largest process of a tool."""

    seconds: float
    processor: float
    megabytes: float


@asynccontextmanager
async def _watched(stack: ProcessStack, name: str, into: dict[str, Took]) -> AsyncIterator[None]:
    """Measures what is done inside."""
    ended = asyncio.Event()
    begun, before = time.perf_counter(), processor(stack)

    async def look() -> float:
        most = 0.0
        while not ended.is_set():
            most = max(
                most, *(_resident(one) for one in psutil.Process(stack.pid("execution")).children(recursive=True)), 0.0
            )
            with suppress(TimeoutError):
                await asyncio.wait_for(ended.wait(), 0.2)
        return most

    looking = asyncio.create_task(look())
    try:
        yield
    finally:
        seconds = time.perf_counter() - begun
        ended.set()
        into[name] = Took(seconds, processor(stack) - before, await looking)


def processor(stack: ProcessStack) -> float:
    """Seconds that live processes of all services have taken."""
    total = 0.0
    for name in SERVICES:
        leader = psutil.Process(stack.pid(name))
        for one in (leader, *leader.children(recursive=True)):
            with suppress(psutil.Error):
                times = one.cpu_times()
                total += times.user + times.system
    return total


def _resident(process: psutil.Process) -> float:
    with suppress(psutil.Error):
        return float(process.memory_info().rss) / 2**20
    return 0.0


def table(rows: int, seed: int) -> bytes:
    """Reviews of shops with a rating and a day."""
    chance = random.Random(seed)
    lines = ["번호,지점,별점,작성일,내용"]
    for at in range(rows):
        day = f"202{chance.randint(2, 5)}-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}"
        text = " ".join(chance.choice(_SAYS) for _ in range(chance.randint(3, 7)))
        lines.append(f"R{at:06d},{chance.choice(_SHOPS)},{chance.randint(1, 5)},{day},{text} {at}")
    return "\n".join(lines).encode()


async def _measured(*, million: bool) -> dict[str, Took]:
    found: dict[str, Took] = {}
    async with (
        product() as stack,
        httpx.AsyncClient(base_url=stack.url, trust_env=False, timeout=LONG) as http,
    ):
        if million:
            await _analysed(http, stack, found, "million", MILLION)
        else:
            await _large(http, stack, found)
            await _analysed(http, stack, found, "analysis", ROWS)
            await _report(http, stack, found)
    return found


async def _large(http: httpx.AsyncClient, stack: ProcessStack, found: dict[str, Took]) -> None:
    files = {"shops.csv": table(ROWS, 1)}
    talk = PlayedDialogue(http, f"bench-{uuid4()}", files)
    await talk.say(Turn(say="안녕하세요"))  # models of understanding are loaded once
    async with _watched(stack, "profile", found), asyncio.timeout(PATIENCE):
        upload = await http.post("/artifacts", params={"name": "shops.csv"}, content=files["shops.csv"])
        file = upload.raise_for_status().json()["artifact_id"]
        while True:
            if (await http.get(f"/artifacts/{file}/profile")).status_code == httpx.codes.OK:
                break
            await asyncio.sleep(0.05)  # nothing tells a stranger to the session
    await asyncio.sleep(READS)
    for name, turn in (
        ("question", Turn(say="지점별로 별점 평균이 어떻게 돼?", attach=("shops.csv",))),
        ("another", Turn(say="1점짜리가 가장 많은 지점이 어디야?")),
        ("again", Turn(say="지점별로 별점 평균이 어떻게 돼?")),
    ):
        async with _watched(stack, name, found):
            await talk.say(turn)


async def _analysed(http: httpx.AsyncClient, stack: ProcessStack, found: dict[str, Took], name: str, rows: int) -> None:
    talk = PlayedDialogue(http, f"bench-{uuid4()}", {"reviews.csv": table(rows, 3)}, patience=LONG)
    async with _watched(stack, name, found):
        await talk.say(Turn(say="이 리뷰들 감성이랑 키워드 분석해줘", attach=("reviews.csv",)))
    if name == "analysis":
        async with _watched(stack, "follow-up", found):
            await talk.say(Turn(say="감성 분석 결과 다시 보여줘"))


async def _report(http: httpx.AsyncClient, stack: ProcessStack, found: dict[str, Took]) -> None:
    """From the moment of its approval, which is at once."""
    talk = PlayedDialogue(http, f"bench-{uuid4()}", {"reviews.csv": table(REVIEWS, 2)})
    async with _watched(stack, "report", found):
        await talk.say(Turn(say="이 후기들로 PDF 보고서 만들어줘", attach=("reviews.csv",)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
