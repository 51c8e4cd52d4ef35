"""Who knows one service knows them all; who knows one port knows where its adapters are."""

from pathlib import Path

import pytest

from tests.architecture.sources import ROOT, SERVICES

ROOMS = ("README.md", "app.py", "handlers.py", "domain/__init__.py", "__main__.py")
OTHERWISE = {("gateway", "handlers.py"): "commands/record.py"}
"""The gateway takes commands of people and no messages: what it records is decided there."""
SUITES = {"artifacts": "artifact"}
PORTS = sorted(path.parent for path in (ROOT / "backbone").rglob("port.py"))


@pytest.mark.parametrize("name", ROOMS)
@pytest.mark.parametrize("service", SERVICES)
def test_every_service_has_the_same_rooms(service: str, name: str) -> None:
    place = OTHERWISE.get((service, name), name)
    assert (ROOT / "services" / service / place).is_file()


@pytest.mark.parametrize("service", SERVICES)
def test_the_sign_at_the_door_says_what_a_service_does(service: str) -> None:
    text = (ROOT / "services" / service / "README.md").read_text().lower()
    assert [word for word in ("decides", "consumes", "publishes", "invariants") if word not in text] == []


@pytest.mark.parametrize("port", PORTS, ids=lambda port: port.name)
def test_every_port_has_an_adapter_in_memory(port: Path) -> None:
    """The offline provider is what a fake model would be: deterministic, without a network."""
    place = port / "offline.py" if port.name == "model" else ROOT / f"tests/fakes/{port.name}.py"
    assert place.is_file(), f"no {place.relative_to(ROOT)}"


def test_understanding_has_a_suite_that_every_adapter_runs() -> None:
    """Its port is over backbone; so is its suite."""
    folder = ROOT / "tests" / "understanding"
    suites = [path.name for path in folder.glob("test_*.py") if "UnderstanderConformance" in path.read_text()]
    assert sorted(suites) == ["test_llm.py", "test_offline.py", "test_process.py"]


@pytest.mark.parametrize("port", PORTS, ids=lambda port: port.name)
def test_every_port_has_a_conformance_suite_that_an_adapter_can_inherit(port: Path) -> None:
    suite = ROOT / f"tests/conformance/{SUITES.get(port.name, port.name)}_conformance.py"
    assert suite.is_file(), f"no {suite.relative_to(ROOT)}"
