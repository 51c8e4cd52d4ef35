"""Conformance of ledgers: what was done under a lease is recorded while the lease is held, and ends it."""

from uuid import UUID, uuid4

import pytest

from backbone.ledger.port import Append, Fence, FenceLost, Ledger, VersionConflict
from backbone.toolbox.port import Lease, Toolbox, Want
from tests.conformance.facts import CONSUMER, PRODUCER, append, fact, known
from tests.conformance.wants import want


def under(lease: Lease, *, session: UUID | None = None, expected: int | None = None) -> Append:
    """An answer that was worked out under a lease."""
    fence = Fence(lease.lease_id, lease.fencing_token)
    return append(session or uuid4(), fact(), expected=expected)._replace(fence=fence)


async def leased(toolbox: Toolbox, wanted: Want) -> Lease:
    answer = await toolbox.acquire(wanted, enqueue=True)
    assert isinstance(answer, Lease)
    return answer


class FenceConformance:
    """The lease and the answer end together, or nothing happens."""

    @pytest.fixture
    def toolbox(self, ledger: Ledger) -> Toolbox:
        raise NotImplementedError("the toolbox that the ledger's fences are about")

    async def test_recording_under_a_lease_ends_it_and_grants_the_next(self, ledger: Ledger, toolbox: Toolbox) -> None:
        lease, waiting = await leased(toolbox, want("a")), want("a")
        await toolbox.acquire(waiting, enqueue=True)
        saved = under(lease)
        (result,) = await ledger.append(PRODUCER, CONSUMER, [saved])
        assert (result.fresh, result.last_version) == (True, 1)
        assert not await toolbox.holding(lease)
        assert [one.holder for one in await toolbox.granted()] == [waiting.holder]

    async def test_without_the_lease_nothing_is_recorded(self, ledger: Ledger, toolbox: Toolbox) -> None:
        kept, lost = await leased(toolbox, want("a")), await leased(toolbox, want("b"))
        await toolbox.release(lost)
        good, bad, plain = under(kept), under(lost), append(uuid4())
        with pytest.raises(FenceLost, match=str(lost.lease_id)):
            await ledger.append(PRODUCER, CONSUMER, [good, bad, plain])
        assert [await ledger.head(one.session_id) for one in (good, bad, plain)] == [0, 0, 0]
        assert await ledger.handled(CONSUMER, [good.cause, bad.cause, plain.cause]) == set()
        assert await toolbox.holding(kept)
        await ledger.append(PRODUCER, CONSUMER, [plain, good])
        assert not await toolbox.holding(kept)

    async def test_a_token_of_another_lease_opens_nothing(self, ledger: Ledger, toolbox: Toolbox) -> None:
        lease = await leased(toolbox, want("a"))
        forged = under(lease)._replace(fence=Fence(lease.lease_id, lease.fencing_token - 1))
        with pytest.raises(FenceLost):
            await ledger.append(PRODUCER, CONSUMER, [forged])
        assert await toolbox.holding(lease)

    async def test_a_repetition_needs_no_lease(self, ledger: Ledger, toolbox: Toolbox) -> None:
        saved = under(await leased(toolbox, want("a")))
        other = under(await leased(toolbox, want("b")))
        await ledger.append(PRODUCER, CONSUMER, [saved])
        results = await ledger.append(PRODUCER, CONSUMER, [saved, other])
        assert [result.fresh for result in results] == [False, True]
        assert await ledger.head(saved.session_id) == 1

    async def test_a_repetition_under_a_new_lease_ends_that_lease(self, ledger: Ledger, toolbox: Toolbox) -> None:
        wanted = want("a")
        saved = under(await leased(toolbox, wanted))
        await ledger.append(PRODUCER, CONSUMER, [saved])
        again = await leased(toolbox, wanted)
        fence = Fence(again.lease_id, again.fencing_token)
        (result,) = await ledger.append(PRODUCER, CONSUMER, [saved._replace(fence=fence)])
        assert not result.fresh
        assert not await toolbox.holding(again)

    async def test_an_append_that_fails_for_another_reason_keeps_its_lease(
        self, ledger: Ledger, toolbox: Toolbox
    ) -> None:
        lease = await leased(toolbox, want("a"))
        with pytest.raises(VersionConflict):
            await ledger.append(PRODUCER, CONSUMER, [under(lease, expected=7)])
        assert await toolbox.holding(lease)

    async def test_a_decision_under_a_lease_is_fenced_too(self, ledger: Ledger, toolbox: Toolbox) -> None:
        lease, session = await leased(toolbox, want("a")), uuid4()

        async def decide(appends: list[Append]) -> None:
            await ledger.decide(PRODUCER, CONSUMER, {session: 0}, frozenset(), [], lambda tails, handled: appends)

        await decide([under(lease, session=session)])
        assert not await toolbox.holding(lease)
        with pytest.raises(FenceLost):
            await decide([under(lease, session=session)])
        assert await ledger.head(session) == 1

    async def test_a_fence_without_events_ends_its_lease_all_the_same(self, ledger: Ledger, toolbox: Toolbox) -> None:
        lease = await leased(toolbox, want("a"))
        session = uuid4()
        done = Append(session, await known(ledger, session), fence=Fence(lease.lease_id, lease.fencing_token))
        assert not done.is_empty
        await ledger.append(PRODUCER, CONSUMER, [done])
        assert not await toolbox.holding(lease)
