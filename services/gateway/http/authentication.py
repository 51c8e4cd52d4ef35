"""Before every route and socket, where DREAM_AUTH is `keys`: who asks, and whether they may.

A program shows its key as `Authorization: Bearer dream_…`; a browser the cookie that POST /login gave it for one. Pages
from elsewhere have neither: the cookie is SameSite=Strict, and origin_check.py has been here before. Sockets and
streams are looked at again while they are open."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any, Protocol
from uuid import UUID

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backbone.access.keys import digest_of
from backbone.access.store import AccessStore
from backbone.ledger.port import LedgerUnavailable
from contracts.access import Principal
from contracts.errors import Code
from services.gateway.domain.access import EVERYBODY, Need, asked, lasts, require_operator
from services.gateway.domain.refusal import Refused
from services.gateway.http.lingering import Lingering
from services.gateway.http.problems import UNAVAILABLE, problem
from services.gateway.views.history import unknown
from services.gateway.views.protocol import error_frame

PRINCIPAL = "dream.principal"
"""Who asks, in the scope of a request or socket."""
LASTING = "dream.lasting"
"""What ends a socket or stream, in its scope."""
COOKIE = "dream_login"
BEARER = "bearer "
KNOWN, FRESH_SECONDS = 10_000, 10.0
"""So many keys are remembered for so long: one that is revoked is heeded this late at most."""
LOOK_SECONDS = 15.0
GOODBYE_SECONDS = 2.0
"""For the last words to a client that may not be reading."""
CLOSE_UNAUTHENTICATED, CLOSE_FORBIDDEN, CLOSE_UNKNOWN, CLOSE_TOO_MANY, CLOSE_TRY_LATER = 4401, 4403, 4404, 4429, 1013
_CLOSE = {
    Code.UNAUTHENTICATED: CLOSE_UNAUTHENTICATED,
    Code.FORBIDDEN: CLOSE_FORBIDDEN,
    Code.SESSION_UNKNOWN: CLOSE_UNKNOWN,
    Code.RATE_LIMITED: CLOSE_TOO_MANY,
}
_HOW = "send Authorization: Bearer with a key of `dream admin access create`, or log in at /console/"
_OVER = f"the key or login is not valid any more: {_HOW}"


class Owners(Protocol):
    """Who knows whose a session is."""

    async def owner(self, session_id: UUID) -> str:
        """Raises Refused when there is no such session."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a request shows of who asks; `text` is a secret."""

    kind: str
    text: str


def principal_of(scope: Scope) -> Principal:
    """Who asks; everybody is one where no keys are asked for."""
    found: Principal = scope.get(PRINCIPAL, EVERYBODY)
    return found


def shown_by(scope: Scope) -> Shown | None:
    """The key of the Authorization header, else the cookie of a login. A second Authorization header is none."""
    said = [value.decode("latin-1") for name, value in scope["headers"] if name == b"authorization"]
    if said:
        bearer = len(said) == 1 and said[0][: len(BEARER)].lower() == BEARER
        return Shown("key", said[0][len(BEARER) :].strip()) if bearer else None
    cookies = SimpleCookie()
    with suppress(CookieError):
        for name, value in scope["headers"]:
            if name == b"cookie":
                cookies.load(value.decode("latin-1"))
    return Shown("login", cookies[COOKIE].value) if COOKIE in cookies else None


