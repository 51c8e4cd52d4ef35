"""What each kind of tests took, at the end of a run: seconds of the processes that ran them, fixtures included."""

from collections import Counter, defaultdict
from time import monotonic

import pytest

from tests.support.distribution import kind_of, rank_of

_tests: Counter[str] = Counter()
_seconds: defaultdict[str, float] = defaultdict(float)
_began = monotonic()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    kind = kind_of(report.nodeid)
    _seconds[kind] += report.duration
    _tests[kind] += report.when == "setup"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if len(_tests) < 2:
        return
    terminalreporter.section("time by kind")
    for kind in sorted(_tests, key=rank_of):
        terminalreporter.write_line(f"{kind:<14}{_tests[kind]:>6} tests{_seconds[kind]:>8.0f} s")
    terminalreporter.write_line(f"{'all':<14}{_tests.total():>6} tests{monotonic() - _began:>8.0f} s by the clock")
