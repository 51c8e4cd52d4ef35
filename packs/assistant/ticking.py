"""What on a list of things to do has been done, or shall be taken off it: its name, as a person says it. Pure."""

import re

from packs.assistant import actions, asking, naming, saying, titles
from packs.assistant.phrases import core, pattern

_NAMES_JA = re.compile(r"[\u30a0-\u30ff\u4e00-\u9fff]|[\u3040-\u309f]{6}")
"""What a Japanese name is written in."""
_DID = re.compile(
    r"\A(?:(?P<who>i|we)\b(?:['’]ve| have)?\s+(?:just |already |finally )?\w+"
    r"|(?:just |already |finally )?(?:[a-z]{2,}ed|bought|got|paid|sent|did|made|wrote|fed|swept|took|rang))"
    r"\s+(?:(?:the|my|our)\s)?(?P<what>[^,;.]{2,60}?)(?:\s(?:already|now|too))?(?=[,;.!]|\Z)",
    re.IGNORECASE,
)
"""What somebody did, in English."""
_DID_KO = re.compile(r"(?P<what>\S.{0,40}?)\s[가-힣]{0,4}(?P<did>(?!는)[가-힣])\s?(?:거|것)\Z")
_TAKES_AWAY = re.compile(r"지워|지우|삭제|없애|빼|\b(?:delete|remove|clear|empty)\b|消し|削除", re.IGNORECASE)
"""Who wants the list empty has not done what stands on it."""
_DEED = 3
"""Words of who says only that somebody has done it ("I've bought")."""
_WHAT_WAS = 4
"""The consonant (ㄴ) at the end of a Korean verb that says what has been done with a thing, by its number."""
_DID_JA = re.compile(r"(?P<what>[^、。]{1,40}?)[をはがも]?[一-龥][ぁ-ん]{0,3}(?:た|[んい]だ)(?:から|ので|んで|よ|の)")
"""The same in Korean and Japanese: behind it what was done ("우유 산 거", "牛乳買ったから…")."""


def deed_done(title: str, language: str) -> tuple[str, str] | None:
    """Of what is told as done what stands in the name of the deed, and what it was done with: who has "fetched the
    milk" may have it on the list as "buy milk". None where only a name is said."""
    if language == "ko":
        name, thing = asking.undone(title)
        found = _DID_KO.match(title) if not thing else None
        if found and (ord(found["did"]) - ord("가")) % 28 == _WHAT_WAS:
            return found["what"], found["what"]
        return (name, thing) if thing else None
    found = _DID_JA.match(title) if language == "ja" else None
    return (found["what"], found["what"]) if found else None


def ticked_off(rest: str, language: str) -> str:
    """What was done, by the words in front; by all that is left where there are none."""
    if quoted := naming.quoted(rest):
        return quoted
    rest = _without_what_points(rest, language)
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


def says_all(rest: str, language: str) -> bool:
    """Whether all that is on the list was done, and nothing of it is named ("bought everything", "다 샀어")."""
    found = pattern("todo", language, "all").search(rest)
    if found is None or naming.quoted(rest) or _TAKES_AWAY.search(rest):
        return False
    lists = tuple(actions.words("lists", language))
    beside = core(f"{rest[: found.start()]} {rest[found.end() :]}", "todo", language)
    said = [one for one in saying.plain_words(beside) if not (saying.is_filler(one, language) or one.startswith(lists))]
    if language not in actions.LAST:
        return not said or (len(said) <= _DEED and _DID.match(f"{beside} it") is not None)
    return not said or (len(said) == 1 and asking.is_done(beside, language))


def _only_ties(behind: str, language: str) -> bool:
    """Whether what stands behind a name is its particle, and words that say nothing ("장보기는 그냥", "洗濯も")."""
    tied, *others = behind.split() or [""]
    lists = tuple(actions.words("lists", language))
    nothing = all(saying.is_filler(one, language) or one.startswith(lists) for one in others)
    return len(tied) == 1 and behind[:1] == tied and nothing


def _without_what_points(rest: str, language: str) -> str:
    """Without the part that only says what is done with it ("done with the passport, tick it off")."""
    parts = [one for one in re.split(r"[,;、]\s*", rest) if one.strip()]
    kept = [one for one in parts if not _only_points(one, language)]
    return ", ".join(kept) if kept and len(kept) < len(parts) else rest


def _only_points(rest: str, language: str) -> bool:
    """Whether nothing is named beside what points at something, the list it is on, and what is done with it."""
    if not naming.points(rest, language):
        return False
    verbs = (*actions.words("verbs", language)["delete"], *actions.words("lists", language))
    if language not in actions.LAST:
        verbs = (*verbs, *actions.words("dealt_with", language))
    if language == "ja":
        beside = actions.without(rest, [*verbs, *actions.words("pronouns", language)], language)
        return _NAMES_JA.search(saying.without_fillers(beside, language)) is None
    said = saying.plain_words(rest)
    return all(
        saying.is_filler(word, language) or naming.is_pointer(word, language) or word.casefold().startswith(verbs)
        for word in said
    )
