"""The documents of a session: found by a name, or a part of one, and named in a sentence."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import TypeVar

from contracts.errors import Code
from contracts.tools import ToolContext, ToolError, ToolInput
from packs.documents.excerpts import likeness

DOCUMENT = "file.document"
ALIKE = 0.5
SHORTEST = 3
"""Letters of a name without extension that names it in a sentence; wide letters say more."""
_SEPARATORS = re.compile(r"[\s_\-.()\[\]]+")
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
        lambda known: _joined(_stem(wanted)) in _joined(known) or _joined(_stem(known)) in _joined(wanted),
    )
    for test in tests:
        if found := [one for one in there if test(plain(name_of(one)))]:
            return found
    scored = [(likeness(wanted, _stem(plain(name_of(one)))), one) for one in there]
    best = max((score for score, _ in scored), default=0.0)
    return [one for score, one in scored if score == best and best >= ALIKE]


def mentioned(text: str, names: Sequence[str]) -> list[str]:
    """The names that a sentence has, with or without extension; else those of which it has a part that no other has."""
    said, flat = plain(text), _joined(plain(text))
    whole = [
        name
        for name in names
        if plain(name) in said or (_is_long(_joined(_stem(plain(name)))) and _joined(_stem(plain(name))) in flat)
    ]
    if whole or len(names) < 2:
        return _longest(whole)
    parts = {name: {part for part in _SEPARATORS.split(_stem(plain(name))) if _is_long(part)} for name in names}
    counts = Counter(part for some in parts.values() for part in some)
    return [name for name, some in parts.items() if any(counts[part] == 1 and part in said for part in some)]


def without(text: str, names: Sequence[str]) -> str:
    """The sentence without names of files as they stand there: what they say is not asked about."""
    for name in filter(None, names):
        text = re.sub(re.escape(name), " ", unicodedata.normalize("NFC", text), flags=re.IGNORECASE)
    return " ".join(text.split())


def _longest(names: Sequence[str]) -> list[str]:
    """Not `plan` where `plan 2` is named."""
    stems = {name: _joined(_stem(plain(name))) for name in names}
    return [
        name for name in names if not any(stems[name] != other and stems[name] in other for other in stems.values())
    ]


def _is_long(part: str) -> bool:
    return len(part) >= (SHORTEST if part.isascii() else 2) and not part.isdigit()


def _joined(text: str) -> str:
    return _SEPARATORS.sub("", text)


def plain(name: str) -> str:
    """A name as it is compared: composed, in lower case, underscores and runs of blanks as one blank."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().replace("_", " ").split())


def _stem(name: str) -> str:
    return PurePosixPath(name).stem if "." in name else name
