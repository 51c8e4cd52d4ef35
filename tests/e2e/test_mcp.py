"""The tool of a real MCP server process, through the whole product: planned by a command, confirmed, called."""

from collections.abc import AsyncIterator

import pytest

from tests.e2e.person import Json, Person, of, only
from tests.e2e.world import World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


@pytest.fixture
async def user(bank_house: World) -> AsyncIterator[Person]:
    async with Person(bank_house.stack.url) as person:
        yield person


def effects(bank_house: World) -> list[str]:
    file = bank_house.folder / "effects"
    return file.read_text().splitlines() if file.exists() else []


async def asked_about(user: Person, text: str) -> tuple[Json, Json]:
    """A run of one call, and the question about it; there is none about the plan."""
    run = await user.say(text, language="en")
    question = await user.question(run["session_id"], "tool")
    assert [one["kind"] for one in of(await user.events(run["session_id"]), "DecisionRequested")] == ["tool"]
    return run, question


async def test_a_tool_of_a_server_is_planned_confirmed_with_exactly_these_arguments_and_called_once(bank_house, user):
    run, question = await asked_about(user, '/mcp_toys_send_letter {"to": "mum", "text": "see you"}')
    assert question["question"].startswith("May I do this: toys: send_letter? (mcp_toys.send_letter: ")
    assert question["subject"]["params"] == {"to": "mum", "text": "see you"}
    assert effects(bank_house) == []
    await user.answer(run["session_id"], question, action="approve")
    events = await user.end_of(run)
    text = only(events, "ResponseOutput", run)["text"].splitlines()
    assert text[:2] == ["“toys” answered to “send_letter”:", "sent to mum"]
    assert only(events, "TodoSucceeded", run)["result"]["server"] == "toys"
    assert effects(bank_house) == ["mum: see you"]


async def test_a_tool_that_is_refused_is_never_called(bank_house, user):
    before = effects(bank_house)
    run, question = await asked_about(user, "/mcp_toys_send_letter boss text='I quit'")
    assert question["subject"]["params"] == {"to": "boss", "text": "I quit"}
    await user.answer(run["session_id"], question, action="reject")
    await user.end_of(run)
    assert effects(bank_house) == before


async def test_a_server_that_dies_in_the_middle_of_a_call_is_not_asked_again(bank_house, user):
    before = effects(bank_house)
    run, question = await asked_about(user, "/mcp_toys_die dad")
    await user.answer(run["session_id"], question, action="approve")
    events = await user.end_of(run)
    assert of(events, "TodoFailed", run)[-1]["error"]["code"] == 6008
    assert effects(bank_house)[len(before) :] == ["dad: farewell"]


async def test_what_the_operator_has_freed_runs_on_the_plans_approval_alone(user):
    run = await user.say("/mcp_toys_add first=20 second=22", language="en")
    plan = await user.question(run["session_id"])
    await user.answer(run["session_id"], plan, action="approve")
    events = await user.end_of(run)
    assert only(events, "TodoSucceeded", run)["result"]["structured"] == {"sum": 42}
    assert not [one for one in of(events, "DecisionRequested", run) if one["kind"] == "tool"]


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("/mcp_toys_add one 2", 4004, "/mcp_toys_add <first> <second>"),
        ('/mcp_toys_add {"first": 1', 4004, "as JSON"),
        ("/mcp_gone_add 1 2", 4003, "“gone” cannot be reached"),
    ],
)
async def test_a_command_that_cannot_be_planned_says_why(user, text, code, words):
    run = await user.say(text, language="en")
    events = await user.end_of(run)
    (failed,) = of(events, "RunFailed", run)
    assert (failed["error"]["code"], words in failed["error"]["message"]) == (code, True), failed
