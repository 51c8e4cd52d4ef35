"""Messages of some subscriptions straight from nats-py's parser to who takes them. By itself it makes an object of
each, puts that into a queue and wakes a task: half of what receiving a message costs, and a turn of the loop later."""

import logging
from collections.abc import Callable
from typing import TypeAlias

from nats.aio.client import Client
from nats.aio.subscription import Subscription

log = logging.getLogger(__name__)

Take: TypeAlias = Callable[[str, str, dict[str, str], bytes], None]
"""Called with subject, reply, headers and body; it must not block."""
_PLAIN = b"NATS/1.0\r\n"
"""How headers begin that are a message's own; those of the server have a status in this line."""


class Direct:
    """What a connection brings, for those who take it directly. What the server says about a subscription goes the
    usual way, and so does everything of the others."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._process = client._process_msg  # noqa: SLF001  # no door for it: the parser calls this one
        self._takers: dict[int, Take] = {}
        client._process_msg = self._received  # type: ignore[method-assign]  # noqa: SLF001

    def to(self, subscription: Subscription, take: Take) -> None:
        """From now on `take` gets the messages of a subscription, not its callback."""
        self._takers[subscription._id] = take  # noqa: SLF001  # no door for it

    def over(self, subscription: Subscription) -> None:
        """Nobody takes them any more."""
        self._takers.pop(subscription._id, None)  # noqa: SLF001  # no door for it

    async def _received(self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: bytes | None) -> None:
        take = self._takers.get(sid)
        if take is None or (headers and not headers.startswith(_PLAIN)):
            await self._process(sid, subject, reply, data, headers)  # type: ignore[arg-type]  # None without headers
            return
        stats = self._client.stats
        stats["in_msgs"] += 1
        stats["in_bytes"] += len(data)
        try:
            take(subject.decode(), reply.decode(), parse_headers(headers[len(_PLAIN) :]) if headers else {}, data)
        except Exception:
            # it would end the connection for all others
            log.exception("a message on %r was not taken", subject)


def parse_headers(raw: bytes) -> dict[str, str]:
    """A block of `Name: value` lines; lines without a colon are left out."""
    lines = (line.partition(":") for line in raw.decode("utf-8", "replace").split("\r\n"))
    return {name.strip(): value.strip() for name, colon, value in lines if colon}
