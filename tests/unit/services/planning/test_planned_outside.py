"""Tools of MCP servers in a plan: a command's arguments, or those that a model planner says, as exactly these."""

from typing import Any

import pytest

from backbone.mcp.catalogue import GrowingCatalogue, with_servers
from backbone.mcp.config import ServerSpec
from backbone.mcp.offers import offer_of
from backbone.packs import load
from contracts.cognitive import CognitiveOutput, Intent, PackCommand, PlanHint, Route
from contracts.gateway import MessageReceived
from contracts.shape import JsonObject
from services.cognitive.commands import read_command
from services.planning.domain.dependency import PlanInvalid
from services.planning.planner import PlanGenerator, PlannedStep, PlannerQuestion
from tests.unit.services.given import named

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}, "tags": {"type": "array"}},
    "required": ["city"],
    "additionalProperties": False,
}


@pytest.fixture
def catalogue() -> GrowingCatalogue:
    made = with_servers(load(("platform",)), {"sky": ServerSpec(command="sky")})
    assert isinstance(made, GrowingCatalogue)
    made.join(offer_of("sky", made.servers["sky"], [{"name": "forecast", "inputSchema": SCHEMA}]))
    return made


def understood(**hint: Any) -> CognitiveOutput:
    intent = Intent(domain="COMMAND", confidence=1.0)
    return CognitiveOutput(text="x", language="en", intent=intent, plan_hint=PlanHint(**hint), route=Route.PLAN)


@pytest.mark.parametrize(
    ("words", "args"),
    [
        ("Seoul", {"city": "Seoul"}),
        ("2026", {"city": "2026"}),
        ("days=3 'New York'", {"city": "New York", "days": 3}),
        ('city=Seoul \'tags=["a", "b"]\'', {"city": "Seoul", "tags": ["a", "b"]}),
        ('{"city": "Seoul", "days": 3}', {"city": "Seoul", "days": 3}),
        ("city=a=b", {"city": "a=b"}),
    ],
)
def test_a_command_takes_words_names_or_json(catalogue, words, args):
    commands = {name: command for name, (_, command) in catalogue.commands.items()}
    output = read_command(MessageReceived(text=f"/mcp_sky_forecast {words}", language="en"), commands, catalogue.say)
    assert output is not None
    assert output.plan_hint.command == PackCommand(name="mcp_sky_forecast", args=args)
    (todo,) = PlanGenerator(catalogue).from_command(named("plan"), output, output.plan_hint.command).todos
    assert (todo.tool, todo.executor, todo.params, todo.title) == ("mcp_sky.forecast", "mcp", args, "sky: forecast")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ('{"city": NaN}', "JSON"),
        ('{"city"', "JSON"),
        ('{"city": "a"} b', "JSON"),
        ("'open", "따옴표"),
        ("Seoul 3", "값을 1개 받는데 2개"),
    ],
)
def test_words_that_cannot_be_read_are_told(catalogue, words, why):
    commands = {name: command for name, (_, command) in catalogue.commands.items()}
    output = read_command(MessageReceived(text=f"/mcp_sky_forecast {words}", language="ko"), commands, catalogue.say)
    assert output is not None
    assert output.error is not None
    assert output.error.message.startswith("/mcp_sky_forecast")
    assert why in output.error.message


def test_a_model_sees_it_in_the_catalogue_and_says_its_arguments(catalogue):
    question = PlannerQuestion(hint=PlanHint(), available=(), tools=tuple(catalogue.tools.values()))
    (entry,) = (one for one in question.menu if one["tool"] == "mcp_sky.forecast")
    assert entry["parameters"] == SCHEMA
    step = PlannedStep(tool="mcp_sky.forecast", params={"city": "Seoul"})
    (todo,) = PlanGenerator(catalogue).from_steps(named("plan"), understood(), (step,)).todos
    assert todo.params == {"city": "Seoul"}


def test_arguments_that_a_model_made_up_are_no_plan(catalogue):
    step = PlannedStep(tool="mcp_sky.forecast", params={"town": "Seoul"})
    with pytest.raises(PlanInvalid):
        PlanGenerator(catalogue).from_steps(named("plan"), understood(), (step,))
