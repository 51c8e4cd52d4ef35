"""What a turn does to one transfer that is shown, in one process, without servers: `python -m bench turns --file F`.

A line is {"lang", "shown": {"target", "amount", "memo"?, "date"?}, "before", "say", "move", "now"?}: the move is yes,
value (what must be shown then is `now`), add, drop, wait, ask, other or unclear. Reading and the rules of the flow are
the product's; what is left out is that they are recorded and sent. Of each move it says what became of the transfer:
paid, shown otherwise, ended, or still open as it was. **A turn that pays and is no yes is a false yes.**"""

import argparse
import asyncio
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any, cast
from uuid import UUID
from zoneinfo import ZoneInfo

from backbone import packs
from backbone.ledger.port import Ledger
from contracts.cognitive import CognitiveOutput, FlowAct, FlowAdvanced, FlowReading, FlowStage
from contracts.envelope import Message
from contracts.gateway import MessageReceived, SessionOpened
from contracts.shape import Event, JsonObject
from contracts.tables import PackDatabase
from packs.transfer.bank import opening
from packs.transfer.bank.port import MOST_A_DAY, OPENING_BALANCE
from packs.transfer.names import banks_of, called, names_of
from services.cognitive.clarifier import AmbiguityDetector
from services.cognitive.domain import turn
from services.cognitive.domain.moves import FlowState
from services.cognitive.domain.slots import ValidationContext
from services.cognitive.flow_turns import FlowTurns
from services.cognitive.flows import Flow, load_flows
from services.cognitive.graph import CognitiveGraph
from services.cognitive.handlers import Understanding
from services.cognitive.reads import InThread
from understanding.port import MoveHead, encoder, move_heads, offline, pack_texts

NOW = datetime(2026, 11, 28, 10, tzinfo=ZoneInfo("Asia/Seoul"))
"""What days in the lines count from."""
TODAY = NOW.date().isoformat()
FLOW, ME = "transfer", "me"
MOVES = ("yes", "value", "add", "drop", "wait", "ask", "other", "unclear")
_RUN = UUID(int=7)


@dataclass(frozen=True, slots=True)
class Became:
    """What a turn made of the transfer: `how` is paid, ended, changed, more or open; `task` what is paid or shown."""

    how: str
    task: JsonObject
    said: str = ""


class _Session:
    """A session in which the transfer has just been shown, as far as layer 1 looks into it."""

    def __init__(self, *events: Event) -> None:
        self.messages = [_message(event, version) for version, event in enumerate(events, 1)]

    async def latest(self, _: UUID, types: frozenset[str], limit: int, before: int | None = None) -> list[Message]:
        return [one for one in reversed(self.messages) if one.type in types and one.version < (before or 99)][:limit]

    async def find(self, *_: object) -> list[Message]:
        return []

    async def brought(self, *_: object) -> list[Message]:
        return []

    async def read(self, *_: object, **__: object) -> list[Message]:
        return []


def _message(event: Event, version: int) -> Message:
    data, run = event.model_dump_json().encode(), _RUN if version > 1 else None
    return Message(
        UUID(int=version), UUID(int=1), version, type(event).__name__, event.schema_version, "bench", run,
        UUID(int=1), None, None, NOW, data,
    )  # fmt: skip


