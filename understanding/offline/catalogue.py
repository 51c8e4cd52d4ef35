"""All packs' intents in one list: which spec an intent has, what can be offered, what an answer chose."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence

from contracts.cognitive import Intent, Route
from contracts.packs import IntentSpec
from understanding.offline.pack import PackUnderstanding
from understanding.offline.topics import is_found, own_goals
from understanding.result import Choice

OFFERED = 3
OFFERED_FROM = 0.15
"""Of less probability nothing is offered."""
MOST_OF_DOMAIN = 6
SHOWN = 3
"""Examples that are told where nothing can be offered."""
CLOSE, LIKELY = 0.5, 0.1
"""So much of the better one's probability, and so much at least, makes another intent one that may be meant."""
_NOISE = re.compile(r"[\W_]+")


class IntentCatalogue:
    """Specs of all packs. Where two packs bring the same intent, the first one's spec holds and both teach it."""

    def __init__(self, packs: Sequence[PackUnderstanding]) -> None:
        self._specs: dict[str, IntentSpec] = {}
        self._packs: dict[str, PackUnderstanding] = {}
        for pack in packs:
            for spec in pack.intents:
                known = self._specs.get(spec.intent)
                self._specs[spec.intent] = _with_examples(known, spec) if known else spec
                self._packs.setdefault(spec.intent, pack)
        self._said = {_plain(word): name for name in self._offerable() for word in self._words(name)}

    @property
    def specs(self) -> tuple[IntentSpec, ...]:
        return tuple(self._specs.values())

    def spec(self, intent: Intent) -> IntentSpec:
        """The spec of the subcategory, or of the category, or the first one inside the category."""
        for name in (f"{intent.name}.{intent.subcategory}", intent.name):
            if name in self._specs:
                return self._specs[name]
        return next(spec for name, spec in self._specs.items() if name.startswith(f"{intent.name}."))

    def examples(self) -> tuple[str, ...]:
        """All example sentences."""
        return tuple(text for spec in self.specs for some in spec.examples.values() for text in some)

    def __contains__(self, name: object) -> bool:
        return name in self._specs

    def pack(self, spec: IntentSpec) -> str:
        return self._packs[spec.intent].name

    def named(self, name: str) -> IntentSpec | None:
        """The spec of an intent by its full name."""
        return self._specs.get(name)

    def is_of(self, spec: IntentSpec, name: str) -> bool:
        """Whether an intent of that name is of the same pack."""
        return name in self._packs and self._packs[name].name == self._packs[spec.intent].name

    def label(self, name: str, language: str) -> str:
        return self._packs[name].text(self._specs[name].label, language)

    def chosen(self, answer: str) -> str | None:
        """The intent that an answer names by its value ("ANALYSIS.sentiment") or its label in any language."""
        return self._said.get(_plain(answer))

    def choices(
        self, ranked: Sequence[Intent], domain: str | None = None, least: float = OFFERED_FROM
    ) -> tuple[Choice, ...]:
        """What can be offered, the likeliest first: of a clear domain all, else what may be meant, often nothing."""
        names = [name for name in self._offerable() if domain is None or name.startswith(f"{domain}.")]
        likely = {intent.name: intent.confidence for intent in ranked}
        names = sorted(names, key=lambda name: -likely.get(name, 0.0))
        if domain is None:
            return tuple(self.choice(name) for name in names if likely.get(name, 0.0) >= least)[:OFFERED]
        return tuple(self.choice(name) for name in names[:MOST_OF_DOMAIN])

    def shown(self, ranked: Sequence[Intent], language: str) -> tuple[str, ...]:
        """Example sentences of what can be done without a file, each of another domain, the likelier first."""
        likely = {intent.name: round(intent.confidence, 1) for intent in ranked}
        specs = [self._specs[name] for name in self._offerable()]
        specs = [spec for spec in specs if spec.examples.get(language) and not spec.needs and not spec.reads]
        found: dict[str, str] = {}
        for spec in sorted(specs, key=lambda spec: -likely.get(spec.intent, 0.0)):
            found.setdefault(spec.intent.partition(".")[0], spec.examples[language][0])
        return tuple(found.values())[:SHOWN]

    def close(self, ranked: Sequence[Intent]) -> tuple[Choice, ...]:
        """The two that are meant most likely, where no other comes near them; none otherwise."""
        names = set(self._offerable())
        likely = [one for one in ranked if one.name in names][:3]
        if len(likely) < 2 or likely[1].confidence < max(LIKELY, CLOSE * likely[0].confidence):
            return ()
        if len(likely) > 2 and likely[2].confidence >= CLOSE * likely[1].confidence:
            return ()
        return tuple(self.choice(one.name) for one in likely[:2])

    def choice(self, name: str) -> Choice:
        """The intent as it is offered."""
        return Choice(value=name, label=self._specs[name].label, pack=self._packs[name].name)

    def owner(self, goal: str) -> IntentSpec | None:
        """The category that is about this goal."""
        return next((self._specs[name] for name in self._offerable() if goal in own_goals(self._specs[name])), None)

    def with_usual(self, goals: Sequence[str], left_out: Collection[str] = ()) -> tuple[str, ...]:
        """The goals; before a thing to be made that would tell of nothing, what it tells of when it is asked for alone
        ("광고랑 리포트")."""
        if any(is_found(goal) for goal in goals):
            return tuple(goals)
        usual = [one for goal in goals if (owner := self.owner(goal)) for one in owner.goals if is_found(one)]
        return tuple(goal for goal in dict.fromkeys([*usual, *goals]) if goal not in left_out)

    def best_for(self, goals: Iterable[str]) -> IntentSpec | None:
        """The category that covers most of the goals with the least beside them."""
        wanted = set(goals)
        specs = [self._specs[name] for name in self._offerable()]
        covering = [spec for spec in specs if wanted & set(spec.goals)]
        return max(covering, key=lambda s: (len(wanted & set(s.goals)), -len(set(s.goals) - wanted)), default=None)

    def _offerable(self) -> list[str]:
        """Categories that lead to work, and domains that are one."""
        return [name for name, spec in self._specs.items() if makes_something(spec) and name.count(".") <= 1]

    def _words(self, name: str) -> list[str]:
        labels = {texts[key] for texts in self._packs[name].texts.values() if (key := self._specs[name].label) in texts}
        return [name, *sorted(labels)]


def makes_something(spec: IntentSpec) -> bool:
    """Whether it leads to work: goals to be reached, a tool to be called, a flow to be led."""
    return spec.route is Route.FLOW or (spec.route is Route.PLAN and bool(spec.goals or spec.tool))


def looks_up(spec: IntentSpec) -> bool:
    """Whether it only shows something, whatever is said, and needs nothing for it."""
    free = not (spec.requires or spec.reads or spec.asks or spec.looks)
    return bool(spec.tool) and spec.approve == "policy" and free


def has_no_subject(spec: IntentSpec) -> bool:
    """Work that does not say on what ("analyse it"): it becomes a question about its domain."""
    return spec.route is Route.PLAN and not makes_something(spec)


def _with_examples(known: IntentSpec, more: IntentSpec) -> IntentSpec:
    languages = known.examples.keys() | more.examples.keys()
    examples = {lang: known.examples.get(lang, ()) + more.examples.get(lang, ()) for lang in sorted(languages)}
    return known.model_copy(update={"examples": examples})


def _plain(text: str) -> str:
    return _NOISE.sub("", unicodedata.normalize("NFKC", text).casefold())
