"""Which intent a reading leads to: the model's where it is sure, the words' where it wavers, nobody's otherwise."""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.cognitive import Intent, Route
from contracts.packs import IntentSpec
from understanding.offline.catalogue import IntentCatalogue, has_no_subject, looks_up, makes_something
from understanding.offline.intent import Reading, intent_of
from understanding.offline.topics import Named, is_found, own_goals

# An intent the model is not sure of holds if the sentence also names its goal in so many words.
NAMED_CONFIDENCE = 0.1
NAMED_WITHIN = 3
CLEAR_CONFIDENCE = 0.7
DOMAIN_CONFIDENCE = 0.6
PLAINLY_NOT_OURS, FAR_AHEAD = 0.5, 3.0
"""How likely it has to be that nobody here does it; or by how much likelier than anything that somebody does."""
PLAIN_COURTESY = 0.3
SPOKEN_COURTESY = 0.55
"""Enough where there are the words of one."""
LOOKED_UP = 0.5
"""How likely two of a domain that only look something up are together, to take the likelier one without asking."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The spec to go on with, or None; and the intents, the settled one first."""

    spec: IntentSpec | None
    intents: tuple[Intent, ...]


class Settler:
    """The rules between a reading and an intent."""

    def __init__(self, catalogue: IntentCatalogue) -> None:
        self._catalogue = catalogue

    def settle(self, reading: Reading, named: Named, *, chosen: str | None = None, rounds: int = 0) -> Settled:
        """`chosen` is an intent the person picked, `rounds` how often they were asked."""
        if chosen is not None:
            return self._with(self._chosen(chosen, reading), reading)
        best = self._catalogue.spec(reading.best)
        clear = reading.sure and (reading.best.confidence >= CLEAR_CONFIDENCE or own_goals(best) & set(named.goals))
        if named.alone and named.goals and not clear:
            return self._by_topic(reading, named, rounds)
        if best.route is Route.ANSWER and reading.sure and not rounds and not self._may_be_ours(reading):
            return Settled(best, reading.intents)
        rival = self._named_rival(reading, named)
        if rival is not None:
            return self._with(rival, reading)
        if (self.is_work(reading.best) and reading.sure) or self._looks_up_either_way(reading):
            return Settled(best, reading.intents)
        return self._by_topic(reading, named, rounds)

    def _looks_up_either_way(self, reading: Reading) -> bool:
        """Whether the two likeliest only look something up in one domain: to show the likelier one costs less than a
        question between them."""
        first, second = reading.intents[0], reading.intents[min(1, len(reading.intents) - 1)]
        either = all(looks_up(self._catalogue.spec(one)) for one in (first, second)) and first.domain == second.domain
        return either and first.confidence + second.confidence >= max(LOOKED_UP, reading.nothing)

    def _may_be_ours(self, reading: Reading) -> bool:
        """Only what is all but an example of small talk is declined, and only a plain greeting is greeted: of anything
        else the person is asked."""
        best = self._catalogue.spec(reading.best)
        if best.courtesy:
            return reading.best.confidence < (SPOKEN_COURTESY if reading.spoken else PLAIN_COURTESY)
        second = reading.intents[1].confidence if len(reading.intents) > 1 else 0.0
        return best.declines and reading.best.confidence < min(PLAINLY_NOT_OURS, FAR_AHEAD * second)

    def is_answered(self, reading: Reading) -> bool:
        """Whether it is plainly small talk, or a question about the product, that has an answer of its own."""
        best = self._catalogue.spec(reading.best)
        return best.route is Route.ANSWER and reading.sure and not self._may_be_ours(reading)

    def is_courtesy(self, reading: Reading) -> bool:
        """The same, but nothing that nobody here does."""
        return self.is_answered(reading) and not self._catalogue.spec(reading.best).declines

    def is_work(self, intent: Intent) -> bool:
        return makes_something(self._catalogue.spec(intent))

    def lacks_subject(self, intent: Intent) -> bool:
        return has_no_subject(self._catalogue.spec(intent))

    def clear_domain(self, intents: Sequence[Intent]) -> str | None:
        """The domain that is clear although the intent is not."""
        if self.lacks_subject(intents[0]):
            return intents[0].domain
        totals: dict[str, float] = {}
        for one in intents:
            if self.is_work(one) or self.lacks_subject(one):
                totals[one.domain] = totals.get(one.domain, 0.0) + one.confidence
        best = max(totals, key=lambda domain: totals[domain], default=None)
        return best if best is not None and totals[best] >= DOMAIN_CONFIDENCE else None

    def _chosen(self, name: str, reading: Reading) -> Intent:
        """The category, and what was heard within it where that has a tool of its own."""
        heard = next((one.subcategory for one in reading.intents if one.name == name), None)
        within, alone = intent_of(name, 1.0, heard), intent_of(name, 1.0)
        return alone if self._catalogue.spec(within).tool == self._catalogue.spec(alone).tool else within

    def _named_rival(self, reading: Reading, named: Named) -> Intent | None:
        """Where the model wavers, the words decide: the best of the likely intents whose own goal is named.

        A thing that shall be made of what is found out is what is asked for ("키워드 넣어서 리포트 써줘")."""
        likely = [one for one in reading.intents[:NAMED_WITHIN] if one.confidence >= NAMED_CONFIDENCE]
        own = {one: own_goals(self._catalogue.spec(one)) & set(named.goals) for one in likely}
        wavers = reading.best.confidence < CLEAR_CONFIDENCE
        if any(map(is_found, own.get(reading.best, ()))):
            made = next((one for one in likely if own[one] and not any(map(is_found, own[one]))), None)
            return made or (reading.best if wavers else None)
        return next((one for one in likely if own[one]), None) if wavers else None

    def _by_topic(self, reading: Reading, named: Named, rounds: int) -> Settled:
        """A word like "키워드" names its subject, whatever the model makes of a single word."""
        spec = self._catalogue.best_for(named.goals)
        if spec is None:
            return Settled(None, reading.intents)
        near = [intent.name for intent in reading.intents[:NAMED_WITHIN]]
        without_subject = self.lacks_subject(reading.best)
        if not (named.alone or without_subject or rounds or spec.intent in near):
            return Settled(None, reading.intents)
        confidence = next((one.confidence for one in reading.intents if one.name == spec.intent), 0.0)
        confidence += reading.best.confidence if without_subject else 0.0
        return self._with(intent_of(spec.intent, min(confidence, 1.0)), reading)

    def _with(self, intent: Intent, reading: Reading) -> Settled:
        rest = [one for one in reading.intents if one.name != intent.name and not self.lacks_subject(one)]
        return Settled(self._catalogue.spec(intent), (intent, *rest))
