"""What deciders keep of sessions that have really been: read back it is the same state, and goes on as the other does."""

from typing import Any

import pytest

from backbone.runner.deciding import adapter_of
from backbone.runner.handlers import DecisionHandler
from contracts.registry import RUN_ENDS
from tests.contract.recorded import FILES, deciders, golden, seen

SESSIONS = [golden(path) for path in FILES]
KEEPING = ("cognitive-flows", "execution-dispatcher")
OF_OPEN_RUNS = ("planning-desk", "response-desk")


def test_every_decider_that_folds_says_how_it_begins_in_a_long_session() -> None:
    found = {name: one for golden_ in SESSIONS for name, one in deciders(golden_.packs).items() if one.folds}
    assert {name for name, one in found.items() if one.is_settled is not None} == set(KEEPING)
    assert {name for name, one in found.items() if one.of_open_runs} == set(OF_OPEN_RUNS)
    assert set(found) == {*KEEPING, *OF_OPEN_RUNS}


@pytest.mark.parametrize("name", KEEPING)
def test_what_is_kept_is_read_back_as_the_same_state_that_goes_on_the_same_way(name: str) -> None:
    kept = 0
    for session in SESSIONS:
        handler = deciders(session.packs)[name]
        assert handler.is_settled is not None
        adapter, told = adapter_of(handler), [one for one in session.messages if one.type in handler.folds]
        state = handler.initial()
        for number, message in enumerate(told, 1):
            state = handler.evolve(state, seen(message))
            if not handler.is_settled(state):
                continue
            kept += 1
            read = adapter.validate_json(adapter.dump_json(state))
            assert read == state
            assert _folded(handler, told[number:], read) == _folded(handler, told, handler.initial())
    assert kept >= 15


@pytest.mark.parametrize("name", OF_OPEN_RUNS)
def test_what_is_of_open_runs_is_the_same_from_where_the_oldest_of_them_began(name: str) -> None:
    for session in SESSIONS:
        handler = deciders(session.packs)[name]
        begun: dict[Any, int] = {}
        for number, message in enumerate(session.messages, 1):
            if message.type == "MessageReceived":
                begun.setdefault(message.run_id, number)
            elif message.type in RUN_ENDS:
                begun.pop(message.run_id, None)
            so_far = session.messages[:number]
            first = min([number, *begun.values()])
            late = _folded(handler, so_far[first - 1 :], handler.initial())
            assert _open(late, begun) == _open(_folded(handler, so_far, handler.initial()), begun)


def _folded(handler: DecisionHandler[Any], messages: Any, state: Any) -> Any:
    for message in messages:
        if message.type in handler.folds:
            state = handler.evolve(state, seen(message))
    return state


def _open(state: Any, begun: dict[Any, int]) -> list[Any]:
    """What a state of a desk has of the runs that are open."""
    plans, approved = getattr(state, "plans", {}), getattr(state, "approved", {})
    runs, paused = getattr(state, "runs", {}), getattr(state, "paused", ())
    return [(run, plans.get(run), approved.get(run), runs.get(run), run in paused) for run in begun]
