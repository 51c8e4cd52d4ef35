"""The flows of the packs, with their code, and the desk where they are led under the stream's lock."""

import importlib
import logging
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any, cast

from backbone.arguments import arguments_hash
from backbone.packs import Catalogue, Pack
from backbone.runner.handlers import DecisionHandler, Outcome, Recorded, Takes, emit
from contracts.cognitive import FlowAct
from contracts.packs import FlowSpec, PerLanguage
from contracts.patterns import bounded
from contracts.reading import Reader, Recall, Resolver, Vocabulary
from services.cognitive.domain import flow as leading
from services.cognitive.domain.flow import FlowSession
from services.cognitive.domain.slots import FlowRules
from services.cognitive.flow_texts import FlowTexts, default_words
from services.cognitive.markers import means_nothing_beside_what_is_shown, means_nothing_beside_yes, negates
from services.cognitive.words_of_yes import LONGEST, affirmed, divides

log = logging.getLogger(__name__)

LANGUAGES = ("ko", "en", "ja")
CONFIRMED = ("ready", "ready_again", "ready_first", "ready_batch", "ready_next", "cancelled_next", "failed_next")
"""What a person confirms: only what these show is done (docs/adr/0020-a-value-belongs-to-its-task.md)."""
SAID_BY_US = {"index", "total", "executed", "booked", "reason", "all"}
"""Fields of texts that are neither slots nor the speaker's."""
MOST_WORDS = 8
"""Of a turn that confirms by several words of yes: as people say it, and few ways to divide it."""


class FlowIncomplete(Exception):
    """A flow that cannot be led; the message names what it lacks."""


@dataclass(frozen=True, slots=True)
class Flow:
    """A flow of a pack: its rules, and the code that reads what people say to it. `intent` is the one that opens it."""

    pack: str
    intent: str
    rules: FlowRules
    reader: Reader
    confirm: tuple[re.Pattern[str], ...]
    cancel: tuple[re.Pattern[str], ...]
    declines: tuple[re.Pattern[str], ...] = ()
    resolver: Resolver | None = None
    vocabulary: Vocabulary | None = None
    recall: Recall | None = None

    @property
    def spec(self) -> FlowSpec:
        return self.rules.spec

    def word(self, text: str, *, named: bool = False) -> FlowAct | None:
        """What the turn does if it is nothing but words that confirm or cancel; in doubt, it cancels. A turn that asks,
        refuses or negates confirms nothing, whatever the pack's patterns would take. `named`: it also names what is
        shown, or orders it to be done, so more words may stand beside a yes."""
        if any(pattern.fullmatch(form) for pattern in self.cancel for form in _forms(text)):
            return FlowAct.CANCEL
        lines = len(text.strip().splitlines())
        if self.spec.undoes and lines == 1 and any(map(self.is_word_of_yes, affirmed(text))):
            return FlowAct.CONFIRM  # whoever wants something cancelled says so by a word that negates
        if any(self._is_yes(form, lines, named=named) for form in affirmed(text)) and not negates(text):
            return FlowAct.CONFIRM
        return None

    def _is_yes(self, said: str, lines: int = 1, *, named: bool = False) -> bool:
        """Whether a turn is nothing but the pack's words of yes, one after the other on a line, and words that change
        nothing beside them."""
        if self.is_word_of_yes(said):
            return True
        beside = means_nothing_beside_what_is_shown if named else means_nothing_beside_yes
        return lines == 1 and divides(said, self.is_word_of_yes, beside, MOST_WORDS + 4 * named)

    def behind_a_refusal(self, text: str) -> str | None:
        """What a turn says after it has declined what was offered beside the task; None where it declines nothing."""
        said = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'").strip()
        ends = [found.end() for one in self.declines if (found := one.match(said))]
        return said[max(ends) :].strip(" .,!~、。") if ends else None

    def is_word_of_yes(self, said: str) -> bool:
        return any(pattern.fullmatch(said) for pattern in self.confirm)


def load_flows(catalogue: Catalogue) -> dict[str, Flow]:
    """Every flow that can be led. What the others lack is said in the log: the rest works without them."""
    flows: dict[str, Flow] = {}
    for name, (pack, spec) in catalogue.flows.items():
        try:
            flows[name] = load_flow(catalogue, pack, spec)
        except FlowIncomplete as error:
            log.error("flow left out", extra={"pack": pack.name, "flow": name, "reason": str(error)})  # noqa: TRY400  # the reason says it all
    return flows


