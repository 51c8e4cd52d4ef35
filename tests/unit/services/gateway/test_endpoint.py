"""A handler's signature is the whole declaration of an address: what it takes, and how what does not fit is refused."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal
from uuid import UUID

import httpx
import pytest
from fastapi import APIRouter, Body, Depends, FastAPI, Header, Query
from starlette.requests import Request

from contracts.shape import Contract
from services.gateway.http.endpoint import Endpoint, TooLarge
from services.gateway.http.parameters import ArtifactId
from services.gateway.http.problems import HANDLERS, problems
from services.gateway.http.requests import BODY_LIMIT, is_whole, too_large

SHELF = "0190a1b2-0000-7000-8000-00000000000a"


class Loan(Contract):
    """A book that somebody takes home."""

    reader: str
    weeks: int = 3


class Asked(Contract):
    """What the handler was given."""

    given: dict[str, Any]


def _clerk(request: Request) -> str:
    return str(request.app.state.clerk)


router = APIRouter(route_class=Endpoint)


@router.get("/shelves/{shelf_id}")
async def shelf(
    shelf_id: UUID,
    clerk: Annotated[str, Depends(_clerk)],
    row: Annotated[int, Query(le=40)] = 7,
    lent: bool = False,  # a query parameter
    order: Literal["title", "author", "year"] | None = None,
    x_desk: Annotated[str | None, Header()] = None,
) -> Asked:
    """Looks at a shelf."""
    return Asked(
        given={"shelf": str(shelf_id), "clerk": clerk, "row": row, "lent": lent, "order": order, "desk": x_desk}
    )


@router.get("/spines/{name}")
async def spine(name: str) -> Asked:
    """Looks at the back of a book."""
    return Asked(given={"name": name})


@router.get("/find")
async def find(title: Annotated[str, Query(examples=["Emma"])]) -> Asked:
    """Finds a book."""
    return Asked(given={"title": title})


@router.get("/scans/{artifact_id}")
async def scan(artifact_id: ArtifactId) -> Asked:
    """Looks at a scan."""
    return Asked(given={"id": artifact_id})


@router.post("/loans", status_code=201, responses=problems(1000, (1000, 409)))
async def lend(body: Annotated[Loan, Body(), TooLarge(lambda: too_large("the slip", ": write less"))]) -> Loan:
    """Lends a book."""
    return body


@router.post("/returns")
async def take_back(body: Loan | None = None) -> Asked:
    """Takes a book back, with its slip or without."""
    return Asked(given={"reader": body.reader if body else "somebody"})


@pytest.fixture
async def desk() -> Any:
    app = FastAPI(exception_handlers=HANDLERS)
    app.router.routes.extend(router.routes)
    app.state.clerk = "Ada"
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://library") as client:
        yield client


async def test_a_handler_gets_what_its_signature_asks_for(desk: httpx.AsyncClient) -> None:
    bare = (await desk.get(f"/shelves/{SHELF}")).json()["given"]
    assert bare == {"shelf": SHELF, "clerk": "Ada", "row": 7, "lent": False, "order": None, "desk": None}
    query = "row=40&lent=TRUE&order=year"
    full = (await desk.get(f"/shelves/{SHELF}?{query}", headers={"X-Desk": "north"})).json()["given"]
    assert full == {"shelf": SHELF, "clerk": "Ada", "row": 40, "lent": True, "order": "year", "desk": "north"}
    assert (await desk.get("/spines/Emma%20I")).json()["given"] == {"name": "Emma I"}


@pytest.mark.parametrize(
    ("address", "code", "says"),
    [
        ("/shelves/top", 1009, "shelf_id is 'top': it must be a UUID"),
        (f"/shelves/{SHELF.replace('-', '')}", 1009, "UUID of 36 characters"),
        (f"/shelves/{SHELF}?row=41", 1011, "row is '41': it must be a whole number from 0 to 40"),
        (f"/shelves/{SHELF}?row=+4", 1011, "whole number"),
        (f"/shelves/{SHELF}?lent=yes", 1000, "lent is 'yes': it must be true or false"),
        (f"/shelves/{SHELF}?order=colour", 1000, "order is 'colour': it must be title, author or year"),
        ("/find", 1000, "the query parameter title is missing: GET /find?title=Emma"),
        ("/find?title=", 1000, "the query parameter title is missing"),
        (f"/scans/{'A' * 64}", 1009, "SHA-256"),
    ],
)
async def test_what_does_not_fit_is_a_problem_that_names_it(
    desk: httpx.AsyncClient, address: str, code: int, says: str
) -> None:
    answer = await desk.get(address)
    assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json")
    assert answer.json()["code"] == code
    assert says in answer.json()["detail"]


async def test_a_body_is_validated_and_its_answer_has_the_declared_status(desk: httpx.AsyncClient) -> None:
    lent = await desk.post("/loans", json={"reader": "Jo"})
    assert (lent.status_code, lent.json()) == (201, {"reader": "Jo", "weeks": 3})
    wrong = await desk.post("/loans", json={"reader": "Jo", "weeks": "many"})
    assert (wrong.status_code, wrong.json()["errors"][0]["path"]) == (400, "/weeks")
    form = await desk.post("/loans", data={"reader": "Jo"})
    assert (form.status_code, form.json()["code"]) == (415, 1000)


async def test_a_body_over_the_limit_is_refused_in_the_words_of_its_address(desk: httpx.AsyncClient) -> None:

    async def pages() -> Any:
        for _ in range(64):
            yield b" " * (BODY_LIMIT // 8)

    refused = await desk.post("/loans", content=pages(), headers={"content-type": "application/json"})
    assert refused.status_code == 413
    assert refused.json()["detail"] == f"the slip is larger than {BODY_LIMIT:,} bytes: write less"


async def test_a_body_that_may_be_absent_may_be_absent(desk: httpx.AsyncClient) -> None:
    assert (await desk.post("/returns")).json()["given"] == {"reader": "somebody"}
    assert (await desk.post("/returns", json={"reader": "Li"})).json()["given"] == {"reader": "Li"}


def test_a_signature_that_nobody_could_serve_is_refused_at_once() -> None:
    async def weigh(grams: float) -> Asked:
        return Asked(given={"grams": grams})

    with pytest.raises(TypeError, match="grams"):
        APIRouter(route_class=Endpoint).add_api_route("/weigh", weigh)


def test_problems_with_one_status_are_one_answer() -> None:
    described = problems(1000, 1009, (1010, 404), 3000)
    assert _lines(described, 400) == ["1000 INVALID_REQUEST", "1009 IDENTIFIER_MALFORMED"]
    assert _lines(described, 404) == ["1010 ARTIFACT_UNKNOWN", "3000 SESSION_UNKNOWN"]


def _lines(described: dict[int | str, dict[str, Any]], status: int) -> Sequence[str]:
    return str(described[status]["description"]).split(", ")


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("0", True), ("40", True), ("007", True), ("41", False), ("-1", False), ("", False), ("4.0", False), ("x", False),
     ("\u00b2", False), ("\u0664", False), ("9" * 19, False), ("9" * 4301, False)],
)  # fmt: skip
def test_a_whole_number_is_digits_and_not_too_many(text: str, is_one: bool) -> None:  # of the table
    assert is_whole(text, 40) is is_one
