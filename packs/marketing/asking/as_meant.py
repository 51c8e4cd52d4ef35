"""What a sentence calls a column, or what a row is, by a word that stands for it here: a mechanic where the heading is
Mech, whoever took it in where it is Taken in by, 원장님 where one column alone has those who are in charge."""

import re
from collections.abc import Collection

from packs.marketing.asking.lexicon import same_as
from packs.marketing.asking.naming import bare_heading, holds, is_of_persons, names_of, pattern_of
from packs.marketing.asking.phrasing import AskedSentence, bounded, compiled, plain, plain_words, words
from packs.marketing.asking.profile import Column, Profile

_SHORTEST, _LONGER = 4, 3
"""Letters of a heading that begins a word, and how many more the word has."""


def as_meant(sentence: AskedSentence, profile: Profile, rows: Collection[str]) -> None:
    """Puts the heading where it is spoken of so, and takes what only says that each row is meant."""
    _times(sentence, profile)
    _in_full(sentence, profile, rows)
    _named(sentence, profile)
    _who_did(sentence, profile)
    _titles(sentence, profile)
    _of_each_row(sentence, profile, rows)


def _times(sentence: AskedSentence, profile: Profile) -> None:
    """How often is no column of minutes ("how many times", and a heading Time)."""
    said = words()
    if any(compiled(said["visits"]).search(one.name) for one in profile.columns):
        return
    match = sentence.find(said["as_meant"]["how_often"])
    named = any(re.search("(?<![a-z])times?(?![a-z])", one.name.casefold()) for one in profile.columns)
    if match is not None and named:
        sentence.put(*match.span(), "how many rows")


def _in_full(sentence: AskedSentence, profile: Profile, rows: Collection[str]) -> None:
    """A word that a heading cuts short, where groups are named: which mechanic, of Mech."""
    names = {plain(name).rstrip("s") for one in profile.columns for name in names_of(one)}
    values = {plain(word) for one in profile.of("category") for value in one.values for word in value.split()}
    for match in reversed(list(compiled(words()["as_meant"]["group_word"]).finditer(sentence.text))):
        word = match["name"].casefold()
        if {word, word.rstrip("s")} & (names | values | plain_words() | {*rows}) or same_as(word):
            continue
        found = [one for one in profile.of("category") if _is_cut_short(bare_heading(one.name), word.rstrip("s"))]
        if len(found) == 1:
            sentence.put(*match.span("name"), bare_heading(found[0].name))


def _named(sentence: AskedSentence, profile: Profile) -> None:
    """Which name, or which customer, where no column is called so, and one alone says whose rows they are."""
    match = sentence.find(words()["as_meant"]["name"])
    if match is None or any(compiled(pattern_of(one)).search(match["name"]) for one in profile.columns):
        return
    found = [one for one in profile.of("category") if compiled(words()["person_headings"]).search(one.name) is not None]
    if len(found) == 1 and (match["name"].startswith("name") or found[0].name.strip().casefold() == "who"):
        sentence.put(*match.span("name"), bare_heading(found[0].name))


def _is_cut_short(heading: str, word: str) -> bool:
    low = heading.casefold().rstrip(".")
    if re.fullmatch(rf"[a-z]{{{_SHORTEST},}}", low) is None or not word.startswith(low):
        return False
    return len(word) - len(low) >= _LONGER and low not in plain_words() and not same_as(low)


def _who_did(sentence: AskedSentence, profile: Profile) -> None:
    """Who checked something in, where a heading says who it was taken in by: by the verb, or by the small word that
    stands behind both."""
    said = words()["as_meant"]
    found: list[tuple[Column, re.Match[str]]] = []
    for column in profile.of("category"):
        heading = compiled(said["done_by"]).fullmatch(bare_heading(column.name))
        if heading is None:
            continue
        stem = said["irregular"].get(heading["verb"].casefold(), re.sub("(?:ed|en|n|d)$", "", heading["verb"]))
        behind = heading["where"]
        verb = f"(?:{stem})[a-z]*" + (rf"|[a-z]{{2,12}}(?= {behind}(?![a-z]))" if behind else "")
        match = sentence.find(said["who_did"].replace("VERB", verb).replace("BEHIND", behind or "(?!)"))
        found += [(column, match)] if match is not None else []
    if len(found) == 1:
        column, match = found[0]
        sentence.put(*match.span(), f"which {bare_heading(column.name)} has ")


def _titles(sentence: AskedSentence, profile: Profile) -> None:
    """By a title, which one column alone can have: those in charge, and not those who come."""
    match = sentence.find(words()["as_meant"]["title"])
    if match is None or any(compiled(pattern_of(one)).search(match["title"]) for one in profile.columns):
        return
    found = [
        one
        for one in profile.of("category")
        if is_of_persons(one) and not any(holds(one, kind) for kind in ("named", "payer"))
    ]
    found = [one for one in found if holds(one, "manager") or holds(one, "teacher")] or found
    if len(found) == 1:
        sentence.put(*match.span("title"), bare_heading(found[0].name))


def _of_each_row(sentence: AskedSentence, profile: Profile, rows: Collection[str]) -> None:
    """What is told "per job" where each row is one, while groups are named: of each row, and no groups of those."""
    match = sentence.find(words()["as_meant"]["per_row"])
    if match is None or match["name"].casefold().rstrip("s") not in rows:
        return
    if compiled(bounded(f"{words()['people_said']}|person|head")).fullmatch(match["name"]) is not None:
        return  # so much for each of them, who may have many rows
    groups = [one for one in profile.of("category") if not compiled(pattern_of(one)).search(match["name"])]
    asked = words()["which_of"].replace("NAME", "|".join(map(pattern_of, groups)) or "(?!)")
    if compiled(asked).search(sentence.text) is not None:
        sentence.put(*match.span(), "")
