"""What stands in the ledger and on the bus in place of an event's data, when those are large and lie in the artifact
store: a reference by the SHA-256 of the data (CloudEvents' dataref, the claim check). docs/adr/0028."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.shape import Contract, Event

INLINE_BYTES = 64 * 1024
"""The largest data, as JSON in UTF-8, that stand in the event itself."""
REFERENCE_BYTES = 512
"""No reference is as long as this."""
MEDIA_TYPE = "application/vnd.dream.event-data+json"
_MARK = b'"dataref"'
_SHA256 = re.compile("sha256:([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Dataref:
    """Where the data are: their SHA-256, which is their artifact's id, and their size in bytes."""

    digest: str
    size: int


def reference(event: Event, ref: Dataref) -> str:
    """The JSON that stands for the event's data. It brings files where they do: an index of the ledger looks for that
    (migration 0007), and knows nothing else of what is elsewhere."""
    stands: dict[str, object] = {"dataref": f"sha256:{ref.digest}", "size": ref.size}
    answer = getattr(event, "answer", None)
    if _has_files(getattr(event, "attachments", None)):
        stands["attachments"] = [{}]
    if isinstance(answer, dict) and _has_files(answer.get("attachments")):
        stands["answer"] = {"attachments": [{}]}
    return json.dumps(stands)


def dataref(data: bytes) -> Dataref | None:
    """The reference that these data are; None for data that are the event's own. No contract has a field of that
    name."""
    if len(data) >= REFERENCE_BYTES or _MARK not in data:
        return None
    try:
        told = json.loads(data)
    except ValueError:
        return None
    if not isinstance(told, dict):
        return None
    found, size = _SHA256.fullmatch(str(told.get("dataref", ""))), told.get("size")
    return Dataref(found[1], size) if found and isinstance(size, int) else None


def _has_files(attachments: object) -> bool:
    return isinstance(attachments, Sequence) and any(isinstance(one, dict | Contract) for one in attachments)
