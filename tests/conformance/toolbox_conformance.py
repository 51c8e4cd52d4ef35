"""What every toolbox adapter promises. Inherit, give the fixture `toolbox`, and a way to let time pass."""

import asyncio
from uuid import UUID, uuid4

import pytest

from backbone.toolbox.port import Busy, GroupUsage, Holder, Lease, Toolbox, Want
from tests.conformance.wants import SECONDS, holder, want


async def leased(toolbox: Toolbox, wanted: Want) -> Lease:
    """The lease that there must be."""
    answer = await toolbox.acquire(wanted, enqueue=True)
    assert isinstance(answer, Lease)
    return answer


async def queued(toolbox: Toolbox, wanted: Want) -> int:
    """The place in line that there must be."""
    answer = await toolbox.acquire(wanted, enqueue=True)
    assert isinstance(answer, Busy)
    return answer.position


async def given(toolbox: Toolbox) -> list[Holder]:
    """Those who stood in line and have a lease that nobody told them of."""
    return [lease.holder for lease in await toolbox.granted()]


class ToolboxConformance:
    """Capacity, lines, time, and what a repeated call changes: nothing."""

    @pytest.fixture
    def toolbox(self) -> Toolbox:
        raise NotImplementedError("the adapter under test")

    async def pass_time(self, toolbox: Toolbox, seconds: float) -> None:
        """What was to end within these seconds has ended."""
        raise NotImplementedError

    async def test_a_group_is_held_by_as_many_as_it_has_room_for(self, toolbox: Toolbox) -> None:
        await leased(toolbox, want("song", capacity=2))
        await leased(toolbox, want("song", capacity=2))
        assert await queued(toolbox, want("song", capacity=2)) == 1
        assert await queued(toolbox, want("song", capacity=2)) == 2
        assert await toolbox.usage() == [GroupUsage("song", 2, held=2, waiting=2)]

    async def test_a_lease_says_what_it_is_for(self, toolbox: Toolbox) -> None:
        wanted = Want(holder(), "devices.movie", ("screen", "room", "screen"), 1, SECONDS)
        lease = await leased(toolbox, wanted)
        assert (lease.holder, lease.tool, lease.groups) == (wanted.holder, "devices.movie", ("room", "screen"))
        assert await toolbox.holding(lease)

    async def test_the_next_in_line_is_given_what_is_released_with_a_larger_token(self, toolbox: Toolbox) -> None:
        first, second, third = want("a"), want("a"), want("a")
        lease = await leased(toolbox, first)
        await queued(toolbox, second)
        await queued(toolbox, third)
        assert await toolbox.release(lease)
        (granted,) = await toolbox.granted()
        assert granted.holder == second.holder
        assert granted.fencing_token > lease.fencing_token
        assert await toolbox.holding(granted)
        assert await queued(toolbox, third) == 1

    async def test_a_grant_is_shown_until_it_is_told_or_picked_up(self, toolbox: Toolbox) -> None:
        first, second, third = want("a", capacity=1), want("a"), want("b")
        blocking, other = await leased(toolbox, first), await leased(toolbox, want("b"))
        await queued(toolbox, second)
        await queued(toolbox, third)
        await toolbox.release(blocking)
        await toolbox.release(other)
        assert await given(toolbox) == [second.holder, third.holder]
        assert [one.holder for one in await toolbox.granted(limit=1)] == [second.holder]
        (granted, _) = await toolbox.granted()
        await toolbox.told([granted.lease_id, uuid4()])
        await toolbox.told([granted.lease_id])
        assert await given(toolbox) == [third.holder]
        await leased(toolbox, third)
        assert await given(toolbox) == []
        assert await toolbox.holding(granted)

    async def test_a_want_for_many_groups_gets_all_of_them_or_none(self, toolbox: Toolbox) -> None:
        lease = await leased(toolbox, want("a"))
        both = want("a", "b")
        assert await queued(toolbox, both) == 1
        assert [(use.group_key, use.held) for use in await toolbox.usage()] == [("a", 1), ("b", 0)]
        await toolbox.release(lease)
        assert await given(toolbox) == [both.holder]
        assert [(use.group_key, use.held) for use in await toolbox.usage()] == [("a", 1), ("b", 1)]

    async def test_nobody_passes_one_who_waits_for_several_unless_they_share_no_group(self, toolbox: Toolbox) -> None:
        lease, both, later = await leased(toolbox, want("a")), want("a", "b"), want("b")
        await queued(toolbox, both)
        assert await queued(toolbox, later) == 2  # b is free, but not for him
        await leased(toolbox, want("c"))
        await toolbox.release(lease)
        (granted,) = await toolbox.granted()
        assert granted.holder == both.holder
        await toolbox.release(granted)
        assert await given(toolbox) == [later.holder]

    async def test_what_becomes_free_is_kept_for_the_first_in_line_though_he_waits_for_more(
        self, toolbox: Toolbox
    ) -> None:
        other, one = await leased(toolbox, want("a")), await leased(toolbox, want("b"))
        both, later = want("a", "b"), want("b")
        await queued(toolbox, both)
        await queued(toolbox, later)
        await toolbox.release(one)
        assert await toolbox.granted() == []
        await toolbox.release(other)
        assert await given(toolbox) == [both.holder]

    async def test_a_grant_in_one_group_lets_those_behind_it_in_another_go_ahead(self, toolbox: Toolbox) -> None:
        lease, both, later = await leased(toolbox, want("a")), want("a", "b", capacity=2), want("b", capacity=2)
        await leased(toolbox, want("a", capacity=2))
        await queued(toolbox, both)
        await queued(toolbox, later)
        await toolbox.release(lease)
        assert await given(toolbox) == [both.holder, later.holder]

    async def test_the_position_is_that_in_the_longest_line(self, toolbox: Toolbox) -> None:
        for group in ("a", "a", "a", "b", "b"):
            await toolbox.acquire(want(group), enqueue=True)
        assert await toolbox.acquire(want("a", "b"), enqueue=False) == Busy(3)
        assert await queued(toolbox, want("b", "c")) == 2

    async def test_asking_without_standing_in_line_leaves_no_trace(self, toolbox: Toolbox) -> None:
        lease = await leased(toolbox, want("a"))
        assert await toolbox.acquire(want("a"), enqueue=False) == Busy(1)
        await toolbox.release(lease)
        assert await toolbox.granted() == []
        assert isinstance(await toolbox.acquire(want("a"), enqueue=False), Lease)

    async def test_acquiring_again_is_the_same_lease_or_the_same_place(self, toolbox: Toolbox) -> None:
        first, second, third = want("a"), want("a"), want("a")
        lease = await leased(toolbox, first)
        await queued(toolbox, second)
        await queued(toolbox, third)
        again = await leased(toolbox, first)
        assert (again.lease_id, again.fencing_token) == (lease.lease_id, lease.fencing_token)
        assert again.expires_at >= lease.expires_at
        assert await queued(toolbox, second) == 1
        assert await toolbox.acquire(third, enqueue=False) == Busy(2)
        assert [(use.held, use.waiting) for use in await toolbox.usage()] == [(1, 2)]

    async def test_two_attempts_of_one_todo_at_once_get_one_lease(self, toolbox: Toolbox) -> None:
        wanted = want("a", capacity=5)
        leases = await asyncio.gather(*(leased(toolbox, wanted) for _ in range(4)))
        assert len({lease.lease_id for lease in leases}) == 1

    async def test_who_wants_something_else_gives_up_what_he_had(self, toolbox: Toolbox) -> None:
        me = holder()
        lease = await leased(toolbox, want("a", of=me))
        waiting = want("a")
        await queued(toolbox, waiting)
        other = await leased(toolbox, want("b", of=me))
        assert not await toolbox.holding(lease)
        assert await given(toolbox) == [waiting.holder]
        assert await queued(toolbox, want("a", of=me)) == 1
        assert not await toolbox.release(other)
        await leased(toolbox, want("c", of=me))
        assert [(use.held, use.waiting) for use in await toolbox.usage()] == [(1, 0), (0, 0), (1, 0)]

    async def test_a_renewed_lease_lives_on_and_one_that_expired_is_lost(self, toolbox: Toolbox) -> None:
        kept, lost = await leased(toolbox, want("a")), await leased(toolbox, want("b"))
        assert await toolbox.renew([kept], SECONDS * 3) == {kept.lease_id}
        await self.pass_time(toolbox, SECONDS)
        assert await toolbox.renew([kept, lost], SECONDS * 3) == {kept.lease_id}
        assert await toolbox.holding(kept)
        assert not await toolbox.holding(lost)
        assert not await toolbox.release(lost)
        assert await toolbox.renew([], SECONDS) == set()

    async def test_an_expired_lease_is_reclaimed_once_and_given_to_the_next(self, toolbox: Toolbox) -> None:
        lease, waiting = await leased(toolbox, want("a")), want("a")
        await queued(toolbox, waiting)
        assert await toolbox.reclaim() == []
        await self.pass_time(toolbox, SECONDS)
        assert await queued(toolbox, waiting) == 1  # whoever reclaims it is to know, so nobody else ends it
        assert [one.lease_id for one in await toolbox.reclaim()] == [lease.lease_id]
        assert await toolbox.reclaim() == []
        assert await given(toolbox) == [waiting.holder]

    async def test_a_grant_that_nobody_picks_up_goes_to_the_next(self, toolbox: Toolbox) -> None:
        lease, absent, patient = await leased(toolbox, want("a")), want("a"), want("a")
        await queued(toolbox, absent)
        await queued(toolbox, patient)
        await toolbox.release(lease)
        await self.pass_time(toolbox, SECONDS)
        assert await toolbox.granted() == []
        assert [one.holder for one in await toolbox.reclaim()] == [absent.holder]
        assert await given(toolbox) == [patient.holder]

    async def test_who_comes_back_too_late_stands_behind_those_who_waited(self, toolbox: Toolbox) -> None:
        late, waiting = want("a"), want("a")
        lease = await leased(toolbox, late)
        await queued(toolbox, waiting)
        await self.pass_time(toolbox, SECONDS)
        assert await queued(toolbox, late) == 1
        assert await given(toolbox) == [waiting.holder]
        assert not await toolbox.holding(lease)

    async def test_reclaiming_takes_the_oldest_first_up_to_its_limit(self, toolbox: Toolbox) -> None:
        for seconds in (3, 1, 2):
            await leased(toolbox, want(f"g{seconds}", ttl=seconds * SECONDS))
        await self.pass_time(toolbox, 3 * SECONDS)
        assert [one.groups for one in await toolbox.reclaim(limit=2)] == [("g1",), ("g2",)]
        assert [one.groups for one in await toolbox.reclaim(limit=2)] == [("g3",)]

    async def test_a_run_that_leaves_gives_up_its_leases_and_its_places(self, toolbox: Toolbox) -> None:
        run = uuid4()
        mine = Holder(uuid4(), run, "t1")
        lease = await leased(toolbox, want("a", of=mine))
        await queued(toolbox, want("a", of=Holder(mine.session_id, run, "t2")))
        await queued(toolbox, want("a", of=Holder(mine.session_id, run, "t3")))
        stranger = want("a")
        await queued(toolbox, stranger)
        assert await toolbox.leave(run, "t2") == 1
        assert await queued(toolbox, stranger) == 2
        assert await toolbox.leave(run) == 2
        assert await toolbox.leave(run) == 0
        assert not await toolbox.holding(lease)
        assert await given(toolbox) == [stranger.holder]

    async def test_what_was_released_is_not_ours_any_more(self, toolbox: Toolbox) -> None:
        lease = await leased(toolbox, want("a"))
        assert await toolbox.release(lease)
        await leased(toolbox, want("a"))
        assert not await toolbox.release(lease)
        assert await toolbox.renew([lease], SECONDS) == set()
        assert [(use.held, use.waiting) for use in await toolbox.usage()] == [(1, 0)]

    async def test_the_newest_want_says_how_much_room_there_is(self, toolbox: Toolbox) -> None:
        leases = [await leased(toolbox, want("a", capacity=2)) for _ in range(2)]
        waiting = want("a", capacity=1)
        await queued(toolbox, waiting)
        await toolbox.release(leases[0])
        assert await toolbox.granted() == []
        await leased(toolbox, want("a", capacity=3))
        assert await given(toolbox) == [waiting.holder]

    @pytest.mark.parametrize("wrong", [{"capacity": 0}, {"ttl_seconds": 0.0}, {"groups": ()}], ids=str)
    def test_a_want_that_makes_no_sense_is_refused(self, wrong: dict[str, object]) -> None:
        whole: dict[str, object] = {"groups": ("a",), "capacity": 1, "ttl_seconds": 1.0}
        with pytest.raises(ValueError, match="a want names groups"):
            Want(Holder(UUID(int=1), UUID(int=2), "t1"), "tool", **(whole | wrong))  # type: ignore[arg-type]  # wrong on purpose
