"""Small wants, for suites and tests around the toolbox."""

from uuid import uuid4

from backbone.toolbox.port import Holder, Want

SECONDS = 1000.0
"""A time to live so long that a slow machine does not matter."""


def holder() -> Holder:
    """A todo of a run of its own."""
    return Holder(uuid4(), uuid4(), "t1")


def want(*groups: str, of: Holder | None = None, capacity: int = 1, ttl: float = SECONDS) -> Want:
    """Some groups, for somebody new if nobody is named."""
    return Want(of or holder(), "devices.movie", groups, capacity, ttl)
