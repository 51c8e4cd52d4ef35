"""The one place where the JetStream stream and its consumers are declared, and compared with what is there."""

import logging

import nats.errors
import nats.js.errors
from nats.js import JetStreamContext
from nats.js.api import (
    AckPolicy,
    ConsumerConfig,
    ConsumerInfo,
    DeliverPolicy,
    DiscardPolicy,
    RetentionPolicy,
    StorageType,
    StreamConfig,
    StreamInfo,
)

from backbone.bus.port import BusUnavailable, ConsumerSpec
from backbone.bus.rights import matches
from contracts import subjects

log = logging.getLogger(__name__)

DEDUPE_SECONDS = 120.0
BUNDLES = {"dream-bundles": "read"}
"""Of a stream all of whose readers know bundles (bundles.py): it was declared since then, or its admin
has said so."""
_told: set[str] = set()
"""Consumers whose other values were logged by this process; they are looked at after every reconnect."""


def stream_config(max_bytes: int, max_age_seconds: float, replicas: int = 1) -> StreamConfig:
    """Limits retention and explicit limits: a full disk must refuse new messages, not lose old ones."""
    return StreamConfig(
        name=subjects.STREAM,
        subjects=[subjects.EVENTS],
        retention=RetentionPolicy.LIMITS,
        discard=DiscardPolicy.NEW,
        storage=StorageType.FILE,
        max_bytes=max_bytes,
        max_age=max_age_seconds,
        duplicate_window=DEDUPE_SECONDS,
        allow_direct=True,
        num_replicas=replicas,
        metadata=BUNDLES,
    )


def takes_bundles(config: StreamConfig) -> bool:
    """Whether events may be published together."""
    return BUNDLES.items() <= (config.metadata or {}).items()


async def stream(js: JetStreamContext, config: StreamConfig, *, may_create: bool) -> StreamInfo:
    """The stream as it is; created when it is missing and that is allowed."""
    try:
        return await js.stream_info(subjects.STREAM)
    except nats.js.errors.NotFoundError:
        if not may_create:
            raise BusUnavailable(
                f"JetStream stream {subjects.STREAM!r} is missing and DREAM_BUS_DECLARE is off"
            ) from None
    try:
        return await js.add_stream(config)
    except nats.js.errors.BadRequestError:
        # another service created it between our two requests
        return await js.stream_info(subjects.STREAM)


async def consumer(js: JetStreamContext, spec: ConsumerSpec, *, may_create: bool) -> ConsumerInfo:
    """Creates the durable, or brings its filters up to date: nats-py alone keeps the old ones (docs/adr/0003).

    Who may not create takes one that lets through all that it filters on, and perhaps more: the next version's admin
    has been here before its services, and what these alone understand is not handed to the old ones' handlers."""
    wanted = sorted(spec.subjects)
    missing = wanted
    try:
        info: ConsumerInfo = await js.consumer_info(subjects.STREAM, spec.name)
        there = info.config
        differs = _differs(spec, info)
        if not differs and sorted(filters_of(there)) == wanted:
            return info
        missing = lacking(spec, there)
        if not may_create and not missing:
            if differs and spec.name not in _told:
                _told.add(spec.name)
                log.warning("consumer %s is declared with other values: %s", spec.name, differs)
            return info
    except nats.js.errors.NotFoundError:
        if not may_create:
            raise BusUnavailable(f"consumer {spec.name!r} is missing and DREAM_BUS_DECLARE is off") from None
    if not may_create:
        raise BusUnavailable(
            f"consumer {spec.name!r} does not let {', '.join(missing)} through and DREAM_BUS_DECLARE is off:"
            " let the admin declare it anew"
        )
    return await js.add_consumer(
        subjects.STREAM,
        ConsumerConfig(
            durable_name=spec.name,
            deliver_policy=DeliverPolicy.ALL,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=spec.ack_wait,
            # the runner counts and buries; the server's limit would hide a message (docs/adr/0003)
            max_deliver=-1,
            max_ack_pending=spec.max_ack_pending,
            filter_subjects=wanted,
        ),
    )


def _differs(spec: ConsumerSpec, info: ConsumerInfo) -> str:
    """What the admin has set otherwise; it delays redelivery or narrows prefetching, and loses nothing."""
    there = info.config
    pairs = {
        "ack_wait": (there.ack_wait, spec.ack_wait),
        "max_ack_pending": (there.max_ack_pending, spec.max_ack_pending),
    }
    return ", ".join(f"{name} is {is_!r}, here {ours!r}" for name, (is_, ours) in pairs.items() if is_ != ours)


def lacking(spec: ConsumerSpec, there: ConsumerConfig) -> list[str]:
    """What a consumer that is there does not let through of what is wanted from it."""
    return [one for one in sorted(spec.subjects) if not any(matches(pattern, one) for pattern in filters_of(there))]


def filters_of(config: ConsumerConfig) -> list[str]:
    """Subjects that a consumer lets through."""
    return list(config.filter_subjects or ([config.filter_subject] if config.filter_subject else []))