class Player:
    """Shows transfers and says turns to them. `heads`: those that tell what turns do, learned otherwise."""

    def __init__(self, heads: Mapping[str, MoveHead] | None = None) -> None:
        self._catalogue = packs.load()
        learned = self._catalogue.packs.values()
        self._payees = opening.address_book(ME)
        flow = load_flows(self._catalogue)[FLOW]
        self._flow: Flow = replace(flow, vocabulary=cast("Any", self._names), resolver=cast("Any", self._resolved))
        model = offline(learned)
        self._reads = InThread(model, heads if heads is not None else move_heads(learned, encoder()))
        self._graph = CognitiveGraph(model, AmbiguityDetector(pack_texts(learned)))

    async def play(self, line: Mapping[str, Any]) -> Became | None:
        """None for a transfer that cannot be shown as the line has it."""
        shown = await self._shown(line)
        if shown is None:
            return None
        opened, asked = SessionOpened(user=ME), MessageReceived(text=line["before"] or "-")
        received = MessageReceived(text=line["say"])
        session = _Session(opened, asked, shown, received)
        turns = FlowTurns({FLOW: self._flow}, lambda pack: cast("PackDatabase", pack), reads=self._reads)
        graph = asyncio.get_running_loop().create_future()
        graph.set_result(self._graph)
        understanding = Understanding(
            graph, {}, self._catalogue, cast("Ledger", session), 60.0, timezone="Asia/Seoul", turns=turns
        )
        outcome = await understanding.handle(session.messages[-1], received, cast("Any", None))
        outputs = [one.event for one in outcome.emits if isinstance(one.event, CognitiveOutput)]
        return self._became(shown, outputs)

    async def judge(self, line: Mapping[str, Any], became: Became) -> bool:
        """Whether the turn did what it was said for."""
        move, shown = line["move"], self._with_bank(line["shown"], line["before"])
        if move == "value":
            return became.how == "changed" and self._same(became.task, self._with_bank(line["now"], line["before"]))
        wanted = {"yes": ("paid",), "drop": ("ended",), "add": ("more",), "other": ("open",), "ask": ("open",)}
        if became.how == "paid":
            return move == "yes" and self._same(became.task, shown)
        return became.how in wanted.get(move, ("open",))

    def _became(self, shown: FlowAdvanced, outputs: Sequence[CognitiveOutput]) -> Became:
        state, facts = shown, dict[str, Any]()
        for output in outputs:
            if output.flow is None or output.error is not None:
                said = " ".join((output.answer or "", output.still_asked)).strip()
                if len(outputs) == 1:
                    return Became("open", shown.slots, said or output.intent.name)
                continue
            facts = {**facts, **output.flow.facts}
            on = ValidationContext(output.language, facts, NOW.date())
            state = turn.read(FlowState(self._flow.rules, state, on), output.flow, UUID(int=9))[-1]
        if state.stage is FlowStage.CONFIRMED and state.approval is not None:
            return Became("paid", state.approval.params, state.message)
        if not state.is_open:
            return Became("ended", state.slots, state.message)
        if state.queue or state.slots.get("target") is None:
            return Became("more", state.slots, state.message)
        how = "open" if state.slots == shown.slots and not state.slot_errors else "changed"
        return Became(how, state.slots, state.message)

    async def _shown(self, line: Mapping[str, Any]) -> FlowAdvanced | None:
        """The transfer as it is shown; a name of several with the bank that the request has named."""
        slots = self._with_bank(line["shown"], line["before"])
        facts = await self._resolved([slots], ME, None, today=NOW.date(), config={})
        on = ValidationContext(line["lang"], facts, NOW.date())
        reading = FlowReading(flow=FLOW, act=FlowAct.FILL, tasks=(slots,), facts=facts, today=NOW.date())
        state = turn.read(FlowState(self._flow.rules, None, on), reading, UUID(int=8))[-1]
        return state if state.stage is FlowStage.READY else None

    def _with_bank(self, shown: Mapping[str, Any], before: str) -> dict[str, Any]:
        """What is shown, a name of several with the bank that stands beside it, or that the request has named."""
        said = f"{shown['target']} {shown.get('bank', '')} {before}".casefold()
        several = called(shown["target"], self._payees)
        banks = {
            label: [own.bank.casefold() for own in payee.words.values()]
            for label, meant in several.items()
            for payee in self._payees
            if payee.payee_id == meant and len(several) > 1
        }
        bank = next((one for one in banks_of(self._payees) if one.casefold() in said), "")
        found = next((label for label, own in banks.items() if any(bank in one for one in own)), shown["target"])
        return {name: value for name, value in shown.items() if name != "bank"} | {"target": found}

    def _same(self, task: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
        """Whether two transfers are alike, whatever the payee is called."""
        payee = set(called(str(task.get("target", "")), self._payees).values())
        meant = set(called(str(wanted["target"]), self._payees).values())
        rest, others = (
            {name: value for name, value in one.items() if name != "target" and value not in ("", TODAY)}
            for one in (task, wanted)
        )
        return bool(payee & meant) and rest == others

    async def _names(self, _: str, __: PackDatabase) -> Mapping[str, Sequence[str]]:
        return {"target": names_of(self._payees), "bank": banks_of(self._payees)}

    async def _resolved(
        self, tasks: Sequence[JsonObject], _: str, __: object, *, today: date, config: Mapping[str, str]
    ) -> JsonObject:
        said = [str(task["target"]) for task in tasks if "target" in task]
        limits: JsonObject = {"day": MOST_A_DAY, "balance": OPENING_BALANCE, "on": {}}
        return {"payees": {name: list(called(name, self._payees)) for name in said}, "limits": limits}


def main(argv: list[str]) -> int:
    """0 when nothing was paid that nobody had agreed to, else 1."""
    parser = argparse.ArgumentParser(prog="python -m bench turns", description=__doc__)
    parser.add_argument("--file", type=Path, nargs="+", required=True, help="JSONL of turns")
    parser.add_argument("--part", choices=("first", "last"), help="of each file two thirds, or the rest")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    parser.add_argument("--wrong", nargs="*", metavar="MOVE", help="name every turn of these moves that went wrong")
    given = parser.parse_args(argv)
    lines = [line for path in given.file for line in read(path, given.part)]
    played = asyncio.run(_play_all(lines))
    figures = report(played)
    print(json.dumps(figures, ensure_ascii=False) if given.json else _table(figures))
    for line, became, right in played if given.wrong is not None else ():
        if became is not None and not right and line["move"] in (given.wrong or MOVES):
            print(f"{line['lang']} {line['move']:<7} -> {became.how:<7} {line['say']!r} shown {_brief(line['shown'])}")
            print(f"    {_brief(became.task) if became.how == 'changed' else became.said!r}")
    return 1 if figures["all"]["false_yes"] else 0


def read(path: Path, part: str | None = None) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    at = len(lines) * 2 // 3
    return lines if part is None else lines[:at] if part == "first" else lines[at:]


Played = tuple[Mapping[str, Any], Became | None, bool]


async def _play_all(lines: Sequence[Mapping[str, Any]]) -> list[Played]:
    player, played = Player(), list[Played]()
    for line in lines:
        became = await player.play(line)
        played.append((line, became, became is not None and await player.judge(line, became)))
    return played


def report(played: Sequence[Played]) -> dict[str, Any]:
    """Of all and by language: each move's right ones and all, what is paid though nobody agreed, what was left out."""
    figures: dict[str, dict[str, Any]] = defaultdict(lambda: {"false_yes": 0, "left_out": 0, "moves": {}})
    for line, became, right in played:
        for group in ("all", str(line["lang"])):
            told = figures[group]
            if became is None:
                told["left_out"] += 1
                continue
            told["false_yes"] += became.how == "paid" and not right
            counts = told["moves"].setdefault(line["move"], Counter())
            counts.update({"right": int(right), "all": 1, became.how: 1})
    return dict(figures)


def _table(figures: Mapping[str, Any]) -> str:
    rows = [f"{'':<5}{'false yes':>10}" + "".join(f"{move:>16}" for move in MOVES)]
    for group, told in figures.items():
        cells = [told["moves"].get(move, {}) for move in MOVES]
        shares = [f"{one['right']}/{one['all']} {one['right'] / one['all']:.3f}" if one else "-" for one in cells]
        rows.append(f"{group:<5}{told['false_yes']:>10}" + "".join(f"{share:>16}" for share in shares))
    left = figures["all"]["left_out"]
    return "\n".join([*rows, f"{left} left out: what they show cannot be shown"] if left else rows)


def _brief(task: Mapping[str, Any]) -> str:
    return " ".join(str(value) for value in task.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
