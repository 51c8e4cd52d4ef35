"""What was asked for before: a yes to a dialogue says that it was about that."""

from uuid import uuid4

from contracts.cognitive import CognitiveOutput, Intent, Route, Task
from contracts.context import Requested
from contracts.gateway import MessageReceived
from services.cognitive.context import Surroundings
from tests.unit.services.cognitive.talks import Talking, conversation


async def last(talking: Talking) -> Requested | None:
    received = MessageReceived(text="뭐가 예약돼 있어?")
    message = await talking.record(received, uuid4())
    _, context = await Surroundings(talking.ledger).context(message, received, ())
    return context.last


async def understood(talking: Talking, intent: str, route: Route, *tasks: Task) -> None:
    named = Intent(domain=intent, confidence=1.0)
    await talking.record(CognitiveOutput(text="x", language="ko", intent=named, route=route, tasks=tasks), uuid4())


async def test_a_yes_is_about_the_dialogue_that_it_is_said_in() -> None:
    talking = await conversation(1)
    await understood(talking, "WEATHER", Route.PLAN, Task(intent="WEATHER", slots={"place": "대전"}))
    await understood(talking, "TRANSFER", Route.FLOW)
    assert await last(talking) == Requested(intent="TRANSFER")


async def test_small_talk_is_about_nothing() -> None:
    talking = await conversation(1)
    await understood(talking, "WEATHER", Route.PLAN, Task(intent="WEATHER", slots={"place": "대전"}))
    await understood(talking, "GENERAL", Route.ANSWER)
    assert await last(talking) == Requested(intent="WEATHER", slots={"place": "대전"})
