"""What a trace reads of events is a part of their contracts: the same fields, the same defaults, none that is large."""

import json

import pytest

from backbone.telemetry.facts import FACTS, LARGE, TIMES, fact
from backbone.telemetry.run_trace import MILESTONES
from contracts.execution import TodoSucceeded
from contracts.registry import EVENTS
from contracts.shape import Event
from tests.unit.backbone.run_books import Book


@pytest.mark.parametrize("type_", sorted(FACTS))
def test_a_fact_is_a_part_of_its_event(type_: str) -> None:
    assert EVENTS[type_].model_fields.keys() >= set(FACTS[type_])
    assert not LARGE & set(FACTS[type_])


def test_every_event_of_which_a_trace_is_made_has_a_place() -> None:
    assert FACTS.keys() >= MILESTONES
    assert not FACTS.keys() & TIMES
    assert EVENTS.keys() >= TIMES


@pytest.mark.parametrize("type_", sorted(FACTS))
def test_every_example_is_read(type_: str) -> None:
    event: type[Event] = EVENTS[type_]
    message = Book().add(event.model_validate(event.example), "execution")
    whole = json.loads(event.model_validate(event.example).model_dump_json())
    read = fact(message)
    assert read is not None
    for name, value in vars(read).items():
        told = value.items() if isinstance(value, dict) else ()
        assert all(whole[name][key] == inner for key, inner in told) if told else value == whole[name]


def test_what_a_newer_version_wrote_is_passed_over() -> None:
    message = Book().add(TodoSucceeded.model_validate(TodoSucceeded.example), "execution")
    object.__setattr__(message, "schema_version", TodoSucceeded.schema_version + 1)
    assert fact(message) is None
