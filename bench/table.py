"""Seconds of a table of 100,000 rows over real servers: its profile, questions about it, the same again, and a full
report of 2,400 reviews from its approval: `python -m bench table`."""

import argparse
import asyncio
import json
import random
import sys
import time
from uuid import uuid4

import httpx

from bench.dialogue_file import Turn
from bench.dialogue_play import PATIENCE, PlayedDialogue
from bench.servers import product

ROWS, REVIEWS = 100_000, 2_400
AIMS = {"profile": 2.0, "question": 1.0, "another": 1.0, "again": 1.0, "report": 6.0}
"""Seconds on two quiet cores."""
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
    given = parser.parse_args(argv)
    found = asyncio.run(_measured())
    if given.json:
        print(json.dumps(found))
    else:
        for name, seconds in found.items():
            print(f"{name:<10}{seconds:>7.2f} s  (aim {AIMS[name]:g} s)")
    return 0 if all(seconds <= AIMS[name] for name, seconds in found.items()) else 1


def table(rows: int, seed: int) -> bytes:
    """Reviews of shops with a rating and a day."""
    chance = random.Random(seed)
    lines = ["번호,지점,별점,작성일,내용"]
    for at in range(rows):
        day = f"202{chance.randint(2, 5)}-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}"
        text = " ".join(chance.choice(_SAYS) for _ in range(chance.randint(3, 7)))
        lines.append(f"R{at:06d},{chance.choice(_SHOPS)},{chance.randint(1, 5)},{day},{text} {at}")
    return "\n".join(lines).encode()


async def _measured() -> dict[str, float]:
    async with (
        product() as stack,
        httpx.AsyncClient(base_url=stack.url, trust_env=False, timeout=PATIENCE) as http,
    ):
        return await _large(http) | {"report": await _report(http)}


async def _large(http: httpx.AsyncClient) -> dict[str, float]:
    files = {"shops.csv": table(ROWS, 1)}
    talk = PlayedDialogue(http, f"bench-{uuid4()}", files)
    await _said(talk, Turn(say="안녕하세요"))  # models of understanding are loaded once
    begun = time.perf_counter()
    upload = await http.post("/artifacts", params={"name": "shops.csv"}, content=files["shops.csv"])
    file = upload.raise_for_status().json()["artifact_id"]
    async with asyncio.timeout(PATIENCE):
        while True:
            if (await http.get(f"/artifacts/{file}/profile")).status_code == httpx.codes.OK:
                break
            await asyncio.sleep(0.05)  # nothing tells a stranger to the session
    found = {"profile": time.perf_counter() - begun}
    await asyncio.sleep(READS)
    found["question"] = await _said(talk, Turn(say="지점별로 별점 평균이 어떻게 돼?", attach=("shops.csv",)))
    found["another"] = await _said(talk, Turn(say="1점짜리가 가장 많은 지점이 어디야?"))
    found["again"] = await _said(talk, Turn(say="지점별로 별점 평균이 어떻게 돼?"))
    return found


async def _said(talk: PlayedDialogue, turn: Turn) -> float:
    begun = time.perf_counter()
    await talk.say(turn)
    return time.perf_counter() - begun


async def _report(http: httpx.AsyncClient) -> float:
    """From the moment of its approval, which is at once."""
    talk = PlayedDialogue(http, f"bench-{uuid4()}", {"reviews.csv": table(REVIEWS, 2)})
    return await _said(talk, Turn(say="이 후기들로 PDF 보고서 만들어줘", attach=("reviews.csv",)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
