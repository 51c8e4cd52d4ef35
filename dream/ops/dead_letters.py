"""`dream dead`: messages that were given up, to be looked at, sent again or discarded."""

import json
from uuid import UUID

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dream.client.gateway_client import Client, Frame
from dream.texts import Texts


async def listed(url: str, *, everything: bool, as_json: bool, texts: Texts) -> None:
    """The newest thousand; without `everything` those that nobody has settled."""
    async with Client(url) as client:
        found = (await client.dead_letters(None if everything else "dead"))["dead_letters"]
    if as_json:
        for letter in found:
            print(json.dumps(letter, ensure_ascii=False))
    elif found:
        Console().print(_table(found, texts))
    else:
        print(texts("dead.none"))


def _table(found: list[Frame], texts: Texts) -> Table:
    table = Table()
    titles = (texts("dead.letter"), texts("dead.time"), texts("dead.handler"), texts("dead.code"), texts("dead.state"),
              texts("dead.reason"))  # fmt: skip
    for title in titles:
        table.add_column(title, overflow="fold")
    for letter in found:
        time = str(letter["recorded_at"])[:19].replace("T", " ")
        row = (letter["dead_letter_id"], time, letter["consumer"], str(letter["code"]), letter["state"])
        table.add_row(*row, Text(str(letter["reason"]), "dim"))
    return table


async def shown(url: str, letter: UUID, *, as_json: bool, texts: Texts) -> None:
    """One letter, whole."""
    async with Client(url) as client:
        whole = await client.dead_letter(str(letter))
    if as_json:
        print(json.dumps(whole, ensure_ascii=False))
        return
    console = Console()
    for name, value in whole.items():
        if name not in ("headers", "body"):
            console.print(Text(f"{name:<15}", "bold"), Text(str(value)), sep="")
    for name in ("headers", "body"):
        console.print(Text(name, "bold"))
        console.print(Text(json.dumps(whole[name], ensure_ascii=False, indent=2)))


async def settled(url: str, letter: UUID, verb: str, *, as_json: bool, texts: Texts) -> None:
    """retry or discard."""
    async with Client(url) as client:
        done = await client.settle_letter(str(letter), verb)
    if as_json:
        print(json.dumps(done, ensure_ascii=False))
    else:
        print(texts("dead.retried" if verb == "retry" else "dead.discarded", letter=letter))
