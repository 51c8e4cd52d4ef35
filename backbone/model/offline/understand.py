"""Understands one message: language, intent, entities, what should be made, and what is not clear yet."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from backbone.model.offline.addresses import without_addresses
from backbone.model.offline.catalogue import IntentCatalogue
from backbone.model.offline.dates import find_dates
from backbone.model.offline.details import without
from backbone.model.offline.encoder import SentenceEncoder, best_encoder
from backbone.model.offline.entities import DATED_PART, EntityFinder, Extracted
from backbone.model.offline.intent import IntentModel, Reading, request_of
from backbone.model.offline.language import Detected, detect_language
from backbone.model.offline.pack import PackUnderstanding
from backbone.model.offline.topics import Named, TopicFinder, own_goals
from backbone.model.offline.understanding import Ambiguity, Doubt, Understanding
from contracts.cognitive import CognitiveInput, Intent, PlanHint, Route
from contracts.packs import IntentSpec

# An intent the model is not sure of holds if the sentence also names its goal in so many words.
NAMED_CONFIDENCE = 0.15
NAMED_WITHIN = 3
CLEAR_CONFIDENCE = 0.6
DOMAIN_CONFIDENCE = 0.6


@dataclass(frozen=True, slots=True)
class _Message:
    """The sentence with its answers as one text, and what was read or chosen in it."""

    text: str
    reading: Reading
    chosen: str | None
    rounds: int


class Understander:
    """The offline model of layer 1. Building it loads the sentence weights and learns the examples (about 1.5 s).

    `understand` is deterministic and safe to call from several threads.
    """

    def __init__(self, packs: Sequence[PackUnderstanding], encoder: SentenceEncoder | None = None) -> None:
        self._catalogue = IntentCatalogue(packs)
        self._topics = TopicFinder([topic for pack in packs for topic in pack.topics])
        details = [detail for pack in packs for detail in pack.details]
        self.entities = EntityFinder([pack.gazetteer for pack in packs], details)
        self.intents = IntentModel(self._catalogue.specs, encoder or best_encoder())

    def understand(self, message: CognitiveInput, now: datetime) -> Understanding:
        """Reads the message with its answers; `now` is the request's time in the person's time zone."""
        detected = detect_language(without_addresses(message.text), message.language)
        merged = self._merge(message, message.language or detected.language)
        said = without_addresses(merged.text)
        # What a title in quotes says is not asked for.
        named = self._topics.find(request_of(without(said, self.entities.details.find(said[:DATED_PART], ()))))
        spec, intents = self._settle(merged, named)
        language = message.language or detected.language
        if spec is None:
            extracted = self.entities.find(merged.text, now.date())
            return self._unclear(merged, intents, extracted, detected, language)
        goals: tuple[str, ...] = ()
        if spec.route is not Route.ANSWER:
            goals = self._catalogue.with_usual(self._topics.combine(spec, named), named.left_out)
        extracted = self.entities.find(merged.text, now.date(), goals)
        specs = [spec, *(owner for goal in goals if (owner := self._catalogue.owner(goal)))]
        made = [format_ for one in specs for format_ in one.formats]
        return Understanding(
            text=merged.text,
            language=language,
            intents=intents,
            entities=extracted.entities,
            plan_hint=PlanHint(
                goals=goals,
                formats=tuple(dict.fromkeys([*made, *extracted.formats])) if goals else (),
                period=extracted.period if goals else None,
                filters=extracted.filters if goals else {},
            ),
            route=spec.route,
            pack=self._catalogue.pack(spec),
            needs=self._needs(specs, extracted),
            answer=spec.answer,
            rounds=merged.rounds,
        )

    def warm(self, now: datetime) -> None:
        """Imports the date libraries (0.7 s), so that the first sentence with a date does not wait for them."""
        find_dates("3월 March 5, 2024", now.date())

    def _merge(self, message: CognitiveInput, language: str) -> _Message:
        lines, chosen = [message.text], None
        said = without_addresses(message.text)
        reading = self.intents.read(said)
        for answer in filter(None, (answer.strip() for answer in message.answers)):
            choice = self._catalogue.chosen(answer)
            if choice is not None:
                chosen = choice
                lines.append(self._catalogue.label(choice, language))
                continue
            lines.append(answer)
            words = without_addresses(answer)
            alone = self.intents.read(words)
            if alone.sure and self._makes_something(alone.best):
                reading, chosen = alone, None
            elif chosen is None:
                reading = self.intents.read(f"{words} {said}")
        return _Message("\n".join(lines), reading, chosen, len(message.answers))

    def _settle(self, merged: _Message, named: Named) -> tuple[IntentSpec | None, tuple[Intent, ...]]:
        """The spec to go on with, or None; and the intents with the settled one first."""
        reading = merged.reading
        if merged.chosen is not None:
            domain, category = merged.chosen.split(".")
            return self._with(Intent(domain=domain, category=category, confidence=1.0), reading)
        if named.alone and named.goals:
            return self._by_topic(merged, named)
        best = self._catalogue.spec(reading.best)
        if best.route is Route.ANSWER and reading.sure and not merged.rounds:
            return best, reading.intents
        rival = self._named_rival(reading, named)
        if rival is not None:
            return self._with(rival, reading)
        if self._makes_something(reading.best) and reading.sure:
            return best, reading.intents
        return self._by_topic(merged, named)

    def _named_rival(self, reading: Reading, named: Named) -> Intent | None:
        """Where the model wavers, the words decide: the best of the likely intents whose own goal is named."""
        if reading.best.confidence >= CLEAR_CONFIDENCE:
            return None
        likely = [one for one in reading.intents[:NAMED_WITHIN] if one.confidence >= NAMED_CONFIDENCE]
        return next((one for one in likely if own_goals(self._catalogue.spec(one)) & set(named.goals)), None)

    def _by_topic(self, merged: _Message, named: Named) -> tuple[IntentSpec | None, tuple[Intent, ...]]:
        """A word like "키워드" names its subject, whatever the model makes of a single word."""
        reading, spec = merged.reading, self._catalogue.best_for(named.goals)
        if spec is None:
            return None, reading.intents
        near = [intent.name for intent in reading.intents[:NAMED_WITHIN]]
        without_subject = self._has_no_subject(reading.best)
        if not (named.alone or without_subject or merged.rounds or spec.intent in near):
            return None, reading.intents
        confidence = next((one.confidence for one in reading.intents if one.name == spec.intent), 0.0)
        confidence += reading.best.confidence if without_subject else 0.0
        domain, category = spec.intent.split(".")
        return self._with(Intent(domain=domain, category=category, confidence=min(confidence, 1.0)), reading)

    def _with(self, intent: Intent, reading: Reading) -> tuple[IntentSpec, tuple[Intent, ...]]:
        rest = [one for one in reading.intents if one.name != intent.name and not self._has_no_subject(one)]
        return self._catalogue.spec(intent), (intent, *rest)

    def _unclear(
        self,
        merged: _Message,
        intents: tuple[Intent, ...],
        extracted: Extracted,
        detected: Detected,
        language: str,
    ) -> Understanding:
        domain = self._clear_domain(intents)
        doubt = Doubt.UNSPECIFIED if domain else Doubt.FOREIGN if detected.foreign else Doubt.UNKNOWN
        choices = self._catalogue.choices(intents, domain)
        best = intents[0]
        if self._has_no_subject(best):
            best = best.model_copy(update={"category": None, "subcategory": None})
        return Understanding(
            text=merged.text,
            language=language,
            intents=(best, *(one for one in intents[1:] if not self._has_no_subject(one))),
            entities=extracted.entities,
            plan_hint=PlanHint(period=extracted.period, filters=extracted.filters),
            route=Route.PLAN,
            pack=choices[0].pack if choices else self._catalogue.pack(self._catalogue.spec(intents[0])),
            ambiguities=(Ambiguity(doubt=doubt, domain=domain, choices=choices),),
            rounds=merged.rounds,
        )

    def _needs(self, specs: Sequence[IntentSpec], extracted: Extracted) -> tuple[str, ...]:
        """What the person has to bring; a name can take the place of a file."""
        said = {one.type for one in extracted.entities}
        needs = [
            need for one in specs for need in one.needs if need not in self.entities.details.spared(one.goals, said)
        ]
        return tuple(dict.fromkeys(needs))

    def _clear_domain(self, intents: Sequence[Intent]) -> str | None:
        if self._has_no_subject(intents[0]):
            return intents[0].domain
        totals: dict[str, float] = {}
        for one in intents:
            if self._makes_something(one) or self._has_no_subject(one):
                totals[one.domain] = totals.get(one.domain, 0.0) + one.confidence
        best = max(totals, key=lambda domain: totals[domain], default=None)
        return best if best is not None and totals[best] >= DOMAIN_CONFIDENCE else None

    def _makes_something(self, intent: Intent) -> bool:
        spec = self._catalogue.spec(intent)
        return spec.route is Route.FLOW or (spec.route is Route.PLAN and bool(spec.goals))

    def _has_no_subject(self, intent: Intent) -> bool:
        spec = self._catalogue.spec(intent)
        return spec.route is Route.PLAN and not spec.goals
