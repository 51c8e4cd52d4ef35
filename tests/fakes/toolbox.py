"""The toolbox in memory, for unit tests: the semantics of PostgresToolbox within one process.

Nothing here awaits between reading and writing, so every method is one transaction by itself."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from backbone.ledger.port import Fence, LedgerUnavailable
from backbone.toolbox.port import Busy, GroupUsage, Holder, Lease, Want


@dataclass(slots=True)
class MemoryToolbox:
    """See backbone.toolbox.port.Toolbox. `up = False` is an outage."""

    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    up: bool = True
    _capacities: dict[str, int] = field(default_factory=dict)
    _leases: dict[Holder, Lease] = field(default_factory=dict)
    _line: dict[Holder, Want] = field(default_factory=dict)
    """In the order of arrival; one line per group is what of it names the group."""
    _untold: set[UUID] = field(default_factory=set)
    _token: int = 0

    async def acquire(self, want: Want, *, enqueue: bool) -> Lease | Busy:
        self._check_up()
        want = replace(want, groups=tuple(sorted(set(want.groups))))
        self._capacities.update(dict.fromkeys(want.groups, want.capacity))
        self._grant()
        lease = self._leases.get(want.holder)
        if lease and self._is_live(lease) and _same(lease, want):
            self._untold.discard(lease.lease_id)
            return self._renew(lease, want.ttl_seconds)
        if lease:
            self._end(lease)
            self._grant()
        if standing := self._line.get(want.holder):
            if _same(standing, want):
                self._line[want.holder] = want
                return self._ahead(want)
            del self._line[want.holder]
            self._grant()
        if self._free(self._line.values()).issuperset(want.groups):
            return self._give(want)
        busy = self._ahead(want)
        if enqueue:
            self._line[want.holder] = want
        return busy

    async def renew(self, leases: Sequence[Lease], ttl_seconds: float) -> set[UUID]:
        self._check_up()
        held = [mine for lease in leases if (mine := self._held(lease.lease_id, lease.fencing_token))]
        return {self._renew(lease, ttl_seconds).lease_id for lease in held}

    async def release(self, lease: Lease) -> bool:
        self._check_up()
        return self.end([Fence(lease.lease_id, lease.fencing_token)])

    async def leave(self, run_id: UUID, todo_id: str | None = None) -> int:
        self._check_up()
        leases = [lease for holder, lease in self._leases.items() if _is_of(holder, run_id, todo_id)]
        standing = [holder for holder in self._line if _is_of(holder, run_id, todo_id)]
        for lease in leases:
            self._end(lease)
        for holder in standing:
            del self._line[holder]
        self._grant()
        return len(leases) + len(standing)

    async def reclaim(self, limit: int = 100) -> list[Lease]:
        self._check_up()
        late = sorted(
            (lease for lease in self._leases.values() if not self._is_live(lease)), key=lambda lease: lease.expires_at
        )
        for lease in late[:limit]:
            self._end(lease)
        self._grant()
        return late[:limit]

    async def granted(self, limit: int = 100) -> list[Lease]:
        self._check_up()
        new = [le for le in self._leases.values() if le.lease_id in self._untold and self._is_live(le)]
        return sorted(new, key=lambda lease: lease.fencing_token)[:limit]

    async def told(self, lease_ids: Sequence[UUID]) -> None:
        self._check_up()
        self._untold.difference_update(lease_ids)

    async def holding(self, lease: Lease) -> bool:
        self._check_up()
        return self._held(lease.lease_id, lease.fencing_token) is not None

    async def usage(self) -> list[GroupUsage]:
        self._check_up()
        return [
            GroupUsage(group, capacity, self._used(group), sum(group in want.groups for want in self._line.values()))
            for group, capacity in sorted(self._capacities.items())
        ]

    def lost(self, fences: Iterable[Fence]) -> Fence | None:
        """The first of them whose lease is not held."""
        return next((fence for fence in fences if not self._held(fence.lease_id, fence.fencing_token)), None)

    def end(self, fences: Iterable[Fence]) -> bool:
        """Ends those leases that are held, and grants those next in line; False when there was none."""
        held = [lease for fence in fences if (lease := self._held(fence.lease_id, fence.fencing_token))]
        for lease in held:
            self._end(lease)
        self._grant()
        return bool(held)

    def _grant(self) -> None:
        before: list[Want] = []
        for want in list(self._line.values()):
            if self._free(before).issuperset(want.groups):
                del self._line[want.holder]
                self._untold.add(self._give(want).lease_id)
            else:
                before.append(want)

    def _give(self, want: Want) -> Lease:
        self._token += 1
        lease = Lease(uuid4(), want.holder, want.tool, want.groups, self._token, self._in(want.ttl_seconds))
        self._leases[want.holder] = lease
        return lease

    def _free(self, before: Iterable[Want]) -> set[str]:
        """The groups with room for one more and none of those before in their lines."""
        claimed = {group for want in before for group in want.groups}
        roomy = {group for group, capacity in self._capacities.items() if self._used(group) < capacity}
        return roomy - claimed

    def _ahead(self, want: Want) -> Busy:
        before = []
        for other in self._line.values():
            if other.holder == want.holder:
                break
            before.append(other)
        return Busy(1 + max(sum(group in other.groups for other in before) for group in want.groups))

    def _renew(self, lease: Lease, ttl_seconds: float) -> Lease:
        self._leases[lease.holder] = replace(lease, expires_at=self._in(ttl_seconds))
        return self._leases[lease.holder]

    def _end(self, lease: Lease) -> None:
        del self._leases[lease.holder]
        self._untold.discard(lease.lease_id)

    def _held(self, lease_id: UUID, fencing_token: int) -> Lease | None:
        key = (lease_id, fencing_token)
        found = (le for le in self._leases.values() if (le.lease_id, le.fencing_token) == key and self._is_live(le))
        return next(found, None)

    def _used(self, group: str) -> int:
        return sum(group in lease.groups for lease in self._leases.values())

    def _is_live(self, lease: Lease) -> bool:
        return lease.expires_at > self.clock()

    def _in(self, seconds: float) -> datetime:
        return self.clock() + timedelta(seconds=seconds)

    def _check_up(self) -> None:
        if not self.up:
            raise LedgerUnavailable("the toolbox is down")


def _same(had: Lease | Want, want: Want) -> bool:
    return (had.tool, had.groups) == (want.tool, want.groups)


def _is_of(holder: Holder, run_id: UUID, todo_id: str | None) -> bool:
    return holder.run_id == run_id and todo_id in (None, holder.todo_id)
