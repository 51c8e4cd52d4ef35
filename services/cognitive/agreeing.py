"""Whether a turn says yes to what is shown: in known words, and naming nothing but what stands there. Otherwise it is
asked about (docs/adr/0059-a-yes-in-known-words.md)."""

from collections.abc import Sequence

from contracts.cognitive import FlowAct, FlowStage
from contracts.shape import JsonObject
from services.cognitive import hearing, markers
from services.cognitive.domain.wording import offers_more
from services.cognitive.hearing import Heard
from services.cognitive.person import Speaking
from services.cognitive.reads import TurnRead
from services.cognitive.turn_reading import Talk, TurnReader, expecting, some_are_gone, without_values


async def is_yes_to_all(reader: TurnReader, text: str, who: Speaking, talk: Talk) -> bool:
    """Whether a turn is a word of yes with one for all that is open, and nothing else."""
    if not talk.state.queue or talk.state.stage is not FlowStage.READY:
        return False
    if talk.flow.spec.undoes is None and talk.is_no_yes(text):
        return False  # who is asked whether to cancel says yes by "cancel"
    gone = some_are_gone(who, talk.state)
    rest = markers.without_every(text, talk.language, 1 + len(talk.state.queue), rest=gone)
    return bool(rest) and await reader.word(talk.flow, rest) is FlowAct.CONFIRM


async def wants_no_more(reader: TurnReader, text: str, talk: Talk) -> bool:
    """Whether a turn declines what was offered beside what is shown, and orders that it be done ("no memo, send it");
    or the value that alone is asked for, where it need not be: then what is left is shown."""
    rest, asked = talk.flow.behind_a_refusal(text), expecting(talk.state)
    if rest is None:
        return False
    if asked:
        needed = {slot.name for slot in talk.flow.spec.slots if slot.required}
        return needed.isdisjoint(asked) and (not rest or markers.orders(rest))
    if not (markers.orders(rest) and offers_more(talk.flow.rules, talk.state)):
        return False
    return await reader.word(talk.flow, rest) is FlowAct.CONFIRM


async def begins_with_the_first(reader: TurnReader, text: str, talk: Talk) -> bool:
    """Whether a turn is a word of yes that puts the first of several first, which is the one that is asked about."""
    if not talk.state.queue or talk.state.stage is not FlowStage.READY or talk.state.task_index != 1:
        return False
    rest = "" if talk.is_no_yes(text) else markers.first_of_all(text, talk.language)
    return bool(rest) and await reader.word(talk.flow, rest) is FlowAct.CONFIRM


async def says_otherwise(reader: TurnReader, text: str, who: Speaking, talk: Talk) -> bool:
    """Whether a turn in words of yes has a value that is not shown: "send it right now" where a later day stands."""
    if talk.state.stage is not FlowStage.READY:
        return False
    found = hearing.slots_of(talk.flow.spec, (await reader.read(text, who, talk)).tasks)
    open_ = [talk.state.slots, *talk.state.queue]
    return any(all(one.get(name) != value for one in open_) for task in found for name, value in task.items())


async def agreed(reader: TurnReader, text: str, who: Speaking, talk: Talk, read: TurnRead) -> Heard | None:
    """The turn as a yes in words that are known for it, if it names nothing but what is shown: to all that is open
    where it has a word for that, or names each."""
    state, every = talk.state, False
    if state.stage is not FlowStage.READY or talk.is_no_yes(text):
        return None
    gone = some_are_gone(who, state)
    if (state.queue or gone) and markers.has_every(text):
        rest, every = markers.without_every(text, talk.language, 1 + len(state.queue), rest=gone), True
        yes = read.agrees or await reader.word(talk.flow, rest) is FlowAct.CONFIRM
        read = await reader.read(rest, who, talk)
        read = read._replace(agrees=yes or read.agrees)
    found = hearing.slots(talk.flow, read.tasks)
    # words that nobody knows may be about something else, where that was spoken of last, and may choose among several
    beside = read.beside and who.just_asked and not (state.unclear or state.lost or state.queue)
    if not (read.agrees or beside) or found.denied or found.erases:
        return None
    open_ = [state.slots, *state.queue]
    every = every or await _names_each(reader, who, talk, open_, read)
    if len(found.tasks) > (len(open_) if every else 1):
        return None
    asked = open_ if every else open_[:1]
    shown = await _says_only_what_is_shown(reader, who, talk, asked, found.tasks, read)
    return Heard(FlowAct.CONFIRM, every=every) if shown else None


async def is_what_is_shown(
    reader: TurnReader, text: str, who: Speaking, talk: Talk, tasks: Sequence[JsonObject], read: TurnRead
) -> bool:
    """Whether a turn is a word of yes with nothing but values that are shown ("yes, send Mom the 50,000"). Without a
    word of yes before them, or one that goes back to what is shown ("now", "the one from before"), they are a request,
    which a client may have repeated."""
    state, rules = talk.state, talk.flow.rules
    if state.stage is not FlowStage.READY or len(tasks) > 1 or talk.is_no_yes(text):
        return False
    whole = not tasks or not rules.missing(tasks[0])
    rest = without_values(read, await reader.known(talk.flow, who), talk.language, state.slots.values())
    affirms = markers.says(text, "affirms") or markers.says(f"{rest} ", "affirms")
    if not (affirms or markers.resumes(text, whole=whole and bool(tasks))):
        return False
    if not await _says_only_what_is_shown(reader, who, talk, [state.slots], tasks, read):
        return False
    named = bool(tasks) or len(rest) < len("".join(text.split())) or markers.orders(text)
    return named and await reader.word(talk.flow, rest.replace(": ", ", "), named=True) is FlowAct.CONFIRM


async def _names_each(
    reader: TurnReader, who: Speaking, talk: Talk, open_: Sequence[JsonObject], read: TurnRead
) -> bool:
    """Whether the turn names each of several open tasks; with sums, only where it is read whose each is."""
    known = await reader.known(talk.flow, who)
    names = hearing.named_in(talk.flow, read.clause.text, known)
    if len(open_) < 2 or len(names) < len(open_):  # several
        return False
    if len(read.tasks) < 2 and any(one.type == "money" for one in read.clause.entities):
        return False
    on = await reader.grounds(talk, [*open_, *names], who)
    return len(hearing.named_places(talk.flow, open_, read.clause.text, on, known)) == len(open_)


async def _says_only_what_is_shown(
    reader: TurnReader,
    who: Speaking,
    talk: Talk,
    asked: Sequence[JsonObject],
    tasks: Sequence[JsonObject],
    read: TurnRead,
) -> bool:
    known = await reader.known(talk.flow, who)
    names = hearing.named_in(talk.flow, read.clause.text, known)
    on = await reader.grounds(talk, [*asked, *names, *tasks], who)
    if any(not any(hearing.is_shown(talk.flow, one, task, on) for one in asked) for task in tasks):
        return False
    return hearing.says_only_what_is_shown(talk.flow, asked, read.clause, known, on)
