"""Whether a sentence asks for what is there or tells something, in three languages: by words of questions and by how it
ends (actions.yaml). Pure."""

import re
from functools import cache

from contracts.patterns import bounded
from contracts.reading import Clause
from packs.assistant.actions import FALLBACK, LAST, has, places, verb, words
from packs.assistant.moments import TIMES
from packs.assistant.saying import HANGUL, plain_words, without_fillers

_MARKS = ("?", "？")
_ENDED = bounded(r"[\s.!~…^;ㅋㅎㅠㅜwｗ笑。！〜ー]+\Z")
_PAST = 20
"""The consonant that ends a syllable of a Korean verb in the past (ㅆ), by its number."""
_NOT_PAST = "있겠"
_FIRST, _ENDS_OF = 0xAC00, 28
"""The first Korean syllable, and how many there are of one beginning and vowel."""
_VOWELS = 21
_STEMS = {6: 20, 9: 8, 10: 11, 14: 13}
"""By the vowel of a verb in the past that of its stem, where it is another ("봤" of "보", "마셨" of "마시")."""
_DO = {"해": "하"}
_TIES = "아어"
"""What ties the past to a stem that ends with a consonant ("먹었")."""
_WHICH = 2
"""Words of a Korean question that names nothing ("몇 번이더라")."""
_PAST_ENDS = ("어", "다", "음", "네", "지", "거든", "습니다", "는데", "으니", "고", "죠", "ㅇ", "당", "엉", "슴", "쥬")
_DONE = {
    "en": re.compile(
        r"\b(?:done|sorted|bought|got|sent|paid|did|finished|made|went|written|wrote|taken|took|fixed|over with)\b"
        r"|\b\w{2,20}ed\b",
        re.IGNORECASE,
    ),
    "ja": re.compile(
        r"(?:[っいしきちりえけせてねべめれ]た|んだ|いだ|ました)(?:よ|ね|わ|から|ので|んで|ぞ|の)?(?=\s|\Z|[。、！!.,])"
    ),
}


_REMOVED = {
    "ko": bounded(
        r"(?:취소|삭제|제거)\s?(?:한(?!다)|했|하셨|해\s?버[렸린])|지(?:웠|운|우신|우셨|워\s?버[렸린])|없(?:앴|앤|애\s?버[렸린])"
        r"|(?<![가-힣])(?:뺐|뺀|빼\s?버[렸린]|날렸|날린)"
    ),
    "en": bounded(
        r"\b(?:cancell?ed|deleted|removed|dropped|scrapped|erased|cleared|binned|undid|undone|(?:took|taken)\s(?:out|off|back))\b"
        r"|\bdid\s(?:you|i|we)\s(?:just\s)?(?:cancel|delete|remove|drop|scrap|erase|clear|bin|undo|take\s(?:out|off|back))\b"
    ),
    "ja": bounded(
        r"(?:削除|キャンセル)(?:し|なさっ|され)(?:た|ました|てた)|(?:取り消|消|外|なく)し(?:た|ました|てた|ちゃった|てしまった)"
        r"|(?:取りや|や)め(?:た|ました)"
    ),
}
"""That something was taken out: it has been done, and no order."""
_OF_A_DEED = {
    "ko": bounded(r"(?<![가-힣])(?:뭐|뭘|뭔|머|무엇|무슨|어떤|어느|어떻게|누구|누가|왜|언제|몇)"),
    "en": bounded(r"\b(?:what|which|who|whom|whose|why|when|how)(?:['’]s)?\b|\A\W*(?:did|have|has)\b"),
    "ja": bounded(r"何|なに|誰|だれ|どの|どれ|どんな|いつ|なぜ|なんで|どうして|っけ"),
}
"""What, which, who, why: of something that was done."""
_CHANGED = {
    "ko": bounded(
        r"(?:바뀌었|바꼈|바뀐|바뀌어\s?있|바꿨|바꾼|옮겼|옮긴|옮겨\s?(?:졌|진)|미뤄\s?(?:졌|진)|당겨\s?(?:졌|진)|늦춰\s?(?:졌|진)"
        r"|(?:변경|이동|수정|조정|연기)\s?(?:됐|된|되었|했|한))"
    ),
    "en": bounded(
        r"\b(?:did|has|have|was|were|is|are)\b(?:\s\S+){1,6}?\s(?:mov|chang|shift|reschedul|updat|adjust|postpon|follow)\w*"
        r"|\b(?:has|have|did|was|were)n['’]?t\b.{0,30}\b(?:mov|chang|shift|reschedul|updat|adjust)\w*"
        r"|\A(?!.*\b(?:can|could|would|will|please|should)\b).*\b(?:moved|changed|shifted|rescheduled|updated|adjusted)\b"
    ),
    "ja": bounded(
        r"(?:変わっ|変更され|変更し|変更になっ|移っ|移し|移動し|ずれ|ずらし|動い|動かし|変え|早まっ|遅くなっ)"
        r"(?:た|まし|ちゃっ|て(?:い)?(?:る|ま))"
    ),
}
"""That something has become otherwise."""
_SENTENCES = bounded(r"[.!?。！？\n]+")


