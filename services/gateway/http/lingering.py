"""Refusing a request whose body is still coming: answer at once, then let the client finish speaking for a moment.

Closing at once would reset the connection, and the client would see a broken pipe instead of the problem document."""

import asyncio

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

PATIENCE = 3.0
"""Seconds for which the rest of the body is read and thrown away."""


class Lingering(Response):
    """Sends another response's content, drains what comes for a while, and closes the connection."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.body, response.status_code)
        self.raw_headers = [*response.raw_headers, (b"connection", b"close")]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": True})
        # who waits for "100 Continue" has sent nothing, and will not
        if not any(name == b"expect" for name, _ in scope["headers"]):
            await _drain(receive)
        await send({"type": "http.response.body", "body": b""})


async def _drain(receive: Receive) -> None:
    try:
        async with asyncio.timeout(PATIENCE):
            more = True
            while more:
                message = await receive()
                more = message["type"] == "http.request" and message.get("more_body", False)
    except TimeoutError:
        return
