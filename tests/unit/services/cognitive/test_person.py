"""Who speaks, and what their flows had said: read from the session, however long it is."""

from uuid import uuid4

from contracts.cognitive import FlowAdvanced, Profile
from contracts.gateway import MessageReceived, SessionOpened
from services.cognitive.person import MOVES, who_speaks
from tests.unit.services.cognitive.talks import Talking, _unused, conversation


async def _asked(talking: Talking):
    await talking.record(MessageReceived(text="보내"), uuid4())
    (message,) = await talking.ledger.latest(talking.session, frozenset({"MessageReceived"}), 1)
    return await who_speaks(talking.ledger, message, "UTC", with_flows=True)


async def _moved(talking: Talking, turn: int) -> None:
    await talking.record(FlowAdvanced.model_validate({**FlowAdvanced.example, "turn": turn}), uuid4())


async def test_in_a_long_session_the_newest_moves_are_looked_at_and_the_person_is_still_known():
    talking = Talking(_unused)
    await talking.record(SessionOpened(user="mina", profile=Profile(timezone="Asia/Seoul")), None)
    for turn in range(1, MOVES + 20):
        await _moved(talking, turn)
    who = await _asked(talking)
    assert (who.user, who.profile.timezone, len(who.moves)) == ("mina", "Asia/Seoul", MOVES)
    assert who.flow is not None and who.flow.turn == MOVES + 19


async def test_what_was_said_after_the_message_was_not_seen():
    talking = await conversation(1)
    await _moved(talking, 1)
    await talking.record(MessageReceived(text="보내"), uuid4())
    (message,) = await talking.ledger.latest(talking.session, frozenset({"MessageReceived"}), 1)
    await _moved(talking, 2)
    who = await who_speaks(talking.ledger, message, "Asia/Tokyo", with_flows=True)
    assert (who.user, who.profile.timezone) == ("mina", "Asia/Tokyo")
    assert [move.turn for _, move in who.moves] == [1]


async def test_a_message_is_just_asked_about_where_a_flow_spoke_last():
    talking = await conversation(1)
    await _moved(talking, 1)
    assert (await _asked(talking)).just_asked
    assert not (await _asked(talking)).just_asked  # the message before it moved no flow
    await _moved(talking, 2)
    assert (await _asked(talking)).just_asked
