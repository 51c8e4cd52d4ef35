"""Opening a session for somebody: the shapes of it, and its record."""

from dataclasses import dataclass
from typing import Annotated, Self
from uuid import UUID, uuid5

from pydantic import Field, model_validator
from uuid_utils.compat import uuid7

from backbone.ledger.port import Append, Fact
from contracts.cognitive import Profile
from contracts.errors import Code
from contracts.gateway import SessionOpened
from contracts.registry import render
from contracts.shape import Contract, Language, Timezone
from services.gateway.commands.group_commit import GroupCommitter
from services.gateway.domain.refusal import Refused
from services.gateway.views.history import History
from services.gateway.views.protocol import Say

ANONYMOUS = "anonymous"
User = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^\S(.*\S)?$", description="whose memory it uses")]


class SessionRequest(Contract):
    """Body of POST /sessions: who speaks."""

    user: User = ANONYMOUS
    language: Language | None = Field(default=None, description="none = detect it per message")
    timezone: Timezone = Field(default="", description="IANA name; empty = that of the server's settings")
    name: str = Field(default="", max_length=100, description="how to address the person")

    def of(self, user: str | None) -> Self:
        """The same, of this person."""
        return self if user is None else self.model_copy(update={"user": user})

    def opened(self) -> SessionOpened:
        profile = Profile(name=self.name, timezone=self.timezone, language=self.language)
        return SessionOpened(user=self.user, profile=profile, language=self.language)


class RunRequest(Say):
    """Body of POST /agent/run and /agent/run-async. Without a session a new one is opened, for `user`."""

    session_id: UUID | None = None
    user: User | None = Field(default=None, description="of the new session; none = anonymous")
    profile: Profile | None = Field(default=None, description="of the new session's person")

    @model_validator(mode="after")
    def _a_session_keeps_its_person(self) -> Self:
        if self.session_id is not None and (self.user is not None or self.profile is not None):
            raise ValueError("user and profile are those of a new session: leave them out, or leave out session_id")
        return self

    def of(self, user: str | None) -> Self:
        """The same, of this person; a session that is there has its own."""
        return self if user is None or self.session_id is not None else self.model_copy(update={"user": user})

    def opened(self) -> SessionOpened:
        """The first event of the new session."""
        return SessionOpened(user=self.user or ANONYMOUS, profile=self.profile or Profile(), language=self.language)


class SessionAccepted(Contract):
    """Answer of POST /sessions."""

    session_id: UUID
    websocket_url: str
    version: int


@dataclass(frozen=True, slots=True)
class Opening:
    """The door for sessions that begin before their first message."""

    committer: GroupCommitter
    history: History

    async def open(self, request: SessionRequest, key: UUID | None, traceparent: str | None) -> UUID:
        """Records the session; with an Idempotency-Key once. Raises Refused when the key came with another request."""
        session_id, opened_id = (uuid5(key, "session"), uuid5(key, "opened")) if key else (uuid7(), uuid7())
        event = request.opened()
        fact = Fact(event, opened_id, None, opened_id, None, traceparent)
        appended = await self.committer.append(Append(session_id, key or opened_id, (fact,)))
        if not appended.fresh:
            (first,) = await self.history.page(session_id, 0, 1)
            if render(first.event) != render(event):
                raise Refused(
                    Code.IDEMPOTENCY_KEY_REUSED,
                    "this Idempotency-Key came with another session before: use a new key for a new session",
                )
        self.history.remember(session_id)
        return session_id
