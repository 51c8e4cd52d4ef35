"""The golden schemas: the files say what the code says, and a break within one version is refused."""

import json
import subprocess
from pathlib import Path
from typing import ClassVar

import jsonschema
import pytest

from contracts import registry
from contracts.shape import Event
from tests.contract import golden


def test_the_files_say_what_the_code_says() -> None:
    assert golden.check() == []


@pytest.mark.parametrize("event", registry.EVENTS.values(), ids=lambda event: event.__name__)
def test_what_an_event_renders_fits_its_file(event: type[Event]) -> None:
    schema = json.loads((golden.FOLDER / f"{event.__name__}.v{event.schema_version}.json").read_text())
    rendered = registry.render(event.model_validate(event.example))
    jsonschema.validate(json.loads(rendered), schema, jsonschema.Draft202012Validator)


class First(Event):
    """A thing was seen."""

    producers: ClassVar[frozenset[str]] = frozenset({"gateway"})
    example: ClassVar = {"name": "a"}

    name: str
    count: int = 1


class WithMore(First):
    """A thing was seen, with an optional field more."""

    note: str = ""


class WithLess(Event):
    """A thing was seen, without its count."""

    producers: ClassVar[frozenset[str]] = frozenset({"gateway"})
    example: ClassVar = {"name": "a"}

    name: str


class Second(WithLess):
    """The second version, which says so."""

    schema_version: ClassVar[int] = 2


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose only event, Seen, is committed in its first shape."""
    monkeypatch.setattr(golden, "INPUTS", ())
    monkeypatch.setattr(golden, "FILES", ())
    monkeypatch.setattr(registry, "EVENTS", {})
    monkeypatch.setattr(registry, "UPCASTERS", {})
    _become(First)
    _git(tmp_path, "init", "--quiet")
    assert golden.write(tmp_path) == []
    _commit(tmp_path)
    return tmp_path


def _become(contract: type[Event]) -> None:
    registry.EVENTS["Seen"] = type("Seen", (contract,), {"__doc__": contract.__doc__, "__module__": __name__})


def _git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)


def _commit(folder: Path) -> None:
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--message", "golden")


def _texts(findings: list[golden.Finding]) -> str:
    return "\n".join(f"{one.name} {one.text}" for one in findings)


def test_an_unchanged_contract_passes(folder: Path) -> None:
    assert golden.check(folder) == []


def test_a_missing_file_is_told(folder: Path) -> None:
    (folder / "Seen.v1.json").unlink()
    assert "Seen.v1.json is missing" in _texts(golden.check(folder))


def test_a_new_optional_field_needs_a_new_file_and_no_new_version(folder: Path) -> None:
    _become(WithMore)
    assert "run: make schemas" in _texts(golden.check(folder))
    assert golden.write(folder) == []
    assert golden.check(folder) == []


def test_a_break_within_one_version_is_refused_and_not_written(folder: Path) -> None:
    before = (folder / "Seen.v1.json").read_text()
    _become(WithLess)
    assert "$.count: removed" in _texts(golden.check(folder))
    assert "add an upcaster" in _texts(golden.write(folder))
    assert (folder / "Seen.v1.json").read_text() == before


def test_a_break_is_seen_even_when_its_file_was_written_by_hand(folder: Path) -> None:
    _become(WithLess)
    (folder / "Seen.v1.json").write_text(golden.render(golden.current()["Seen.v1.json"]))
    assert "$.count: removed" in _texts(golden.check(folder))
    _commit(folder)
    assert "$.count: removed" in _texts(golden.check(folder))


def test_a_break_of_what_no_release_has_is_accepted_with_a_reason(folder: Path) -> None:
    _become(WithLess)
    assert golden.write(folder, accept="not released yet") == []
    assert golden.check(folder) == []
    _commit(folder)
    assert golden.check(folder) == []
    assert "not released yet" in (folder / golden.ACCEPTED).read_text()


def test_an_accepted_break_does_not_excuse_the_next_one(folder: Path) -> None:
    _become(WithLess)
    golden.write(folder, accept="not released yet")
    _commit(folder)
    _become(WithMore)
    golden.write(folder)
    _commit(folder)
    _become(WithLess)
    assert "$.note: removed" in _texts(golden.check(folder))


def test_a_new_version_needs_an_upcaster(folder: Path) -> None:
    _become(Second)
    assert golden.write(folder) == []
    assert "no upcaster to version 2" in _texts(golden.check(folder))
    registry.UPCASTERS[("Seen", 1)] = lambda data: {"name": data["name"]}
    assert golden.check(folder) == []


def test_an_old_version_stays(folder: Path) -> None:
    _become(Second)
    registry.UPCASTERS[("Seen", 1)] = dict
    golden.write(folder)
    (folder / "Seen.v1.json").unlink()
    assert "Seen.v1.json is gone" in _texts(golden.check(folder))


def test_a_contract_cannot_just_go(folder: Path) -> None:
    del registry.EVENTS["Seen"]
    assert "keep the contract" in _texts(golden.check(folder))


def test_it_works_without_git(folder: Path) -> None:
    _become(WithLess)
    found = golden.check(folder, history=lambda _: [])
    assert "$.count: removed" in _texts(found)
