"""What it costs to bring a session's conversation into a prompt: read it from the ledger, build the messages. After 500
turns no more than after 20. On an embedded Postgres, fsync on.

`python -m bench prompt [--json]`: turns of ten events each, among which the conversation has to be found; in blocks
that take turns, so that whatever else the machine does falls on both."""

import argparse
import asyncio
import json
import time
from uuid import UUID, uuid4

from backbone.ledger.migrate import migrate
from backbone.ledger.port import Append, Fact, Ledger
from backbone.ledger.postgres import PostgresLedger
from backbone.model.messages import question
from backbone.model.prompts import Prompt
from backbone.model.recent import conversation_of
from bench.load import quantile
from bench.servers import postgres
from contracts.cognitive import OutputFormat, SessionSummarized
from contracts.execution import TodoProgressed
from contracts.gateway import MessageReceived, SessionOpened
from contracts.model import ModelRole
from contracts.response import ResponseOutput, RunCompleted
from contracts.shape import Contract, Event

TURNS = (20, 500)
WORK = 7
"""Events of a turn that are no conversation."""
SUMMED_EVERY = 4
BLOCK = 20
SUMMARY = "Sent 10,000 won to Mom, 50,000 won to Yong; made a report on 2,400 reviews. " * 15


class Asked(Contract):
    """The variables of the prompt."""

    text: str = "How much have I sent so far?"


PROMPT = Prompt(id="bench.prompt", version=1, role=ModelRole.PLANNER, system="You plan.", user="{text}")


async def session_of(ledger: Ledger, turns: int) -> UUID:
    """A session with so many turns, a summary every fourth of them."""
    session = uuid4()
    await _append(ledger, session, "gateway", None, SessionOpened())
    for number in range(1, turns + 1):
        run = uuid4()
        text = (
            f"Question {number}: please look at the reviews of last week and tell me what people say about the battery."
        )
        answer = (
            f"Answer {number}: 61 % of {number + 2000:,} reviews are positive; most complaints are about the battery."
        )
        await _append(ledger, session, "gateway", run, MessageReceived(text=text))
        progress = [TodoProgressed(todo_id="t1", attempt=1, fraction=part / WORK) for part in range(WORK)]
        await _append(ledger, session, "execution", run, *progress)
        told = ResponseOutput(format=OutputFormat.TEXT, text=answer, language="en")
        head = await _append(ledger, session, "response", run, told, RunCompleted())
        if number > 2 * SUMMED_EVERY and number % SUMMED_EVERY == 1:
            made = SessionSummarized(summary=SUMMARY, up_to=head - 1, turns=number, language="en")
            await _append(ledger, session, "cognitive", run, made)
    return session


async def _append(ledger: Ledger, session: UUID, producer: str, run: UUID | None, *events: Event) -> int:
    facts = tuple(Fact(event, uuid4(), run, run or uuid4(), None) for event in events)
    (appended,) = await ledger.append(producer, "bench", [Append(session, uuid4(), facts)])
    return appended.last_version or 0


async def build(ledger: Ledger, session: UUID, before: int) -> int:
    """The whole path; returns the characters of the prompt."""
    conversation = await conversation_of(ledger, session, before)
    return sum(len(message.text) for message in question(PROMPT, Asked(), conversation))


async def measure(url: str, rounds: int) -> dict[str, float]:
    """Milliseconds per prompt after 20 turns and after 500, and the ratio of their medians."""
    await migrate(url)
    ledger = await PostgresLedger.connect(url)
    try:
        sessions = {turns: await session_of(ledger, turns) for turns in TURNS}
        heads = {turns: await ledger.head(session) + 1 for turns, session in sessions.items()}
        seconds: dict[int, list[float]] = {turns: [] for turns in TURNS}
        characters = {turns: await build(ledger, sessions[turns], heads[turns]) for turns in TURNS}
        for number in range(2 * rounds // BLOCK):
            turns = TURNS[number % 2]
            for _ in range(BLOCK):
                since = time.perf_counter()
                await build(ledger, sessions[turns], heads[turns])
                seconds[turns].append(time.perf_counter() - since)
        short, long = (quantile(seconds[turns], 0.5) * 1000 for turns in TURNS)
        figures = {f"p50_ms_{turns}_turns": round(quantile(seconds[turns], 0.5) * 1000, 3) for turns in TURNS}
        figures |= {f"characters_{turns}_turns": characters[turns] for turns in TURNS}
        return figures | {"ratio": round(long / short, 3), "events": heads[TURNS[-1]] - 1, "n": rounds}
    finally:
        await ledger.close()


def main(argv: list[str]) -> int:
    """python -m bench prompt [--rounds 400] [--json]"""
    parser = argparse.ArgumentParser(prog="python -m bench prompt", description="Prompts of long sessions.")
    parser.add_argument("--rounds", type=int, default=400, help="prompts built for each of the two sessions")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    given = parser.parse_args(argv)
    with postgres() as url:
        figures = asyncio.run(measure(url, max(given.rounds, BLOCK)))
    if given.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:<24}{value:>10,}")
    return 0
