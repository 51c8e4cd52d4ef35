"""Before every route and socket: requests that a page from elsewhere made, or that mean another server, end here."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from starlette.types import ASGIApp, Receive, Scope, Send

from services.gateway.domain.origins import Neighbourhood, RequestOrigin
from services.gateway.domain.refusal import Refused
from services.gateway.http.lingering import Lingering
from services.gateway.http.problems import problem

SCHEMES: Mapping[str, str] = MappingProxyType({"ws": "http", "wss": "https"})
"""An Origin is that of the page, which came over HTTP."""
HEADERS: Sequence[tuple[str, str]] = (
    ("cross-origin-resource-policy", "same-origin"),
    ("x-content-type-options", "nosniff"),
)
"""Of every answer: no page from elsewhere may even load it as an image, and nobody guesses what it is."""


class OriginCheck:
    """The application as the server runs it."""

    def __init__(self, app: ASGIApp, neighbourhood: Neighbourhood) -> None:
        self._app = app
        self._neighbourhood = neighbourhood

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            self._neighbourhood.admit(_asked(scope))
        except Refused as refused:
            answer = problem(refused)
            if scope["type"] == "http" and scope["method"] not in ("GET", "HEAD"):
                answer = Lingering(answer)
            # of a socket: the handshake fails with this very answer, and nothing was opened
            await answer(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _asked(scope: Scope) -> RequestOrigin:
    said: dict[bytes, list[str]] = {b"host": [], b"origin": [], b"sec-fetch-site": []}
    for name, value in scope["headers"]:
        if name in said:
            said[name].append(value.decode("latin-1"))
    scheme = scope["scheme"]
    server = scope.get("server")
    return RequestOrigin(
        method=scope.get("method", "GET"),
        scheme=SCHEMES.get(scheme, scheme),
        path=scope["path"],
        reached=server[0] if server else "",
        hosts=said[b"host"],
        origins=said[b"origin"],
        sites=said[b"sec-fetch-site"],
    )
