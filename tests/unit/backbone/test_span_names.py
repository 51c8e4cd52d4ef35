"""Names in spans are those of OpenTelemetry's conventions, as the package has them that is locked."""

import importlib
import pkgutil
from collections.abc import Iterator

import opentelemetry.semconv._incubating.attributes as incubating
import opentelemetry.semconv.attributes as stable
import pytest
from opentelemetry.semconv._incubating.attributes.gen_ai_attributes import GenAiOperationNameValues
from opentelemetry.semconv._incubating.attributes.messaging_attributes import MessagingOperationTypeValues

from backbone.telemetry import names

OF_OTHERS = ("dream.", "openinference.")
"""Ours, and that of viewers."""


def conventions() -> Iterator[str]:
    for package in (stable, incubating):
        for module in pkgutil.iter_modules(package.__path__):
            found = vars(importlib.import_module(f"{package.__name__}.{module.name}"))
            yield from (value for name, value in found.items() if name.isupper() and isinstance(value, str))


def attributes() -> list[str]:
    constants = [value for name, value in vars(names).items() if name.isupper() and isinstance(value, str)]
    return [value for value in constants if "." in value and not value.startswith(OF_OTHERS)]


def test_every_attribute_is_one_of_the_conventions() -> None:
    known = set(conventions())
    assert "service.name" in known and len(attributes()) > 15
    assert [name for name in attributes() if name not in known] == []


@pytest.mark.parametrize("operation", [names.CHAT, names.EXECUTE_TOOL, names.INVOKE_WORKFLOW])
def test_operations_of_models_and_agents_are_those_of_the_conventions(operation: str) -> None:
    assert operation in {value.value for value in GenAiOperationNameValues}


def test_operations_on_messages_are_those_of_the_conventions() -> None:
    told = {f"{names.sending('X')}".split()[0], f"{names.processing('X', 'y')}".split()[0]}
    assert told <= {value.value for value in MessagingOperationTypeValues}
