"""The sentences of a pack and what is right for them: cases.yaml in any of its shapes, else its intents' examples.

A case is {lang, text, intent, slots?} or {lang, text, tasks: [{intent, slots?}]}, with `now` where days are relative;
{sentence: {language: text}, tool} for packs that make files; {language, turns: [{said, stage, slots?}]} for dialogues,
of which the first turn is a sentence."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from backbone.packs import Pack, PackInvalid, read_yaml
from contracts.shape import JsonValue
from understanding.offline.scoring import Expected, Line

OPENING = frozenset({"READY", "FILLING"})


@dataclass(frozen=True, slots=True)
class Case:
    """`expected` None: any intent of `intents` is right, with these `figures` among the slots of its first task."""

    line: Line
    expected: tuple[Expected, ...] | None
    intents: frozenset[str] = frozenset()
    figures: Mapping[str, JsonValue] = field(default_factory=dict)
    file: Path | None = None

    @property
    def key(self) -> str:
        """Names it in tables."""
        return f"[{self.line.lang}] {self.line.text}"


class CasesInvalid(Exception):
    """cases.yaml cannot be used; the message names the case and what is wrong in it."""


def cases(pack: Pack) -> list[Case]:
    """Raises CasesInvalid."""
    path = pack.folder / "cases.yaml"
    if not path.exists():
        return list(_examples(pack))
    try:
        data = read_yaml(path)
    except PackInvalid as error:
        raise CasesInvalid(str(error)) from None
    found: list[Case] = []
    for number, one in enumerate(data if isinstance(data, list) else [data], 1):
        try:
            found += _case(pack, one)
        except (ValidationError, KeyError, TypeError, AttributeError) as error:
            raise CasesInvalid(f"{path}, case {number}: {_why(error)} ({one!r:.120})") from None
    return found


def _why(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
    return repr(error)


def _case(pack: Pack, one: Mapping[str, Any]) -> Iterator[Case]:
    if "turns" in one:
        yield from _dialogue(pack, one)
    elif "sentence" in one:
        mine = frozenset(".".join(spec.intent.split(".")[:2]) for spec in pack.intents)
        for language, text in one["sentence"].items():
            line = Line.model_validate({"lang": language, "text": text, "intent": None})
            data = pack.folder / "data" / f"{one.get('file')}_{language}.csv"
            yield Case(line, None, mine, file=data if data.exists() else None)
    else:
        line = Line.model_validate({**one, "slots": one.get("slots") or {}})
        yield Case(line, line.expected)


def _dialogue(pack: Pack, one: Mapping[str, Any]) -> Iterator[Case]:
    first = one["turns"][0]
    opens = [spec.intent for spec in pack.intents if spec.flow]
    if not opens or first.get("stage") not in OPENING:
        return
    # names are normalised by the flow, and days move with the clock: the pack's own tests look at those
    figures = {name: value for name, value in (first.get("slots") or {}).items() if isinstance(value, int)}
    line = Line.model_validate({"lang": one["language"], "text": first["said"], "intent": opens[0]})
    yield Case(line, None, frozenset(opens), figures)


def _examples(pack: Pack) -> Iterator[Case]:
    for spec in pack.intents:
        intent = ".".join(spec.intent.split(".")[:2])
        for language, texts in spec.examples.items():
            for text in texts:
                line = Line.model_validate({"lang": language, "text": text, "intent": intent})
                yield Case(line, line.expected)


def cases_path(pack: Pack) -> Path | None:
    """The file of the cases; None where the examples stand in for it."""
    path = pack.folder / "cases.yaml"
    return path if path.exists() else None
