"""A command has no sentence to tell its language by: the session has."""

import pytest

from contracts.cognitive import CognitiveOutput, Profile
from contracts.gateway import MessageReceived, SessionOpened
from tests.unit.services.cognitive.test_understanding import Listener, layer
from tests.unit.services.given import given_session, named


@pytest.mark.parametrize(
    ("profile", "before", "said", "language"),
    [
        ({"language": "ja"}, "안녕하세요", "8", "ja"),
        ({}, "세탁소는 몇 시에 닫아?", "8", "ko"),
        ({}, "", "부산", "ko"),
        ({}, "", "8 Busan", "en"),
    ],
)
async def test_a_command_speaks_the_language_of_the_session(profile, before, said, language):
    working = await given_session(layer(Listener()), SessionOpened(profile=Profile(**profile)))
    for earlier in filter(None, (before, "/noop 2")):
        await working.record(MessageReceived(text=earlier), named(earlier))
    happened = await working.when(MessageReceived(text=f"/noop {said}"))
    assert happened.only(CognitiveOutput).language == language
