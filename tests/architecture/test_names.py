"""Names say what a thing is. The words on this list say nothing, so no module and no class is called by them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.registry import EVENTS
from tests.architecture.sources import PACKAGES, ROOT, SERVICES, files, nodes, tree

EMPTY = {
    "manager", "helper", "helpers", "util", "utils", "common", "misc", "core", "base", "engine", "processor", "impl",
    "smart", "v2", "new", "temp", "abstract",
}  # fmt: skip


RENAMED = {
    "Undertaker": "DeadLetterWriter", "Taken": "ReceivedMessage", "bury": "dead_letter", "Floor": "JobDependencies",
    "Workshop": "ExecutorDependencies", "Asker": "DecisionRequests", "Parked": "ApprovalRequired", "Stops": "Cancellations",
    "livelines": "log_stream", "leaver": "expire_waiters", "run_toolbox": "grant_leases", "unsuitable": "why_not_callable",
    "Desk": "DispatchContext, PlanApprovals, DecisionPrompt", "Exactly": "CallKey", "Story": "AgentLoopState, RunProgress",
    "Room": "BudgetVerdict", "smallest": "strictest", "TOLD_BY": "EVENT_TYPES", "by_name_alone": "drop_unreachable_inputs",
    "Exchange": "ConversationTurn", "SILENT": "NO_HISTORY", "Meaning": "Embedding", "SocketDoor": "WebSocketEndpoint",
    "Burials": "DeadLetterQueue", "burial": "dead_letter_queue", "apology": "error_messages", "misset": "settings_errors",
    "onerun": "run_selector", "LiveLines": "LogStream", "Voice": "AttemptLog", "ApprovalDesk": "ApprovalRequests",
    "Led": "FlowInstance", "Standing": "FlowState", "Grounds": "ValidationContext",
}  # fmt: skip
"""Words that only we understood, and what stands for them now (docs/glossary.md). In `packs` they may be words of a
domain."""
ROOMS = (
    "contracts", "backbone", "understanding", "dream",
    *(f"services/{service}" for service in SERVICES),
    *sorted(str(path.parent.relative_to(ROOT)) for path in ROOT.glob("packs/*/pack.yaml")),
)  # fmt: skip
OURS = ("contracts", "backbone", "services", "dream")


def test_no_module_has_an_empty_name() -> None:
    def words(path: Path) -> set[str]:
        return {word for part in path.with_suffix("").parts for word in part.lower().split("_")}

    assert {str(path): said for path in files(*PACKAGES) if (said := words(path) & EMPTY)} == {}


def test_no_class_has_an_empty_name() -> None:
    for path, node in _classes():
        words = {word.lower() for word in re.findall(r"[A-Z][a-z0-9]*|[a-z0-9]+", node.name)}
        assert not words & (EMPTY - {"base", "new"}), f"{path}: {node.name}"
        assert not re.match(r"I[A-Z][a-z]", node.name), f"{path}: {node.name}: a port needs no letter to say it is one"


def test_an_event_says_what_happened() -> None:
    assert [name for name in EVENTS if name.endswith(("Updated", "Changed", "Event"))] == []


def test_a_word_that_was_replaced_does_not_come_back() -> None:
    """As a module, class, function or constant of a module; what a function calls its variables is its own affair."""
    back = {
        f"{path}: {name}": RENAMED[name]
        for path in files(*OURS)
        for name in (path.stem, *_names(tree(path)))
        if name in RENAMED
    }
    assert back == {}


@pytest.mark.parametrize("room", ROOMS)
def test_a_class_name_stands_for_one_thing_within_a_room(room: str) -> None:
    """Classes that start with an underscore are a module's own."""
    places: dict[str, list[str]] = {}
    for path in files(room):
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(str(path))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def _names(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
    for node in module.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        yield from (target.id for target in targets if isinstance(target, ast.Name))


def _classes() -> Iterator[tuple[Path, ast.ClassDef]]:
    for path in files(*PACKAGES):
        yield from ((path, node) for node in nodes(path) if isinstance(node, ast.ClassDef))
