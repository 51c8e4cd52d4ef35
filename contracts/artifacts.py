"""Files that tools read and make, addressed by their content."""

from pydantic import Field

from contracts.shape import ArtifactType, Contract, Digest, JsonObject

FOR_PEOPLE = ("document.", "image.", "chart.", "content.", "ops.", "calendar.", "media.")
"""How types begin whose files a person opens; the rest are data between tools (docs/writing-tools.md)."""
MADE = ("document.", "content.", "ops.")
"""Those that a person has asked for; the others go with them."""
FOUND = ("insight.", "ops.")
"""How types begin that are found out, as opposed to made: what a report may tell of."""
TABLE, DOCUMENT, BRAND = "file.table", "file.document", "file.brand"
"""What the gateway calls uploads that tools read: rows, and text."""


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
