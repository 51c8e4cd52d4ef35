"""POST /login and /logout, for browsers; GET /me: who asks."""

from typing import Annotated, Literal

from fastapi import APIRouter, Body
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from backbone.access.store import LOGIN_LASTS
from contracts.access import Principal, Role
from contracts.errors import Code
from contracts.shape import Contract
from services.gateway.composition import Composition
from services.gateway.domain.access import EVERYBODY
from services.gateway.domain.refusal import Refused
from services.gateway.http.authentication import COOKIE, Shown, principal_of, shown_by
from services.gateway.http.endpoint import Endpoint, TooLarge
from services.gateway.http.parameters import Gateway, Who
from services.gateway.http.problems import problems
from services.gateway.http.requests import too_large
from services.gateway.http.responses import model_answer

router = APIRouter(route_class=Endpoint)
SHORT = TooLarge(lambda: too_large(instead=""))
_NO_STORE = {"cache-control": "no-store"}


class LoginRequest(Contract):
    """Body of POST /login."""

    key: str = Field(max_length=200, description="as `dream admin access create` has printed it")


class Me(Contract):
    """Who asks."""

    auth: Literal["off", "keys"] = Field(description="whether the gateway asks for keys")
    user: str | None = Field(description="whose memory, calendar and sessions it is; none: nobody has said, or anybody")
    role: Role | None = Field(description="none: a key is needed")


@router.get("/me", response_model=Me, responses=problems(9006))
async def me(request: Request, gateway: Gateway, who: Who) -> Response:
    """Who asks, and what they may; without a key too."""
    if gateway.backbone.settings.auth == "keys" and principal_of(request.scope) is EVERYBODY:
        return model_answer(Me(auth="keys", user=None, role=None), _NO_STORE)
    return model_answer(_me(gateway, who), _NO_STORE)


@router.post("/login", response_model=Me, responses=problems(1000, (1000, 413), 2000, 9006))
async def log_in(body: Annotated[LoginRequest, Body(), SHORT], request: Request, gateway: Gateway) -> Response:
    """A cookie for a browser, in the place of a key: no script reads it, no other page makes use of it."""
    if gateway.backbone.settings.auth == "off":
        return model_answer(_me(gateway, EVERYBODY), _NO_STORE)
    principal = await gateway.known.who(Shown("key", body.key.strip()), anew=True)
    if principal is None:
        raise Refused(Code.UNAUTHENTICATED, "this key is not valid (any more): see dream admin access list")
    answer = model_answer(_me(gateway, principal), _NO_STORE)
    answer.set_cookie(
        COOKIE,
        await gateway.access.log_in(principal),
        max_age=int(LOGIN_LASTS.total_seconds()),
        httponly=True,
        samesite="strict",
        secure=_is_https(request, gateway),
    )
    return answer


@router.post("/logout", status_code=204, response_class=Response, responses=problems(9006))
async def log_out(request: Request, gateway: Gateway) -> Response:
    """The cookie is worth nothing from now on."""
    shown = shown_by(request.scope)
    if shown and shown.kind == "login":
        await gateway.access.log_out(shown.text)
        gateway.known.forget(shown)
    answer = Response(status_code=204)
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=_is_https(request, gateway))
    return answer


def _me(gateway: Composition, who: Principal) -> Me:
    return Me(auth=gateway.backbone.settings.auth, user=who.user or None, role=who.role)


def _is_https(request: Request, gateway: Composition) -> bool:
    """Whether browsers reach us by TLS: here, or at a proxy that the operator has named."""
    return request.url.scheme == "https" or (gateway.backbone.settings.public_url or "").startswith("https:")
