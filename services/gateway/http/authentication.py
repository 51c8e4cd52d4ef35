"""Before every route and socket, where DREAM_AUTH is `keys`: who asks, and whether they may.

A program shows its key as `Authorization: Bearer dream_…`; a browser the cookie that POST /login gave it for one. Pages
from elsewhere have neither: the cookie is SameSite=Strict, and origin_check.py has been here before. Sockets and
streams are looked at again while they are open."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
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
from services.gateway.domain.access import EVERYBODY, Need, asked, require_operator
from services.gateway.domain.refusal import Refused
from services.gateway.http.lingering import Lingering
from services.gateway.http.problems import UNAVAILABLE, problem
from services.gateway.views.history import unknown
from services.gateway.views.protocol import error_frame

PRINCIPAL = "dream.principal"
"""Who asks, in the scope of a request or socket."""
COOKIE = "dream_login"
BEARER = "bearer "
KNOWN, FRESH_SECONDS = 10_000, 10.0
"""So many keys are remembered for so long: one that is revoked is heeded this late at most."""
LOOK_SECONDS = 15.0
CLOSE_UNAUTHENTICATED, CLOSE_FORBIDDEN, CLOSE_UNKNOWN, CLOSE_TRY_LATER = 4401, 4403, 4404, 1013
_CLOSE = {
    Code.UNAUTHENTICATED: CLOSE_UNAUTHENTICATED,
    Code.FORBIDDEN: CLOSE_FORBIDDEN,
    Code.SESSION_UNKNOWN: CLOSE_UNKNOWN,
}
_HOW = "send Authorization: Bearer with a key of `dream admin access create`, or log in at /console/"


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

    async def who(self, shown: Shown, *, anew: bool = False) -> Principal | None:
        """None for a secret that is nobody's. Raises LedgerUnavailable."""
        name, now = digest_of(f"{shown.kind}\0{shown.text}"), asyncio.get_running_loop().time()
        known = self._found.get(name)
        if known and now - known[0] < FRESH_SECONDS and not anew:
            return known[1]
        ask = self._store.of_key if shown.kind == "key" else self._store.of_login
        principal = await ask(shown.text)
        self._found.pop(name, None)
        if principal is not None:
            self._found[name] = (now, principal)
            if len(self._found) > KNOWN:
                self._found.popitem(last=False)
        return principal

    def forget(self, shown: Shown) -> None:
        """It was logged out."""
        self._found.pop(digest_of(f"{shown.kind}\0{shown.text}"), None)


class Authentication:
    """The application as it answers where keys are asked for."""

    def __init__(self, app: ASGIApp, known: Known, owners: Owners) -> None:
        self._app = app
        self._known = known
        self._owners = owners

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
        if scope["type"] == "websocket" or scope["path"].endswith("/stream"):
            await Lasting(lambda: self._still(scope, shown)).run(self._app, scope, receive, send)
        else:
            await self._app(scope, receive, send)

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

    async def _still(self, scope: Scope, shown: Shown) -> bool:
        try:
            return await self.admit(scope, shown, anew=True) is not None
        except Refused:
            return False
        except LedgerUnavailable:
            return True  # nobody was sent away


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
    """A socket or stream that ends when whoever opened it may no more."""

    def __init__(self, still: Callable[[], Awaitable[bool]]) -> None:
        self._still = still
        self._over = asyncio.Event()
        self._heard: asyncio.Future[Message] | None = None

    async def run(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Returns when the application does."""
        socket = scope["type"] == "websocket"
        gone: Message = {"type": f"{scope['type']}.disconnect", "code": CLOSE_UNAUTHENTICATED}

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
            return hearing.result()

        async def say(message: Message) -> None:
            if not self._over.is_set():
                await send(message)

        async def looking() -> None:
            while True:
                await asyncio.sleep(LOOK_SECONDS)
                if not await self._still():
                    break
            self._over.set()
            if socket:
                frame = error_frame(Code.UNAUTHENTICATED, f"the key or login is not valid any more: {_HOW}")
                await send({"type": "websocket.send", "text": frame.decode()})
                await send({"type": "websocket.close", "code": CLOSE_UNAUTHENTICATED})

        look = asyncio.create_task(looking())
        try:
            await app(scope, heard, say)
            if self._over.is_set() and not socket:
                await send({"type": "http.response.body"})  # a stream that was cut short ends as one that is over
        finally:
            for task in (look, self._heard):
                if task is not None:
                    task.cancel()
            await asyncio.gather(look, return_exceptions=True)
