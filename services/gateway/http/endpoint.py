"""One declaration per address. FastAPI reads the signature of a handler for the OpenAPI document; `Endpoint` reads it
for the request: a body is bounded while it comes and validated once, straight from its bytes, and what does not fit is
refused in our words (problems.py).

A handler may take parameters of path, query and headers, one JSON body, the Request, and dependencies that are plain
functions of the Request. It returns a model, or a Response."""

from collections.abc import Callable, Coroutine
from operator import attrgetter
from types import NoneType
from typing import Any, Literal, NamedTuple, get_args, get_origin
from uuid import UUID

from fastapi._compat import ModelField
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, request_response

from contracts.errors import Code
from services.gateway.domain.refusal import Refused
from services.gateway.http.requests import (
    BODY_LIMIT,
    digest_of,
    flag,
    has_body,
    one_of,
    read,
    too_large,
    uuid_of,
    whole_number,
)
from services.gateway.http.responses import Receipt

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
Values = dict[str, Callable[[Request], Any]]
"""Parameter of a handler -> how its value is found in a request; that raises Refused."""
ReadText = Callable[[str, str], Any]
"""Of the text of a parameter and its name. Raises Refused."""


class TooLarge(NamedTuple):
    """Beside the type of a body: how it is refused when it is over the limit, in bytes."""

    refused: Callable[[], Refused]
    limit: int = BODY_LIMIT


class Endpoint(APIRoute):
    """See the module. Raises TypeError for a signature that it cannot serve."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        # nothing of ours is opened for a request and closed behind it: FastAPI's stacks of exits would stay empty
        self.app = request_response(self.get_route_handler())

    # nor is a router of ours included in another, for which FastAPI looks at every route of every request
    matches, handle = Route.matches, Route.handle

    def get_route_handler(self) -> Handler:
        """The values that the signature asks for, those of the body last; the handler; its answer as bytes."""
        handler, status, values = self.endpoint, self.status_code or 200, _values_of(self.dependant)
        bodies = {body.name: _reader_of_body(body) for body in self.dependant.body_params}

        async def handle(request: Request) -> Response:
            found = {name: value(request) for name, value in values.items()}
            for name, read_body in bodies.items():
                found[name] = await read_body(request)
            answered = await handler(**found)
            if isinstance(answered, Response):
                return answered
            return Receipt(answered.model_dump_json().encode(), status)

        return handle


def _values_of(dependant: Dependant) -> Values:
    values: Values = {}
    for place, fields in (
        ("path_params", dependant.path_params),
        ("query_params", dependant.query_params),
        ("headers", dependant.header_params),
    ):
        values |= {field.name: _parameter(field, attrgetter(place)) for field in fields}
    for needed in dependant.dependencies:
        if needed.name is None or needed.call is None or needed.request_param_name is None:
            raise TypeError(f"{needed.call} is not a function of the request")
        values[needed.name] = needed.call
    if dependant.request_param_name:
        values[dependant.request_param_name] = lambda request: request
    return values


def _parameter(field: ModelField, place: Callable[[Request], Any]) -> Callable[[Request], Any]:
    """How a parameter is found and read. One that is required may not be empty either."""
    name, read_text, default = field.alias, _reader(field), field.field_info.default
    required, (example, *_) = field.field_info.is_required(), field.field_info.examples or ["…"]

    def value(request: Request) -> Any:
        text = place(request).get(name)
        if required and not text:
            right = f"{request.method} {request.url.path}?{name}={example}"
            raise Refused(Code.INVALID_REQUEST, f"the query parameter {name} is missing: {right}")
        return default if text is None else read_text(text, name)

    return value


def _as_it_is(text: str, _: str) -> str:
    return text


def _reader(field: ModelField) -> ReadText:
    """How a parameter of this type is read."""
    kind = _kind(field)
    if get_origin(kind) is Literal:
        return lambda text, name: one_of(text, name, get_args(kind))
    if kind is int:
        (most,) = [limit.le for limit in field.field_info.metadata if hasattr(limit, "le")]
        return lambda text, name: whole_number(text, name, most)
    # a string with a pattern is the SHA-256 of something: no other has one
    read_string = digest_of if any(hasattr(limit, "pattern") for limit in field.field_info.metadata) else _as_it_is
    readers: dict[Any, ReadText] = {UUID: uuid_of, bool: flag, str: read_string, int | str: _as_it_is}
    if kind not in readers:
        raise TypeError(f"{field.name}: no parameter can be {kind}")
    return readers[kind]


def _kind(field: ModelField) -> Any:
    """The type of a field, without the None of what may be absent."""
    annotation = field.field_info.annotation
    kinds = [kind for kind in get_args(annotation) if kind is not NoneType]
    return kinds[0] if NoneType in get_args(annotation) else annotation


def _reader_of_body(field: ModelField) -> Callable[[Request], Coroutine[Any, Any, BaseModel | None]]:
    model, required = _kind(field), field.field_info.is_required()
    bound = next((given for given in field.field_info.metadata if isinstance(given, TooLarge)), TooLarge(too_large))

    async def read_body(request: Request) -> BaseModel | None:
        return await read(request, model, bound.refused, bound.limit) if required or has_body(request) else None

    return read_body
