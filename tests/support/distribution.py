"""Which process takes which test file: what takes longest first, and whoever has a world gets the files that share it.
A long file that is begun last keeps one process at work while the others have nothing left to do. A world ends when the
process goes on to a file that does not share it: five services that wait take a fourteenth of a processor.

What a file shares is read from its text, for the process that distributes the tests does not import them."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from xdist.scheduler import LoadFileScheduling

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

ROOT = Path(__file__).parents[2]
FIRST = ("chaos", "e2e", "browser", "integration", "architecture", "understanding", "packs", "unit", "contract")
"""Folders: those with files that take long before those with many that do not."""
WORLDS: Mapping[str, str] = {
    "bank_house": r"\bbank_house\b",
    "model_house": r"\bmodel_house\b",
    "bank": r"\bbank: World\b",
    "shared_world": r"\bworld: World\b",
    "product": r"\bproduct: Product\b|\btab: Tab\b",
    "shared_house": r"\bhouse: World\b|\bperson: Person\b",
}
"""The fixtures that are worlds, and what tells the files that share them. The first that fits; a file with a world of its
own shares none."""
ALLOWED = re.compile(r"pytest\.mark\.timeout\((\d+)\)")
"""What takes long says so itself: it asks for more time than the others have."""
OWN = re.compile(r"\bdef (house|world|bank)\b|\bLocalStack\(")


@cache
def _text(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


@cache
def allowed(file: str) -> int:
    """Seconds that a test of the file may take, if it asks for any."""
    return max(map(int, ALLOWED.findall(_text(file))), default=0)


@cache
def world_of(file: str) -> str:
    """The shared world of a test file; empty for none. Tests of the code itself share its files, which take seconds to
    parse."""
    if kind_of(file) == "architecture":
        return "code"
    if kind_of(file) not in ("browser", "chaos", "e2e"):
        return ""
    text = _text(file)
    found = "" if OWN.search(text) else next((name for name, sign in WORLDS.items() if re.search(sign, text)), "")
    return "" if found == "shared_house" and kind_of(file) == "chaos" else found


def kind_of(node: str) -> str:
    """tests/unit/dream/test_up.py::test_x -> unit"""
    return node.split("/")[1]


def rank_of(kind: str) -> int:
    return FIRST.index(kind) if kind in FIRST else len(FIRST)


_file = ""
_worlds: list[pytest.FixtureRequest] = []
"""Of this process, that have been started for a file."""


def ends_after_its_files(request: pytest.FixtureRequest) -> None:
    """Called by a fixture that is a world."""
    assert request.fixturename in WORLDS
    _worlds.append(request)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Ends worlds that the file of this test does not share. Whoever asks for one later has a new one."""
    global _file  # noqa: PLW0603  # of this process
    file = item.nodeid.partition("::")[0]
    if file == _file:
        return
    _file = file
    for world in [one for one in _worlds if one.fixturename != world_of(file)]:
        _worlds.remove(world)
        world._fixturedef.finish(world)  # type: ignore[attr-defined]  # as pytest does at the end of the session


class ByWorld(LoadFileScheduling):  # type: ignore[misc]  # xdist's types are not exported
    """A file stays in one process, as with loadfile."""

    def _assign_work_unit(self, node: "WorkerController") -> None:
        taken: dict[str, set[WorkerController]] = {}
        for other, files in self.assigned_work.items():
            for file in files:
                taken.setdefault(world_of(file), set()).add(other)

        def rank(file: str) -> tuple[int, bool, int, int]:
            world = world_of(file)
            if not world:
                urgency = 2
            elif node in taken.get(world, ()):
                urgency = 0
            else:
                urgency = 3 if world in taken else 1  # a second world of a kind is worth its start only in the end
            return urgency, not allowed(file), rank_of(kind_of(file)), -allowed(file)

        self.workqueue.move_to_end(min(self.workqueue, key=rank), last=False)
        super()._assign_work_unit(node)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByWorld | None:
    return ByWorld(config, log) if config.getoption("dist") == "loadfile" else None
