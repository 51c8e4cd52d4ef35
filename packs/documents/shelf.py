"""The documents of a session: found by a name, or a part of one."""

import unicodedata
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import TypeVar

from contracts.errors import Code
from contracts.tools import ToolContext, ToolError, ToolInput
from packs.documents.excerpts import likeness

DOCUMENT = "file.document"
ALIKE = 0.5
F = TypeVar("F")


def documents(context: ToolContext) -> Sequence[ToolInput]:
    """Newest last; of two with one name, the newer."""
    return tuple({one.attachment.name: one for one in context.inputs(DOCUMENT)}.values())


def named(context: ToolContext, name: str) -> ToolInput:
    """The document that is meant. Raises ToolError that lists those that are there."""
    there = documents(context)
    found = matching(there, name, lambda one: one.attachment.name) if name else there
    if not found and len(there) == 1 and "." not in name:
        found = there  # "the contract" is a word for it, and there is only one that can be meant
    if len(found) == 1:
        return found[0]
    names = [one.attachment.name for one in found or there]
    key = "read.which" if found else "read.unknown" if there else "read.none"
    said = context.text(key, name=name, names=", ".join(names))
    raise ToolError(Code.DOCUMENT_UNKNOWN, said, document=name, documents=list(names))


def matching(there: Sequence[F], name: str, name_of: Callable[[F], str]) -> Sequence[F]:
    """Those with this name; else with this stem; else whose name holds it, or is held by it; else the most alike."""
    wanted = plain(name)
    tests: tuple[Callable[[str], bool], ...] = (
        lambda known: known == wanted,
        lambda known: _stem(known) == _stem(wanted),
        lambda known: _stem(wanted) in known or _stem(known) in wanted,
    )
    for test in tests:
        if found := [one for one in there if test(plain(name_of(one)))]:
            return found
    scored = [(likeness(wanted, _stem(plain(name_of(one)))), one) for one in there]
    best = max((score for score, _ in scored), default=0.0)
    return [one for score, one in scored if score == best and best >= ALIKE]


def plain(name: str) -> str:
    """A name as it is compared: composed, in lower case, underscores and runs of blanks as one blank."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().replace("_", " ").split())


def _stem(name: str) -> str:
    return PurePosixPath(name).stem if "." in name else name
