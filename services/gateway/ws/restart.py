"""A gateway that stops sends its clients to another one, and not all of them at the same moment: each is told when to
come back, so that those who take them in are not run over."""

import random

RESTART = 1012
"""Close code of a socket: the service restarts."""
RETURNS = 200
"""Clients that come back in a second, so that reading their sessions leaves room for those who work."""
LONGEST = 5.0


def return_after(clients: int) -> float:
    """Seconds after which one of so many clients should come back; another number for each."""
    return random.uniform(0, min(LONGEST, clients / RETURNS))  # noqa: S311  # jitter, not a secret


def close_reason(clients: int) -> str:
    """What a socket is closed with. `retry-after` is in seconds, as the header of HTTP, but with a fraction."""
    return f"the gateway restarts; retry-after={return_after(clients):.2f}"
