"""What a table holds, as a tool finds it once, when the file arrives; what people and planning are shown of it."""

from typing import Literal

from pydantic import Field, ValidationError

from contracts.errors import ErrorInfo
from contracts.shape import Contract, Digest, JsonObject, ToolKey


class Scale(Contract):
    """Of ratings, and where a clear opinion begins on it."""

    low: float
    high: float
    negative_to: float = Field(description="ratings up to here are clearly negative")
    positive_from: float = Field(description="ratings from here on are clearly positive")


class ColumnProfile(Contract):
    """A column. `filled` counts cells with a value; dates in `low` and `high` are ISO 8601."""

    name: str
    kind: Literal["number", "date", "category", "text", "id"]
    role: str | None = None
    filled: int = Field(ge=0)
    distinct: int | None = Field(default=None, ge=0, description="of categories")
    values: tuple[str, ...] = Field(default=(), description="of a category, most frequent first, as many as fit")
    more_values: int = Field(default=0, ge=0, description="values that do not fit")
    examples: tuple[str, ...] = ()
    low: float | str | None = None
    high: float | str | None = None
    scale: Scale | None = None
    languages: dict[str, int] = Field(default_factory=dict, description="of a sample of its texts")


class Doubt(Contract):
    """Something that a person had better look at: `what` is a key, `columns` are those that it is about."""

    what: str = Field(pattern=r"^[a-z_]+$")
    columns: tuple[str, ...] = ()


class TableProfile(Contract):
    """A table as it was found, nothing of it left out or mended."""

    format: str
    encoding: str | None = None
    header_line: int | None = Field(default=None, description="line of the headings, from 1; none = no headings")
    rows: int = Field(ge=0)
    unread_rows: int = Field(default=0, ge=0, description="lines that are no rows")
    sheets: dict[str, int] = Field(default_factory=dict, description="sheets of a workbook and their full rows")
    sheet: str | None = Field(default=None, description="the one that was read")
    columns: tuple[ColumnProfile, ...]
    more_columns: int = Field(default=0, ge=0)
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()


def roles_in(found: JsonObject) -> frozenset[str] | None:
    """Of the columns of a table; None for what is no table, or has more columns than are told."""
    try:
        table = TableProfile.model_validate(found)
    except ValidationError:
        return None
    return None if table.more_columns else frozenset(one.role for one in table.columns if one.role)


class Looked(Contract):
    """What one tool has found in a file when it arrived, or why it could not."""

    tool: ToolKey
    result: JsonObject = Field(default_factory=dict)
    error: ErrorInfo | None = None


class FileProfile(Contract):
    """What is known of a file."""

    artifact_id: Digest
    found: tuple[Looked, ...]
