"""Who approved what ran: reads the ledger by its own rules, without the product's code. It knows tools from the packs'
YAML alone, and words of people from a list of its own."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import yaml

Json = dict[str, Any]
WORDS = frozenset({"확인", "네", "confirm", "yes", "確認", "はい"})
"""Whole turns by which the people of the tests confirm."""
RAN = frozenset({"TodoStarted", "TodoSucceeded", "TodoProgressed"})
"""What is recorded of a todo whose tool has begun: one with effects outside is started in the ledger first."""
CALLED = frozenset({"AgentToolCalled", "AgentToolAnswered"})


@cache
def gated_tools() -> frozenset[str]:
    """Every tool of the packs that asks each time."""
    packs = Path(__file__).parents[2] / "packs"
    found = (yaml.load(path.read_text("utf-8"), yaml.CSafeLoader) for path in packs.glob("*/tools/*.yaml"))
    return frozenset(one["tool_key"] for one in found if one.get("confirm_policy") == "always")


def digest(arguments: Json) -> str:
    """SHA-256 over the arguments as canonical JSON."""
    plain = json.dumps(arguments, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(plain.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of the ledger."""

    session: str
    version: int
    event_id: str
    type: str
    producer: str
    run_id: str
    data: Json


async def facts_of(database_url: str) -> list[Fact]:
    """The whole ledger, past all services."""
    connection = await asyncpg.connect(database_url)
    try:
        rows = await connection.fetch(
            "select stream_id, version, event_id, type, producer, run_id, data from ledger.events order by 1, 2"
        )
    finally:
        await connection.close()
    return [
        Fact(
            str(row["stream_id"]), row["version"], str(row["event_id"]), row["type"], row["producer"],
            str(row["run_id"]), json.loads(row["data"]),
        )
        for row in rows
    ]  # fmt: skip


@dataclass(slots=True)
class Use:
    """A gated tool that ran, or was called: where, with what, and whether somebody had approved exactly that."""

    session: str
    tool: str
    arguments: Json
    is_approved: bool


@dataclass(slots=True)
class _Session:
    """What was recorded in a session before the line that is looked at."""

    said: dict[str, Fact] = field(default_factory=dict)
    asked: dict[str, Fact] = field(default_factory=dict)
    shown: list[Json] = field(default_factory=list)
    approved: set[tuple[str, str, str]] = field(default_factory=set)
    """Run, tool, digest of the arguments."""
    todos: dict[tuple[str, str], Json] = field(default_factory=dict)
    calls: dict[tuple[str, str, str], Json] = field(default_factory=dict)


def uses_of(facts: Iterable[Fact], gated: frozenset[str]) -> list[Use]:
    """Every use of a gated tool, each once per run and arguments; in order."""
    sessions: dict[str, _Session] = {}
    found: dict[tuple[str, str, str, str], Use] = {}
    for fact in facts:
        session = sessions.setdefault(fact.session, _Session())
        for tool, arguments in _used(fact, session):
            exactly = (fact.run_id, tool, digest(arguments))
            if tool in gated:
                use = Use(fact.session, tool, arguments, exactly in session.approved)
                found.setdefault((fact.session, *exactly), use)
        _take(fact, session)
    return list(found.values())


def _used(fact: Fact, session: _Session) -> Sequence[tuple[str, Json]]:
    data = fact.data
    if fact.type in RAN:
        todo = session.todos.get((fact.run_id, data["todo_id"]))
        return [(todo["tool"], todo.get("params", {}))] if todo and todo.get("tool") else []
    if fact.type in CALLED and "error" not in _there(data):
        call = session.calls.get((fact.run_id, data["todo_id"], data["call_id"]), {"tool": data["tool"]})
        # by both names: a call that was recorded under another one than it was asked for under would hide
        return [(name, call.get("arguments", {})) for name in {call["tool"], data["tool"]}]
    return []


def _take(fact: Fact, session: _Session) -> None:
    data, run = fact.data, fact.run_id
    match fact.type, fact.producer:
        case "MessageReceived", "gateway":
            session.said[fact.event_id] = fact
        case "DecisionRequested", "execution" if data["kind"] == "tool":
            session.asked[data["decision_id"]] = fact
        case "DecisionAnswered", "gateway" if data["decision_id"] in session.asked:
            asked = session.asked[data["decision_id"]]
            about = asked.data["subject"]
            if data["answer"].get("action") == "approve" and digest(about["params"]) == about["arguments_hash"]:
                session.approved.add((asked.run_id, about["tool"], about["arguments_hash"]))
        case "FlowAdvanced", "cognitive":
            _move(fact, session)
        case "TodoDispatched", "execution":
            session.todos[run, data["todo"]["id"]] = data["todo"]
        case "AgentStepped", "execution":
            for call in data.get("calls", ()):
                session.calls[run, data["todo_id"], call["call_id"]] = call


def _move(fact: Fact, session: _Session) -> None:
    """A move shows a question, or takes the person's word about the one that was shown last."""
    data, approval = fact.data, _there(fact.data).get("approval")
    if approval and data["stage"] == "CONFIRMED":
        word = session.said.get(approval["confirmed_by"])
        is_word = word is not None and word.run_id == fact.run_id and word.data["text"].strip().casefold() in WORDS
        last = session.shown[-1] if session.shown else {}
        was_shown = last.get("stage") == "READY" and last.get("slots") == approval["params"]
        if is_word and was_shown and digest(approval["params"]) == approval["arguments_hash"]:
            session.approved.add((fact.run_id, approval["tool"], approval["arguments_hash"]))
    if data.get("message"):
        session.shown.append(data)


def _there(data: Mapping[str, Any]) -> Json:
    """Without what is null: some events write that down, others leave it out."""
    return {name: value for name, value in data.items() if value is not None}


async def money_moved(database_url: str) -> list[tuple[str, int]]:
    """Every payment of the bank: whose, and how much. Fails when its books do not balance."""
    connection = await asyncpg.connect(database_url)
    try:
        assert await connection.fetchval("select coalesce(sum(amount), 0)::bigint from pack_transfer.entries") == 0
        opened = await connection.fetch(
            "select a.owner, sum(e.amount)::bigint as left from pack_transfer.accounts a join pack_transfer.entries e"
            " using (account_id) where a.kind = 'person' group by 1"
        )
        paid = await connection.fetch(
            "select owner, amount from pack_transfer.transfers where payee_id is not null order by made_at"
        )
    finally:
        await connection.close()
    spent = {row["owner"]: sum(one["amount"] for one in paid if one["owner"] == row["owner"]) for row in opened}
    assert {row["owner"]: row["left"] for row in opened} == {owner: OPENING - sum_ for owner, sum_ in spent.items()}
    return [(row["owner"], row["amount"]) for row in paid]


OPENING = 10_000_000
"""Won that an account is opened with."""


def forged(*lines: tuple[str, str, Json], run_id: str = str(UUID(int=9))) -> list[Fact]:
    """A session that nobody had: (type, producer, data)."""
    session = str(UUID(int=8))
    return [
        Fact(session, number, str(UUID(int=number)), type_, producer, run_id, data)
        for number, (type_, producer, data) in enumerate(lines, 1)
    ]
