"""What the AsyncAPI document says about who takes what is what the handlers say."""

from collections import defaultdict
from importlib import import_module
from pathlib import Path
from unittest.mock import sentinel

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from backbone.artifacts.local import LocalArtifacts
from backbone.ledger.tables import PackTables
from backbone.service import Backbone, Service
from backbone.settings import Settings
from backbone.telemetry import edges
from contracts.registry import EVENTS
from tests.architecture.sources import SERVICES
from tests.contract import asyncapi

LAYERS = [name for name in SERVICES if name != "gateway"]  # the gateway follows the whole stream, without a handler


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Service]:
    """The layer services as they are composed, connected to nothing."""
    folder: Path = tmp_path_factory.mktemp("takers")
    settings = Settings(artifacts_url=folder.as_uri(), data_dir=folder)
    stores = (sentinel.ledger, LocalArtifacts(folder), sentinel.toolbox, sentinel.pool, PackTables(""))
    backbone = Backbone(settings, *stores)
    return {name: import_module(f"services.{name}.app").service(backbone) for name in LAYERS}


def test_the_table_of_takers_is_that_of_the_handlers(services: dict[str, Service]) -> None:
    taken: dict[str, set[str]] = defaultdict(set)
    for name, service in services.items():
        for handler in service.handlers:
            for take in handler.takes:
                taken[take.type].add(name)
    assert {event: sorted(names) for event, names in taken.items()} == {
        event: sorted(names) for event, names in edges.taken_by().items()
    }


def test_a_handler_takes_what_somebody_records(services: dict[str, Service]) -> None:
    for service in services.values():
        for handler in service.handlers:
            assert [take for take in handler.takes if take.producer not in EVENTS[take.type].producers] == []


def test_what_a_decision_settles_nobody_else_takes(services: dict[str, Service]) -> None:
    """It is recorded with the decision, and nobody is told of it."""
    handlers = [handler for service in services.values() for handler in service.handlers]
    settled = [(one.producer, type_, one) for one in handlers for type_ in getattr(one, "settles", ())]
    assert {(producer, type_) for producer, type_, _ in settled} == {
        ("execution", "TodoSucceeded"),
        ("execution", "TodoFailed"),
    }
    for producer, type_, decides in settled:
        takers = [one for one in handlers for take in one.takes if (take.producer, take.type) == (producer, type_)]
        assert takers == [decides]


def test_every_producer_has_one_service_that_relays_it(services: dict[str, Service]) -> None:
    relayed = sorted(producer for service in services.values() for producer in service.relays)
    producers = {producer for event in EVENTS.values() for producer in event.producers} - {"gateway"}
    assert relayed == sorted(producers)


def test_every_event_has_its_channels_and_every_reference_leads_somewhere() -> None:
    made = asyncapi.document()
    assert set(made["channels"]) == {f"{by}.{name}" for name, event in EVENTS.items() for by in event.producers}
    for reference in _references(made):
        place = made
        for step in reference.removeprefix("#/").split("/"):
            place = place[step]


def test_examples_in_the_document_fit_its_schemas() -> None:
    made = asyncapi.document()
    everything = Registry().with_resource("urn:made", DRAFT202012.create_resource(made))
    for message in made["components"]["messages"].values():
        schema = Draft202012Validator({"$ref": f"urn:made{message['payload']['$ref']}"}, registry=everything)
        assert message["examples"]
        for example in message["examples"]:
            schema.validate(example["payload"])


def _references(node: object) -> list[str]:
    if isinstance(node, dict):
        own = [node["$ref"]] if isinstance(node.get("$ref"), str) else []
        return own + [one for value in node.values() for one in _references(value)]
    if isinstance(node, list):
        return [one for value in node for one in _references(value)]
    return []