class Known:
    """Who shows what, remembered for some seconds by what it hashes to."""

    def __init__(self, store: AccessStore) -> None:
        self._store = store
        self._found: OrderedDict[bytes, tuple[float, Principal]] = OrderedDict()
        self._over: OrderedDict[bytes, None] = OrderedDict()
        self._lasting: dict[bytes, set[Lasting]] = {}

    async def who(self, shown: Shown, *, anew: bool = False) -> Principal | None:
        """None for a secret that is nobody's. Raises LedgerUnavailable."""
        name, now = _name(shown), asyncio.get_running_loop().time()
        known = self._found.get(name)
        if known and now - known[0] < FRESH_SECONDS and not anew:
            return known[1]
        ask = self._store.of_key if shown.kind == "key" else self._store.of_login
        principal = await ask(shown.text)
        self._found.pop(name, None)
        if name in self._over:
            return None  # it was logged out while the database was asked, which may have answered before
        if principal is not None:
            self._found[name] = (now, principal)
            if len(self._found) > KNOWN:
                self._found.popitem(last=False)
        return principal

    def forget(self, shown: Shown) -> None:
        """It was logged out, and opens nothing any more: what it has opened here ends now."""
        name = _name(shown)
        self._found.pop(name, None)
        self._over[name] = None
        if len(self._over) > KNOWN:
            self._over.popitem(last=False)
        for lasting in self._lasting.get(name, ()):
            lasting.end()

    @contextmanager
    def ending(self, shown: Shown, lasting: "Lasting") -> Iterator[None]:
        """From entering on, a logout ends it; at once, if there was one since it was admitted."""
        name = _name(shown)
        self._lasting.setdefault(name, set()).add(lasting)
        if name in self._over:
            lasting.end()
        try:
            yield
        finally:
            there = self._lasting[name]
            there.discard(lasting)
            if not there:
                del self._lasting[name]


def _name(shown: Shown) -> bytes:
    """Under which a secret is remembered, without it."""
    return digest_of(f"{shown.kind}\0{shown.text}")


class Authentication:
    """The application as it answers where keys are asked for. A person has `most` sockets and streams open at once."""

    def __init__(self, app: ASGIApp, known: Known, owners: Owners, most: int) -> None:
        self._app = app
        self._known = known
        self._owners = owners
        self._open: Counter[str] = Counter()
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        shown = shown_by(scope)
        try:
            principal = await self.admit(scope, shown)
        except Refused as refused:
            await _refuse(refused, scope, receive, send)
            return
        except LedgerUnavailable:
            await _refuse(Refused(Code.LEDGER_UNAVAILABLE, UNAVAILABLE), scope, receive, send)
            return
        if principal is None or shown is None:
            await self._app(scope, receive, send)
            return
        scope[PRINCIPAL] = principal
        scope["headers"] = [_of_person(name, value, principal) for name, value in scope["headers"]]
        if scope["type"] == "websocket" or lasts(scope["path"]):
            if self._open[principal.user] >= self._most:
                await _refuse(self._too_many(), scope, receive, send)
                return
            lasting = Lasting(lambda anew: self.admit(scope, shown, anew=anew))
            with self._counted(principal.user), self._known.ending(shown, lasting):
                await lasting.run(self._app, scope, receive, send)
        else:
            await self._app(scope, receive, send)

    @contextmanager
    def _counted(self, user: str) -> Iterator[None]:
        self._open[user] += 1
        try:
            yield
        finally:
            self._open[user] -= 1
            if not self._open[user]:
                del self._open[user]

    def _too_many(self) -> Refused:
        why = f"you have {self._most:,} sockets and streams open here, and may have no more: close one first"
        return Refused(Code.RATE_LIMITED, why)

    async def admit(self, scope: Scope, shown: Shown | None, *, anew: bool = False) -> Principal | None:
        """Who may use the address; None where nobody needs to be anybody and no valid key was shown. Raises Refused,
        LedgerUnavailable."""
        needs = asked(scope["path"], scope.get("method", "GET"))
        principal = await self._known.who(shown, anew=anew) if shown else None
        if needs.need is Need.NOTHING:
            return principal
        if principal is None:
            why = "the key or login is not valid (any more)" if shown else "nobody said who asks"
            raise Refused(Code.UNAUTHENTICATED, f"{why}: {_HOW}")
        if needs.need is Need.OPERATOR:
            require_operator(principal)
        if needs.need in (Need.READER, Need.OWNER):
            with suppress(ValueError):  # no id at all: the route says what is wrong with it
                await own(self._owners, principal, UUID(needs.session), reads=needs.need is Need.READER)
        return principal


async def own(owners: Owners, principal: Principal, session_id: UUID, *, reads: bool = False) -> None:
    """Raises Refused unless it is the person's own session, or one that an operator only reads. Somebody else's is
    refused as if it did not exist: that it does is theirs."""
    if principal is EVERYBODY or (reads and principal.operates):
        return
    owner = await owners.owner(session_id)
    if owner == principal.user:
        return
    if principal.operates:
        raise Refused(
            Code.FORBIDDEN, f"the session is that of {owner}: operators read and steer it, and say nothing in it"
        )
    raise unknown(session_id)


