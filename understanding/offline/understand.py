"""Understands one message: language, intents, tasks, entities, what should be made, and what is not clear yet."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from contracts.cognitive import CognitiveInput, PlanHint, Route, Task
from contracts.context import Context
from contracts.packs import IntentSpec
from contracts.reading import Clause
from contracts.shape import JsonValue
from understanding.grammar import Looks, read
from understanding.grammar.addresses import without_addresses
from understanding.offline.catalogue import OFFERED_FROM, IntentCatalogue, makes_something
from understanding.offline.clauses import splitter, verbs_of
from understanding.offline.context import ContextReader
from understanding.offline.details import without
from understanding.offline.encoder import Remembering, SentenceEncoder, best_encoder
from understanding.offline.entities import DATED_PART, EntityFinder, ExtractedSlots
from understanding.offline.excerpt import ANSWER, excerpt, of_the_whole
from understanding.offline.follows import FollowReader, known_texts
from understanding.offline.intent import IntentModel, request_of
from understanding.offline.language import Detected, detect_language
from understanding.offline.mended import mended
from understanding.offline.moments import MOMENTS, says_only_when
from understanding.offline.pack import PackUnderstanding, in_order, span_finder
from understanding.offline.parts import PartFinder, begun_with
from understanding.offline.sentences import Sentence, nulls
from understanding.offline.settle import Settled, Settler
from understanding.offline.tasks import Part, Read, TaskReader, category_of, clause_of, with_quantities
from understanding.offline.there import Saying, Surrounding, settled_on
from understanding.offline.topics import Named, TopicFinder
from understanding.result import Ambiguity, Choice, Doubt, Missing, Understanding, Wanted

ELSE, ELSE_OF_WORDS = 0.5, 0.9
"""How likely an answer has to be a request for something else, not to be taken for the name, place or time that was
asked for; and for any words at all, as a reminder has."""
SMALL_TALK = 0.65
"""How likely an answer has to be small talk to leave the question: "I don't know" is about half of it, and is none."""
_NOTHING: Mapping[str, JsonValue] = {}


class SentenceReader:
    """The offline model of layer 1. Building it loads the sentence weights and learns the examples (about 2 s).

    `understand` is deterministic and safe to call from several threads.
    """

    def __init__(
        self,
        packs: Sequence[PackUnderstanding],
        encoder: SentenceEncoder | None = None,
        unmeant: Sequence[Sentence] | None = None,
    ) -> None:
        """`unmeant` are sentences without an intent; those of this room (sentences.nulls) where none are given."""
        packs = in_order(packs)
        self._catalogue = IntentCatalogue(packs)
        self._settler = Settler(self._catalogue)
        self._topics = TopicFinder([topic for pack in packs for topic in pack.topics])
        details = [detail for pack in packs for detail in pack.details]
        self.entities = EntityFinder([pack.gazetteer for pack in packs], details)
        cues = [cue for pack in packs for cue in pack.cues]
        said = [sentence for pack in packs for sentence in pack.sentences]
        said += nulls() if unmeant is None else unmeant
        follows = [sentence for pack in packs for sentence in pack.follows]
        self._tasks = TaskReader(self._catalogue, span_finder(packs, said, follows))
        encoder = encoder or best_encoder()
        learner = Remembering(encoder)
        self.intents = IntentModel(self._catalogue.specs, encoder, cues, said, learner=learner)
        others = {one.text: one.intent for one in said}
        taught = others | known_texts(self._catalogue.specs)
        follow = FollowReader(packs, self._catalogue, encoder, taught, learner=learner)
        beside = {spec.intent: pack.beside for pack in packs for spec in pack.intents}
        context = ContextReader(self._catalogue.specs, encoder, others, beside, learner=learner)
        self._there = Surrounding(self.intents, self._catalogue, self._tasks, context, follow)
        self._splitter = splitter(verbs_of(self._catalogue.specs))
        self._parts = PartFinder(
            self.intents, self._settler, self._catalogue, self._tasks, self._splitter, self._topics
        )

    def clause(
        self,
        text: str,
        now: datetime,
        language: str,
        expecting: Sequence[str] = (),
        slots: Mapping[str, JsonValue] = _NOTHING,
    ) -> Clause:
        """What is read of the text, with its generic entities, for a pack's reader. `expecting` and `slots` are handed
        on."""
        return clause_of(excerpt(text).text, now, language, expecting, slots)

    def understand(self, message: CognitiveInput, now: datetime, wants: Sequence[Wanted] = ()) -> Understanding:
        """Reads the message with its answers, of long ones the beginning and the end; `now` is the request's time in
        the person's time zone. `wants`: what is wanted, where somebody has found that out already."""
        read, answers = excerpt(message.text), [excerpt(one, ANSWER) for one in message.answers]
        unread = read.unread + sum(one.unread for one in answers)
        if not unread:
            return self._read(message, now, wants)
        part = message.model_copy(update={"text": read.text, "answers": tuple(one.text for one in answers)})
        return of_the_whole(self._read(part, now, wants), message.text, read, unread)

    def _read(self, message: CognitiveInput, now: datetime, wants: Sequence[Wanted] = ()) -> Understanding:
        detected = detect_language(without_addresses(message.text), message.language)
        language = message.language or detected.language
        message = message.model_copy(update={"text": mended(message.text, now, language)})
        merged = self._merge(message, language, now)
        wants = [one for one in wants if one.intent in self._catalogue]
        if len(wants) > 1:
            return self._understood(merged, *self._wanted(merged, wants), language, now)
        if wants:
            merged = replace(merged, chosen=wants[0].intent)
        settled, parts = self._there.in_context(message, merged, *self._parts_of(merged, language, now), now)
        named = self._named(merged.said)
        merged = replace(merged, goals=(*named.goals, *named.left_out))
        settled, parts, _ = self._there.going_on(message, merged, settled, parts, language, now)
        if not parts:
            return self._unclear(merged, settled, detected, language, now)
        led = tuple(part for part in parts if part.spec.flow is not None)
        if len(led) < len(parts) and len({category_of(part.spec) for part in led}) == 1 and merged.chosen is None:
            # a dialogue begins; whoever leads it does the rest beside it, or keeps it for later
            found = self._understood(merged, settled_on(led[0].spec, settled), led, language, now)
            return found.model_copy(update={"tasks": self._tasks.read(parts, now, language).tasks})
        merged = replace(merged, last=message.context.last)
        return self._understood(merged, settled, parts, language, now)

    def _wanted(self, merged: Saying, wants: Sequence[Wanted]) -> tuple[Settled, tuple[Part, ...]]:
        """The things that were found out to be wanted, each where it is said."""
        settled = [self._settler.settle(merged.reading, self._named(one.text), chosen=one.intent) for one in wants]
        specs = [one.spec for one in settled if one.spec is not None]
        at = [max(merged.said.find(one.text), 0) for one in wants]
        return settled[0], tuple(Part(spec, one.text, start) for spec, one, start in zip(specs, wants, at, strict=True))

    def warm(self, now: datetime) -> None:
        """Reads a sentence of each language for each kind of work: what is imported and compiled with the first one
        (0.7 s) is there before anybody waits for it."""
        read("3월 March 5, 2024", now, Looks.BACK)
        kinds = {(spec.reader, spec.route): spec for spec in self._catalogue.specs}
        for spec in kinds.values():
            for language, (text, *_) in ((name, texts) for name, texts in spec.examples.items() if texts):
                self._read(CognitiveInput(text=text, language=language), now)

    def _merge(self, message: CognitiveInput, language: str, now: datetime) -> Saying:
        said = without_addresses(message.text)
        merged = Saying(message.text, message.text, message.text, self.intents.read(said), rounds=len(message.answers))
        for answer in filter(None, (answer.strip() for answer in message.answers)):
            merged = self._with_answer(merged, answer, message.model_copy(update={"answers": ()}), language, now)
        return merged

    def _with_answer(
        self, merged: Saying, answer: str, message: CognitiveInput, language: str, now: datetime
    ) -> Saying:
        """`message` has no answers."""
        before = self._so_far(merged, message, language, now)
        gap = next(iter(self._tasks.missing(before)), None)  # what is lacking, the next answer says
        if gap and self._asks_about_a_file(before, answer, gap, message.context, language, now):
            reading = self.intents.read(without_addresses(answer))
            text = f"{merged.text}\n{answer}"
            return replace(merged, text=text, said=answer, reading=reading, chosen=None, fills=(), anew=True)
        if gap and not self._catalogue.chosen(answer) and not self._asks_else(answer, gap, language, now):
            return replace(merged, text=f"{merged.text}\n{answer}", fills=(*merged.fills, answer))
        choice = self._catalogue.chosen(answer)
        if choice is not None:
            return replace(merged, text=f"{merged.text}\n{self._catalogue.label(choice, language)}", chosen=choice)
        merged = replace(merged, text=f"{merged.text}\n{answer}")
        words = without_addresses(answer)
        alone = self.intents.read(words)
        small_talk = merged.chosen is None and self._settler.is_courtesy(alone) and alone.best.confidence >= SMALL_TALK
        if alone.sure and (self._settler.is_work(alone.best) or small_talk):
            return replace(merged, said=answer, reading=alone, chosen=None, fills=(), anew=True)
        if merged.chosen is None:
            said = f"{words} {merged.first}"
            return replace(merged, said=said, reading=self.intents.read(without_addresses(said)))
        return merged

    def _so_far(self, merged: Saying, message: CognitiveInput, language: str, now: datetime) -> Read:
        """The tasks of the message with the answers so far, as they are read where it goes on about what was before."""
        settled, parts = self._parts_of(merged, language, now)
        _, parts, _ = self._there.going_on(message, merged, settled, parts, language, now)
        read = self._tasks.read(parts, now, language, message.context.last)
        return self._tasks.filled(read, merged.fills, now, language)

    def _asks_about_a_file(
        self, before: Read, answer: str, gap: Missing, context: Context, language: str, now: datetime
    ) -> bool:
        """Whether what was said instead of a day, a time or another thing of a form has none, and is a question about a
        file that is there."""
        if not context.files or not self._tasks.has_form(gap):
            return False
        reading = self.intents.read(without_addresses(answer))
        if self._there.about_a_file(context, answer, reading) is None:
            return False
        return not self._tasks.says(self._tasks.filled(before, (answer,), now, language), gap)

    def _asks_else(self, answer: str, gap: Missing, language: str, now: datetime) -> bool:
        """Whether what was said instead of an answer is a request for other work: where any words may be the answer, a
        whole one. A day or a time alone is none, where one was asked for."""
        if gap.slot in MOMENTS and says_only_when(answer, now):
            return False
        alone = self.intents.read(without_addresses(answer))
        other = ".".join(gap.intent.split(".")[:2]) != alone.best.name
        answered = self._settler.is_answered(alone)
        if not (other and alone.sure and (answered or self._settler.is_work(alone.best))):
            return False
        if answered or self._tasks.has_form(gap):
            return self._tasks.has_form(gap) and alone.best.confidence >= ELSE
        spec = self._catalogue.spec(alone.best)
        whole = spec.flow is None and not self._tasks.missing(self._tasks.read((Part(spec, answer),), now, language))
        return whole and alone.best.confidence >= ELSE_OF_WORDS

    def _parts_of(self, merged: Saying, language: str, now: datetime) -> tuple[Settled, tuple[Part, ...]]:
        """What the message settles on, and its parts: those that were chosen, where one had to be; none if unclear."""
        if merged.chosen is None and self._splitter.takes_back(merged.said):
            return Settled(None, merged.reading.intents), ()
        parted = self._parts.find(merged.said, now, language)
        if parted is not None and merged.chosen is None and len(parted.parts) > 1:
            return Settled(parted.parts[0].spec, parted.intents), parted.parts
        settled = self._settle(merged)
        if parted is not None and merged.chosen is None and (settled.spec is None or not makes_something(settled.spec)):
            # a request beside a greeting, or beside what led to it
            return Settled(parted.parts[0].spec, parted.intents), parted.parts
        if settled.spec is None:
            return settled, ()
        return settled, begun_with(parted, merged.chosen) or (Part(settled.spec, merged.said),)

    def _settle(self, merged: Saying) -> Settled:
        rounds = 0 if merged.fills or merged.anew else merged.rounds
        named = self._named(merged.said if merged.anew else merged.text)
        return self._settler.settle(merged.reading, named, chosen=merged.chosen, rounds=rounds)

    def _named(self, text: str) -> Named:
        # What a title in quotes says is not asked for.
        said = without_addresses(text)
        return self._topics.find(request_of(without(said, self.entities.details.find(said[:DATED_PART], ()))))

    def _understood(
        self, merged: Saying, settled: Settled, parts: Sequence[Part], language: str, now: datetime
    ) -> Understanding:
        first = parts[0].spec
        found = self._tasks.read(parts, now, language, merged.last)
        read = self._tasks.filled(found, merged.fills, now, language)
        made = [part for part in parts if part.spec.goals]
        goals = self._goals(merged, made, alone=len(parts) == 1) if first.route is not Route.ANSWER else ()
        extracted = self.entities.find(merged.text, now.date(), goals)
        specs = [*(part.spec for part in parts), *(own for goal in goals if (own := self._catalogue.owner(goal)))]
        formats = tuple(dict.fromkeys([*(one for spec in specs for one in spec.formats), *extracted.formats]))
        return Understanding(
            text=merged.text,
            language=language,
            intents=settled.intents,
            entities=extracted.entities if goals else with_quantities(merged.text, extracted.entities, read),
            plan_hint=PlanHint(
                goals=goals,
                formats=formats if goals else (),
                period=extracted.period if goals else None,
                filters=extracted.filters if goals else {},
            ),
            route=first.route,
            pack=self._catalogue.pack(first),
            tasks=(*read.tasks, *self._for_later(merged, parts, language, now)),
            needs=self._needs(specs, extracted),
            missing=self._tasks.missing(read),
            apart=self._apart(parts),
            answer=first.answer,
            declined=first.declines,
            rounds=merged.rounds,
        )

    def _for_later(self, merged: Saying, parts: Sequence[Part], language: str, now: datetime) -> tuple[Task, ...]:
        """What the person has said, and not chosen to begin with."""
        parted = self._parts.find(merged.said, now, language) if merged.chosen else None
        if parted is None or any(part not in parted.parts for part in parts):
            return ()
        later = [part for part in parted.parts if part not in parts]
        return self._tasks.read(later, now, language).tasks

    def _apart(self, parts: Sequence[Part]) -> tuple[Choice, ...]:
        """A dialogue and other work cannot be one run; neither can two dialogues."""
        names = list(dict.fromkeys(category_of(part.spec) for part in parts))
        if len(names) < 2 or not any(part.spec.route is Route.FLOW for part in parts):
            return ()
        return tuple(self._catalogue.choice(name) for name in names)

    def _goals(self, merged: Saying, made: Sequence[Part], *, alone: bool) -> tuple[str, ...]:
        """Of each part what it asks for and names; all of them are planned together."""
        goals: list[str] = []
        for part in made:
            named = self._named(merged.text if alone else part.text)
            goals += self._catalogue.with_usual(self._topics.combine(part.spec, named), named.left_out)
        return self._topics.in_order(goals)

    def _unclear(
        self, merged: Saying, settled: Settled, detected: Detected, language: str, now: datetime
    ) -> Understanding:
        extracted = self.entities.find(merged.text, now.date())
        domain = self._settler.clear_domain(settled.intents)
        doubt = Doubt.UNSPECIFIED if domain else Doubt.FOREIGN if detected.foreign else Doubt.UNKNOWN
        close = self._catalogue.close(settled.intents) if doubt is not Doubt.FOREIGN else ()
        least = 0.0 if doubt is Doubt.FOREIGN else OFFERED_FROM
        choices = close or self._catalogue.choices(settled.intents, domain, least)
        shown = () if choices else self._catalogue.shown(settled.intents, language)
        best, *others = settled.intents
        if self._settler.lacks_subject(best):
            best = best.model_copy(update={"category": None, "subcategory": None})
        return Understanding(
            text=merged.text,
            language=language,
            intents=(best, *(one for one in others if not self._settler.lacks_subject(one))),
            entities=extracted.entities,
            plan_hint=PlanHint(period=extracted.period, filters=extracted.filters),
            route=Route.PLAN,
            pack=choices[0].pack if choices else self._catalogue.pack(self._catalogue.spec(settled.intents[0])),
            ambiguities=(Ambiguity(doubt=doubt, domain=domain, choices=choices, shown=shown),),
            rounds=merged.rounds,
        )

    def _needs(self, specs: Sequence[IntentSpec], extracted: ExtractedSlots) -> tuple[str, ...]:
        """What the person has to bring; a name can take the place of a file."""
        said = {one.type for one in extracted.entities}
        needs = [
            need for one in specs for need in one.needs if need not in self.entities.details.spared(one.goals, said)
        ]
        return tuple(dict.fromkeys(needs))
