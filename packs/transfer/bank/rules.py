"""What every bank of this pack refuses, in one place."""

from packs.transfer.bank.port import DailyLimitReached, InsufficientBalance, KeyReused, Order, Receipt, Refused


def check(order: Order, balance: int, ordered_today: int) -> None:
    """Raises Refused. `ordered_today` is the sum of the day's other payments."""
    if order.amount < 1 or order.value_on < order.ordered_on:
        raise Refused("impossible", amount=order.amount, date=order.value_on.isoformat())
    left = max(order.daily_limit - ordered_today, 0)
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
