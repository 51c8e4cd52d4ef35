"""Labelled sentences: what people said and what they meant by it. A line more in such a file teaches, without code.

A pack's `sentences.jsonl` has those of its intents; `understanding/data/nulls.jsonl` those that mean nothing anybody
could do, whatever packs there are."""

import json
from functools import cache
from pathlib import Path

from pydantic import Field, ValidationError

from contracts.shape import Contract, Language

NULLS = Path(__file__).parents[1] / "data" / "nulls.jsonl"


class Sentence(Contract):
    """One line. `intent` null: a question is the right answer. `of` is the whole sentence that this is a part of,
    `topic` what sentences without an intent are about: whole topics are left out when refusal is scored.
    `spans` are names in it, as they stand there, by the slot that each is for."""

    lang: Language
    text: str = Field(min_length=1)
    intent: str | None
    of: str | None = None
    topic: str | None = None
    spans: dict[str, str] = Field(default_factory=dict)

    @property
    def whole(self) -> str:
        """The sentence as it was said."""
        return self.of or self.text


def read_sentences(path: Path) -> tuple[Sentence, ...]:
    """A file that is not there has none. Raises ValueError, naming the line."""
    if not path.exists():
        return ()
    lines = path.read_text(encoding="utf-8").splitlines()
    return tuple(_sentence(line, number) for number, line in enumerate(lines, 1) if line.strip())


@cache
def nulls() -> tuple[Sentence, ...]:
    """Those that mean nothing that anybody could do."""
    return read_sentences(NULLS)


def _sentence(line: str, number: int) -> Sentence:
    try:
        return Sentence.model_validate(json.loads(line))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"line {number}: {where}: {first['msg']}") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"line {number}: no JSON: {error}") from None
