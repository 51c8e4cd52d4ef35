"""The one shape of every contract: frozen, closed, and able to show an example of itself."""

from typing import Annotated, Any, ClassVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic import JsonValue as JsonValue  # noqa: PLC0414  # exported: part of this module's vocabulary

JsonObject = dict[str, JsonValue]
Language = Annotated[str, Field(pattern=r"^(ko|en|ja)$", description="ISO 639-1 code of the user's language")]
ArtifactType = Annotated[
    str,
    Field(
        pattern=r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$",
        description="what an artifact means, e.g. reviews.clean",
    ),
]
ToolKey = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$", description="pack.tool")]


def _known_zone(name: str) -> str:
    try:
        if name:
            ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        raise ValueError(f"{name!r} is no IANA time zone, like Asia/Seoul") from None
    return name


Timezone = Annotated[str, Field(max_length=64, description="IANA name"), AfterValidator(_known_zone)]
Fraction = Annotated[float, Field(ge=0.0, le=1.0)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256, hexadecimal")]


class Contract(BaseModel):
    """A message or a part of one. Unknown fields are errors: a sender and a reader must mean the same thing."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Event(Contract):
    """A fact. The class name is the event type on the wire; `schema_version` counts its incompatible shapes."""

    schema_version: ClassVar[int] = 1
    producers: ClassVar[frozenset[str]] = frozenset()
    example: ClassVar[dict[str, Any]]
