"""Finds the names of a person's payees wherever they stand in a sentence, in whichever language it is."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from contracts.reading import Clause
from packs.transfer.masking import AMOUNT, Masked, Spot
from packs.transfer.names import HONORIFICS
from packs.transfer.wording import LANGUAGES, Words, words

_KANA = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_HIRAGANA = re.compile(r"[\u3040-\u309f]$")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_GIVEN = re.compile(r"(?!ママ|パパ)[\u30a1-\u30fa\u30fc]{2,}")
"""A name, and no word for what somebody is to another."""
_ROLE = re.compile(r"[a-z]{1,20} (?:[a-z]{1,20} )?")
"""What somebody is, before their name ("my friend Ann"): no family name, and nobody's."""
_OWN = re.compile("\u3046\u3061\u306e|[\u79c1\u50d5\u4ffa]\u306e")
"""Before somebody: that they are one's own ("my mother")."""
_TIED = re.compile(r"[\uac00-\ud7a3]{2}(?![\uac00-\ud7a3])")
_ACTS = re.compile(r"(?:\uc774?\uac00|\uc774|\uc740|\ub294)(?![\uac00-\ud7a3])|[\u304c\u306f\u3082]|(?![^\W\d_])")
"""Behind the name of who does something."""
_PARTICLES = ("한테", "한티", "에게")
"""Behind whom something is for."""


def known_names(text: str, clause: Clause, *, denied: bool = False, acting: bool = False) -> list[Spot]:
    """The known names that may be payees in the masked text, in order; the longest where two begin together. With
    `denied`, those too that it takes back, with `acting` those who do something."""
    found: list[Spot] = []
    for name in sorted(clause.known.get("target", ()), key=len, reverse=True):
        language = words(_script(name))
        for match in re.finditer(re.escape(name), text, re.IGNORECASE):
            free = not any(match.start() < one.end and one.start < match.end() for one in found)
            spot = Spot(match.start(), match.end(), match[0])
            if (
                free
                and _stands_alone(text, match, language, acting=acting)
                and (denied or not is_denied(spot, text, language))
            ):
                found.append(spot)
    return sorted(found)


def is_denied(name: Spot, text: str, language: Words) -> bool:
    """Whether the text takes the name back: "not Mom", "Mom 말고"."""
    behind = any(words(one).denied.search(text[name.end :]) for one in LANGUAGES)
    return behind or bool(language.denied_before.search(text[: name.start]))


class Banks(NamedTuple):
    """The one bank that a text names, and the one that it takes back; each empty for none or several."""

    meant: str
    denied: str


def known_bank(clause: Clause, language: Words) -> Banks:
    """Of the banks that are known, in whichever language."""
    said, found = clause.text, {True: set[str](), False: set[str]()}
    for bank in sorted(clause.known.get("bank", ()), key=len, reverse=True):
        for match in re.finditer(rf"(?<![a-z]){re.escape(bank)}(?![a-z])", said, re.IGNORECASE):
            found[is_denied(Spot(*match.span(), bank), said, language)].add(bank.casefold())
            said = said[: match.start()] + " " * len(match[0]) + said[match.end() :]  # its short name is within it
    return Banks(_only(found[False]), _only(found[True]))


def told_apart(targets: Sequence[Spot], text: str, clause: Clause) -> list[Spot]:
    """Several payees, each with the bank that stands beside the name ("Minsu at Hanbit and the Pureun Minsu")."""
    if len(targets) < 2:
        return list(targets)
    return [one._replace(value=f"{_beside(one, text, clause)} {one.value}".strip()) for one in targets]


def _beside(name: Spot, text: str, clause: Clause) -> str:
    """The bank right before a name, or behind it."""
    before, after = text[: name.start].casefold(), text[name.end :].casefold()
    for bank in sorted((one.casefold() for one in clause.known.get("bank", ())), key=len, reverse=True):
        said = re.escape(bank)
        if re.search(rf"{said}(?: bank)?(?:'s)?[의の]?\s?$", before) or re.match(
            rf"\s?[(（]{said}|\s(?:at|from|of|with|in) {said}(?![a-z])", after
        ):
            return bank
    return ""


