"""Who speaks, and what their flows had said when they spoke: read from the session's own stream."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from backbone.ledger.port import Ledger
from contracts.cognitive import FlowAdvanced, FlowStage, Profile
from contracts.envelope import Message
from contracts.gateway import SessionOpened
from contracts.shape import JsonObject

_OPENED, _MOVES = frozenset({"SessionOpened"}), frozenset({"SessionOpened", "MessageReceived", "FlowAdvanced"})
MOVES = 512
"""So many of a session's newest moves and messages are looked at: what a sentence refers to without naming it was not
long ago."""
JUST_NOW = timedelta(minutes=5)
"""For so long after its end a flow is what a bare "yes" or "cancel" is about."""


@dataclass(frozen=True, slots=True)
class Speaking:
    """A person at the moment of a message. `now` is in their time zone; `moves` are those recorded before it;
    `just_asked` says that the message before this one was to a flow, whose question is the last that was said."""

    user: str
    profile: Profile
    now: datetime
    moves: Sequence[tuple[datetime, FlowAdvanced]] = ()
    just_asked: bool = True

    @property
    def flow(self) -> FlowAdvanced | None:
        """The flow that waits for this turn: of several open ones, the one that spoke last."""
        return next((state for _, state in self._newest() if state.is_open), None)

    @property
    def addressed(self) -> FlowAdvanced | None:
        """The flow that a bare word is about: the open one, else one at work, else one that has just ended."""
        if (open_ := self.flow) is not None:
            return open_
        newest = [(at, state) for at, state in self._newest()]
        busy = next((state for _, state in newest if state.stage is FlowStage.CONFIRMED), None)
        return busy or next((state for at, state in newest if self.now - at <= JUST_NOW), None)

    def has_spoken_since(self, state: FlowAdvanced) -> bool:
        """Whether another flow was the last that spoke: the question of this one is not what the person has before
        them."""
        newest = next((move for _, move in self._newest()), None)
        return newest is not None and newest.flow != state.flow

    def executed(self, flow: str) -> list[JsonObject]:
        """Slots of the tasks that a flow has carried out, oldest first."""
        done = (state for _, state in self.moves if state.stage is FlowStage.EXECUTED and state.flow == flow)
        return [state.slots for state in done]

    def booked(self, flow: str) -> list[JsonObject]:
        """Those of `executed` that were to take effect on a later day, as their tool said."""
        done = (state for _, state in self.moves if state.stage is FlowStage.EXECUTED and state.flow == flow)
        return [state.slots for state in done if state.result.get("booked") is True]

    def _newest(self) -> Iterator[tuple[datetime, FlowAdvanced]]:
        """The last move of each flow, the newest first."""
        seen: set[str] = set()
        for at, state in reversed(self.moves):
            if state.flow not in seen:
                seen.add(state.flow)
                yield at, state


async def who_speaks(ledger: Ledger, message: Message, timezone: str, *, with_flows: bool) -> Speaking:
    """`timezone` is that of people who have not said theirs. What came after the message was not seen by them."""
    user, profile = "anonymous", Profile()
    moves: list[tuple[datetime, FlowAdvanced]] = []
    found = await ledger.latest(message.session_id, _MOVES if with_flows else _OPENED, MOVES, message.version)
    if len(found) == MOVES:
        found += await ledger.read(message.session_id, limit=1)
    for one in reversed(found):
        event = one.event
        if isinstance(event, SessionOpened):
            user, profile = event.user, event.profile
        elif isinstance(event, FlowAdvanced):
            moves.append((one.recorded_at, event))
    profile = profile.model_copy(update={"timezone": profile.timezone or timezone})
    before = next((one for one in found if one.version < message.version), None)
    just_asked = before is not None and isinstance(before.event, FlowAdvanced)
    now = message.recorded_at.astimezone(ZoneInfo(profile.timezone))
    return Speaking(user, profile, now, moves, just_asked)
