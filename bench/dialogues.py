"""Whether whole dialogues lead where they must, over real servers: `python -m bench dialogues [--file JSONL]`.

A line is {"id", "lang", "kind", "files"?: [{"name", "text"}], "turns": [{"say", "attach"?, "contains"?, "any"?,
"lacks"?}], "expect": {"paid": [{"target", "amount", "memo"?, "date"?}]}}. `contains` (all), `any` (one) and `lacks`
(none) are looked for in the answer's text, in lower case and without spaces and commas. `expect.paid` is the exact
multiset of the transfers in the bank's books at the end; whatever differs from it, paid or not paid, is wrong money.
Each dialogue is a person of its own, with an account of their own."""

import argparse
import asyncio
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.dialogue_file import Dialogue, FileUnusable, read
from bench.dialogue_play import Played, play
from bench.servers import product

DIALOGUES = Path(__file__).parent / "data" / "dialogues.jsonl"
AT_ONCE = 4


def main(argv: list[str]) -> int:
    """0 when no money went wrong, 1 when some did, 2 for a file that cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m bench dialogues", description=__doc__)
    parser.add_argument("--file", type=Path, default=DIALOGUES, help="JSONL of dialogues; ours without it")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    parser.add_argument("--wrong", action="store_true", help="name every dialogue that fails, with what is wrong")
    given = parser.parse_args(argv)
    try:
        dialogues = read(given.file)
    except FileUnusable as error:
        print(f"bench dialogues: {error}", file=sys.stderr)
        return 2
    played = asyncio.run(measure(dialogues))
    figures = report(played)
    if given.json:
        wrong = {one.dialogue.id: one.reasons() for one in played if not one.right}
        print(json.dumps(figures | {"failing": wrong}, ensure_ascii=False))
    else:
        _show(figures, played, named=given.wrong)
    return 1 if figures["all"]["wrong_money"] else 0


async def measure(dialogues: Sequence[Dialogue]) -> list[Played]:
    """Plays them on servers of their own: Postgres, NATS and the five services as processes."""
    async with product() as stack:
        return await play_all(stack.url, stack.servers.owner_url, dialogues)


async def play_all(url: str, owner_url: str, dialogues: Sequence[Dialogue]) -> list[Played]:
    """All of them, a few at once; in their order."""
    room = asyncio.Semaphore(AT_ONCE)

    async def one(dialogue: Dialogue) -> Played:
        async with room:
            return await play(url, owner_url, dialogue)

    return list(await asyncio.gather(*map(one, dialogues)))


def report(played: Sequence[Played]) -> dict[str, Any]:
    """Counts of all, by language and by kind. Wrong money is among the wrong ones."""
    counts: dict[str, dict[str, Counter[str]]] = {"lang": defaultdict(Counter), "kind": defaultdict(Counter)}
    every: Counter[str] = Counter()
    for one in played:
        found = Counter(
            {
                "right": one.right,
                "wrong": not one.right,
                "wrong_money": one.wrong_money,
                "unpaid": bool(one.unpaid),
                "overpaid": bool(one.overpaid),
            }
        )
        for counter in (every, counts["lang"][one.dialogue.lang], counts["kind"][one.dialogue.kind]):
            counter.update(found)
    return {"all": _plain(every)} | {
        name: {key: _plain(value) for key, value in sorted(groups.items())} for name, groups in counts.items()
    }


def _plain(counter: Counter[str]) -> dict[str, int]:
    return {name: int(counter[name]) for name in ("right", "wrong", "wrong_money", "unpaid", "overpaid")}


def _show(figures: dict[str, Any], played: Sequence[Played], *, named: bool) -> None:
    rows = [("all", figures["all"]), *figures["lang"].items(), *figures["kind"].items()]
    print(f"{'':<12}{'right':>7}{'wrong':>7}{'wrong money':>13}")
    for name, counts in rows:
        print(f"{name:<12}{counts['right']:>7}{counts['wrong']:>7}{counts['wrong_money']:>13}")
    for one in played:
        if named and not one.right:
            print(f"{one.dialogue.id}{' (wrong money)' if one.wrong_money else ''}")
            print("".join(f"  {reason}\n" for reason in one.reasons()), end="")
