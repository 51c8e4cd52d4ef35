"""What a turn may be made of to be a word that confirms: letters, spaces, and a few signs behind them."""

import re
import unicodedata
from collections.abc import Callable

LONGEST = 80
"""Characters of a turn that may confirm or cancel; whoever says more says something else, too."""
_ENDS = "\u3002\u3001\u301c"  # the full stop, the comma and the wave of Japanese
_SIGNS = re.compile(rf"(?<=[^\W\d_])(?:\.(?!\.)|[,!~^{_ENDS}])+(?=\s|$|[^\W\d_])")
_KIND = "\U0001f44d\U0001f64f\U0001f44c"  # thumbs up, folded hands, a ring of two fingers
_SKIN = re.compile("[\U0001f3fb-\U0001f3ff\ufe0f]")
_THUMBS = re.compile("(?:[\U0001f44d\U0001f44c][\U0001f3fb-\U0001f3ff]?\ufe0f?){1,5}")
"""A turn of nothing else."""
_SIGN = rf"[{_KIND}][\U0001f3fb-\U0001f3ff]?\ufe0f?"
_THANKS = re.compile(rf"^(?:{_SIGN} ?){{1,10}}(?=\w)| ?(?:{_SIGN}|\^\^){{1,10}}$")
_HARMLESS = re.compile(rf"[.,!~^'\u2019{_ENDS}\uff0e\uff0c\uff01\uff5e\uff3e{_KIND}\U0001f3fb-\U0001f3ff\ufe0f]")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_SLIPPED = re.compile("(?<=[가-힣])[\u1161-\u1175\u3163\u314f-\u3162]+")
"""Vowels that slipped in behind a syllable ("네ㅔ")."""
_PLAYED = re.compile(r"(?<=[가-힣])(?:용|욤|염|욥)(?=[\s.,!~]|$)")
"""Endings of politeness that are written in play ("맞아욤")."""
_LAUGHTER = "\u1112\u110f "
"""Korean laughter behind a word, as NFKC writes it."""


def affirmed(text: str) -> set[str]:
    """The forms of a turn that patterns which confirm may meet; none for a turn with anything else in it: a question
    mark of any script, a sign that crosses out or negates, a quotation, a hesitation."""
    composed = unicodedata.normalize("NFC", text).strip()
    if _THUMBS.fullmatch(composed):
        return {_SKIN.sub("", composed)}
    if len(composed) > LONGEST or not _is_letters(_HARMLESS.sub("", " ".join(composed.split()))):
        return set()  # before NFKC, which makes letters of letters in circles
    whole = unicodedata.normalize("NFKC", composed).casefold().replace("\u2019", "'").strip()
    said = _SIGNS.sub(" ", _THANKS.sub("", whole))
    forms = {said, said.rstrip(_LAUGHTER)}
    forms |= {_PLAYED.sub("요", _SLIPPED.sub("", form)) for form in forms}
    spelled = {" ".join(form.split()) for form in forms}
    return {one for form in spelled if form and _is_letters(form) for one in (form, form.replace("'", ""))}


def _is_letters(form: str) -> bool:
    """Apostrophes stand between letters."""
    inside = re.sub(r"(?<=[a-z])'(?=[a-z])", "", form)
    return all(one == " " or unicodedata.category(one).startswith("L") for one in inside)


def divides(said: str, is_yes: Callable[[str], bool], is_nothing: Callable[[str], bool], most: int) -> bool:
    """Whether a form is so many words at most, each one of yes or one that means nothing, and one of yes at least.
    Words end at a space; those of a script without spaces anywhere, and where it meets another."""
    ends = [at for at in range(1, len(said) + 1) if _may_end(said, at)]
    best: dict[tuple[int, bool], int] = {(0, False): 0}
    for end in ends:
        for (start, sure), words in sorted(best.items()):
            part = said[start:end].strip()
            if not part or words == most:
                continue
            yes = is_yes(part)
            if yes or is_nothing(part):
                place = (end, sure or yes)
                best[place] = min(words + 1, best.get(place, most))
    return (len(said), True) in best


def _may_end(said: str, at: int) -> bool:
    if at == len(said) or said[at] == " ":
        return True
    return bool(_UNSPACED.match(said[at - 1]) or _UNSPACED.match(said[at]))
