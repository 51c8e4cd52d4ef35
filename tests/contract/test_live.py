"""What travels live has a closed shape as events have, and is none."""

import json

import pytest
from pydantic import ValidationError

from contracts.live import LogLine
from contracts.registry import EVENTS
from contracts.tools import LINE_LIMIT

EXAMPLE = json.dumps(LogLine.example)


def test_a_line_survives_the_way_over_the_bus_and_says_of_what_kind_it_is() -> None:
    line = LogLine.model_validate_json(EXAMPLE)
    sent = line.model_dump_json()
    assert json.loads(sent)["kind"] == "log"
    assert LogLine.model_validate_json(sent) == line


def test_a_line_is_no_event() -> None:
    assert LogLine.__name__ not in EVENTS


@pytest.mark.parametrize(
    "wrong", [{"line": "x" * (LINE_LIMIT + 1)}, {"kind": "chunk"}, {"left_out": -1}, {"attempt": 0}, {"surprise": 1}]
)
def test_what_is_no_line_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        LogLine.model_validate_json(json.dumps({**LogLine.example, **wrong}))
