"""Which files an event or an answer shows: those that it names as what they are. What stands in free JSON, which people
and models write, shows nobody anything: whoever writes a SHA-256 there would have the file."""

from collections.abc import Iterator, Mapping

import orjson
from pydantic import BaseModel, ValidationError

from contracts.artifacts import Attachment
from contracts.registry import EVENTS

NAMED = '"artifact_id"'
"""In the JSON of whatever names a file."""


def files_in(value: object) -> Iterator[str]:
    """The ids of a contract's Attachments, at any depth."""
    match value:
        case Attachment():
            yield value.artifact_id
        case BaseModel():
            for _, member in value:
                yield from files_in(member)
        case Mapping():
            for member in value.values():
                yield from files_in(member)
        case tuple() | list():
            for member in value:
                yield from files_in(member)
        case _:
            pass


def files_of_frame(text: str) -> set[str]:
    """The ids in a frame as clients are sent it. Of kinds of events that this gateway does not know, none."""
    if NAMED not in text:
        return set()
    frame = orjson.loads(text)
    contract = EVENTS.get(frame.get("event", ""))
    if contract is None:
        return set()
    try:
        return set(files_in(contract.model_validate(frame["data"])))
    except ValidationError:
        return set()
