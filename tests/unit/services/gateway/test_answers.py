"""Whether an answer may be recorded."""

from uuid import UUID

import pytest

from contracts.errors import Code
from contracts.response import RunCompleted
from contracts.shape import Event, JsonObject
from services.gateway.domain.answers import check, judge
from services.gateway.domain.refusal import Refused, Repeated, short
from services.gateway.domain.session import AskedDecision, Session, evolve
from tests.unit.services.gateway.facts import ANSWERED, ASKED, DECISION, EXPIRED, SAID, stream

NEW = UUID(int=99)
GOOD: JsonObject = {"action": "approve"}


def given(*events: Event) -> Session:
    session = Session()
    for one in stream(*events):
        evolve(session, one)
    return session


def test_an_open_decision_takes_an_answer_that_fits() -> None:
    judged = judge(given(SAID, ASKED), DECISION, GOOD, NEW)
    assert isinstance(judged, AskedDecision)
    assert judged.request == ASKED


@pytest.mark.parametrize("close", [ANSWERED, EXPIRED, RunCompleted()])
def test_a_closed_one_takes_none(close: Event) -> None:
    with pytest.raises(Refused) as refused:
        judge(given(SAID, ASKED, close), DECISION, GOOD, NEW)
    assert refused.value.code is Code.DECISION_CLOSED


def test_an_unknown_one_is_unknown() -> None:
    with pytest.raises(Refused) as refused:
        judge(given(SAID), DECISION, GOOD, NEW)
    assert refused.value.code is Code.DECISION_UNKNOWN


def test_the_same_answer_again_is_the_earlier_one_and_another_is_refused() -> None:
    session = given(SAID, ASKED, ANSWERED)
    answer_id = session.asked[DECISION].answer_id
    assert answer_id
    assert judge(session, DECISION, GOOD, answer_id) == Repeated(3)
    with pytest.raises(Refused) as refused:
        judge(session, DECISION, {"action": "reject"}, answer_id)
    assert refused.value.code is Code.IDEMPOTENCY_KEY_REUSED


def test_every_fault_of_an_answer_is_named() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "array", "items": {"type": "string"}}},
        "required": ["c"],
    }
    with pytest.raises(Refused) as refused:
        check(schema, {"a": "x", "b": ["y", 1]}, DECISION)
    assert refused.value.code is Code.DECISION_ANSWER_INVALID
    assert [fault["path"] for fault in refused.value.errors] == ["", "/a", "/b/1"]
    assert "answer_schema" in refused.value.message


def test_a_reference_in_a_schema_fetches_nothing() -> None:
    with pytest.raises(Exception, match="Unresolvable"):
        check({"$ref": "http://127.0.0.1:1/schema"}, {}, DECISION)


def test_a_long_value_is_cut_in_a_sentence() -> None:
    assert len(short("x" * 10_000)) < 120
    assert short("a\nb") == "'a\\nb'"
