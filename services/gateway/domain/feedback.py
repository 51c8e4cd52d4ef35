"""May this feedback be recorded? Its run must be one of the session, its correction something that the packs know."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from contracts.cognitive import CognitiveOutput
from contracts.envelope import Message
from contracts.errors import Code
from contracts.gateway import FeedbackGiven
from contracts.shape import JsonObject
from services.gateway.domain.refusal import Refused, Repeated, short

FOLDS = frozenset({"MessageReceived", "CognitiveOutput", "FeedbackGiven"})
SHOWN = 12


@dataclass(frozen=True, slots=True)
class Possible:
    """What a correction may name: intents with the slots that each has (empty = anything), and tools."""

    intents: Mapping[str, frozenset[str]]
    tools: frozenset[str]


@dataclass(slots=True)
class Rated:
    """The runs of a session: cause and trace of each, and the intents that it was understood as."""

    runs: dict[UUID, tuple[UUID, str | None]] = field(default_factory=dict)
    understood: dict[UUID, tuple[str, ...]] = field(default_factory=dict)
    taken: dict[UUID, tuple[int, UUID | None, FeedbackGiven]] = field(default_factory=dict)


def evolve(rated: Rated, message: Message) -> Rated:
    """Takes the next event of FOLDS in, in place."""
    if message.type == "MessageReceived":
        rated.runs[message.run_id or message.event_id] = message.event_id, message.traceparent
        return rated
    match message.event:
        case CognitiveOutput() as event if message.run_id:
            names = tuple(task.intent for task in event.tasks) or (event.intent.name,)
            rated.understood[message.run_id] = names
        case FeedbackGiven() as event:
            rated.taken[message.event_id] = message.version, message.run_id, event
        case _:
            pass
    return rated


def judge(rated: Rated, run_id: UUID, given: FeedbackGiven, event_id: UUID, possible: Possible) -> Repeated | None:
    """None when it is to be recorded; or where the same request was recorded before. Raises Refused."""
    if run_id not in rated.runs:
        raise Refused(
            Code.RUN_UNKNOWN, f"run {run_id} is not one of this session: GET /sessions/{{session_id}} lists its runs"
        )
    if earlier := rated.taken.get(event_id):
        version, run, event = earlier
        if (run, event) != (run_id, given):
            raise Refused(
                Code.IDEMPOTENCY_KEY_REUSED,
                "this Idempotency-Key came with another body to this address: use a new key",
            )
        return Repeated(version)
    _check(given.correction, rated.understood.get(run_id, ()), possible)
    return None


def _check(correction: JsonObject, understood: Iterable[str], possible: Possible) -> None:
    intent = correction.get("intent")
    if intent is not None and intent not in possible.intents:
        raise _wrong("intent", intent, f"one of {_some(possible.intents)}")
    slots = correction.get("slots")
    if isinstance(slots, dict):
        _check_slots(slots, [str(intent)] if intent else list(understood), possible)
    plan = correction.get("plan")
    for tool in plan if isinstance(plan, list) else ():
        if tool not in possible.tools:
            raise _wrong("plan", tool, f"tools, like {_some(possible.tools)}")


def _check_slots(slots: JsonObject, intents: list[str], possible: Possible) -> None:
    sets = [possible.intents.get(intent, frozenset()) for intent in intents]
    known = frozenset[str]().union(*sets)
    if not all(sets) or not known:
        return  # one that takes whatever it is given
    for name in slots:
        if name not in known:
            raise _wrong("slots", name, f"slots of {', '.join(intents)}: {_some(known)}")


def _wrong(where: str, value: object, right: str) -> Refused:
    message = f"correction.{where} names {short(value)}: it must be {right}"
    return Refused(
        Code.INVALID_REQUEST, message, status=422, errors=[{"path": f"/correction/{where}", "message": message}]
    )


def _some(names: Iterable[str]) -> str:
    shown = sorted(names)
    return ", ".join(shown[:SHOWN]) + (f", … ({len(shown)})" if len(shown) > SHOWN else "")
