"""AmbiguityDetector of source design 004: decides whether to ask, and puts the question into the person's words."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from contracts.artifacts import Attachment
from contracts.decisions import DecisionOption
from contracts.errors import ErrorInfo
from contracts.shape import JsonObject
from services.cognitive.domain.ambiguity import MAX_ROUNDS, Ask, QuestionKind, Refuse, Reply, Verdict, decide
from services.cognitive.domain.answers import answer_schema
from understanding.port import PackTexts, Understanding

NOON = 12


@dataclass(frozen=True, slots=True)
class Question:
    """What DecisionRequested(clarify) needs. `subject` belongs into the event: `asked_in` reads it back."""

    kind: QuestionKind
    text: str
    options: tuple[DecisionOption, ...]
    answer_schema: JsonObject
    subject: JsonObject


class AmbiguityDetector:
    """The rules of domain.ambiguity with the packs' texts around them."""

    def __init__(self, packs: Sequence[PackTexts]) -> None:
        self._packs = {pack.name: pack for pack in packs}

    def decide(
        self, understanding: Understanding, attachments: Sequence[Attachment], asked: Sequence[QuestionKind] = ()
    ) -> Verdict:
        return decide(understanding, attachments, asked)

    def question(self, ask: Ask, language: str) -> Question:
        """The question in the language, with the options' labels."""
        options = tuple(
            DecisionOption(value=choice.value, label=self._packs[choice.pack].text(choice.label, language))
            for choice in ask.choices
        )
        return Question(
            kind=ask.kind,
            text=self._text(ask, language),
            options=options,
            answer_schema=answer_schema(ask.kind, [option.value for option in options]),
            subject=_subject(ask),
        )

    def reply(self, reply: Reply, language: str, now: datetime | None = None) -> str:
        """The answer's text, and a line of each other pack that has something to add to it (key + ".more"). Day and
        hour in it are those of the person; of a text that says the hour there are two, for either half of the day."""
        key = f"{reply.key}.more"
        lines = [pack.text(key, language) for pack in self._packs.values()]
        pack, clock = self._packs[reply.pack], _clock(now) if now else {}
        half = f"{reply.key}.{'am' if now.hour < NOON else 'pm'}" if now else reply.key
        text = pack.text(half, language, **clock)
        text = pack.text(reply.key, language, **clock) if text == half else text
        return "\n".join([text, *(line for line in lines if line != key)])

    def refusal(self, refuse: Refuse, language: str) -> ErrorInfo:
        """Why the message cannot be served after so many questions."""
        message = self._say(refuse.pack, f"refusal.{refuse.missing}", language, rounds=MAX_ROUNDS)
        return ErrorInfo(code=refuse.code, message=message, detail={"missing": refuse.missing.value})

    def _text(self, ask: Ask, language: str) -> str:
        values = {"files": ", ".join(ask.refused), "examples": " · ".join(ask.shown)}
        for key in [*_keys(ask), "question.what"]:
            if (text := self._say(ask.pack, key, language, **values)) != key:
                return text
        return "question.what"

    def _say(self, name: str, key: str, language: str, **values: object) -> str:
        """A text of the pack, else of any pack that has it: what every pack asks, one of them says for all."""
        packs = [pack for pack in (self._packs.get(name),) if pack is not None]
        for pack in [*packs, *self._packs.values()]:
            if (text := pack.text(key, language, **values)) != key:
                return text
        return key


def asked_in(subjects: Sequence[JsonObject]) -> tuple[QuestionKind, ...]:
    """The kinds of the questions already asked, from the subjects of their DecisionRequested events."""
    kinds = {kind.value for kind in QuestionKind}
    return tuple(QuestionKind(str(one["question"])) for one in subjects if one.get("question") in kinds)


def _subject(ask: Ask) -> JsonObject:
    subject: JsonObject = {"question": ask.kind.value, "needs": list(ask.needs)}
    return subject if ask.slot is None else {**subject, "intent": ask.intent, "slot": ask.slot}


_TOLD_BY_EXAMPLES = frozenset({QuestionKind.WHAT, QuestionKind.SUBJECT})
"""Where such a question has nothing to choose from, it says what can be asked for; none speaks of a menu then."""


def _keys(ask: Ask) -> list[str]:
    """Text keys from the most special to the most general."""
    key = f"question.{ask.kind}"
    if ask.slot is not None and ask.intent is not None:
        category = ask.intent.rpartition(".")[2].lower()
        return [f"{key}.{category}.{ask.slot}", f"{key}.{ask.slot}", key]
    special = [f"{key}.{ask.domain.lower()}"] if ask.domain else []
    if ask.refused:
        special.insert(0, f"{key}.other")
    if ask.kind is QuestionKind.WHAT and len(ask.choices) == 2:
        special.insert(0, f"{key}.between")
    elif ask.kind is QuestionKind.WHAT and len(ask.choices) == 1:
        special.insert(0, f"{key}.one")
    elif ask.again:
        special.insert(0, f"{key}.again")
    if ask.kind in _TOLD_BY_EXAMPLES and not ask.choices and (ask.shown or ask.kind is QuestionKind.WHAT):
        what = f"question.{QuestionKind.WHAT}"
        special = [*([f"{what}.again.examples"] if ask.again else []), f"{what}.examples"]
    return [*special, key]


def _clock(now: datetime) -> dict[str, str | int]:
    """What texts may say of it: {hour} is that of a clock with twelve."""
    return {
        "time": f"{now:%H:%M}",
        "date": f"{now:%Y-%m-%d}",
        "hour": now.hour % NOON or NOON,
        "minutes": now.minute,
        "year": now.year,
        "month": now.month,
        "day": now.day,
    }
