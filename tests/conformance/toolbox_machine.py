"""Hypothesis drives a toolbox beside a model of it: whatever is asked in whatever order, both say the same, and the
laws hold. Inherit, and give `opened`, `pass_time` and `closed`."""

from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import UUID, uuid5

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from backbone.toolbox.port import Busy, GroupUsage, Holder, Lease, Toolbox, Want

T = TypeVar("T")
SPACE = UUID(int=7)
UNIT = 1000.0
"""Seconds; longer than a whole test takes, so that a real clock moves none of them past another."""

HOLDERS = [Holder(SPACE, uuid5(SPACE, f"run {n // 2}"), f"t{n % 2}") for n in range(6)]
WANTS = st.builds(
    Want,
    holder=st.sampled_from(HOLDERS),
    tool=st.sampled_from(["devices.movie", "devices.movie", "devices.navigation"]),
    groups=st.lists(st.sampled_from("abcd"), min_size=1, max_size=3).map(lambda names: tuple(sorted(set(names)))),
    capacity=st.sampled_from([1, 1, 1, 2, 3]),
    ttl_seconds=st.integers(1, 4).map(lambda units: units * UNIT),
)


def same(had: Want, want: Want) -> bool:
    """Asked again, not for something else."""
    return (had.tool, had.groups) == (want.tool, want.groups)


@dataclass(slots=True)
class Held:
    """A lease as the model knows it."""

    want: Want
    lease: Lease | None
    ends: float


@dataclass(slots=True)
class ToolboxModel:
    """The rules, as plainly as they can be said."""

    now: float = 0.0
    capacity: dict[str, int] = field(default_factory=dict)
    held: dict[Holder, Held] = field(default_factory=dict)
    line: list[Want] = field(default_factory=list)
    grants: list[Held] = field(default_factory=list)
    """Since they were last looked at."""

    def used(self, group: str) -> int:
        return sum(group in one.want.groups for one in self.held.values())

    def waiting(self, group: str) -> int:
        return sum(group in want.groups for want in self.line)

    def may_have(self, want: Want, before: list[Want]) -> bool:
        roomy = all(self.used(group) < self.capacity[group] for group in want.groups)
        return roomy and not any(set(want.groups) & set(other.groups) for other in before)

    def first_grantable(self) -> Want | None:
        return next((want for n, want in enumerate(self.line) if self.may_have(want, self.line[:n])), None)

    def settle(self) -> None:
        while want := self.first_grantable():
            self.line.remove(want)
            self.give(want)

    def give(self, want: Want) -> None:
        self.held[want.holder] = Held(want, None, self.now + want.ttl_seconds)
        self.grants.append(self.held[want.holder])

    def standing(self, holder: Holder) -> Want | None:
        return next((want for want in self.line if want.holder == holder), None)

    def position(self, want: Want) -> int:
        mine = self.standing(want.holder)
        before = self.line[: self.line.index(mine)] if mine else self.line
        return 1 + max(sum(group in other.groups for other in before) for group in want.groups)

    def acquire(self, want: Want, *, enqueue: bool) -> int | None:
        """The position, or None for a lease."""
        self.capacity |= dict.fromkeys(want.groups, want.capacity)
        self.settle()
        holder = want.holder
        if (had := self.held.get(holder)) and (had.ends <= self.now or not same(had.want, want)):
            del self.held[holder]
            self.settle()
        elif had:
            had.ends = self.now + want.ttl_seconds
            return None
        if (mine := self.standing(holder)) and not same(mine, want):
            self.line.remove(mine)
            self.settle()
        elif mine:
            self.line[self.line.index(mine)] = want
            return self.position(want)
        if self.may_have(want, self.line):
            self.give(want)
            return None
        position = self.position(want)
        if enqueue:
            self.line.append(want)
        return position


