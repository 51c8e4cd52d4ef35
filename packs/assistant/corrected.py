"""That a fact which was remembered has become another ("it's 81 now"): which one, and what it says now. Pure."""

import re
from collections.abc import Sequence

from packs.assistant import actions, saying
from packs.assistant.actions import FALLBACK
from packs.assistant.facts import OWN, parts, plain


def corrected(text: str, notes: Sequence[str], language: str) -> tuple[str, str] | None:
    """Of which of the notes a sentence says that it has become another, by its subject, and what that is now; None
    where it speaks of none of them, or of two alike."""
    scored = sorted(((_share(text, _subject(note), language), note) for note in notes), reverse=True)
    if not scored or scored[0][0] < _ENOUGH:
        return None
    best = [note for score, note in scored if score == scored[0][0]]
    if len({plain(_bare(_subject(note))) for note in best}) > 1:
        return None
    subject = _subject(best[0])
    value = _new_value(text, subject, language)
    return (OWN.sub("", subject).strip(), value) if value else None


def of_the_last(text: str, note: str, language: str) -> tuple[str, str] | None:
    """The same, of the note that was spoken of last: where the sentence names no subject of its own."""
    subject = _subject(note)
    value = _new_value(text, subject, language)
    return (OWN.sub("", subject).strip(), value) if value else None


def is_same_fact(note: str, subject: str, language: str) -> bool:
    """Whether a note is of the same subject, as far as its words tell."""
    return plain(_bare(_subject(note))) == plain(_bare(subject))


def ends_with(note: str, subject: str) -> bool:
    """Whether what a note speaks of is called so, with something before it that tells it from others of its sort."""
    said = plain(_bare(subject))
    return bool(said) and plain(_bare(_subject(note))).endswith(said)


def subject_of(note: str) -> str:
    """Of what a note speaks, as it was said."""
    return _bare(_subject(note))


def is_of_another(asked: str, note: str, language: str) -> bool:
    """Whether a note is about another thing of the same sort: a question about "my son's birthday" has a word that is
    not in the note, and what that speaks of, "my daughter's birthday", one that is not in the question."""
    if (of := _subject(note)) == note:
        return False  # what it speaks of is not told apart
    subject = _telling(of, language)
    beside = [word for word in _telling(asked, language) if plain(word) not in plain(note)]
    own = [word for word in subject if plain(word) not in plain(asked)]
    return bool(beside) and 0 < len(own) < len(subject)


_ENOUGH = 0.5
_FIGURE = re.compile(r"[0-9A-Za-z][0-9A-Za-z\-_./#@]*")
_PARTICLES = ("은", "는", "이", "가", "을", "를", "도")


def _subject(note: str) -> str:
    """Of what a note speaks: what stands before the word that says so, or before its first figure."""
    figure = re.search(r"\d", note)
    said = [one for one in parts(note) if figure is None or note.find(one[0]) + len(one[0]) < figure.start()]
    topic = re.search(r"(?<=[가-힣A-Za-z0-9])(?:은|는)\s|\s(?:is|are|was|were)\s|\s?:\s|は", note)
    if said and (topic or figure is None):
        return said[0][0]
    if figure is None or not figure.start():
        return note
    head = note[: figure.start()]
    return (head.rsplit(None, 1)[0] if " " in head.strip() and not head.endswith(" ") else head).strip(" 、,") or note


def _bare(subject: str) -> str:
    return OWN.sub("", subject)


def _telling(subject: str, language: str) -> list[str]:
    """The words of a subject that tell it from others."""
    if language == "ja":
        return [word for word in re.split(r"[のはがを、\s]+", _bare(subject)) if word]
    words = [_stripped(word.strip(".,!?").casefold()) for word in _bare(subject).split()]
    nothing = (*actions.words("small", FALLBACK), "나", "내", "제", "저")
    return [word for word in words if word not in nothing]


def _stripped(word: str) -> str:
    end = next((end for end in _PARTICLES if word.endswith(end) and len(word) > len(end) + 1), "")
    return word.removesuffix(end)


def _without_end(word: str, ends: Sequence[str]) -> str:
    return word.removesuffix(next((end for end in ends if word.endswith(end) and len(word) > len(end)), ""))


def _share(text: str, subject: str, language: str) -> float:
    """Which part of the subject's words the text has."""
    said, some = plain(text), _telling(subject, language)
    return sum(plain(word) in said for word in some) / len(some) if some else 0.0


def _new_value(text: str, subject: str, language: str) -> str:
    """What is left of the text: without the subject, without what says that it has changed."""
    of = _telling(subject, language)
    said = parts(text)
    if language == "ja":
        rest = text
        for word in of:
            rest = rest.replace(word, "")
        figure = _FIGURE.search(rest)
        now = re.split(r"[。、！\s]", rest[figure.start() :])[0] if figure else said[0][1] if said else ""
        return re.sub(r"(?:です|だ|に(?:変|な).*|[。、！ねよの]+)\Z", "", now)
    changes = tuple(actions.words("corrections", language))
    kept = [word for word in re.split(r"[\s,;!?]+|(?<=\D)\.+(?=\s|\Z)", text) if word]
    kept = [word for word in kept if not _is_beside(word, of, changes, language)]
    figures = [at for at, word in enumerate(kept) if _FIGURE.match(word)]
    if language == "ko":
        if figures:
            kept = kept[figures[0] : figures[-1] + 1]
        if kept:
            kept[-1] = _without_end(kept[-1], actions.words("value_ends", "ko"))
    elif digits := [word for word in kept if any(char.isdigit() for char in word)]:
        kept = digits
    return " ".join(kept).strip(" .")


def _is_beside(word: str, of: Sequence[str], changes: tuple[str, ...], language: str) -> bool:
    bare = _stripped(word.strip(".,!?").casefold())
    if (
        any(plain(bare) == plain(one) for one in of)
        or bare in actions.words("small", FALLBACK)
        or saying.is_filler(word, language)
    ):
        return True
    if language == "ko":
        asks = (*changes, *actions.words("keep_words", "ko"), "줘", "주세", "둬", "놔")
        return word.startswith(asks) or bare in ("내", "제", "나", "거", "내용")
    return bare in changes or bare in actions.words("keep_words", "en")
