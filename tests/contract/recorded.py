"""What services have really said, as golden ledgers have it, and the handlers of this version that have to take it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import jsonschema

from backbone.runner.handlers import AnyHandler, DecisionHandler, Recorded
from backbone.settings import Settings
from contracts.envelope import Message
from contracts.registry import EVENTS
from tests.contract import golden as schemas
from tests.support.composed import composed

LEDGERS = Path(__file__).parent / "ledgers"
FILES = sorted(LEDGERS.glob("*/*.jsonl"))
EXAMPLES = UUID("0197a1f0-0000-7000-8000-0000000c0de5")
"""The session of what no golden ledger has, in the words of the contracts."""
PACKS = ("assistant", "devices", "documents", "marketing", "transfer", "tests.packs.stage")
"""Whose executors take what the golden ledgers dispatch."""


@dataclass(frozen=True, slots=True)
class Golden:
    """A session as it was recorded, and the run it is there for."""

    session_id: UUID
    run_id: UUID
    packs: str
    messages: tuple[Message, ...]


@cache
def golden(path: Path) -> Golden:
    head, *rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    session = UUID(head["session_id"])
    return Golden(session, UUID(head["run_id"]), head["packs"], tuple(message_of(session, row) for row in rows))


def message_of(session: UUID, row: dict[str, Any]) -> Message:
    def id_of(name: str) -> UUID | None:
        return UUID(row[name]) if row[name] else None

    return Message(
        event_id=UUID(row["event_id"]),
        session_id=session,
        version=row["version"],
        type=row["type"],
        schema_version=row["schema_version"],
        producer=row["producer"],
        run_id=id_of("run_id"),
        correlation_id=UUID(row["correlation_id"]),
        causation_id=id_of("causation_id"),
        traceparent=row["traceparent"],
        recorded_at=datetime.fromisoformat(row["recorded_at"]),
        data=json.dumps(row["data"]).encode(),
        route=row["route"] or "",
    )


def recorded_types(version: str = "*") -> set[tuple[str, str, int]]:
    """(producer, type, schema version) of what is in the golden ledgers."""
    found = (message for path in LEDGERS.glob(f"{version}/*.jsonl") for message in golden(path).messages)
    return {(message.producer, message.type, message.schema_version) for message in found}


def examples() -> list[Message]:
    """The contract's example of each (producer, type, schema version) that no golden ledger has, in the words of its
    golden schema; and for each route that one takes and no ledger has."""
    there = recorded_types()
    wanted = [
        (producer, name, version, "")
        for name, event in sorted(EVENTS.items())
        for version in range(1, event.schema_version + 1)
        for producer in sorted(event.producers)
        if (producer, name, version) not in there
    ]
    routes = {(one.producer, one.type, one.route) for path in FILES for one in golden(path).messages}
    takes = {take for handler in handlers().values() for take in handler.takes if take.route}
    wanted += sorted(
        (take.producer, take.type, EVENTS[take.type].schema_version, take.route)
        for take in takes
        if (take.producer, take.type, take.route) not in routes
    )
    return [_example(number, *one) for number, one in enumerate(wanted, 1)]


def _example(number: int, producer: str, name: str, version: int, route: str) -> Message:
    event_id = uuid5(EXAMPLES, f"{producer}.{name}.{version}.{route}")
    data = _schema(name, version)["examples"][0]
    return Message(
        event_id, EXAMPLES, number, name, version, producer, EXAMPLES, EXAMPLES, None, None, datetime.now(UTC),
        json.dumps(data).encode(), route,
    )  # fmt: skip


@cache
def _schema(name: str, version: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((schemas.FOLDER / f"{name}.v{version}.json").read_text(encoding="utf-8"))
    return found


@cache
def _validator(name: str, version: int) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(_schema(name, version))


def fits(name: str, version: int, data: bytes) -> None:
    """Whether JSON is what the golden schema of a contract says; raises jsonschema.ValidationError."""
    _validator(name, version).validate(json.loads(data))


@cache
def handlers(packs: Sequence[str] = PACKS) -> dict[str, AnyHandler]:
    """Those of all services of this version, by name."""
    services = composed(Settings(packs=tuple(packs)))
    return {handler.name: handler for service in services.values() for handler in service.handlers}


def deciders(packs: str) -> dict[str, DecisionHandler[Any]]:
    """The decision handlers among them."""
    found = handlers(tuple(packs.split(",")))
    return {name: handler for name, handler in found.items() if isinstance(handler, DecisionHandler)}


def seen(message: Message) -> Recorded:
    return Recorded(message.event, message.event_id, message.run_id, message.recorded_at)
