"""What handlers of several addresses take, by the names they give it."""

from pathlib import Path as Folder
from typing import Annotated, Any

from fastapi import Depends, Header, Path, Query
from pydantic import WithJsonSchema
from starlette.requests import Request

from backbone.health import Probes
from contracts.access import Principal
from contracts.shape import Digest
from services.gateway.composition import Composition
from services.gateway.domain.agentstream import Say
from services.gateway.http.authentication import principal_of

LARGEST_PAGE = 1000


def _of_the_app(name: str) -> Any:
    """What create_app has given to the application by that name."""

    def found(request: Request) -> Any:
        return getattr(request.app.state, name)

    return Depends(found)


Gateway = Annotated[Composition, _of_the_app("composition")]
Probing = Annotated[Probes, _of_the_app("probes")]
Texts = Annotated[Say, _of_the_app("say")]
"""What the gateway itself says to people, in their language."""
Console = Annotated[Folder, _of_the_app("console")]
"""Where the files of the web console are, if it has been built."""


def _who(request: Request) -> Principal:
    return principal_of(request.scope)


Who = Annotated[Principal, Depends(_who)]
"""Who asks."""
ArtifactId = Annotated[Digest, Path()]
Key = Annotated[
    str | None,
    Header(alias="Idempotency-Key", max_length=255, description="a repetition with the same key changes nothing"),
]
Trace = Annotated[str | None, Header(description="W3C trace context; a new one is made when it is absent or malformed")]
Limit = Annotated[int, Query(ge=0, le=LARGEST_PAGE)]
Position = Annotated[int | str, Query(), WithJsonSchema({"type": "integer", "minimum": 0})]
"""A version of a session, unread: how large it may be the handler knows, and reads it by `whole_number`."""
