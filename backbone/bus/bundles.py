"""Several events in one message: those of one run that were committed together, have one subject and are handled
quickly. What publishing, storing, delivering and acknowledging costs is paid once for all of them (docs/adr/0069).

On the wire it is one message with the attributes of CloudEvents in its headers. Where the events differ (`_OWN`) a
header holds one word of each, in their order, and `dream-lengths` says how many bytes of the body belong to each."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from contracts import subjects
from contracts.envelope import Message, to_headers
from contracts.subjects import text_of

MOST = 32
"""Events of a bundle: one process takes all of them."""
BYTES = 64 * 1024
LENGTHS = "dream-lengths"
_OWN = ("ce-id", "ce-streamversion", "ce-causationid")
_NONE = "-"

Part = tuple[Mapping[str, str], bytes]
"""Headers and body of one event."""


class BundleError(ValueError):
    """The headers of a message are not those of a bundle; the message says which, with the value."""


def bundled(messages: Iterable[Message]) -> list[list[Message]]:
    """The messages as they are published: each bundle stands where its first one stood."""
    bundles: list[list[Message]] = []
    open_ones: dict[tuple[object, ...], tuple[list[Message], int]] = {}
    for message in messages:
        if message.apart or message.reference:
            bundles.append([message])
            continue
        key = (
            message.session_id, message.producer, message.type, message.route, message.schema_version, message.run_id,
            message.correlation_id, message.traceparent, message.recorded_at,
        )  # fmt: skip
        bundle, size = open_ones.get(key, ([], 0))
        if not bundle or len(bundle) == MOST or size + len(message.data) > BYTES:
            bundle, size = [], 0
            bundles.append(bundle)
        bundle.append(message)
        open_ones[key] = bundle, size + len(message.data)
    return bundles


def rendered(bundle: Sequence[Message], reply: str, key: str = "") -> bytes:
    """The HPUB command of one event or of several; `key` is the name under which the store knows repetitions of it, by
    itself that of its events. nats-py checks every header name and value of every message with regular expressions;
    ours are made of ids and names from code, and publishing is a tenth of all our work."""
    first = bundle[0]
    headers, body, own = to_headers(first), first.body, text_of(first.event_id)
    if len(bundle) > 1:
        own += f"+{len(bundle)}"  # no other than this very bundle is taken for a repetition of it
        headers["ce-id"] = " ".join([text_of(message.event_id) for message in bundle])
        headers["ce-streamversion"] = " ".join([str(message.version) for message in bundle])
        headers["ce-causationid"] = " ".join([str(message.causation_id or _NONE) for message in bundle])
        headers[LENGTHS] = " ".join([str(len(message.data)) for message in bundle])
        body = b"".join([message.data for message in bundle])
    subject = subjects.event(first.session_id, first.producer, first.type, first.route)
    lines = "\r\n".join([f"{name}: {value}" for name, value in headers.items()])
    block = f"NATS/1.0\r\n{lines}\r\nNats-Msg-Id: {key or own}\r\n\r\n".encode()
    size = len(block)
    head = f"HPUB {subject} {reply} {size} {size + len(body)}\r\n".encode()
    return b"".join((head, block, body, b"\r\n"))


def parts(headers: Mapping[str, str], body: bytes) -> list[Part]:
    """The events of a message, one unless it is a bundle. Raises BundleError."""
    if LENGTHS not in headers:
        return [(headers, body)]
    shared = {name: value for name, value in headers.items() if name != LENGTHS and name not in _OWN}
    own = [headers.get(name, "").split(" ") for name in _OWN]
    try:
        lengths = [int(length) for length in headers[LENGTHS].split(" ")]
    except ValueError:
        raise BundleError(f"{LENGTHS} is {headers[LENGTHS][:100]!r}, expected numbers") from None
    if min(lengths) < 0 or sum(lengths) != len(body):
        raise BundleError(f"{LENGTHS} add up to {sum(lengths)} bytes, the body has {len(body)}")
    for name, words in zip(_OWN, own, strict=True):
        if len(words) != len(lengths):
            raise BundleError(f"{name} has {len(words)} words for {len(lengths)} events")
    return list(_split(shared, own, lengths, body))


def _split(
    shared: Mapping[str, str], own: Sequence[Sequence[str]], lengths: Sequence[int], body: bytes
) -> Iterator[Part]:
    start = 0
    for event_id, version, cause, length in zip(*own, lengths, strict=True):
        headers = {**shared, "ce-id": event_id, "ce-streamversion": version}
        if cause != _NONE:
            headers["ce-causationid"] = cause
        yield headers, body[start : start + length]
        start += length
