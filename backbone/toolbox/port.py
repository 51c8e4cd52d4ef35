"""What services ask of the toolbox. Two adapters, one conformance suite (tests.conformance.toolbox_conformance).

All or nothing: a lease covers every group of its want, or there is none. Nobody holds one group while waiting for
another."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Holder:
    """Who wants or holds: one todo of one run. It has one lease or one place in line at a time."""

    session_id: UUID
    run_id: UUID
    todo_id: str


@dataclass(frozen=True, slots=True)
class Want:
    """A call of `tool` would hold all `groups` at once. `capacity` is that of each of them; that of the newest want
    counts."""

    holder: Holder
    tool: str
    groups: tuple[str, ...]
    capacity: int
    ttl_seconds: float

    def __post_init__(self) -> None:
        if not self.groups or self.capacity < 1 or self.ttl_seconds <= 0:
            raise ValueError(f"a want names groups, a capacity of 1 or more and a ttl above 0, not {self!r}")


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to use a tool until `expires_at` by the toolbox's clock. `groups` are sorted, each once.

    `fencing_token` grows with every grant: of two leases on a group the later one has the larger token."""

    lease_id: UUID
    holder: Holder
    tool: str
    groups: tuple[str, ...]
    fencing_token: int
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Busy:
    """No lease now. `position` counts from 1, in the longest of the groups' lines; without a place in them it is the
    one that the holder would get."""

    position: int


@dataclass(frozen=True, slots=True)
class GroupUsage:
    """A group with its holders and those who stand in its line. `held` counts expired leases until they are reclaimed;
    it is above `capacity` only when that was lowered."""

    group_key: str
    capacity: int
    held: int
    waiting: int


class Toolbox(Protocol):
    """Leases with capacity, strict first come first served per group, and a time to live.

    Strict: a want is granted only when each of its groups has room and nobody stands in line before it for any of
    them, though he may be waiting for another group. So a want for many groups is never passed by; a later one that
    shares no group with those before it passes.

    A lease that has expired is lost to its holder at once, and given to others when `reclaim` has ended it.
    All methods raise LedgerUnavailable when the database cannot be reached; each of them can be repeated."""

    async def acquire(self, want: Want, *, enqueue: bool) -> Lease | Busy:
        """A lease, or a place in line; with `enqueue=False` nobody is put into it. For the same tool and groups again a
        live lease is renewed and a place is kept; for others what the holder had is given up first."""

    async def renew(self, leases: Sequence[Lease], ttl_seconds: float) -> set[UUID]:
        """Lets leases end `ttl_seconds` from now. Returns the ids of those still held; the others are lost."""

    async def release(self, lease: Lease) -> bool:
        """Ends the lease and grants those next in line. False: it was no longer ours, and nothing has changed."""

    async def leave(self, run_id: UUID, todo_id: str | None = None) -> int:
        """Gives up the leases and places of a run, or of one todo; returns how many there were."""

    async def reclaim(self, limit: int = 100) -> list[Lease]:
        """Ends leases that have expired, the oldest first, and grants those next in line. Each is returned once."""

    async def granted(self, limit: int = 100) -> list[Lease]:
        """Live leases given to those who stood in line, in the order of their grants, until they are `told`, or their
        holder has acquired again."""

    async def told(self, lease_ids: Sequence[UUID]) -> None:
        """The holders of these leases know: `granted` leaves them out from now on."""

    async def holding(self, lease: Lease) -> bool:
        """Whether the lease is held now: neither ended nor expired."""

    async def usage(self) -> list[GroupUsage]:
        """Every group there ever was, by its key."""
