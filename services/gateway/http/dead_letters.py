"""GET /dead-letters, /dead-letters/{letter_id}, and the verbs retry and discard."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query

from services.gateway.http.endpoint import Endpoint
from services.gateway.http.parameters import Gateway, Limit
from services.gateway.http.problems import problems
from services.gateway.ops.views import LettersPage, LetterView, LetterWhole, letter_whole

router = APIRouter(route_class=Endpoint)


@router.get("/dead-letters", responses=problems(1000, 1011, 9006))
async def letters(
    gateway: Gateway,
    state: Annotated[Literal["dead", "retried", "discarded"] | None, Query(description="none = all")] = None,
    limit: Limit = 100,
) -> LettersPage:
    """Messages that were given up."""
    lines = await gateway.dead_letters.ledger.dead_letters(limit, state)
    return LettersPage(dead_letters=tuple(map(LetterView.model_validate, lines)))


@router.get("/dead-letters/{letter_id}", responses=problems(1009, 9006, 9009))
async def letter(letter_id: UUID, gateway: Gateway) -> LetterWhole:
    """One of them, with headers and body."""
    return letter_whole(await gateway.dead_letters.require(letter_id))


@router.post("/dead-letters/{letter_id}/retry", responses=problems(1009, 9006, 9007, 9009, 9010))
async def retry(letter_id: UUID, gateway: Gateway) -> LetterView:
    """Publishes the message again, once; who has handled it already skips it."""
    return letter_whole(await gateway.dead_letters.retry(letter_id)).without_body()


@router.post("/dead-letters/{letter_id}/discard", responses=problems(1009, 9006, 9009, 9010))
async def discard(letter_id: UUID, gateway: Gateway) -> LetterView:
    """Nobody needs the message any more."""
    return letter_whole(await gateway.dead_letters.discard(letter_id)).without_body()
