"""What every bank of the transfer pack promises. Inherit, and give the fixture `bank`."""

import asyncio
from datetime import date, timedelta

import pytest

from packs.transfer.bank.port import (
    OPENING_BALANCE,
    Bank,
    CallOff,
    DailyLimitReached,
    InsufficientBalance,
    KeyReused,
    NotBooked,
    Order,
    PayeeUnknown,
    Refused,
)

TODAY = date(2026, 11, 22)
TOMORROW = TODAY + timedelta(days=1)
ME, SOMEBODY = "me", "somebody"


async def order(bank: Bank, key: str, amount: int, owner: str = ME, **more) -> Order:
    """A payment to the first payee of the address book."""
    payee = (await bank.payees(owner))[0]
    fields = {"ordered_on": TODAY, "value_on": TODAY, "daily_limit": OPENING_BALANCE * 2, **more}
    return Order(key=key, owner=owner, payee_id=payee.payee_id, amount=amount, **fields)


async def call_off(bank: Bank, key: str, amount: int, owner: str = ME, **more) -> CallOff:
    """To call off what `order` has booked for tomorrow."""
    payee = (await bank.payees(owner))[0]
    fields = {"value_on": TOMORROW, "on": TODAY, **more}
    return CallOff(key=key, owner=owner, payee_id=payee.payee_id, amount=amount, **fields)


