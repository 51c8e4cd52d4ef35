"""How many new traces a second there are, whatever comes in."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from prometheus_client import REGISTRY

from backbone.liveness.view import Liveness, State
from backbone.telemetry import tracing
from backbone.telemetry.sampling import Sampler
from services.gateway.commands.runs import start
from services.gateway.commands.sessions import RunRequest
from services.gateway.ops.views import run_view

CALLER = "00-5bf92f3577b34da6a3ce929d0e0e4736-10f067aa0ba902b7-0"


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def traced(sampler: Sampler, runs: int) -> int:
    return sum(tracing.recorded(sampler.begin(uuid4())) for _ in range(runs))


def untraced(reason: str) -> float:
    return REGISTRY.get_sample_value("dream_runs_untraced_total", {"reason": reason}) or 0.0


def test_a_saturated_process_begins_so_many_traces_a_second_and_a_quiet_one_all() -> None:
    clock, before = Clock(), untraced("rate")
    sampler = Sampler(1.0, 3.0, clock)
    assert traced(sampler, 50) == 3, "a second's worth at once"
    for _ in range(40):
        clock.now += 0.25
        traced(sampler, 20)
    assert 77 + 817 > untraced("rate") - before > 810
    clock.now += 3600
    assert traced(sampler, 50) == 3, "an idle hour is not made up for"
    for _ in range(100):
        clock.now += 1
        assert traced(sampler, 2) == 2


def test_less_than_one_a_second_is_one_in_so_many_seconds() -> None:
    clock = Clock()
    sampler = Sampler(1.0, 0.1, clock)
    found = []
    for _ in range(61):
        found.append(traced(sampler, 4))
        clock.now += 1.0001
    assert sum(found) == 7 and max(found) == 1


def test_what_is_outside_of_the_share_takes_nothing_of_the_rate() -> None:
    clock, before = Clock(), untraced("ratio")
    sampler = Sampler(0.2, 10.0, clock)
    assert traced(sampler, 400) == 10
    assert 250 < untraced("ratio") - before < 390
    assert traced(Sampler(0.0, 10.0, clock), 50) == 0


@pytest.fixture
def nothing_left(monkeypatch: pytest.MonkeyPatch) -> None:
    empty = Sampler(1.0, 1.0, Clock())
    traced(empty, 1)
    monkeypatch.setattr(tracing, "_sampler", empty)


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("flag", ["1", "0"])
def test_a_caller_who_has_decided_is_obeyed_whatever_is_left(flag: str) -> None:
    asked = RunRequest(text="여름 캠페인 정리해줘")
    assert start(asked, None, None, CALLER + flag).traceparent == CALLER + flag
    own = start(asked, None, None, None)
    assert not tracing.recorded(own.traceparent) and tracing.trace_id(own.traceparent) == own.run_id.hex


def test_the_settings_bound_what_begins_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "_sampler", None)
    tracing.configure(None, ratio=1.0, per_second=2.0)
    assert sum(tracing.recorded(tracing.new_traceparent(uuid4())) for _ in range(9)) == 2


@pytest.mark.parametrize("flag", ["1", "0"])
def test_a_run_without_a_trace_has_no_page_of_it(flag: str) -> None:
    now = datetime(2026, 5, 6, tzinfo=UTC)
    seen = Liveness(UUID(int=1), UUID(int=2), "x", "en", now, State.WAITING, "MessageReceived", (), CALLER + flag)
    view = run_view(seen, "https://viewer.example/{trace_id}")
    assert view.trace_id == CALLER[3:35]
    assert view.trace_url == (f"https://viewer.example/{CALLER[3:35]}" if flag == "1" else None)
