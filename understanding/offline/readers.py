"""The packs' readers: code of a pack that reads the slots of a clause, found by its entry "module:function"."""

import importlib
import logging
from collections.abc import Sequence
from typing import cast

from contracts.packs import IntentSpec
from contracts.reading import Clause, Reader
from contracts.shape import JsonObject

log = logging.getLogger(__name__)


def load_reader(spec: IntentSpec) -> Reader:
    """The intent's reader; where there is none, or it does not load, one that reads no slots.

    A pack that is half there must not keep the others from being understood: what is wrong is said in the log."""
    if spec.reader is None:
        return reads_nothing
    module, _, function = spec.reader.partition(":")
    try:
        return cast("Reader", getattr(importlib.import_module(module), function))
    except Exception as error:  # noqa: BLE001  # what a pack does when it is imported may fail in any way, and is no fault of ours
        log.error("reader left out", extra={"intent": spec.intent, "reader": spec.reader, "reason": repr(error)})  # noqa: TRY400  # the reason says it all
        return reads_nothing


def reads_nothing(clause: Clause) -> Sequence[JsonObject]:
    """The reader of intents without slots."""
    return ()
