"""Conversations for tests: a session in memory with a number of turns in it."""

from dataclasses import dataclass
from uuid import uuid4

from backbone.model.port import Conversation
from backbone.model.recent import conversation_of
from backbone.runner.handlers import WorkHandler
from contracts.cognitive import OutputFormat
from contracts.gateway import MessageReceived, SessionOpened
from contracts.response import ResponseOutput, RunCompleted
from tests.unit.services.given import Working


def said(text: str, language: str = "ko") -> ResponseOutput:
    return ResponseOutput(format=OutputFormat.TEXT, text=text, language=language)


def _unused(ledger: object) -> WorkHandler:
    raise NotImplementedError


@dataclass
class Talking(Working):
    """A session that can be read back."""

    async def head(self) -> int:
        return await self.ledger.head(self.session)

    async def read_back(self) -> Conversation:
        return await conversation_of(self.ledger, self.session, await self.head() + 1)


async def answered(working: Working, number: int) -> None:
    """A turn: a question, an answer, the end of the run."""
    run = uuid4()
    for event in (MessageReceived(text=f"질문 {number}"), said(f"답 {number}"), RunCompleted()):
        await working.record(event, run)


async def conversation(turns: int, user: str = "mina") -> Talking:
    talking = Talking(_unused)
    await talking.record(SessionOpened(user=user), None)
    for number in range(1, turns + 1):
        await answered(talking, number)
    return talking
