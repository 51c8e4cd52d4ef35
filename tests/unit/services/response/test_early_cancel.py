"""A cancel before the plan is approved ends the run at once; after that the dispatcher does."""

import pytest

from backbone.runner.handlers import WorkHandler
from contracts.cognitive import CognitiveOutput, Intent
from contracts.errors import Code, ErrorInfo
from contracts.gateway import MessageReceived, RunControl, RunControlRequested
from contracts.planning import PlanRejected
from contracts.response import RunCancelled, RunCompleted
from contracts.shape import Event
from services.response.formatter import ResponseGenerator
from services.response.handlers import Responder, response_desk_handler
from services.response.report import Report
from tests.fakes.ledger import MemoryLedger
from tests.unit.services.catalogues import catalogue
from tests.unit.services.given import OTHER_RUN, In, given, given_session, named
from tests.unit.services.plans import SAID, approved

CATALOGUE = catalogue()
HANDLER = response_desk_handler(CATALOGUE)
CANCEL = RunControlRequested(control=RunControl.CANCEL)


def understood(language: str = "ko", **fields: object) -> CognitiveOutput:
    given_fields = {"text": "x", "language": language, "intent": Intent(domain="X", confidence=1), "route": "plan"}
    return CognitiveOutput.model_validate(given_fields | fields)


def cancelled(language: str) -> RunCancelled:
    return RunCancelled(reason="requested", message=CATALOGUE.say(language, "run.cancelled"))


@pytest.mark.parametrize(
    ("history", "language"),
    [
        ([MessageReceived(text="リポートを作って")], "ja"),
        ([MessageReceived(text="リポートを作って", language="en")], "en"),
        ([SAID, understood("en")], "en"),
        ([SAID, understood("en", error=ErrorInfo(code=Code.INTERNAL, message="x"))], "ko"),
    ],
)
def test_an_early_cancel_ends_the_run_in_the_persons_language(history: list[Event], language: str) -> None:
    given(HANDLER, *history).when(CANCEL).then(cancelled(language))


def test_it_ends_once() -> None:
    story = given(HANDLER, SAID)
    story.when(CANCEL)
    story.when(CANCEL).then_nothing()


@pytest.mark.parametrize("event", [approved(), RunCompleted()])
def test_an_approved_or_ended_run_is_left_to_others(event: Event) -> None:
    given(HANDLER, SAID, event).when(CANCEL).then_nothing()
    # also when it comes while the cancel waits to be decided
    given(HANDLER, SAID).when(event, CANCEL).then_nothing()


@pytest.mark.parametrize("control", [RunControl.PAUSE, RunControl.INTERRUPT, RunControl.RESUME])
def test_other_controls_end_nothing(control: RunControl) -> None:
    given(HANDLER, SAID).when(RunControlRequested(control=control)).then_nothing()


def test_another_run_goes_on() -> None:
    given(HANDLER, SAID).when(In(OTHER_RUN, CANCEL)).then_nothing()


@pytest.mark.parametrize(
    "event",
    [
        understood(route="answer", answer="네."),
        understood(error=ErrorInfo(code=Code.INTENT_UNSUPPORTED, message="x")),
        PlanRejected(plan_id=named("plan"), plan_version=1, final=True),
    ],
)
async def test_what_comes_after_the_cancel_ends_the_run_no_second_time(event: Event) -> None:
    def responder(ledger: MemoryLedger) -> WorkHandler:
        generator = ResponseGenerator(CATALOGUE)
        return Responder(CATALOGUE, generator, Report(generator), ledger).handler()

    session = await given_session(responder, SAID, CANCEL, cancelled("ko"))
    (await session.when(event)).then_nothing()
