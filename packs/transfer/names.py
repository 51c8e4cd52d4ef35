"""Whom a name means: the payees that are called so, in whichever language, with honorifics, endings and banks."""

import unicodedata
from collections.abc import Iterator, Sequence

from rapidfuzz import fuzz

from packs.transfer.bank.port import Payee
from packs.transfer.wording import LANGUAGES, Words, words

AMONG = " / "
"""Between what was said and the name of several people that it was said about."""
BUT = "-"
"""Before the one of several of a name who is not meant."""
SHORTEST, LIKE_ENOUGH = 5, 85
"""Letters of a word that may be misspelt, and how like it (0 to 100) it has to be then."""
HONORIFICS = sorted({one for language in LANGUAGES for one in words(language).honorifics}, key=len, reverse=True)
"""Of all languages: a name of one is said with the honorific of another ("Minsuさん")."""


def called(said: str, payees: Sequence[Payee]) -> dict[str, str]:
    """Label -> payee id of those that `said` may mean: none, one, or several of one name. What is said among several
    ("Pureun Bank", "the second one") is looked for among those first."""
    named, _, among = said.partition(AMONG)
    if among.startswith(BUT):
        gone = called(among.removeprefix(BUT), payees).values()
        return {one: payee for one, payee in called(named, payees).items() if payee not in gone}
    if among:
        shown, meant = called(among, payees), called(named, payees)
        if named.isdecimal():
            return dict([*shown.items()][int(named) - 1 : int(named)])
        of_those = {one: payee for one, payee in shown.items() if payee in meant.values()}
        counted = of_those or _nth(f"{named} {among}", payees) or _nth(named, payees, among)
        # a bank chooses among those that were shown, and nobody else
        return counted or (shown if shown and _is_bank(named, payees) else meant)
    for language in LANGUAGES:
        for name in _readings(said, words(language)):
            if found := [payee for payee in payees if _answers_to(payee, name, language)]:
                return {label(payee, payees, language): payee.payee_id for payee in found}
    return _nth(said, payees) or _misspelt(said, payees)


def _misspelt(said: str, payees: Sequence[Payee]) -> dict[str, str]:
    """Those who are called by a word for what somebody is to one, with a letter of it wrong. A name with a letter wrong
    may be somebody else's."""
    for language in LANGUAGES:
        kin = words(language).kin
        for payee in payees if kin else ():
            names = map(_fold, payee.words[language].names)
            of_kin = [one for one in names if kin and len(one) >= SHORTEST and kin.fullmatch(one)]
            if any(fuzz.ratio(_fold(said), one) >= LIKE_ENOUGH for one in of_kin):
                return {label(payee, payees, language): payee.payee_id}
    return {}


def names_of(payees: Sequence[Payee]) -> list[str]:
    """All that they are called, each once."""
    return list(dict.fromkeys(name for payee in payees for own in payee.words.values() for name in own.names))


def banks_of(payees: Sequence[Payee]) -> list[str]:
    """What their banks are called, whole and short, each once."""
    return list(
        dict.fromkeys(
            form for payee in payees for name, own in payee.words.items() for form in _bank_forms(own.bank, words(name))
        )
    )


def _nth(said: str, payees: Sequence[Payee], among: str = "") -> dict[str, str]:
    """Of a sentence like "the second Minsu": counted as they stand in the address book, which is how they are shown."""
    for language in LANGUAGES:
        for place, ordinal in enumerate(words(language).ordinals):
            if found := ordinal.match(_fold(said)):
                name = among or _fold(said)[found.end() :].strip()
                return dict([*called(name, payees).items()][place : place + 1]) if name else {}
    return {}


def label(payee: Payee, payees: Sequence[Payee], language: str) -> str:
    """What a payee is called: the name alone if it is nobody else's, or with the bank."""
    own = payee.words[language]
    same = [one for one in payees if one.words[language].names[0] == own.names[0]]
    return own.names[0] if len(same) == 1 else label_with_bank(payee, language)


def label_with_bank(payee: Payee, language: str) -> str:
    own = payee.words[language]
    return f"{own.names[0]} ({own.bank})"


def _answers_to(payee: Payee, name: str, language: str) -> bool:
    own = payee.words[language]
    bank = next((one for one in _bank_forms(own.bank, words(language)) if one in name), "")
    rest = _plain(name.replace(bank, " ", 1), words(language)) if bank else name
    if bank and not rest:
        return True
    return rest in {_fold(one) for one in own.names}


def _readings(said: str, language: Words) -> Iterator[str]:
    """As it was said, then without an honorific, then without or with an ending that names are called with."""
    name = _fold(said)
    yield name
    for honorific in HONORIFICS:
        if name.endswith(honorific) and len(name) > len(honorific):
            name = name.removesuffix(honorific).strip()
            yield name
    for suffix in language.suffixes:
        yield name.removesuffix(suffix) if name.endswith(suffix) and len(name) > len(suffix) else name + suffix


def _is_bank(said: str, payees: Sequence[Payee]) -> bool:
    """Whether nothing but a bank is named."""
    forms = {
        form for payee in payees for name, own in payee.words.items() for form in _bank_forms(own.bank, words(name))
    }
    return _fold(said) in forms


def _bank_forms(bank: str, language: Words) -> list[str]:
    whole = _fold(bank)
    short = [whole.removesuffix(one) for one in language.banks if whole.endswith(one)]
    return [whole, *short]


def _plain(rest: str, language: Words) -> str:
    """What is left beside a bank's name, without brackets and the words between the two."""
    parts = rest.replace("(", " ").replace(")", " ").split()
    return " ".join(_unlinked(part, language) for part in parts if part not in language.of_bank)


def _unlinked(part: str, language: Words) -> str:
    links = sorted((one for one in language.of_bank if not one.isascii()), key=len, reverse=True)
    return next((part.removeprefix(one) for one in links if part.startswith(one) and part != one), part)


def _fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