def _only(found: set[str]) -> str:
    longest = [one for one in found if not any(one != other and one in other for other in found)]
    return longest[0] if len(longest) == 1 else ""


def trimmed(name: str, clause: Clause, language: Words) -> str:
    """A name without words before it that are nobody's, and without what ends a sentence behind it, where what is left
    is a known one."""
    bare = language.endings.sub("", name)
    if bare.casefold() in {one.casefold() for one in clause.known.get("target", ())}:
        name = bare
    for called in sorted(clause.known.get("target", ()), key=len, reverse=True):
        lead = name[: -len(called)]
        if name.casefold().endswith(called.casefold()) and lead.strip():
            return name[-len(called) :] if all(map(language.means_nothing, lead.split())) else name
    return name


def with_known(found: list[Spot], text: Masked, clause: Clause, language: Words) -> list[Spot]:
    """The payees that patterns have found, and those of the address book that they have missed or taken for one."""
    known = known_names(text.text, clause)
    if len(known) == 0:
        return found
    found = [_of_a_bank(_without_title(spot, known), text.text, clause, known) for spot in found]
    shares = not text.amounts or bool(language.each.search(text.text) or language.together.search(text.text))
    # a name before "엄마" tells whose she is
    is_kin = [bool(language.kin and language.kin.fullmatch(one.value)) for one in known]
    shares |= bool(language.kin) and any(one or not two for one, two in pairwise(is_kin))
    made: list[Spot] = []
    for spot in found:
        inside = [one for one in known if spot.start <= one.start and one.end <= spot.end]
        whole = _is_a_list(text.text[spot.start : spot.end], spot, inside, language, spaced=shares)
        alone = _is_led_by_filler(text.text, spot, inside, language) or _is_more_than_a_name(spot, inside)
        made += inside if whole or alone else [spot]
    others = [one for one in known if not any(one.start < spot.end and spot.start < one.end for spot in made)]
    if not made:
        return others
    said = text.text
    for bank in clause.known.get("bank", ()):  # "Hanbit Minsu and Pureun Minsu"
        named = re.compile(rf"(?<![a-z]){re.escape(bank)}(?![a-z])", re.IGNORECASE)
        said = named.sub(lambda match: " " * len(match[0]), said)
    return sorted((*made, *(one for one in others if _belongs(said, one, known, language, spaced=shares))))


def _without_title(spot: Spot, known: Sequence[Spot]) -> Spot:
    """The known name before a title that was taken for a name by itself."""
    if spot.value.casefold() not in HONORIFICS:
        return spot
    return next((one for one in known if 0 <= spot.start - one.end <= 1), spot)


def _of_a_bank(spot: Spot, text: str, clause: Clause, known: Sequence[Spot]) -> Spot:
    """The known name behind the first word of a bank, or before a bank, that was taken for a name by itself ("to the
    Hanbit Minsu", "민수 한빛은행으로")."""
    said, banks = spot.value.casefold(), [one.casefold() for one in clause.known.get("bank", ())]
    if said in banks and (before := next((one for one in known if 0 <= spot.start - one.end <= 1), None)):
        return Spot(before.start, spot.end, f"{spot.value} {before.value}")
    begins = any(bank.startswith(said) for bank in banks)
    name = next((one for one in known if begins and one.start - spot.end == 1), None)
    return Spot(spot.start, name.end, text[spot.start : name.end]) if name else spot


def _is_a_list(said: str, spot: Spot, names: Sequence[Spot], language: Words, *, spaced: bool) -> bool:
    """Whether a spot is nothing but several names and what ties them; a space alone ties them where they share."""
    if len(names) < 2:
        return False
    for one in reversed(names):
        said = said[: one.start - spot.start] + "\0" + said[one.end - spot.start :]
    between = [part.strip() for part in said.split("\0")[1:-1]]
    ends = (said.split("\0")[0] + said.split("\0")[-1]).strip()
    return not ends and all(language.tied.fullmatch(part) if part else spaced for part in between)


