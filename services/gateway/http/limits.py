"""uvicorn's protocols with limits: what comes before any route, and so before anybody has said who they are."""

import math
from collections.abc import Sequence
from typing import Any

from starlette.responses import Response
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from contracts.errors import Code
from services.gateway.domain.refusal import Refused
from services.gateway.http.problems import problem
from services.gateway.ws.restart import RESTART, close_reason

HEAD_BYTES = 64 * 1024
"""Request line and headers in all; trailers too."""
HEAD_SECONDS = 20.0
"""From the first byte of a request, or the connection's beginning, to the end of its headers."""
BODY_SECONDS = 20.0
BODY_RATE = 1000
"""A body may be behind by so many seconds, at bytes per second; so it may also stand still for so long."""
LINGER = 1.0
"""Seconds for which the rest of what was refused is thrown away: closing at once would lose the answer."""
_LINE = 12
"""Bytes of a request line besides method and target; of a header, besides name and value, there are four."""


class LimitedHttp(HttpToolsProtocol):
    """`check` is to be called every second or so."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._due = self.loop.time() + HEAD_SECONDS
        self._moved = False
        self._unparsed = 0
        self._over = False

    def data_received(self, data: bytes) -> None:
        if self._over:
            return
        self._moved = False
        super().data_received(data)
        # the parser keeps what it is in the middle of, a header of any length say, until there is an end to it
        self._unparsed = 0 if self._moved else self._unparsed + len(data)
        if self._unparsed > HEAD_BYTES:
            self._refuse(_too_large())

    def on_message_begin(self) -> None:
        self._moved = True
        self._due = self.loop.time() + HEAD_SECONDS
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._moved = True
        if self._over:
            return
        self._due = self.loop.time() + BODY_SECONDS
        size = _LINE + len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if size > HEAD_BYTES:
            self._refuse(_too_large())
            return
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._moved = True
        if self._over:
            return
        self._due = min(self._due + len(body) / BODY_RATE, self.loop.time() + BODY_SECONDS)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._moved = True
        if self._over:
            return
        self._due = math.inf
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        if not self._over:
            super().handle_websocket_upgrade()

    def check(self, now: float) -> None:
        """Ends a connection on which a request does not come."""
        if now < self._due or self._over:
            return
        if self.flow.read_paused:
            # it is us who do not read
            self._due = now + BODY_SECONDS
            return
        self._refuse(Refused(Code.INVALID_REQUEST, "the request came too slowly: send it again", status=408), 0)

    def _refuse(self, refused: Refused, linger: float = LINGER) -> None:
        self._over = True
        cycle: RequestResponseCycle | None = self.cycle
        open_ = cycle is not None and not cycle.response_complete
        if cycle is not None and open_ and (cycle.response_started or not cycle.more_body):
            linger = 0  # the answer to the request before is not over: nothing may come in between
        elif not self.transport.is_closing():
            self.transport.write(self._rendered(problem(refused)))
        if cycle is not None and open_:
            cycle.disconnected = True
            cycle.message_event.set()
        if linger:
            self.loop.call_later(linger, self.transport.close)
        else:
            self.transport.close()

    def _rendered(self, answer: Response) -> bytes:
        headers: Sequence[tuple[bytes, bytes]] = (
            *self.server_state.default_headers, *answer.raw_headers, (b"connection", b"close")
        )  # fmt: skip
        lines = b"".join(b"%s: %s\r\n" % header for header in headers)
        return STATUS_LINE[answer.status_code] + lines + b"\r\n" + bytes(answer.body)


class Socket(WebSocketsSansIOProtocol):
    """A connection that the protocol itself has closed, for a broken frame or a pong that never came, is one that is
    gone: the application's next word on it is no fault of the application."""

    def shutdown(self) -> None:
        """The server stops. Who is connected is told when to come back, and who is still at the door to come again:
        uvicorn says 500, as if we had failed."""
        if self.close_sent or self.initial_response is not None:
            super().shutdown()
            return
        self.stop_keepalive()
        self.queue.put_nowait({"type": "websocket.disconnect", "code": RESTART})
        if self.handshake_complete:
            self.conn.send_close(RESTART, close_reason(len(self.connections)))
        else:
            answer = stopping()
            response = self.conn.reject(answer.status_code, bytes(answer.body).decode())
            del response.headers["Content-Type"]  # of websockets: text/plain
            response.headers.update({name: answer.headers[name] for name in ("content-type", "retry-after")})
            self.conn.send_response(response)
        self.handshake_complete = self.close_sent = True
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.transport.close()

    async def send(self, message: Any) -> None:
        await self.writable.wait()
        if self.handshake_complete and self.close_sent:
            raise ClientDisconnected
        await super().send(message)

    def send_receive_event_to_app(self) -> None:
        if self.curr_msg_data_type == "text":
            whole = b"".join(self.frames)
            try:
                whole.decode()
            except UnicodeDecodeError:
                self.conn.send_close(1007)
                self.handle_parser_exception()
                return
        super().send_receive_event_to_app()


def stopping() -> Response:
    """What is told to those whom a gateway that stops has no time for any more."""
    said = "the gateway restarts: send the same request again in a moment"
    return problem(Refused(Code.STOPPING, said, status=503))


def _too_large() -> Refused:
    return Refused(
        Code.INVALID_REQUEST, f"the headers are larger than {HEAD_BYTES:,} bytes in all: send fewer", status=431
    )