class ToolboxMachine(RuleBasedStateMachine):
    """Six todos, four groups, and a clock that is moved by hand."""

    def opened(self) -> Toolbox:
        """An empty toolbox."""
        raise NotImplementedError

    def pass_time(self, seconds: float) -> None:
        """Moves the toolbox's clock."""
        raise NotImplementedError

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs a call of the toolbox to its end."""
        raise NotImplementedError

    @initialize()
    def open(self) -> None:
        self.toolbox = self.opened()
        self.model = ToolboxModel()
        self.ever: dict[UUID, Lease] = {}
        self.top = 0
        self.usage: list[GroupUsage] = []

    @rule(want=WANTS, enqueue=st.booleans())
    def acquire(self, want: Want, *, enqueue: bool) -> None:
        answer = self.do(self.toolbox.acquire(want, enqueue=enqueue))
        position = self.model.acquire(want, enqueue=enqueue)
        if isinstance(answer, Busy):
            assert answer.position == position
            self.look()
        else:
            assert position is None
            self.look(answer)

    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        for lease in self.some(data)[:1]:
            ours = self.is_held(lease)
            assert self.do(self.toolbox.release(lease)) is ours
            if ours:
                del self.model.held[lease.holder]
            self.model.settle()
            self.look()

    @rule(data=st.data(), units=st.integers(1, 4))
    def renew(self, data: st.DataObject, units: int) -> None:
        leases = self.some(data)
        held = [lease for lease in leases if self.is_held(lease)]
        assert self.do(self.toolbox.renew(leases, units * UNIT)) == {lease.lease_id for lease in held}
        for lease in held:
            self.model.held[lease.holder].ends = self.model.now + units * UNIT

    @rule(holder=st.sampled_from(HOLDERS), whole_run=st.booleans())
    def leave(self, holder: Holder, *, whole_run: bool) -> None:
        def stays(other: Holder) -> bool:
            return other.run_id != holder.run_id or not (whole_run or other.todo_id == holder.todo_id)

        model = self.model
        held = {one: what for one, what in model.held.items() if stays(one)}
        line = [want for want in model.line if stays(want.holder)]
        count = self.do(self.toolbox.leave(holder.run_id, None if whole_run else holder.todo_id))
        assert count == len(model.held) - len(held) + len(model.line) - len(line)
        model.held, model.line = held, line
        model.settle()
        self.look()

    @rule(limit=st.integers(1, 3))
    def reclaim(self, limit: int) -> None:
        model = self.model
        late = {holder: one.ends for holder, one in model.held.items() if one.ends <= model.now}
        found = self.do(self.toolbox.reclaim(limit))
        assert [late[lease.holder] for lease in found] == sorted(late.values())[:limit]
        for lease in found:
            del model.held[lease.holder]
        model.settle()
        self.look()

    @rule(data=st.data())
    def tell(self, data: st.DataObject) -> None:
        granted = [lease.lease_id for lease in self.do(self.toolbox.granted())]
        told = granted[: data.draw(st.integers(0, len(granted)))]
        self.do(self.toolbox.told(told))
        assert [lease.lease_id for lease in self.do(self.toolbox.granted())] == granted[len(told) :]

    @rule(units=st.integers(1, 3))
    def time_passes(self, units: int) -> None:
        self.model.now += units * UNIT
        self.pass_time(units * UNIT)

    @invariant()
    def both_say_the_same(self) -> None:
        self.before, self.usage = self.usage, self.do(self.toolbox.usage())
        model = self.model
        assert self.usage == [
            GroupUsage(group, model.capacity[group], model.used(group), model.waiting(group))
            for group in sorted(model.capacity)
        ]
        for lease in list(self.ever.values())[-4:]:
            assert self.do(self.toolbox.holding(lease)) is self.is_held(lease)

    @invariant()
    def no_group_takes_in_more_than_it_has_room_for(self) -> None:
        held = {use.group_key: use.held for use in self.before}
        assert all(use.held <= max(use.capacity, held.get(use.group_key, 0)) for use in self.usage)

    @invariant()
    def nobody_waits_who_could_go(self) -> None:
        assert self.model.first_grantable() is None

    def is_held(self, lease: Lease) -> bool:
        """Says the model."""
        one = self.model.held.get(lease.holder)
        return bool(one and one.lease and one.lease.lease_id == lease.lease_id and one.ends > self.model.now)

    def some(self, data: st.DataObject) -> list[Lease]:
        """Leases of now and of before."""
        recent = list(self.ever.values())[-8:]
        places = st.lists(st.integers(0, len(recent) - 1), max_size=3, unique=True) if recent else st.just([])
        return [recent[place] for place in data.draw(places)]

    def look(self, *answers: Lease) -> None:
        """After a call: every grant is new, has a larger token than all before, and those of a group are in order."""
        granted = self.do(self.toolbox.granted())
        leases = {lease.lease_id: lease for lease in (*granted, *answers)}
        assert len(leases) == len(granted) + len(answers), "whoever was answered need not be told"
        new = sorted((one for id_, one in leases.items() if id_ not in self.ever), key=lambda one: one.fencing_token)
        held = self.model.held
        assert all(one.groups == held[one.holder].want.groups for one in leases.values())
        assert all(self.is_held(one) for id_, one in leases.items() if id_ in self.ever)
        assert all(one.fencing_token > self.top for one in new)
        grants = [one for one in self.model.grants if held.get(one.want.holder) is one]
        for group in self.model.capacity:
            expected = [one.want.holder for one in grants if group in one.want.groups]
            assert [one.holder for one in new if group in one.groups] == expected
        for lease in new:
            held[lease.holder].lease = self.ever[lease.lease_id] = lease
            self.top = lease.fencing_token
        self.model.grants.clear()
