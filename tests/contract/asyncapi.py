"""The AsyncAPI 3 document: every event's channel, who publishes it, who takes it. `make schemas` writes it,
and the gateway serves the file: what it says does not change while a service runs."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from faststream.nats import NatsBroker
from faststream.specification import AsyncAPI

from backbone.telemetry.edges import taken_by
from contracts import subjects
from contracts.envelope import CONTENT_TYPE, SPEC_VERSION
from contracts.registry import EVENTS
from contracts.shape import Event

ROUTED = frozenset({"TodoDispatched"})
"""Events whose subject ends in a route: the executor."""

_PARAMETERS = {
    "partition": {"description": f"crc32 of the session id, modulo {subjects.PARTITIONS}"},
    "session": {"description": "session id; the stream in the ledger"},
    "route": {"description": "executor route"},
}
_HEADERS: dict[str, str] = {
    "ce-specversion": f"CloudEvents version, {SPEC_VERSION}",
    "ce-id": "event id; also Nats-Msg-Id",
    "ce-source": "/dream/<producer>",
    "ce-type": "event type",
    "ce-subject": "session id",
    "ce-time": "when the ledger recorded it, UTC",
    "ce-dataversion": "schema version of the body",
    "ce-streamversion": "gapless place in the session's stream, from 1",
    "content-type": CONTENT_TYPE,
    "ce-runid": "run, when there is one",
    "ce-correlationid": "left out when it is the run",
    "ce-causationid": "the event that caused this one",
    "ce-route": "executor route",
    "traceparent": "W3C trace context",
}
_OPTIONAL = frozenset({"ce-runid", "ce-correlationid", "ce-causationid", "ce-route", "traceparent"})


def document() -> dict[str, Any]:
    """Channels and schemas as FastStream writes them; headers, examples and receivers as we have them."""
    broker = NatsBroker(specification_url="nats://localhost:4222")
    channels = {f"{producer}.{name}": event for name, event in EVENTS.items() for producer in sorted(event.producers)}
    for channel, event in channels.items():
        broker.publisher(_address(channel, event), title=channel, description=_summary(event), schema=event)
    specification = AsyncAPI(
        broker,
        title="Dream Agent: events",
        version=version("dream-agent"),
        description="What the services say to each other on NATS JetStream: CloudEvents 1.0 in binary mode. "
        "The ledger has every one of these events; the bus may deliver one more than once.",
        license={"name": "Apache-2.0"},
    )
    made: dict[str, Any] = specification.to_specification().to_jsonable()
    _finish(made, channels)
    return made


def _address(channel: str, event: type[Event]) -> str:
    route = ".{route}" if event.__name__ in ROUTED else ""
    return f"evt.{{partition}}.{{session}}.{channel}{route}"


def _finish(made: dict[str, Any], channels: Mapping[str, type[Event]]) -> None:
    made["servers"] = {"bus": {"host": "localhost:4222", "protocol": "nats", "description": "DREAM_NATS_URL"}}
    made["operations"] = {}
    for name, channel in made["channels"].items():
        event = channels[name].__name__
        channel["servers"] = [{"$ref": "#/servers/bus"}]
        channel["messages"] = {event: {"$ref": f"#/components/messages/{event}"}}
        channel["parameters"] = {key: _PARAMETERS[key] for key in _PARAMETERS if f"{{{key}}}" in channel["address"]}
        channel.pop("bindings", None)
        made["operations"][f"{name}.send"] = _operation(name, event, "send")
        for service in sorted(taken_by().get(event, ())):
            made["operations"][f"{name}.to.{service}"] = _operation(name, event, "receive")
    components = made["components"]
    components["messages"] = {event.__name__: _message(event) for event in channels.values()}
    components["schemas"]["Headers"] = {
        "type": "object",
        "required": [name for name in _HEADERS if name not in _OPTIONAL],
        "properties": {name: {"type": "string", "description": text} for name, text in _HEADERS.items()},
    }


def _operation(channel: str, event: str, action: str) -> dict[str, Any]:
    place = f"#/channels/{channel}"
    return {"action": action, "channel": {"$ref": place}, "messages": [{"$ref": f"{place}/messages/{event}"}]}


def _message(event: type[Event]) -> dict[str, Any]:
    return {
        "name": event.__name__,
        "title": event.__name__,
        "summary": _summary(event),
        "contentType": CONTENT_TYPE,
        "headers": {"$ref": "#/components/schemas/Headers"},
        "correlationId": {"location": "$message.header#/ce-correlationid"},
        "payload": {"$ref": f"#/components/schemas/{event.__name__}"},
        "examples": [{"payload": event.example}],
        "x-schema-version": event.schema_version,
    }


def _summary(event: type[Event]) -> str:
    return " ".join((event.__doc__ or "").split())
