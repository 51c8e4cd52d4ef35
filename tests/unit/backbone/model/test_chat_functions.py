"""Names of functions and calls, and what errors of SDKs mean, without a server."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from backbone.model.answers import AnswerUnusable, read_object
from backbone.model.chat.faults import fault_of, retry_after
from backbone.model.chat.functions import CallUnusable, RawCall, calls_of, function_name, wire_id
from contracts.errors import Code
from contracts.tools import ToolSpec

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


def tool(key: str) -> ToolSpec:
    return ToolSpec(tool_key=key, description="x", executor="data", entry="a.b:c")


def test_names_are_short_and_lead_back():
    long = tool("documents." + "very_long_" * 9)
    assert len(function_name(long.tool_key)) <= 64
    calls = calls_of([RawCall(function_name(long.tool_key), "a", "{}")], [long, tool("a.b")], ())
    assert calls[0].tool == long.tool_key


def test_a_name_with_two_marks_is_no_other_tool_s():
    both = [tool("a.b__c"), tool("a__b.c")]
    raw = [RawCall(function_name(one.tool_key), str(place), "") for place, one in enumerate(both)]
    assert [call.tool for call in calls_of(raw, both, ())] == ["a.b__c", "a__b.c"]


def test_calls_get_ids_of_their_own():
    raw = [RawCall("a__b", name, "{}") for name in ("x", "x", "", "y")]
    ids = [call.call_id for call in calls_of(raw, [tool("a.b")], ("y",))]
    assert len(set(ids)) == 4
    assert "y" not in ids
    assert wire_id("c:1/é") == "c_1__"


@pytest.mark.parametrize("arguments", ["[1]", '{"x"', "null", "7", "[" * 5000])
def test_arguments_are_an_object_or_refused(arguments: str):
    with pytest.raises(CallUnusable, match="a__b"):
        calls_of([RawCall("a__b", "1", arguments)], [tool("a.b")], ())


@pytest.mark.parametrize("text", ["", "no", "[1, 2]", "{'a': 1}", '{"a":' * 3000 + "1" + "}" * 3000])
def test_what_is_no_object_is_said_without_quoting_it(text: str):
    with pytest.raises(AnswerUnusable, match="JSON"):
        read_object(text)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": format_datetime(NOW + timedelta(seconds=30), usegmt=True)}, 30.0),
        ({"retry-after": format_datetime(NOW - timedelta(seconds=30), usegmt=True)}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({}, None),
    ],
)
def test_the_server_s_wish_to_wait_is_read_in_all_its_forms(headers: dict[str, str], seconds: float | None):
    assert retry_after(headers, NOW) == seconds


class StatusError(Exception):
    def __init__(self, status: int, word: str = "") -> None:
        super().__init__("a sentence with a secret")
        self.status_code, self.code = status, word


@pytest.mark.parametrize(
    ("error", "code", "passing"),
    [
        (StatusError(429), Code.MODEL_UNAVAILABLE, True),
        (StatusError(529), Code.MODEL_UNAVAILABLE, True),
        (StatusError(504), Code.MODEL_TIMEOUT, True),
        (StatusError(404), Code.MODEL_MISCONFIGURED, False),
        (StatusError(400, "content_filter"), Code.MODEL_REFUSED, False),
        (StatusError(400, "context_length_exceeded"), Code.MODEL_PROMPT_TOO_LONG, False),
        (ConnectionResetError("a secret"), Code.MODEL_UNAVAILABLE, True),
        (ValueError("a secret"), Code.MODEL_UNAVAILABLE, True),
        (TypeError("a secret"), Code.MODEL_UNAVAILABLE, False),
    ],
)
def test_an_error_of_an_sdk_is_told_by_what_it_means_and_not_in_its_words(error: Exception, code: Code, passing: bool):
    fault = fault_of(error)
    assert (fault.code, fault.passing) == (code, passing)
    assert "secret" not in str(fault)
