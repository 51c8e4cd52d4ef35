"""The policy by which todos and messages are tried again."""

import pytest

from contracts.errors import Code
from contracts.retry import RetryPolicy

POLICY = RetryPolicy(4, initial_interval=3, backoff=2, maximum_interval=10, non_retryable={Code.TOOL_UNKNOWN})


def test_pauses_grow_by_the_backoff_up_to_the_longest():
    assert [POLICY.pause(failures) for failures in (1, 2, 3, 30)] == [3, 6, 10, 10]


def test_the_first_attempt_counts_among_the_attempts():
    assert [POLICY.allows(failures) for failures in (1, 2, 3, 4)] == [True, True, True, False]


@pytest.mark.parametrize(("code", "again"), [(Code.TOOL_UNKNOWN, False), (Code.TOOL_TIMEOUT, True)])
def test_some_failures_end_it_whatever_is_left(code, again):
    assert POLICY.allows(1, code) is again
