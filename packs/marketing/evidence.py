"""A sentence and what it rests on: how many rows, which of them, and how sure.

To whoever shows it a sentence is text, in a PDF, on a slide, in a film. What it rests on stands in the tool's result
beside the sentences, so that each can be counted again from the rows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass

from pydantic import JsonValue

from contracts.shape import JsonObject
from contracts.tools import ToolContext


class Sentence(str):
    """Text that knows its evidence."""

    __slots__ = ("evidence",)
    evidence: JsonObject


def say(
    ctx: ToolContext,
    says: str,
    n: int,
    /,
    *,
    of: Mapping[str, JsonValue] | None = None,
    interval: tuple[float, float] | None = None,
    **values: object,
) -> Sentence:
    """The text `says` with its values. `n` rows were counted for it, those that `of` describes (all that were analysed
    where it is empty); `interval` holds what is said 95 times in 100."""
    said = Sentence(ctx.text(says, **values))
    said.evidence = {
        "says": says,
        "n": n,
        "of": dict(of or {}),
        "interval": list[JsonValue](interval) if interval else None,
        "values": {name: str(value) for name, value in values.items()},
    }
    return said


def summed_up(lines: Sequence[str], *beside: object) -> JsonObject:
    """`summary` and `evidence` of a result: of the summary's sentences, and of those in what was made beside it."""
    plain: list[JsonValue] = [str(line) for line in lines]
    return {"summary": plain, "evidence": list[JsonValue](evidence([*lines, *beside]))}


def evidence(content: object) -> list[JsonObject]:
    """Of every sentence in a content of any shape, each once."""
    found: dict[str, JsonObject] = {}
    for sentence in _sentences(content):
        found.setdefault(sentence, sentence.evidence)
    return list(found.values())


def _sentences(content: object) -> Iterable[Sentence]:
    if isinstance(content, Sentence):
        yield content
    elif isinstance(content, Mapping):
        yield from (one for part in content.values() for one in _sentences(part))
    elif is_dataclass(content):
        yield from (one for field in fields(content) for one in _sentences(getattr(content, field.name)))
    elif isinstance(content, Sequence) and not isinstance(content, str | bytes):
        yield from (one for part in content for one in _sentences(part))
