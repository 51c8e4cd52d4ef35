"""What a session's last turns and its summary were, for the layers after the first: a bounded look back from a message.

Without a model for the role nothing is read: the offline one has no use for it."""

from dataclasses import dataclass

from backbone.ledger.port import Ledger
from backbone.model.port import NO_CONVERSATION, Conversation
from backbone.model.provider import uses_model
from backbone.settings import Settings
from contracts.cognitive import SessionSummarized, Turn
from contracts.envelope import Message
from contracts.gateway import MessageReceived
from contracts.model import ModelRole
from contracts.response import ResponseOutput

SPOKEN = frozenset({"MessageReceived", "ResponseOutput", "SessionSummarized"})
TURNS = 4
LOOK = 24
"""Events: four turns, the one under way, and the summary that is at most eight turns old."""
FIRST_ANSWER = 3
"""No answer stands before this version, so there is nothing to look back to."""


@dataclass(frozen=True, slots=True)
class Recent:
    """Reads the conversation before the run of a message; without a ledger nothing."""

    ledger: Ledger | None

    async def before(self, message: Message) -> Conversation:
        if self.ledger is None or message.version <= FIRST_ANSWER:
            return NO_CONVERSATION
        newest = await self.ledger.latest(message.session_id, SPOKEN, LOOK, message.version)
        summary = next((one.event.summary for one in newest if isinstance(one.event, SessionSummarized)), "")
        sides = [turn for one in newest if one.run_id != message.run_id and (turn := _turn(one))]
        return Conversation(summary=summary, history=tuple(reversed(sides[: 2 * TURNS])))


SILENT = Recent(None)
"""Where no model asks."""


def recent(settings: Settings, ledger: Ledger, *roles: ModelRole) -> Recent:
    return Recent(ledger if any(uses_model(settings, role) for role in roles) else None)


def _turn(message: Message) -> Turn | None:
    match message.event:
        case MessageReceived(text=text):
            return Turn(role="user", text=text)
        case ResponseOutput(text=text) if text:
            return Turn(role="assistant", text=text)
        case _:
            return None