def load_flow(catalogue: Catalogue, pack: Pack, spec: FlowSpec) -> Flow:
    """A flow with its code. Raises FlowIncomplete."""
    if spec.tool not in catalogue.tools:
        raise FlowIncomplete(f"no tool {spec.tool!r} in the loaded packs")
    say = FlowTexts(pack, spec, catalogue.say)
    for language, key in ((language, key) for language in LANGUAGES for key in _asked_by(spec)):
        if say.template(language, key) is None:
            raise FlowIncomplete(f"no text {key!r} in {language!r}")
    for language, key in ((language, f"flow.{spec.flow}.{name}") for language in LANGUAGES for name in CONFIRMED):
        if (own := say.template(language, key)) is not None and (hidden := _hidden(spec, own)):
            raise FlowIncomplete(f"the text {key!r} in {language!r} does not show {', '.join(hidden)}")
    rules = FlowRules(
        spec=spec,
        say=say,
        phrase=catalogue.say,
        arguments_hash=arguments_hash,
        validators={slot.name: _entry(slot.validator) for slot in spec.slots if slot.validator},
        speak=_entry(spec.speaker) if spec.speaker else None,
    )
    intent = next((one.intent for one in pack.intents if one.flow == spec.flow), spec.flow.upper())
    flow = Flow(
        pack=pack.name,
        intent=intent,
        rules=rules,
        reader=_entry(spec.reader),
        confirm=_patterns(spec.confirm or default_words()["confirm"]),
        cancel=_patterns(spec.cancel or default_words()["cancel"]),
        declines=_patterns(spec.declines),
        resolver=_entry(spec.resolver) if spec.resolver else None,
        vocabulary=_entry(spec.vocabulary) if spec.vocabulary else None,
        recall=_entry(spec.recall) if spec.recall else None,
    )
    for language in LANGUAGES:
        for name, act in (("confirm", FlowAct.CONFIRM), ("cancel", FlowAct.CANCEL)):
            label = say(language, f"flow.{spec.flow}.button_{name}")
            if flow.word(label) is not act:
                raise FlowIncomplete(f"the button {label!r} ({language}) fits no pattern under `{name}`")
    return flow


def _asked_by(spec: FlowSpec) -> list[str]:
    """Texts that a flow names itself. All others have defaults."""
    return [key for slot in spec.slots for key in (slot.question, slot.unfit) if key]


def _hidden(spec: FlowSpec, text: str) -> list[str]:
    """Slots that a text leaves out. A field of the speaker's own may hold those that are not required."""
    shown = {name for _, name, _, _ in Formatter().parse(text) if name}
    slots = {slot.name for slot in spec.slots}
    spoken = spec.speaker is not None and bool(shown - slots - SAID_BY_US)
    return [slot.name for slot in spec.slots if slot.name not in shown and (slot.required or not spoken)]


def _entry(path: str) -> Any:
    module, name = path.split(":")
    try:
        return cast("Callable[..., Any]", getattr(importlib.import_module(module), name))
    except Exception as error:  # what a pack does when it is imported may fail in any way, and is no fault of ours
        raise FlowIncomplete(f"{path} cannot be loaded: {error!r}") from error


def _patterns(words: PerLanguage) -> tuple[re.Pattern[str], ...]:
    """Those of all languages: a person says "ok" in any of them."""
    try:
        return tuple(bounded(unicodedata.normalize("NFKC", one)) for found in words.values() for one in found)
    except re.error as error:
        raise FlowIncomplete(f"{error.pattern!r} is no regular expression: {error}") from error


def _forms(text: str) -> set[str]:
    """The turn as patterns that cancel meet it: compatibility forms, case and signs do not matter; apostrophes may."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'").strip()
    if len(plain) > LONGEST:
        return set()
    spaced = "".join(" " if one != "'" and unicodedata.category(one)[0] in "PSZC" else one for one in plain)
    return {" ".join(form.split()) for form in (plain, spaced, spaced.replace("'", ""))} - {""}


def flow_desk_handler(flows: Mapping[str, FlowRules]) -> DecisionHandler[FlowSession]:
    """Leads the flows of a session: what people say to them, and how the work they asked for has ended."""

    def decide(session: FlowSession, recorded: Recorded) -> Outcome:
        return emit(*leading.decide(session, recorded, flows))

    return DecisionHandler(
        name="cognitive-flows",
        producer="cognitive",
        takes=(
            Takes("cognitive", "CognitiveOutput"),
            Takes("execution", "ExecutionOutput"),
            Takes("response", "RunCancelled"),
            Takes("response", "RunFailed"),
        ),
        folds=leading.FOLDS,
        initial=FlowSession,
        evolve=leading.evolve,
        decide=decide,
        is_settled=lambda _: True,  # one flow of a kind, and the runs that are open
    )
