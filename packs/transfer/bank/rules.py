"""What every bank of this pack refuses, in one place."""

from packs.transfer.bank.port import CallOff, DailyLimitReached, InsufficientBalance, KeyReused, Order, Receipt, Refused


def check(order: Order, balance: int, on_that_day: int) -> None:
    """Raises Refused. `on_that_day` is the sum of the other payments that go out on its day."""
    if order.amount < 1 or order.value_on < order.ordered_on:
        raise Refused("impossible", amount=order.amount, date=order.value_on.isoformat())
    left = max(order.daily_limit - on_that_day, 0)
    if order.amount > balance:
        raise InsufficientBalance(balance)
    if order.amount > left:
        raise DailyLimitReached(order.daily_limit, left)


def same(receipt: Receipt, order: Order) -> Receipt:
    """The receipt of an order that was carried out before. Raises KeyReused when it is that of another order."""
    paid = (receipt.payee_id, receipt.amount, receipt.value_on, receipt.memo)
    if paid != (order.payee_id, order.amount, order.value_on, order.memo):
        raise KeyReused(f"key {order.key!r} paid {paid!r}")
    return receipt


def same_called_off(receipt: Receipt, wanted: CallOff) -> Receipt:
    """The payment that was called off before. Raises KeyReused when another was wanted then."""
    gone = (receipt.payee_id, receipt.amount, receipt.value_on)
    if gone != (wanted.payee_id, wanted.amount, wanted.value_on):
        raise KeyReused(f"key {wanted.key!r} called off {gone!r}")
    return receipt
