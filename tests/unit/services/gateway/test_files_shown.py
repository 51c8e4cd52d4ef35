"""Which files a frame shows: those that it names as what they are, and none that somebody has written into it."""

import orjson
import pytest

from contracts.artifacts import Attachment
from contracts.cognitive import CognitiveOutput
from contracts.decisions import DecisionAnswered
from contracts.gateway import ArtifactUploaded, MessageReceived, PlanEdited
from contracts.shape import Event
from services.gateway.domain.files import files_in, files_of_frame
from services.gateway.views.protocol import frame
from tests.unit.services.gateway.facts import ANSWER, DECISION, RUN, SAID, message

OWN, OTHERS = "a" * 64, "b" * 64
FILE = Attachment(
    artifact_id=OWN, name="a.csv", media_type="text/csv", size=1, type="file.table", meta={"artifact_id": OTHERS}
)
WRITTEN = orjson.loads(FILE.model_copy(update={"artifact_id": OTHERS}).model_dump_json())
ANSWERS = DecisionAnswered(decision_id=DECISION, kind="plan", answer={"attachments": [WRITTEN]}, answered_by="lee")
EDITS = PlanEdited(plan_id=RUN, plan_version=1, patch=({"op": "add", "path": "/-", "value": WRITTEN},))


@pytest.mark.parametrize(
    "event",
    [
        ArtifactUploaded(attachment=FILE),
        MessageReceived(text=orjson.dumps(WRITTEN).decode(), attachments=(FILE,)),
        ANSWER.model_copy(update={"attachments": (FILE,)}),
    ],
)
def test_a_frame_shows_the_files_that_it_is_about(event: Event) -> None:
    assert files_of_frame(frame(message(event, 1)).decode()) == {OWN}
    assert list(files_in({"events": [event]})) == [OWN]


@pytest.mark.parametrize("event", [SAID, ANSWERS, EDITS])
def test_what_somebody_has_written_into_it_shows_nothing(event: Event) -> None:
    assert files_of_frame(frame(message(event, 1)).decode()) == set()


def test_what_cannot_be_read_shows_nothing() -> None:
    for told in (
        {"type": "event", "event": "OfANewerGateway", "data": {"attachment": WRITTEN}},
        {"type": "event", "event": CognitiveOutput.__name__, "data": {"attachments": [WRITTEN]}},
        {"type": "error", "message": "x", "artifact_id": OTHERS},
    ):
        assert files_of_frame(orjson.dumps(told).decode()) == set()
