"""Whether a turn takes tasks of the open flow back: by words for that, by how it is said, or beside a change."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from contracts.cognitive import FlowAct, FlowStage
from contracts.shape import JsonObject
from services.cognitive import dropping, hearing, markers
from services.cognitive.domain.beside import two_parts
from services.cognitive.domain.slots import ValidationContext
from services.cognitive.hearing import Heard, Known
from services.cognitive.person import Speaking
from services.cognitive.reads import TurnRead
from services.cognitive.turn_reading import Talk, TurnReader


async def heard(reader: TurnReader, text: str, who: Speaking, talk: Talk, *, plainly: bool = False) -> Heard | None:
    """What the turn takes back, or puts off; None where it does neither. `plainly`: only by words for that."""
    if not talk.state.is_open or markers.later(text):
        return Heard(FlowAct.LATER) if talk.state.is_open else None
    known = await reader.known(talk.flow, who)
    on = await reader.grounds(talk, hearing.named_in(talk.flow, text, known), who)
    turn = _Turn(reader, text, who, talk, on, known)
    if talk.state.stage is FlowStage.FILLING and not who.just_asked and not turn.takes_the_whole():
        return None  # what is incomplete is not spoken of any more: other things may be left out, too
    return await turn.heard(plainly=plainly)


@dataclass(frozen=True, slots=True)
class _Turn:
    reader: TurnReader
    text: str
    who: Speaking
    talk: Talk
    on: ValidationContext
    known: Known

    async def heard(self, *, plainly: bool) -> Heard | None:
        if first := await self._goes_first():
            return first
        if changed := await self._instead():
            return changed
        said = self._dropped(self.text)
        if said is not None and not (said.only and await self._says_what_may_be_left_out()):
            names_none = not (said.which or said.places or said.only)
            return (await self._forbidden() if names_none else None) or await self._taken_back(said)
        if markers.forbids(self.text, self.talk.language):
            return await self._forbidden() or Heard(FlowAct.DROP)
        if plainly or not dropping.may_take_back(self.text, self.talk.language):
            return None
        return await (self._gives_up_what_it_names() if self.talk.state.queue else self._leaves_it())

    @property
    def _open(self) -> tuple[JsonObject, ...]:
        return self.talk.state.slots, *self.talk.state.queue

    def _dropped(self, text: str) -> Heard | None:
        return hearing.dropped(self.talk.flow, self.talk.state, text, self.talk.language, self.on, self.known)

    def takes_the_whole(self) -> bool:
        talk = self.talk
        return hearing.takes_the_whole(talk.flow, talk.state, self.text, talk.language, self.on, self.known)

    async def _slots(self, text: str) -> tuple[TurnRead, Heard]:
        read = await self.reader.read(text, self.who, self.talk)
        return read, hearing.slots(self.talk.flow, read.tasks)

    def _says_values(self, said: Heard) -> bool:
        return hearing.says_values(said, self.talk.flow, self._open, self.on)

    async def _taken_back(self, dropped: Heard) -> Heard:
        read, said = await self._slots(self.text)
        if said.erases and not self.takes_the_whole():  # what is taken back may be a slot of it
            return said
        if self._says_values(said):
            return await self._and_changes_others() or Heard(FlowAct.DROP, which="", several=True)
        if read.gives_up and not (self.talk.state.queue or dropped.which or dropped.places):
            return Heard(FlowAct.CANCEL)
        return dropped

    async def _instead(self) -> Heard | None:
        """What a turn says that the only open task should be, which is not to be done as it is ("don't send it yet,
        it's 70,000"): shown, it needs a word of its own."""
        if self.talk.state.queue or not markers.is_not_to_be_done_yet(self.text, self.talk.language):
            return None
        _, said = await self._slots(self.text)
        keys = set(self.talk.flow.rules.keys)
        plain = len(said.tasks) == 1 and keys.isdisjoint(said.tasks[0]) and not (said.denied or said.erases)
        return replace(said, corrects=True) if plain and self._says_values(said) else None

    async def _says_what_may_be_left_out(self) -> bool:
        """Whether a turn says nothing but values that nobody has to say for a task ("a memo on Mom's only"): that one
        gets them, and the others stay."""
        spec, keys = self.talk.flow.spec, set(self.talk.flow.rules.keys)
        _, found = await self._slots(self.text)
        said = {name for task in found.tasks for name in task} - keys
        return bool(said) and not said & {slot.name for slot in spec.slots if slot.required}

    async def _gives_up_what_it_names(self) -> Heard | None:
        """A turn that names some of the open tasks, changes nothing of them, and is likely of who wants something no
        more."""
        places = hearing.named_places(self.talk.flow, self._open, self.text, self.on, self.known)
        if not places or len(places) == len(self._open):
            return None
        read, said = await self._slots(self.text)
        if not read.gives_up or said.denied or said.erases or self._says_values(said):
            return None
        return Heard(FlowAct.DROP, places=tuple(sorted(self.talk.state.task_index + place for place in places)))

    async def _leaves_it(self) -> Heard | None:
        """A turn that says no value, and is surely of who does not want what is shown, in whatever words."""
        put_off = markers.is_put_off(self.text, self.talk.language)
        if self.talk.state.stage is not FlowStage.READY or put_off:
            return None
        read, said = await self._slots(self.text)
        return Heard(FlowAct.CANCEL) if read.leaves and not (said.tasks or said.denied or said.erases) else None

    async def _forbidden(self) -> Heard | None:
        """A turn that says in whatever words that nothing is to be sent, and names nobody but whom the only open task
        is for ("you need not send it any more")."""
        language = self.talk.language
        alone = not self.talk.state.queue and not markers.is_put_off(self.text, language)
        if not alone or not _forbids_the_deed(self.text, language):
            return None
        named = hearing.words_in(self.text, hearing.named_in(self.talk.flow, self.text, self.known))
        if named and not hearing.named_places(self.talk.flow, self._open, self.text, self.on, self.known):
            return None
        _, said = await self._slots(self.text)
        keys = set(self.talk.flow.rules.keys)
        more = any(not set(task) <= keys for task in said.tasks)
        return None if more or said.denied or said.erases else Heard(FlowAct.CANCEL)

    async def _goes_first(self) -> Heard | None:
        """A turn that only names one of those that wait, and puts it first ("Jiyoung first")."""
        if not (self.talk.state.queue and markers.begins(self.text, self.talk.language)):
            return None
        places = hearing.named_places(self.talk.flow, self._open, self.text, self.on, self.known)
        _, said = await self._slots(self.text)
        if len(places) != 1 or 0 in places or said.denied or said.erases or self._says_values(said):
            return None
        return Heard(FlowAct.LATER, which=str(self.talk.state.task_index + min(places)))

    async def _and_changes_others(self) -> Heard | None:
        """A turn of two parts of which one takes named tasks back and says no more, and the other says values."""
        for drop, rest in _two_ways(self.text):
            gone = self._dropped(drop)
            if gone is None or not (gone.which or gone.places) or gone.only or self._dropped(rest) is not None:
                continue
            _, first = await self._slots(drop)
            _, more = await self._slots(rest)
            left, keys = len(self._open) - max(1, len(gone.places)), set(self.talk.flow.rules.keys)
            # with several left, nobody knows whose values these are that name none; who is only named is who goes
            unclear = left > 1 and any(keys.isdisjoint(task) for task in more.tasks)
            unclear |= len(more.tasks) > 1 and any(task.keys() <= keys for task in more.tasks)
            if more.tasks and not (more.denied or more.erases or unclear or self._says_values(first)):
                return replace(gone, tasks=more.tasks, corrects=True)
        return None


def _two_ways(text: str) -> Iterator[tuple[str, str]]:
    """Its two parts, wherever it may be divided, in either order; those that leave little to take back first."""
    divided = list(two_parts(text))
    yield from divided
    yield from ((last, first) for first, last in reversed(divided))


def _forbids_the_deed(text: str, language: str) -> bool:
    """Whether a turn says, of what a flow does, that it is not to be done ("no need to pay it"), and asks nothing."""
    words, said = markers.markers()[language], markers.plain(text)
    refuses = markers.forbids(text, language) or words.drops.search(said) is not None
    return refuses and dropping.may_take_back(text, language) and words.deed.search(said) is not None