def _of_person(name: bytes, value: bytes, principal: Principal) -> tuple[bytes, bytes]:
    """Idempotency-Keys are a person's own: what another one says under the same key is another command."""
    if name != b"idempotency-key" or not 0 < len(value) <= 255:
        return name, value
    return name, digest_of(f"{principal.user}\0{value.decode('latin-1')}").hex().encode()


async def _refuse(refused: Refused, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        # pages see nothing of a handshake that fails: an open socket can say why it is closed
        await receive()
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.send", "text": error_frame(refused.code, refused.message).decode()})
        await send({"type": "websocket.close", "code": _CLOSE.get(refused.code, CLOSE_TRY_LATER)})
        return
    answer = problem(refused)
    if scope["method"] not in ("GET", "HEAD"):
        answer = Lingering(answer)
    await answer(scope, receive, send)


class Lasting:
    """A socket or stream that ends when whoever opened it may no more. `admit` raises Refused then; its argument says
    whether the database is to be asked anew."""

    def __init__(self, admit: Callable[[bool], Awaitable[object]]) -> None:
        self._admit = admit
        self._over = asyncio.Event()
        self._heard: asyncio.Future[Message] | None = None
        self._left = False
        """One of the two sides has taken its leave already."""

    def end(self) -> None:
        """Now: nothing more is heard from the client nor said to it, but why."""
        self._over.set()

    async def require(self) -> None:
        """Whoever opened it may still use it, as far as is known here. Else it ends, and Refused is raised; raises
        LedgerUnavailable when nobody knows."""
        if not self._over.is_set():
            try:
                await self._admit(False)  # noqa: FBT003  # not anew
            except Refused:
                self.end()
                raise
        if self._over.is_set():
            raise Refused(Code.UNAUTHENTICATED, _OVER)

    async def run(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Returns when the application does."""
        socket = scope["type"] == "websocket"
        gone: Message = {"type": f"{scope['type']}.disconnect", "code": CLOSE_UNAUTHENTICATED}
        scope[LASTING] = self

        async def heard() -> Message:
            hearing = self._heard = self._heard or asyncio.ensure_future(receive())
            over: asyncio.Future[Any] = asyncio.ensure_future(self._over.wait())
            waited: list[asyncio.Future[Any]] = [hearing, over]
            try:
                await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            finally:
                over.cancel()
            if self._over.is_set():
                return gone
            self._heard = None
            self._left = self._left or hearing.result()["type"] == gone["type"]
            return hearing.result()

        async def say(message: Message) -> None:
            if not self._over.is_set():
                last = message["type"] == "http.response.body" and not message.get("more_body", False)
                self._left = self._left or last or message["type"] == "websocket.close"
                await send(message)

        look = asyncio.create_task(self._look())
        try:
            await app(scope, heard, say)
        finally:
            for task in (look, self._heard):
                if task is not None:
                    task.cancel()
            await asyncio.gather(look, return_exceptions=True)
        if self._over.is_set() and not self._left:
            with suppress(TimeoutError, OSError):  # OSError: the client has just gone
                async with asyncio.timeout(GOODBYE_SECONDS):
                    await _goodbye(send, socket=socket)

    async def _look(self) -> None:
        """Now and then, until it is over: keys are revoked elsewhere too."""
        while not self._over.is_set():
            await asyncio.sleep(LOOK_SECONDS)
            with suppress(LedgerUnavailable):  # nobody was sent away
                try:
                    await self._admit(True)  # noqa: FBT003  # anew
                except Refused:
                    self.end()


async def require_still(scope: Scope) -> None:
    """Before what comes on a socket is done: whoever opened it may still use it. Raises Refused, LedgerUnavailable."""
    lasting: Lasting | None = scope.get(LASTING)
    if lasting is not None:
        await lasting.require()


async def _goodbye(send: Send, *, socket: bool) -> None:
    if not socket:
        await send({"type": "http.response.body"})  # a stream that was cut short ends as one that is over
        return
    await send({"type": "websocket.send", "text": error_frame(Code.UNAUTHENTICATED, _OVER).decode()})
    await send({"type": "websocket.close", "code": CLOSE_UNAUTHENTICATED})
