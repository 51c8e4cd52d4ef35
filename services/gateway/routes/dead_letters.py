"""GET /dead-letters, /dead-letters/{letter_id}, and the verbs retry and discard."""

from dataclasses import dataclass
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response

from backbone.ledger.port import KeptLetter
from contracts.errors import Code
from services.gateway.domain.refusal import Refused, short
from services.gateway.intake import uuid_of, whole_number
from services.gateway.letters import Letters
from services.gateway.operations import LARGEST_PAGE, LettersPage, LetterView, letter_line, letter_whole
from services.gateway.routes.answers import model_answer

PAGE = 100
STATES = ("dead", "retried", "discarded")


@dataclass(frozen=True, slots=True)
class LetterRoutes:
    """Messages that were given up, as operators deal with them."""

    letters: Letters

    async def index(self, request: Request) -> Response:
        state = request.query_params.get("state")
        if state not in (None, *STATES):
            raise Refused(Code.INVALID_REQUEST, f"state is {short(state)}: it must be dead, retried or discarded")
        limit = whole_number(request, "limit", PAGE, LARGEST_PAGE)
        lines = await self.letters.ledger.dead_letters(limit, state)
        return model_answer(LettersPage(dead_letters=tuple(map(letter_line, lines))))

    async def show(self, request: Request) -> Response:
        return model_answer(letter_whole(await self.letters.require(_id(request))))

    async def retry(self, request: Request) -> Response:
        return _settled(await self.letters.retry(_id(request)))

    async def discard(self, request: Request) -> Response:
        return _settled(await self.letters.discard(_id(request)))


def _id(request: Request) -> UUID:
    return uuid_of(request.path_params["letter_id"], "letter_id")


def _settled(kept: KeptLetter) -> Response:
    whole = letter_whole(kept).model_dump(exclude={"headers", "body", "body_as"})
    return model_answer(LetterView.model_validate(whole))
