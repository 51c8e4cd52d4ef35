"""What can be learned from a run: its events as one record, without personal data."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from contracts.envelope import Message
from contracts.packs import FlowSpec, IntentSpec
from contracts.shape import JsonObject
from dream.learning.masking import Mask, mask_of

EVENTS = frozenset({
    "MessageReceived", "CognitiveOutput", "FlowAdvanced", "PlanningOutput", "PlanApproved", "ModelCalled",
    "TodoDispatched", "TodoSucceeded", "TodoFailed", "TodoSkipped", "AgentStepped", "AgentToolAnswered", "RunCompleted",
    "RunFailed", "RunCancelled", "FeedbackGiven",
})  # fmt: skip
ENDS = {"RunCompleted": "completed", "RunFailed": "failed", "RunCancelled": "cancelled"}
RETELLING = frozenset({"summarizer"})
"""Roles of models that retell the session, with what other runs of it had in private slots and this mask knows not."""
LEFT_OUT = "[left out]"


class Privacy(NamedTuple):
    """What the packs' manifests say of their intents, by category: `slots` are the private ones, each a name or a note;
    of intents in `recalls` what models said is left out as a whole."""

    slots: Mapping[str, Mapping[str, str]]
    recalls: frozenset[str]

    def of(self, intent: str, slots: Mapping[str, Any]) -> Mapping[str, str]:
        """The private slots of an intent. Of a pack that is not here any more nobody knows: all of them are."""
        return self.slots.get(intent, dict.fromkeys(slots, "note"))


def privacy_of(specs: Iterable[IntentSpec], flows: Mapping[str, FlowSpec]) -> Privacy:
    """What these intents declare (`private`, `recalls`), and the slots of their flows (`private`)."""
    slots: dict[str, dict[str, str]] = {}
    recalls: set[str] = set()
    for spec in specs:
        category = ".".join(spec.intent.split(".")[:2])
        slots.setdefault(category, {}).update(spec.private)
        if spec.flow is not None and spec.flow in flows:
            led = flows[spec.flow].slots
            slots[category].update({slot.name: slot.private for slot in led if slot.private is not None})
        recalls |= {category} if spec.recalls else set()
    return Privacy(slots, frozenset(recalls))


def pseudonym(user: str, salt: bytes) -> str:
    """What a person is called in an export: the same throughout it, and of no use to who guesses names without the
    salt, which is thrown away with the end of the export."""
    return hashlib.blake2b(user.encode(), key=salt, digest_size=8).hexdigest()


def record(opened: Message | None, events: Sequence[Message], salt: bytes, privacy: Privacy) -> JsonObject:
    """One run. `opened` is the event that began its session; `events` are those of EVENTS, in order; `salt` is that of
    the export."""
    data = [(message, _data(message)) for message in events]
    person = _data(opened) if opened else {}
    mask = _mask(person, [one for _, one in data], privacy)
    said = next((one for message, one in data if message.type == "MessageReceived"), {})
    understood = _last(data, "CognitiveOutput")
    plan = _last(data, "PlanningOutput").get("plan", {})
    models = [one for message, one in data if message.type == "ModelCalled"]
    private = bool(privacy.recalls & {task.get("intent") for task in understood.get("tasks", ())})
    first = events[0]
    shown: JsonObject = {
        "text": said.get("text", ""),
        "tasks": understood.get("tasks", []),
        "flow": [_flow(one) for message, one in data if message.type == "FlowAdvanced"],
        "plan": [_todo(todo) for todo in plan.get("todos", ())],
        "calls": list(_calls(data)),
        "feedback": [one for message, one in data if message.type == "FeedbackGiven"],
    }
    return {
        "run_id": str(first.run_id or first.event_id),
        "session_id": str(first.session_id),
        "user": pseudonym(str(person.get("user", "anonymous")), salt),
        "at": first.recorded_at.isoformat(),
        "language": understood.get("language") or said.get("language") or person.get("language"),
        "intent": _intent(understood),
        "route": understood.get("route"),
        "outcome": next((ENDS[message.type] for message, _ in reversed(data) if message.type in ENDS), "open"),
        **mask.value(shown),
        "models": [_model(one, mask, private=private) for one in models],
        "tokens": {
            "input": sum(one.get("input_tokens", 0) for one in models),
            "output": sum(one.get("output_tokens", 0) for one in models),
            "cost": round(sum(one.get("cost", 0.0) for one in models), 6),
        },
    }


def corrected(run: Mapping[str, Any]) -> JsonObject | None:
    """The run as a line of `python -m bench understanding`: what it means by the last correction; None without one."""
    corrections = [one.get("correction", {}) for one in run["feedback"]]
    intent = next((one["intent"] for one in reversed(corrections) if one.get("intent")), None)
    slots: JsonObject = {}
    for one in corrections:
        slots |= one.get("slots") or {}
    if intent is None and slots and len(run["tasks"]) == 1:
        intent = run["tasks"][0]["intent"]
        slots = {**run["tasks"][0].get("slots", {}), **slots}
    if not intent or not run["text"].strip() or not run["language"]:
        return None
    return {"lang": run["language"], "text": run["text"], "intent": intent, "slots": slots, "now": run["at"]}


def _data(message: Message) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(message.data or b"{}")  # lost: what it said is not known
    return found


def _last(data: Iterable[tuple[Message, dict[str, Any]]], type_: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for message, one in data:
        found = one if message.type == type_ else found
    return found


def _mask(person: Mapping[str, Any], data: Iterable[Mapping[str, Any]], privacy: Privacy) -> Mask:
    names, notes = {str((person.get("profile") or {}).get("name") or "")}, set[str]()
    user = str(person.get("user") or "")
    names |= {user} - {"anonymous", ""}
    for one in data:
        names.add(str((one.get("profile") or {}).get("name") or ""))
        for task in one.get("tasks", ()):
            slots = task.get("slots", {})
            _private(privacy.of(task.get("intent", ""), slots), slots, names, notes)
        flow = one.get("flow")
        # as it was said, and as the flow kept it
        said = flow.get("tasks", ()) if isinstance(flow, dict) else ()
        for slots in (*said, *([one.get("slots", {}), *one.get("queue", ())] if isinstance(flow, str) else ())):
            for private in privacy.slots.values():
                _private(private, slots, names, notes)
        for correction in (one.get("correction") or {},):
            for private in privacy.slots.values():
                _private(private, correction.get("slots") or {}, names, notes)
    return mask_of(names, notes)


def _private(private: Mapping[str, str], slots: Mapping[str, Any], names: set[str], notes: set[str]) -> None:
    for slot, kind in private.items():
        if isinstance(value := slots.get(slot), str):
            (names if kind == "name" else notes).add(value)


def _intent(understood: Mapping[str, Any]) -> str | None:
    intent = understood.get("intent")
    if not intent:
        return None
    return ".".join(part for part in (intent["domain"], intent.get("category"), intent.get("subcategory")) if part)


def _flow(one: Mapping[str, Any]) -> JsonObject:
    return {name: one[name] for name in ("flow", "stage", "turn", "slots", "missing", "slot_errors") if name in one}


def _todo(todo: Mapping[str, Any]) -> JsonObject:
    return {name: todo[name] for name in ("id", "tool", "params", "depends_on", "role") if name in todo}


def _calls(data: Iterable[tuple[Message, dict[str, Any]]]) -> Iterable[JsonObject]:
    """Calls of tools, with what came of each; results stay in the ledger, they are the person's own."""
    begun: dict[tuple[str, int], JsonObject] = {}
    arguments: dict[str, Any] = {}
    for message, one in data:
        match message.type:
            case "TodoDispatched":
                todo = one["todo"]
                call = {"tool": todo["tool"], "params": todo.get("params", {}), "attempt": one["attempt"]}
                begun[todo["id"], one["attempt"]] = {"todo": todo["id"], **call, "outcome": "open"}
            case "TodoSucceeded" | "TodoFailed":
                if (known := begun.get((one["todo_id"], one["attempt"]))) is not None:
                    known |= {"outcome": "succeeded" if message.type == "TodoSucceeded" else "failed"}
                    known |= {"seconds": one.get("seconds", 0.0)} | _error(one)
            case "AgentStepped":
                arguments |= {call["call_id"]: call.get("arguments", {}) for call in one.get("calls", ())}
            case "AgentToolAnswered":
                outcome = "failed" if one.get("error") else "succeeded"
                called = {"tool": one["tool"], "params": arguments.get(one["call_id"], {}), "outcome": outcome}
                begun[f"{one['todo_id']}/{one['call_id']}", one["step"]] = {"todo": one["todo_id"], **called} | _error(
                    one
                )
            case _:
                pass
    return begun.values()


def _error(one: Mapping[str, Any]) -> JsonObject:
    error = one.get("error")
    return {"error": {"code": error["code"], "message": error["message"]}} if error else {}


def _model(one: Mapping[str, Any], mask: Mask, *, private: bool) -> JsonObject:
    names = ("role", "provider", "model", "prompt_id", "prompt_hash", "input_tokens", "output_tokens", "repaired")
    kept = {name: one[name] for name in names if name in one}
    private = private or one.get("role") in RETELLING
    return kept | {"output": LEFT_OUT if private else mask.value(one.get("output", {}))}
