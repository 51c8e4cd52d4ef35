"""What on a list of things to do has been done, or shall be taken off it: its name, as a person says it. Pure."""

import re

from packs.assistant import actions, asking, naming, saying, titles
from packs.assistant.phrases import core

_NAMES_JA = re.compile(r"[\u30a0-\u30ff\u4e00-\u9fff]|[\u3040-\u309f]{6}")
"""What a Japanese name is written in."""
_DID = re.compile(
    r"\A(?:(?P<who>i|we)\b(?:['’]ve| have)?\s+(?:just |already |finally )?\w+"
    r"|(?:just |already |finally )?(?:[a-z]{2,}ed|bought|got|paid|sent|did|made|wrote|fed|swept|took|rang))"
    r"\s+(?:(?:the|my|our)\s)?(?P<what>[^,;.]{2,60}?)(?:\s(?:already|now|too))?(?=[,;.!]|\Z)",
    re.IGNORECASE,
)
"""What somebody did, in English."""


def ticked_off(rest: str, language: str) -> str:
    """What was done, by the words in front; by all that is left where there are none."""
    if quoted := naming.quoted(rest):
        return quoted
    title, name = core(rest, "todo", language), naming.called(rest, (), language)
    if not name and _only_points(rest, language):
        return ""  # "no, take that one off the list again": what was spoken of
    if name and title.startswith(name) and _only_ties(title.removeprefix(name), language):
        return name
    if saying.is_filler(title, language):
        return ""  # "yes, delete it"
    noisy = titles.is_long(title, language) or asking.is_done(title, language)
    noisy |= language not in actions.LAST and actions.verb(title, language, ("delete",)) != ""
    did = _DID.search(rest.strip()) if language not in actions.LAST else None
    if did and ((noisy and not name) or (did["who"] is None and name in ("", title, did[0].strip()))):
        return did["what"].strip()
    taken_off = language not in actions.LAST and title.endswith((" off", " off too", " off the list"))
    return name if name and (noisy or taken_off) else title


def _only_ties(behind: str, language: str) -> bool:
    """Whether what stands behind a name is its particle, and words that say nothing ("장보기는 그냥", "洗濯も")."""
    tied, *others = behind.split() or [""]
    lists = tuple(actions.words("lists", language))
    nothing = all(saying.is_filler(one, language) or one.startswith(lists) for one in others)
    return len(tied) == 1 and behind[:1] == tied and nothing


def _only_points(rest: str, language: str) -> bool:
    """Whether nothing is named beside what points at something, the list it is on, and what is done with it."""
    if not naming.points(rest, language):
        return False
    verbs = (*actions.words("verbs", language)["delete"], *actions.words("lists", language))
    if language == "ja":
        beside = actions.without(rest, [*verbs, *actions.words("pronouns", language)], language)
        return _NAMES_JA.search(saying.without_fillers(beside, language)) is None
    said = saying.plain_words(rest)
    return all(
        saying.is_filler(word, language) or naming.is_pointer(word, language) or word.casefold().startswith(verbs)
        for word in said
    )