def _is_led_by_filler(text: str, spot: Spot, inside: Sequence[Spot], language: Words) -> bool:
    """Whether a spot is one name behind words that are nobody's ("no, Mom")."""
    if len(inside) != 1:
        return False
    before, after = text[spot.start : inside[0].start], text[inside[0].end : spot.end]
    tied = not after.strip("'’s ") or bool(language.after_name.fullmatch(after))
    return bool(before.strip() or after.strip()) and tied and all(map(language.means_nothing, before.split()))


def _is_more_than_a_name(spot: Spot, inside: Sequence[Spot]) -> bool:
    """Whether a spot is one name with its particle and what goes on behind it, or with the clause before it, in a
    script without spaces; somebody's father is not one's own, but who has a name is it whosever they are said to be."""
    if len(inside) != 1:
        return False
    before, after = spot.value[: inside[0].start - spot.start], spot.value[inside[0].end - spot.start :]
    whose = before.endswith("の") and not _OWN.fullmatch(before) and not _GIVEN.fullmatch(inside[0].value)
    led = bool(_HIRAGANA.search(before)) and not whose and not after
    led |= bool(_ROLE.fullmatch(before)) and inside[0].value[:1].isupper() and not after
    return led or (not before and (bool(_KANA.search(after)) or _is_a_slip(_TIED.fullmatch(after))))


def _belongs(text: str, name: Spot, known: Sequence[Spot], language: Words, *, spaced: bool) -> bool:
    """Whether a name that no pattern has found is a payee beside those that were: it has its own amount, or half of the
    other's, or is tied to another one."""
    after = next((one for one in known if one.start >= name.end), None)
    behind = text[name.end : after.start if after else None]
    too = language.too.match(text, name.end)
    tied = too or language.after_name.match(text, name.end)
    gets = language.gets.match(text, name.end)
    ends = (name.end, *(one.end() for one in (tied, gets) if one))
    own = any(re.match(rf"\W{{0,2}}{AMOUNT}", text[end:]) for end in ends)
    if own or language.halves.search(behind):
        return True
    if language.same_amount.search(behind) or _goes_on(text, name, language):
        return True
    before = next((one for one in reversed(known) if one.end <= name.start), None)
    stretches = [text[name.end : after.start]] if after else []
    stretches += [text[before.end : name.start]] if before else []
    return any(
        bool(language.tied.fullmatch(between)) if (between := stretch.strip()) else spaced for stretch in stretches
    )


def _goes_on(text: str, name: Spot, language: Words) -> bool:
    """Whether a sentence that has said how much only goes on to a name ("and Dad too"): with it nothing is said."""
    too = language.too.match(text, name.end)
    said = f"{text[text.rfind(AMOUNT, 0, name.start) + 1 : name.start]} {text[too.end() :]}" if too else ""
    plain = re.findall(r"[^\W_]+", said.casefold())
    led = AMOUNT in text[: name.start] and AMOUNT not in text[name.end :]
    return too is not None and led and all(language.tied.fullmatch(one) or language.means_nothing(one) for one in plain)


def _stands_alone(text: str, match: re.Match[str], language: Words, *, acting: bool) -> bool:
    """Whether the name is a word of its own here, and, unless `acting`, nobody who does something ("Mom says ...")."""
    before, after = text[: match.start()], text[match.end() :]
    if language.before_name.search(before):
        return False
    if acting and _ACTS.match(after):
        return True
    if language.subject.match(after):
        return False
    return bool(language.after_name.match(after)) or _is_a_slip(_TIED.match(after))


def _is_a_slip(tied: re.Match[str] | None) -> bool:
    """Whether what is tied to a name is a particle with one letter wrong, missing or too many ("한태", "하테")."""
    said = unicodedata.normalize("NFD", tied[0]) if tied else ""
    return bool(said) and any(_one_apart(said, unicodedata.normalize("NFD", one)) for one in _PARTICLES)


def _one_apart(one: str, other: str) -> bool:
    if len(one) == len(other):
        return sum(left != right for left, right in zip(one, other, strict=True)) == 1
    short, long = sorted((one, other), key=len)
    return len(long) - len(short) == 1 and any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


def _script(name: str) -> str:
    return "ko" if _HANGUL.search(name) else "ja" if _KANA.search(name) else "en"
