"""Golden ledgers of every released version: each event is read, each run folds to its end, and what was decided then is
decided again from the same history (I3). How one is made: tests/contract/record_ledger.py."""

import json
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid5

import pytest

from backbone.liveness.fold import RunState, evolve
from backbone.liveness.turns import PERSON, Margins
from contracts.envelope import Message
from services.gateway.domain.session import Session
from services.gateway.domain.session import evolve as look
from services.gateway.views.protocol import frame, session_view
from tests.contract.recorded import FILES, Golden, deciders, golden, seen

ENDS = {
    "main": "RunCompleted",
    "transfer": "RunCompleted",
    "cancelled": "RunCancelled",
    "failed": "RunFailed",
    "rejected": "RunCancelled",
    "open": "",
}


def test_every_version_has_recorded_every_kind_of_run() -> None:
    versions = {path.parent for path in FILES}
    assert versions, "make golden-ledger"
    for version in versions:
        assert {path.stem for path in version.glob("*.jsonl")} == ENDS.keys()
        assert (version / "backup/manifest.json").is_file()


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_run_of_any_version_folds_to_its_end_and_is_shown(path: Path) -> None:
    recorded = golden(path)
    run, session = RunState(), Session()
    for message in recorded.messages:
        assert json.loads(frame(message))["data"] is not None
        look(session, message)
        if message.run_id == recorded.run_id:
            evolve(run, message, Margins())
    assert run.ended == ENDS[path.stem]
    shown = {view.run_id: view for view in session_view(recorded.session_id, session).runs}[recorded.run_id]
    assert len(session_view(recorded.session_id, session).open_decisions) == int(not run.ended), shown
    if not run.ended:
        assert [turn.actor for turn in run.turns()] == [PERSON]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_was_decided_is_decided_again_from_the_same_history(path: Path) -> None:
    recorded = golden(path)
    decided = dict(decisions(recorded))
    assert decided or path.stem == "open"
    for (name, cause), made in decided.items():
        handler = deciders(recorded.packs)[name]
        state = handler.initial()
        for message in recorded.messages:
            if message.version < made[0].version and message.type in handler.folds:
                state = handler.evolve(state, seen(message))
        outcome = handler.decide(state, seen(cause))
        again = [(type(emitted.event).__name__, emitted.route) for emitted in outcome.emits]
        assert again == [(message.type, message.route) for message in made], f"{name} on {cause.type}"


def decisions(recorded: Golden) -> Iterator[tuple[tuple[str, Message], list[Message]]]:
    """Handler and cause, and what was made of it: the ids of events say so."""
    for cause in recorded.messages:
        for name in deciders(recorded.packs):
            ids = {uuid5(cause.event_id, f"{name}:{index}") for index in range(200)}
            made = [message for message in recorded.messages if message.event_id in ids]
            if made:
                yield (name, cause), made