class BankConformance:
    """Paid once, never more than there is, and nothing gets lost."""

    @pytest.fixture
    def bank(self) -> Bank:
        raise NotImplementedError("the adapter under test")

    @pytest.fixture(autouse=True)
    async def the_books_close(self, bank: Bank):
        """Whatever a test does, the sum over all accounts is 0."""
        yield
        assert await bank.total() == 0

    async def test_a_person_has_an_account_and_an_address_book_on_first_use(self, bank: Bank) -> None:
        assert await bank.balance(ME) == OPENING_BALANCE
        names = [payee.words["ko"].names[0] for payee in await bank.payees(ME)]
        assert names[:3] == ["엄마", "아빠", "용걸이"] and names.count("민수") == 2
        assert {one.payee_id for one in await bank.payees(ME)}.isdisjoint(
            one.payee_id for one in await bank.payees(SOMEBODY)
        )

    async def test_opening_at_the_same_time_opens_once(self, bank: Bank) -> None:
        assert await asyncio.gather(*(bank.balance(ME) for _ in range(4))) == [OPENING_BALANCE] * 4

    async def test_a_payment_takes_its_amount_from_the_payer_alone(self, bank: Bank) -> None:
        receipt = await bank.pay(await order(bank, "k1", 30_000, memo="생일 축하"))
        assert (receipt.amount, receipt.memo) == (30_000, "생일 축하")
        assert receipt.balance == await bank.balance(ME) == OPENING_BALANCE - 30_000
        assert await bank.balance(SOMEBODY) == OPENING_BALANCE

    async def test_a_key_pays_once_however_often_it_is_asked(self, bank: Bank) -> None:
        wanted = await order(bank, "k1", 10_000)
        receipts = await asyncio.gather(*(bank.pay(wanted) for _ in range(5)))
        assert {receipt.transfer_id for receipt in receipts} == {receipts[0].transfer_id}
        assert await bank.balance(ME) == OPENING_BALANCE - 10_000

    async def test_a_key_that_paid_something_else_is_refused(self, bank: Bank) -> None:
        await bank.pay(await order(bank, "k1", 10_000))
        with pytest.raises(KeyReused, match="k1"):
            await bank.pay(await order(bank, "k1", 20_000))
        assert await bank.balance(ME) == OPENING_BALANCE - 10_000

    async def test_what_a_key_paid_can_be_looked_up_by_its_owner(self, bank: Bank) -> None:
        assert await bank.look_up("k1", ME) is None
        receipt = await bank.pay(await order(bank, "k1", 10_000))
        assert await bank.look_up("k1", ME) == receipt
        assert await bank.look_up("k1", SOMEBODY) is None

    async def test_nobody_spends_more_than_there_is(self, bank: Bank) -> None:
        await bank.pay(await order(bank, "k1", OPENING_BALANCE - 1))
        with pytest.raises(InsufficientBalance) as refused:
            await bank.pay(await order(bank, "k2", 2))
        assert refused.value.balance == 1
        await bank.pay(await order(bank, "k3", 1))
        assert await bank.balance(ME) == 0

    async def test_payments_at_the_same_time_do_not_spend_the_same_money(self, bank: Bank) -> None:
        half = OPENING_BALANCE // 2 + 1
        wanted = [await order(bank, f"k{number}", half) for number in range(4)]
        done = await asyncio.gather(*(bank.pay(one) for one in wanted), return_exceptions=True)
        assert sum(isinstance(one, InsufficientBalance) for one in done) == 3
        assert await bank.balance(ME) == OPENING_BALANCE - half

    async def test_a_day_has_a_limit_and_the_next_day_its_own(self, bank: Bank) -> None:
        await bank.pay(await order(bank, "k1", 70, daily_limit=100))
        with pytest.raises(DailyLimitReached) as refused:
            await bank.pay(await order(bank, "k2", 31, daily_limit=100))
        assert (refused.value.limit, refused.value.left) == (100, 30)
        tomorrow = TODAY + timedelta(days=1)
        await bank.pay(await order(bank, "k3", 31, daily_limit=100, ordered_on=tomorrow, value_on=tomorrow))

    async def test_what_goes_out_on_a_later_day_counts_for_the_limit_of_that_day(self, bank: Bank) -> None:
        tomorrow = TODAY + timedelta(days=1)
        await bank.pay(await order(bank, "k1", 100, daily_limit=100))
        await bank.pay(await order(bank, "k2", 70, daily_limit=100, value_on=tomorrow))
        for day in (TODAY, tomorrow):
            with pytest.raises(DailyLimitReached) as refused:
                await bank.pay(await order(bank, "k3", 31, daily_limit=100, ordered_on=day, value_on=tomorrow))
            assert (refused.value.limit, refused.value.left) == (100, 30)
        await bank.pay(await order(bank, "k4", 30, daily_limit=100, ordered_on=tomorrow, value_on=tomorrow))

    async def test_only_payees_of_ones_own_address_book_are_paid(self, bank: Bank) -> None:
        mine, theirs = await order(bank, "k1", 1), (await bank.payees(SOMEBODY))[0]
        with pytest.raises(PayeeUnknown):
            await bank.pay(mine._replace(payee_id=theirs.payee_id))

    @pytest.mark.parametrize("amount", [0, -1000])
    async def test_amounts_below_one_are_refused(self, amount: int, bank: Bank) -> None:
        with pytest.raises(Refused):
            await bank.pay(await order(bank, "k1", amount))
        assert await bank.balance(ME) == OPENING_BALANCE

    async def test_a_payment_for_later_is_taken_now_and_one_for_yesterday_refused(self, bank: Bank) -> None:
        receipt = await bank.pay(await order(bank, "k1", 500, value_on=TODAY + timedelta(days=3)))
        assert receipt.value_on == TODAY + timedelta(days=3) and receipt.balance == OPENING_BALANCE - 500
        await bank.pay(await order(bank, "k0", 1))
        assert [one.transfer_id for one in await bank.booked(ME, TODAY)] == [receipt.transfer_id]
        assert await bank.booked(ME, TODAY + timedelta(days=3)) == await bank.booked(SOMEBODY, TODAY) == []
        with pytest.raises(Refused):
            await bank.pay(await order(bank, "k2", 500, value_on=TODAY - timedelta(days=1)))

    async def test_what_was_sent_is_told_by_the_day_it_was_ordered(self, bank: Bank) -> None:
        tomorrow = TODAY + timedelta(days=1)
        await bank.pay(await order(bank, "k1", 1))
        await bank.pay(await order(bank, "k2", 2, value_on=tomorrow))
        await bank.pay(await order(bank, "k3", 3, ordered_on=tomorrow, value_on=tomorrow))
        assert [one.amount for one in await bank.sent(ME, TODAY, TODAY)] == [1, 2]
        assert [one.amount for one in await bank.sent(ME, tomorrow, tomorrow)] == [3]
        assert not await bank.sent(SOMEBODY, TODAY, tomorrow)

    async def test_what_is_booked_can_be_called_off_and_its_money_is_back(self, bank: Bank) -> None:
        paid = await bank.pay(await order(bank, "k1", 70_000, value_on=TOMORROW, memo="회비"))
        gone = await bank.call_off(await call_off(bank, "c1", 70_000))
        assert gone == paid._replace(balance=OPENING_BALANCE)
        assert await bank.balance(ME) == OPENING_BALANCE
        assert await bank.booked(ME, TODAY) == await bank.sent(ME, TODAY, TODAY) == []
        assert await bank.look_up("k1", ME) is not None, "that it was ordered stays in the books"

    async def test_a_key_calls_off_once_however_often_it_is_asked(self, bank: Bank) -> None:
        for key in ("k1", "k2"):
            await bank.pay(await order(bank, key, 70_000, value_on=TOMORROW))
        wanted = await call_off(bank, "c1", 70_000)
        gone = await asyncio.gather(*(bank.call_off(wanted) for _ in range(5)))
        assert len({one.transfer_id for one in gone}) == 1
        assert len(await bank.booked(ME, TODAY)) == 1 and await bank.balance(ME) == OPENING_BALANCE - 70_000

    async def test_one_booking_is_not_called_off_by_two(self, bank: Bank) -> None:
        await bank.pay(await order(bank, "k1", 70_000, value_on=TOMORROW))
        wanted = [await call_off(bank, f"c{number}", 70_000) for number in range(4)]
        done = await asyncio.gather(*(bank.call_off(one) for one in wanted), return_exceptions=True)
        assert sum(isinstance(one, NotBooked) for one in done) == 3
        assert await bank.balance(ME) == OPENING_BALANCE

    async def test_a_key_that_called_off_something_else_is_refused(self, bank: Bank) -> None:
        for key, amount in (("k1", 1_000), ("k2", 2_000)):
            await bank.pay(await order(bank, key, amount, value_on=TOMORROW))
        await bank.call_off(await call_off(bank, "c1", 1_000))
        with pytest.raises(KeyReused, match="c1"):
            await bank.call_off(await call_off(bank, "c1", 2_000))
        assert await bank.balance(ME) == OPENING_BALANCE - 2_000

    async def test_on_its_day_and_of_somebody_else_nothing_is_called_off(self, bank: Bank) -> None:
        await bank.pay(await order(bank, "k1", 500, value_on=TOMORROW))
        await bank.pay(await order(bank, "k2", 500))
        mine = await call_off(bank, "c1", 500)
        for wanted in (
            mine._replace(on=TOMORROW), mine._replace(owner=SOMEBODY), mine._replace(amount=501),
            mine._replace(value_on=TODAY), mine._replace(value_on=TOMORROW + timedelta(days=1)),
        ):  # fmt: skip
            with pytest.raises(NotBooked):
                await bank.call_off(wanted)
        assert await bank.balance(ME) == OPENING_BALANCE - 1_000

    async def test_what_was_called_off_can_be_looked_up_by_its_owner(self, bank: Bank) -> None:
        await bank.pay(await order(bank, "k1", 500, value_on=TOMORROW))
        assert await bank.look_up_called_off("c1", ME) is None
        gone = await bank.call_off(await call_off(bank, "c1", 500))
        assert await bank.look_up_called_off("c1", ME) == gone
        assert await bank.look_up_called_off("c1", SOMEBODY) is None
        assert await bank.look_up_called_off("k1", ME) is None

    async def test_what_was_called_off_leaves_its_part_of_that_days_limit(self, bank: Bank) -> None:
        await bank.pay(await order(bank, "k1", 100, daily_limit=100, value_on=TOMORROW))
        await bank.call_off(await call_off(bank, "c1", 100))
        await bank.pay(await order(bank, "k2", 100, daily_limit=100, value_on=TOMORROW))

    async def test_a_booking_is_ordered_anew_with_its_memo_once_per_key(self, bank: Bank) -> None:
        await bank.pay(await order(bank, "k1", 70_000, value_on=TOMORROW, memo="회비"))
        wanted = await call_off(bank, "n1/off", 70_000)
        anew = await order(bank, "n1", 50_000, value_on=TOMORROW + timedelta(days=2))
        made = await asyncio.gather(*(bank.change(wanted, anew) for _ in range(5)))
        assert len({one.transfer_id for one in made}) == 1
        (left,) = await bank.booked(ME, TODAY)
        assert (left.amount, left.value_on, left.memo) == (50_000, TOMORROW + timedelta(days=2), "회비")
        assert await bank.balance(ME) == OPENING_BALANCE - 50_000
        with pytest.raises(KeyReused):
            await bank.change(wanted, anew._replace(amount=1))

    async def test_of_a_change_both_or_neither_is_done(self, bank: Bank) -> None:
        await bank.pay(await order(bank, "k1", 70_000, daily_limit=100_000, value_on=TOMORROW))
        wanted = await call_off(bank, "n1/off", 70_000)
        for amount, limit in ((100_001, 100_000), (OPENING_BALANCE + 1, OPENING_BALANCE * 2)):
            anew = await order(bank, "n1", amount, daily_limit=limit, value_on=TOMORROW)
            with pytest.raises(Refused):
                await bank.change(wanted, anew)
        assert [one.amount for one in await bank.booked(ME, TODAY)] == [70_000]
        assert await bank.balance(ME) == OPENING_BALANCE - 70_000
        # its own part of the day's limit is free for what stands in its place
        await bank.change(wanted, await order(bank, "n1", 100_000, daily_limit=100_000, value_on=TOMORROW))
        with pytest.raises(NotBooked):
            await bank.change(await call_off(bank, "n2/off", 70_000), await order(bank, "n2", 5, value_on=TOMORROW))
        assert await bank.balance(ME) == OPENING_BALANCE - 100_000
