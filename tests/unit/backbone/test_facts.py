"""What a trace reads of events is a part of their contracts: the same fields, the same defaults, none that is large."""

import pytest
from pydantic import BaseModel

from backbone.telemetry.facts import FACTS, LARGE, TIMES, EventPart, fact
from backbone.telemetry.run_trace import MILESTONES
from contracts.execution import TodoSucceeded
from contracts.registry import EVENTS
from contracts.shape import Event
from tests.unit.backbone.run_books import Book


def differences(part: type[BaseModel], whole: type[BaseModel], path: str) -> list[str]:
    found = []
    for name, field in part.model_fields.items():
        other = whole.model_fields.get(name)
        if other is None:
            found.append(f"{path}.{name} is no field")
        elif isinstance(inner := field.annotation, type) and issubclass(inner, EventPart):
            outer = other.annotation
            if isinstance(outer, type) and issubclass(outer, BaseModel):
                found += differences(inner, outer, f"{path}.{name}")
        elif field.is_required() != other.is_required() or field.default != other.default:
            found.append(f"{path}.{name} has another default")
    return found


@pytest.mark.parametrize("type_", sorted(FACTS))
def test_a_fact_is_a_part_of_its_event(type_: str) -> None:
    assert differences(FACTS[type_], EVENTS[type_], type_) == []
    assert not LARGE & FACTS[type_].model_fields.keys()


def test_every_event_of_which_a_trace_is_made_has_a_place() -> None:
    assert FACTS.keys() >= MILESTONES
    assert not FACTS.keys() & TIMES
    assert EVENTS.keys() >= TIMES


@pytest.mark.parametrize("type_", sorted(FACTS))
def test_every_example_is_read(type_: str) -> None:
    event: type[Event] = EVENTS[type_]
    message = Book().add(event.model_validate(event.example), "execution")
    assert isinstance(fact(message), FACTS[type_])


def test_what_a_newer_version_wrote_is_passed_over() -> None:
    message = Book().add(TodoSucceeded.model_validate(TodoSucceeded.example), "execution")
    object.__setattr__(message, "schema_version", TodoSucceeded.schema_version + 1)
    assert fact(message) is None
