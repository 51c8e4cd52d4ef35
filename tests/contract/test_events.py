"""Every event shows an example of itself, and survives the way to the ledger and back."""

import json
from typing import Any, ClassVar

import pytest
from pydantic import ValidationError

from contracts import registry
from contracts.shape import Event

EVERY_EVENT = pytest.mark.parametrize("event", registry.EVENTS.values(), ids=lambda event: event.__name__)


@EVERY_EVENT
def test_its_example_is_valid(event: type[Event]) -> None:
    assert isinstance(event.model_validate(event.example), event)


@EVERY_EVENT
def test_it_survives_being_rendered_and_parsed(event: type[Event]) -> None:
    fact = event.model_validate(event.example)
    assert registry.parse(event.__name__, event.schema_version, registry.render(fact)) == fact


@EVERY_EVENT
def test_it_is_frozen(event: type[Event]) -> None:
    fact = event.model_validate(event.example)
    with pytest.raises(ValidationError):
        setattr(fact, next(iter(event.model_fields)), None)


@EVERY_EVENT
def test_it_refuses_a_field_it_does_not_know(event: type[Event]) -> None:
    with pytest.raises(ValidationError, match="surprise"):
        registry.parse(event.__name__, event.schema_version, json.dumps({**event.example, "surprise": 1}))


@EVERY_EVENT
def test_it_says_who_records_it_and_what_it_means(event: type[Event]) -> None:
    known = {"gateway", "cognitive", "planning", "execution", "response", "timers"}
    assert event.producers
    assert event.producers <= known
    assert event.__doc__


def test_defaults_are_not_sent() -> None:
    received = registry.EVENTS["MessageReceived"].model_validate({"text": "안녕"})
    assert json.loads(registry.render(received)) == {"text": "안녕"}


def test_a_type_that_is_not_in_the_registry_is_named() -> None:
    with pytest.raises(registry.UnknownType, match="'PlanDreamt'"):
        registry.parse("PlanDreamt", 1, b"{}")


@pytest.mark.parametrize("version", [0, -1, 2, 99])
def test_a_version_that_is_not_ours_is_named(version: int) -> None:
    with pytest.raises(registry.UnknownVersion, match=f"RunCompleted version {version}"):
        registry.parse("RunCompleted", version, b"{}")


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b'{"text": 3}', b"\xff"])
def test_what_is_not_the_contract_is_refused(data: bytes) -> None:
    with pytest.raises(ValidationError):
        registry.parse("MessageReceived", 1, data)


class Renamed(Event):
    """An event in its third shape: `words` was `text` in version 1, `mood` came with version 3."""

    schema_version: ClassVar[int] = 3
    producers: ClassVar[frozenset[str]] = frozenset({"gateway"})
    example: ClassVar = {"words": "안녕", "mood": "calm"}

    words: str
    mood: str


@pytest.fixture
def renamed(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, int], registry.Upcaster]:
    steps: dict[tuple[str, int], registry.Upcaster] = {}
    monkeypatch.setitem(registry.EVENTS, "Renamed", Renamed)
    monkeypatch.setattr(registry, "UPCASTERS", steps)
    return steps


def _rename(data: dict[str, Any]) -> dict[str, Any]:
    return {"words": data["text"]}


def _add_mood(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "mood": "unknown"}


def test_an_old_event_is_read_in_its_new_shape(renamed: dict[tuple[str, int], registry.Upcaster]) -> None:
    renamed.update({("Renamed", 1): _rename, ("Renamed", 2): _add_mood})
    assert registry.parse("Renamed", 1, b'{"text": "hi"}') == Renamed(words="hi", mood="unknown")
    assert registry.parse("Renamed", 2, b'{"words": "hi"}') == Renamed(words="hi", mood="unknown")
    assert registry.parse("Renamed", 3, b'{"words": "hi", "mood": "calm"}') == Renamed(words="hi", mood="calm")


def test_a_missing_step_is_named(renamed: dict[tuple[str, int], registry.Upcaster]) -> None:
    renamed[("Renamed", 1)] = _rename
    with pytest.raises(registry.UnknownVersion, match="version 2 has no upcaster to version 3"):
        registry.parse("Renamed", 1, b'{"text": "hi"}')


def test_every_old_version_has_its_step() -> None:
    steps = {(name, version) for name, event in registry.EVENTS.items() for version in range(1, event.schema_version)}
    assert set(registry.UPCASTERS) == steps
