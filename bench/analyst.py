"""Whether requests about tables lead where they must, over real servers: `bench analyst [--file JSONL --data DIR]`.

A line is a dialogue as in `bench dialogues`, where a file may be {"name", "path"} below DIR, and a turn may also have
`figures` (numbers that must stand in the answer or its table, within 0.005 or rounded as
they are written), `plan_has` and `plan_lacks` (tools of the plan), `attachments` (media types that
must come). Plans are approved as they are shown: a turn that is nothing but the yes to one is not said, and what it
must bring is looked for in what came of the plan. `false` counts those among the wrong ones in
which figures were expected and others were told, as if they were the answer."""

import argparse
import asyncio
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, Protocol
from uuid import uuid4

import httpx
from pydantic import Field, ValidationError

from bench.dialogue_file import FileUnusable, Turn, misses
from bench.dialogue_play import PATIENCE, Json, PlayedDialogue
from bench.servers import product
from contracts.shape import Contract

REQUESTS = Path(__file__).parent / "data" / "analyst.jsonl"
NEAR = 0.005
AT_ONCE = 3
RIGHT = 0.9
_NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?")


class Table(Contract):
    """A file: its text, or where it is below --data."""

    name: str
    text: str = ""
    path: str = ""


class Step(Turn):
    """A turn, and what else must come of it."""

    figures: tuple[Decimal, ...] = ()
    plan_has: tuple[str, ...] = ()
    plan_lacks: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()


class Request(Contract):
    """A line of the file."""

    id: str
    lang: Literal["ko", "en", "ja"]
    kind: str = "analyst"
    files: tuple[Table, ...]
    turns: tuple[Step, ...] = Field(min_length=1)
    expect: Json = Field(default_factory=dict)


@dataclass(slots=True)
class Played:
    """How a request went; `wrong` says of each failing turn what is wrong."""

    request: Request
    wrong: list[str] = field(default_factory=list)
    false: bool = False


def main(argv: list[str]) -> int:
    """0 when enough are right and nothing false was told, 1 when not, 2 for a file that cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m bench analyst", description=__doc__)
    parser.add_argument("--file", type=Path, default=REQUESTS, help="JSONL of requests; ours without it")
    parser.add_argument("--data", type=Path, default=REQUESTS.parent / "tables", help="the folder of the files")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    parser.add_argument("--wrong", action="store_true", help="name every request that fails, with what is wrong")
    given = parser.parse_args(argv)
    try:
        requests = read(given.file)
        files = {one.id: load(one, given.data) for one in requests}
    except FileUnusable as error:
        print(f"bench analyst: {error}", file=sys.stderr)
        return 2
    played = asyncio.run(measure(requests, files))
    figures = report(played)
    if given.json:
        print(
            json.dumps(
                figures | {"failing": {one.request.id: one.wrong for one in played if one.wrong}}, ensure_ascii=False
            )
        )
    else:
        _show(figures, played, named=given.wrong)
    every = figures["all"]
    return 0 if every["right"] >= RIGHT * len(played) and not every["false"] else 1


def read(path: Path) -> list[Request]:
    """Raises FileUnusable."""
    try:
        lines = [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
        # decimals stay as they are written: 15.0 is rounder than 15
        return [Request.model_validate(json.loads(line, parse_float=Decimal)) for line in lines]
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise FileUnusable(f"{path}: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise FileUnusable(f"{path}: {first['loc']}: {first['msg']} ({str(first['input'])[:120]!r})") from None


def load(request: Request, folder: Path) -> dict[str, bytes]:
    """The request's files by name. Raises FileUnusable for one that is not there."""
    try:
        return {one.name: (folder / one.path).read_bytes() if one.path else one.text.encode() for one in request.files}
    except OSError as error:
        raise FileUnusable(f"{request.id}: {error}") from None


async def measure(requests: Sequence[Request], files: Mapping[str, Mapping[str, bytes]]) -> list[Played]:
    """Plays them on servers of their own."""
    async with product() as stack:
        room = asyncio.Semaphore(AT_ONCE)

        async def one(request: Request) -> Played:
            async with room:
                return await play(stack.url, request, files[request.id])

        return list(await asyncio.gather(*map(one, requests)))


