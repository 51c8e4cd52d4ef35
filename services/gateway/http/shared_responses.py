"""What the front door may answer in the place of any route: described once in the OpenAPI document, and referred to."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from contracts.errors import Code
from services.gateway.http.problems import MEDIA_TYPE


class Anywhere(NamedTuple):
    """A response by its name in the components; with what it says for people."""

    name: str
    code: Code
    why: str


DOOR: Mapping[int, Anywhere] = {
    400: Anywhere("BadRequest", Code.INVALID_REQUEST, "not exactly one Host header, or one that cannot be"),
    403: Anywhere("OfAnotherOrigin", Code.FORBIDDEN, "a page of another origin may not ask"),
    408: Anywhere("TooSlow", Code.INVALID_REQUEST, "the request came too slowly"),
    421: Anywhere("Misdirected", Code.FORBIDDEN, "the Host is none of ours"),
    431: Anywhere("HeadersTooLarge", Code.INVALID_REQUEST, "the headers are too large in all"),
    500: Anywhere("Failed", Code.INTERNAL, "the gateway failed on this request: its log says why"),
    503: Anywhere("NotNow", Code.STOPPING, "the gateway starts or stops, or waits for what it needs; see Retry-After"),
}
"""Any request may be answered so."""
BODY: Mapping[int, Anywhere] = {
    413: Anywhere("BodyTooLarge", Code.INVALID_REQUEST, "the body is too large"),
    415: Anywhere("WrongType", Code.INVALID_REQUEST, "the Content-Type is not that of the body that is wanted"),
}
"""And so one that has a body."""
EVERYTHING: Mapping[int, Anywhere] = {**DOOR, **BODY}
RETRY_AFTER = {"Retry-After": {"description": "seconds", "schema": {"type": "integer"}}}


def refer(document: dict[str, Any]) -> None:
    """Adds to each operation what it does not describe itself."""
    for status, anywhere in EVERYTHING.items():
        document["components"].setdefault("responses", {})[anywhere.name] = _response(status, anywhere)
    for operations in document["paths"].values():
        for operation in operations.values():
            for status, anywhere in (EVERYTHING if "requestBody" in operation else DOOR).items():
                reference = {"$ref": f"#/components/responses/{anywhere.name}"}
                operation["responses"].setdefault(str(status), reference)


def _response(status: int, anywhere: Anywhere) -> dict[str, Any]:
    described: dict[str, Any] = {
        "description": f"{int(anywhere.code)} {anywhere.code.name}: {anywhere.why}",
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    return described | ({"headers": RETRY_AFTER} if status == 503 else {})