def asks_what_went(text: str, language: str) -> bool:
    """Whether it asks what was taken out, which, whose or why, or whether it was; and orders nothing behind that. It is
    no order itself, whatever verb it has ("what did you just cancel?")."""
    found = list(_REMOVED.get(language, _REMOVED[FALLBACK]).finditer(text))
    if not found:
        return False
    rest = text[found[-1].end() :]
    if verb(rest, language, ("add", "change", "delete")) or has(rest, "kept", language):
        return False
    own = _SENTENCES.split(text[: found[-1].start()])[-1] + found[-1][0]
    if language in LAST:
        own += _SENTENCES.split(rest)[0]  # the word of the question may stand behind
    word = _OF_A_DEED.get(language, _OF_A_DEED[FALLBACK])
    return word.search(own) is not None or (language in LAST and is_marked(text))


def whether_changed(clause: Clause) -> str:
    """`list` where it asks if something has become otherwise ("did the reminder move, too?"), and orders nothing: who
    asks so is shown how it stands. Else empty."""
    text, language = clause.text, clause.language
    found = list(_CHANGED.get(language, _CHANGED[FALLBACK]).finditer(text))
    if not found or not (is_marked(text) or (language in LAST and _ends_asking(_ENDED.sub("", text), language))):
        return ""
    orders = verb(text[found[-1].end() :], language, ("add", "change", "delete")) or has_question_word(text, language)
    return "" if orders or (language not in LAST and begins_with(text, "remind", language)) else "list"


def of_what_went(clause: Clause) -> str:
    """Whether what was taken out shall be back (`restore`), or it is asked what that was (`gone`); else empty."""
    if wants_back(clause):
        return "restore"
    return "gone" if asks_what_went(clause.text, clause.language) else ""


def asks(text: str, language: str) -> bool:
    """Whether it is a question by its words, its end or its mark."""
    said = without_fillers(text, language)
    if _ENDED.sub("", said).endswith(_MARKS):
        return True
    return _has_word(said, language) or _ends_asking(_ENDED.sub("", said), language)


def is_marked(text: str) -> bool:
    """Whether it ends with the mark of a question."""
    return _ENDED.sub("", text).endswith(_MARKS)


def asks_for(text: str, language: str) -> bool:
    """Whether a few words that go on about something ask ("그럼 5시는?", "what about six")."""
    said = without_fillers(text, language).casefold()
    return is_marked(text) or said.startswith(tuple(words("asks_on", language)))


def begins_asking(text: str, language: str) -> bool:
    """Whether its first word is one of questions ("what …", "do I …"): of English that decides."""
    said = without_fillers(text, language).casefold()
    return any(re.match(rf"{re.escape(word)}\b", said) for word in words("questions", language))


def wants_to_see(text: str, language: str) -> bool:
    """Whether it asks to be shown what somebody has ("show my notes", メモを見せて): of English its first words decide,
    of the others the last verb."""
    if language in LAST:
        return verb(text, language, ("look", "add", "delete")) == "look"
    return _looks(language).match(without_fillers(text, language).casefold()) is not None


