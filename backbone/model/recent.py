"""What a model is told of a session: its summary and its last turns, read from the end of the stream, as they stood
before a message. It costs the same after 20 turns and after 500. Layers without a model for their role read nothing."""

from dataclasses import dataclass
from uuid import UUID

from backbone.ledger.port import Ledger
from backbone.model.port import NO_CONVERSATION, Conversation
from backbone.model.provider import uses_model
from backbone.model.turns import TYPES, ConversationHistory, Said, read_back
from backbone.settings import Settings
from contracts.envelope import Message
from contracts.model import ModelRole

LOOK = 40
"""Events read back: eight turns with a question and its answer each, and the summary before them."""
FIRST_MESSAGE = 2
"""Nothing was said before this version."""


async def conversation_of(
    ledger: Ledger, session_id: UUID, before_version: int, run_id: UUID | None = None
) -> Conversation:
    """The conversation as it stood before a version; `run_id` is a run that is under way and is left out."""
    if before_version <= FIRST_MESSAGE:
        return NO_CONVERSATION
    talk = await talk_of(ledger, session_id, before_version)
    history = tuple(turn for one in talk.recent() if one.run_id != run_id or run_id is None for turn in one.lines())
    return Conversation(summary=talk.summary.summary if talk.summary else "", history=history)


async def talk_of(ledger: Ledger, session_id: UUID, before_version: int, look: int = LOOK) -> ConversationHistory:
    """The last turns of a session and its newest summary."""
    newest = await ledger.latest(session_id, TYPES, look, before_version)
    return read_back([Said(message.version, message.run_id, message.event) for message in reversed(newest)])


@dataclass(frozen=True, slots=True)
class Recent:
    """Reads the conversation before the run of a message; without a ledger nothing."""

    ledger: Ledger | None

    async def before(self, message: Message) -> Conversation:
        if self.ledger is None:
            return NO_CONVERSATION
        return await conversation_of(self.ledger, message.session_id, message.version, message.run_id)


NO_HISTORY = Recent(None)
"""Where no model asks."""


def recent(settings: Settings, ledger: Ledger, *roles: ModelRole) -> Recent:
    return Recent(ledger if any(uses_model(settings, role) for role in roles) else None)
