"""Which messages the layers take before the ledger was asked about them: those for which nothing outside is asked
(docs/adr/0081)."""

from typing import Any

import pytest

from backbone.kept.arrivals import Arrivals
from backbone.model.offline import OfflineProvider
from backbone.runner.handlers import WorkHandler
from contracts.cognitive import CognitiveOutput, FlowAdvanced
from contracts.decisions import DecisionAnswered
from contracts.envelope import Message
from contracts.execution import ExecutionOutput
from contracts.gateway import MessageReceived
from contracts.model import ModelRole
from contracts.planning import PlanRejected
from contracts.shape import Event
from services.cognitive.handlers import Understanding
from services.planning.approval import ApprovalRequests
from services.planning.handlers import Planner
from services.planning.planner import PLANNER, PlanGenerator, chain_offline
from services.planning.proposal import PlanProposer
from services.response.formatter import ResponseGenerator
from services.response.handlers import Responder
from services.response.report import Report
from tests.conformance.facts import message
from tests.fakes.kept import MemoryKept
from tests.fakes.ledger import MemoryLedger
from tests.unit.services.catalogues import catalogue
from tests.unit.services.plans import file
from understanding.port import TopicFinder

TABLE = file("file.table")
SAID = MessageReceived(text="hello")
UNDERSTOOD = CognitiveOutput.model_validate(CognitiveOutput.example).model_copy(update={"attachments": ()})


def handler(layer: str, *, asks_models: bool) -> WorkHandler:
    packs, ledger = catalogue(), MemoryLedger()
    if layer == "cognitive":
        return Understanding(None, {}, packs, ledger, 60, asks_models=asks_models).handler()
    if layer == "response":
        generator = ResponseGenerator(packs)
        return Responder(packs, generator, Report(generator), ledger, asks_models=asks_models).handler()
    plans = PlanGenerator(packs)
    proposer = PlanProposer(OfflineProvider({ModelRole.PLANNER: (PLANNER, chain_offline)}), plans)
    asks, arrivals = ApprovalRequests(packs, 60), Arrivals(MemoryKept())
    return Planner(packs, plans, proposer, asks, ledger, TopicFinder([]), arrivals, asks_models=asks_models).handler()


CASES: list[tuple[str, Event, bool]] = [
    ("cognitive", SAID, True),
    ("cognitive", SAID.model_copy(update={"attachments": (TABLE,)}), False),  # executors look at the file
    ("cognitive", DecisionAnswered.model_validate(DecisionAnswered.example), False),
    ("planning", UNDERSTOOD, True),
    ("planning", UNDERSTOOD.model_copy(update={"attachments": (TABLE,)}), False),
    ("planning", FlowAdvanced.model_validate(FlowAdvanced.example), True),
    ("planning", PlanRejected.model_validate(PlanRejected.example), False),
    ("response", ExecutionOutput.model_validate(ExecutionOutput.example), True),
]


@pytest.mark.parametrize(("layer", "event", "early"), CASES, ids=lambda one: getattr(type(one), "__name__", one))
def test_messages_for_which_somebody_outside_is_asked_are_asked_about_first(
    layer: str, event: Any, early: bool
) -> None:
    said: Message = message()
    assert handler(layer, asks_models=False).effectless(said, event) is early
    assert handler(layer, asks_models=True).effectless(said, event) is False