async def play(url: str, request: Request, files: Mapping[str, bytes]) -> Played:
    """The request from its first turn to its last, whatever fails on the way."""
    played = Played(request)
    async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=PATIENCE) as http:
        talk = Analyst(http, f"bench-{uuid4()}", files)
        answer = ""
        for number, turn in enumerate(request.turns, 1):
            try:
                answer = answer if is_yes(request, number) else await talk.say(turn)
            except (httpx.HTTPError, TimeoutError) as error:
                played.wrong.append(f"turn {number} {turn.say!r}: {error!r}")
                continue
            wrong = [*misses(turn, answer), *missing(turn, answer, talk)]
            if wrong:
                played.wrong.append(f"turn {number} {turn.say!r}: the answer {answer!r} {'; '.join(wrong)}")
                played.false |= bool(turn.figures) and talk.told_figures
    return played


def is_yes(request: Request, number: int) -> bool:
    """Whether nothing is expected of the turn but what the plan of the turn before it makes."""
    turn, before = request.turns[number - 1], request.turns[number - 2]
    others = turn.contains or turn.any or turn.lacks or turn.figures or turn.plan_has or turn.plan_lacks
    return number > 1 and bool(turn.attachments and before.plan_has) and not (others or before.attachments)


class Answer(Protocol):
    """What is looked at of an answer."""

    @property
    def response(self) -> Json: ...

    @property
    def tools(self) -> tuple[str, ...]: ...

    def numbers(self, answer: str) -> list[float]: ...


class Analyst(PlayedDialogue):
    """Keeps what came with the last answer: `response`, and the tools of its plan."""

    response: Json
    tools: tuple[str, ...]

    async def say(self, turn: Turn) -> str:
        self.response, self.tools = {}, ()
        answer = await super().say(turn)
        state = (await self._http.get(f"/sessions/{self.session_id}")).raise_for_status().json()
        last = state["runs"][-1]
        self.response = last.get("response") or {}
        events = (await self._http.get(f"/sessions/{self.session_id}/events")).raise_for_status().json()["events"]
        of_run = [one for one in events if one.get("run_id") == last["run_id"]]
        self.tools = tuple(sorted(set(re.findall(r'"tool": ?"([\w.]+)"', json.dumps(of_run)))))
        return answer

    @property
    def told_figures(self) -> bool:
        """Whether a table of figures came, and not a question or a refusal."""
        asked = (self.response.get("data") or {}).get("ask")
        return bool(asked and asked.get("answered")) or bool(self.response and not asked)

    def numbers(self, answer: str) -> list[float]:
        """Those of the text and of the tables of the answer."""
        return numbers_in(answer, self.response.get("data"))


def numbers_in(answer: str, data: object) -> list[float]:
    """Those of a text and of what tools answered."""
    return [float(one.replace(",", "")) for one in _NUMBER.findall(answer)] + _numbers(data)


def _numbers(value: Any) -> list[float]:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return []
    if isinstance(value, (int, float)):
        return [float(value)]
    inside = value.values() if isinstance(value, dict) else value
    return [number for one in inside for number in _numbers(one)]


def missing(turn: Step, answer: str, talk: Answer) -> list[str]:
    """What an answer lacks of what the turn expects."""
    told = talk.numbers(answer)
    found = [f"lacks the figure {one}" for one in turn.figures if not any(_is_told(one, other) for other in told)]
    found += [f"has no {one} in its plan" for one in turn.plan_has if one not in talk.tools]
    found += [f"has {one} in its plan" for one in turn.plan_lacks if one in talk.tools]
    came = {one["media_type"] for one in talk.response.get("attachments") or ()}
    return found + [f"brings no {one}" for one in turn.attachments if one not in came]


def _is_told(figure: Decimal, told: float) -> bool:
    """A figure that is written with decimals is told by any that rounds to it: 28.95 says 29.0, and not 29."""
    places = -int(figure.as_tuple().exponent)
    near = max(NEAR, 0.5 * 10**-places) if places > 0 else NEAR
    return abs(float(figure) - told) <= near + 1e-9


def report(played: Sequence[Played]) -> dict[str, Any]:
    """Counts of all and by language."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for one in played:
        for name in ("all", one.request.lang):
            counts[name].update(right=not one.wrong, wrong=bool(one.wrong), false=one.false)
    return {name: {key: int(found[key]) for key in ("right", "wrong", "false")} for name, found in counts.items()}


def _show(figures: dict[str, Any], played: Sequence[Played], *, named: bool) -> None:
    print(f"{'':<12}{'right':>7}{'wrong':>7}{'false':>7}")
    for name, counts in figures.items():
        print(f"{name:<12}{counts['right']:>7}{counts['wrong']:>7}{counts['false']:>7}")
    for one in played:
        if named and one.wrong:
            print(f"{one.request.id}{' (false)' if one.false else ''}")
            print("".join(f"  {reason}\n" for reason in one.wrong), end="")