@cache
def _looks(language: str) -> re.Pattern[str]:
    looks, theirs = words("verbs", language)["look"], words("theirs", language)
    return re.compile(rf"(?:{'|'.join(map(re.escape, looks))})\s+(?:{'|'.join(map(re.escape, theirs))})\b")


def says_only_which(text: str, language: str) -> bool:
    """Whether a part of a question names nothing ("…, which one was it?"): what it asks about stands before it."""
    said = without_fillers(text, language).casefold()
    if not said.startswith(tuple(words("questions", language))):
        return False
    if language == "ja":
        return not re.search(r"[はがをの]", said)
    return len(said.split()) <= _WHICH if language == "ko" else re.search(r"\bit\b", said) is not None


def wants_back(clause: Clause) -> bool:
    """Whether what was taken out, or is about to be, shall be there ("no, leave it"), and nothing else is asked for."""
    gone = clause.last.get("action") in ("delete", "complete", "forget", "undo")
    gone = gone or has(clause.text, "was_gone", clause.language)
    if not gone or not has(clause.text, "kept", clause.language):
        return False
    if verb(clause.text, clause.language, ("look",)) or (is_marked(clause.text) and clause.language in LAST):
        return False  # "show me what is not done"
    return not any(one.type in TIMES for one in clause.entities)


def begins_with(text: str, name: str, language: str) -> bool:
    """Whether a word of `verbs` is the first that says something."""
    said = without_fillers(text, language)
    return next(iter(places(said, words("verbs", language)[name], language)), -1) == 0


def is_done(text: str, language: str) -> bool:
    """Whether it says of something that it has been done."""
    if language == "ko":
        return any(_is_past(word) for word in plain_words(text))
    pattern = _DONE.get(language, _DONE[FALLBACK])
    return pattern.search(text) is not None


def _is_past(word: str) -> bool:
    """As in "샀어", "갔다왔음", "끝냈습니다"; not in "있어", "하겠다"."""
    return _past_at(word) is not None


def _past_at(word: str) -> int | None:
    """The place of the syllable that is in the past."""
    for at, letter in enumerate(word):
        if HANGUL.match(letter) and (ord(letter) - _FIRST) % _ENDS_OF == _PAST and letter not in _NOT_PAST:
            rest = word[at + 1 :]
            if not rest or rest.startswith(_PAST_ENDS):
                return at
    return None


def undone(title: str) -> tuple[str, str]:
    """Of a Korean sentence that tells of something done: what of it stands in the name of the deed ("우유 샀어" ->
    "우유 사", as in "우유 사기"), and what it was done with ("우유"); nothing of any other."""
    before, _, last = title.rpartition(" ")
    at = _past_at(last)
    if at is None:
        return "", ""
    code = ord(last[at]) - _FIRST - _PAST
    vowel = code // _ENDS_OF % _VOWELS
    stem = chr(_FIRST + code + (_STEMS.get(vowel, vowel) - vowel) * _ENDS_OF)
    deed = last[:at] if stem in _TIES and at else last[:at] + _DO.get(stem, stem)
    thing = before.split()
    while len(thing) > 1 and _is_past(thing[-1]):
        thing.pop()  # "은행 갔다 왔어"
    return f"{before} {deed}".strip(), " ".join(thing)


def has_question_word(text: str, language: str) -> bool:
    """Whether a word of questions stands in it, wherever: "could you …?" has none."""
    said = without_fillers(text, language)
    if language == FALLBACK:
        return any(re.search(rf"\b{re.escape(word)}\b", said, re.IGNORECASE) for word in words("asked_for", language))
    return _has_word(said, language)


def _has_word(said: str, language: str) -> bool:
    for word in words("no_questions", language):
        said = said.replace(word, " ")
    if language == "ko":
        some = tuple(words("questions", language))
        return any(word.startswith(some) for word in plain_words(said))
    if language == "ja":
        return any(word in said for word in words("questions", language))
    return begins_asking(said, language)


def _ends_asking(said: str, language: str) -> bool:
    ends, others = _ends(language)
    last = (plain_words(said) or [""])[-1] if language == "ko" else said
    return bool(ends) and last.endswith(ends) and not last.endswith(others or ("\0",))


@cache
def _ends(language: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(words("question_ends", language)), tuple(words("not_question_ends", language))
