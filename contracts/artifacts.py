"""Files that tools read and make, addressed by their content."""

from pydantic import Field

from contracts.shape import ArtifactType, Contract, Digest, JsonObject


class Attachment(Contract):
    """A file in the artifact store.

    `artifact_id` is the SHA-256 of its bytes; `size` is in bytes; `type` is what planning chains on.
    """

    artifact_id: Digest
    name: str = Field(min_length=1, max_length=255)
    media_type: str = Field(pattern=r"^[\w.+-]+/[\w.+-]+$")
    size: int = Field(ge=0)
    type: ArtifactType
    meta: JsonObject = Field(default_factory=dict, description="small facts worth showing: rows, pages, width")
