"""Words of substance that nothing has read: then the figures would answer another question."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache

from packs.marketing.asking.lexicon import same_as
from packs.marketing.asking.naming import full_heading, name_pattern, names_of, pattern_of
from packs.marketing.asking.phrasing import (
    TAKEN,
    AskedSentence,
    bounded,
    compiled,
    is_measured,
    pieces,
    plain,
    plain_words,
    segments,
    sentences,
    words,
)
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Request
from packs.marketing.keywords import korean

_HANGUL = re.compile(r"[\uac00-\ud7a3]+")
_LATIN = re.compile(r"[A-Za-z][A-Za-z'\u2019-]+")
_JAPANESE = re.compile(r"[\u4e00-\u9fffァ-ヶー々]+")
_SHORTEST = 2
_ALONE = frozenset("ー々")
_SMALL_WORDS = 4
_PARTICLE = re.compile(r"(?:에서|에|을|를|이|가|으로|로|은|는|과|와)?\s{0,3}$")
_BESIDE = (
    r"(?:[一-龯々ァ-ヶー]{1,12}|[가-힣]{1,8}(?: [가-힣]{1,8})?|[A-Za-z]{2,20}(?: of)?(?: [A-Za-z]{2,20})?)\s?\(\s+\)"
)
"""Words with something in brackets behind them that has been read: another name of that."""
_DONE = 7
"""Letters of a word for what is done: booking."""
_NUMBERED = re.compile(r"(.{2,12}?)\s?(?:번호|코드|番号|コード|no\.?|number|id)", re.IGNORECASE)
_STEM = re.compile(r"[\u4e00-\u9fff](?=[ぁ-ん])(?![がをにのはでともへや])")
"""One ideograph with the ending of a verb or an adjective: it names nothing."""


_CARRIED = re.compile(
    rf"(?<={TAKEN})(?:から|に|で|を|が|へ)(?P<verb>[一-龯]{{1,2}})(?P<end>[れけせめいりっし]?)(?:た|る|した)"
)
"""A verb that only carries what was read before it ("bought from ...")."""


def unread(sentence: AskedSentence, profile: Profile, file: str = "") -> list[str]:
    """In their order. Words that say nothing about figures (words.yaml, `plain`), names of columns, words for what a
    row is, verbs that only carry what has been read, and what is said beside the question are none."""
    left = outside_blank(sentence)
    low = left.casefold()
    said = {name for column in profile.columns for name in _spoken(column) if _stem(name) in low}
    for name in sorted(said, key=len, reverse=True):
        left = compiled(name_pattern(name)).sub(lambda match: " " * len(match.group()), left)
    for column in profile.columns:
        for match in compiled(full_heading(column)).finditer(sentence.text):
            left = left[: match.start()] + " " * (match.end() - match.start()) + left[match.end() :]
    left = _without_aliases(left)
    rows = row_words(profile, file)
    found = [
        *_korean(left, sentence.text, rows),
        *_latin(left, sentence.text, [pattern_of(one) for one in profile.of("number")]),
        *_japanese(left, rows),
    ]
    units = {one.name[0] for one in profile.of("number") if _JAPANESE.match(one.name)}  # 何歩 of 歩数
    known = plain_words() | rows | units
    never = not_worked_out(sentence.left, profile)
    found = [one for one in found if one not in never] + [never] if never else found
    return [one for one in dict.fromkeys(found) if not {plain(one), _singular(plain(one))} & known]


def not_worked_out(text: str, profile: Profile) -> str:
    """The words for what nothing here works out, a forecast say, if no column has it; else nothing."""
    match = compiled(words()["not_worked_out"]).search(text)
    if match is None or any(match.group()[:2].casefold() in one.name.casefold() for one in profile.columns):
        return ""
    return match.group()


def _without_aliases(left: str) -> str:
    """Without words that brackets behind them have explained, wherever else they stand."""
    for match in re.finditer(_BESIDE, left):
        said = match.group().partition("(")[0].strip()
        left = compiled(name_pattern(said)).sub(lambda one: " " * len(one.group()), left)
    return left


def with_left(
    request: Request, unranked: Sequence[str], left: Sequence[str], text: str, *, guessed: bool = False, of_one: bool
) -> Request:
    """The request with what nothing has taken. One word beside a question that names rows or groups is left aside, and
    the answer says so; unless the rows shall be told apart by it, or it is a state they may be in. `guessed`: nothing
    says what is ranked, and the word may have. `of_one`: all of a row is told, whatever was
    asked of it."""
    found = tuple(dict.fromkeys([*unranked, *left]))
    if request.asks == "why" and not unranked:
        return request  # what they dislike is told whatever it is called
    if request.asks in ("examples", "rows") and not unranked and (request.asks == "examples" or of_one):
        return replace(request, aside=found)
    named = request.asks == "figures" and bool(request.groups or request.filters) and not guessed
    numbered = any(letter.isdigit() for one in found for letter in one)
    never = any(compiled(words()["not_worked_out"]).search(one) for one in found)
    if never or len(found) != 1 or unranked or numbered or not named or plain(found[0]) in _states():
        return replace(request, unread=found)
    word, each, before = re.escape(found[0]), words()["each"], words()["each_before"]
    never |= compiled(words()["never_aside"]).fullmatch(found[0]) is not None
    # how many of what nobody knows are no rows ("how many kilos")
    never |= (
        not request.groups
        and not any(one.column for one in request.measures)
        and compiled(rf"(?<![A-Za-z])how (?:many|much) (?:more )?{word}(?![A-Za-z])").search(text) is not None
    )
    rate = compiled(words()["rate"].replace("NAME", word)).search(text) is not None
    if never or rate or re.search(rf"{word}\s?{each}|{before}{word}", text, re.IGNORECASE):
        return replace(request, unread=found)
    return replace(request, aside=found)


def outside_blank(sentence: AskedSentence, *, strict: bool = False, whole: bool = False) -> str:
    """As long as the text, with nothing but the parts that ask; `strict`: and all others of which anything was read.
    What was read is blank, unless they are wanted `whole`."""
    spans = pieces(sentence.text) if strict else segments(sentence.text)
    asks = compiled(f"[?？]|{words()['question']}")
    questions = [span for span in sentences(sentence.text) if asks.search(sentence.text, *span)]
    asked = [one for one in spans if any(first <= one[0] < last for first, last in questions)]
    spans = [
        span
        for span in spans
        if len(spans) == 1
        or _asks(sentence, asks, *span)
        or not _is_remark(sentence, *span, beside=bool(asked) and span not in asked and not strict)
    ]
    return "".join(
        letter if any(start <= at < end for start, end in spans) else " "
        for at, letter in enumerate(sentence.text if whole else sentence.left)
    )


def _asks(sentence: AskedSentence, asks: re.Pattern[str], start: int, end: int) -> bool:
    return asks.search(sentence.text, start, end) is not None


def _stem(name: str) -> str:
    """Without the letter that a plural changes."""
    return name.casefold()[:-1] if name.isascii() and len(name) > _SHORTEST else name.casefold()


def _is_remark(sentence: AskedSentence, start: int, end: int, *, beside: bool) -> bool:
    """Whether a part of the text that asks nothing tells why one asks: nothing of it was read, or it stands beside a
    question and narrows nothing."""
    text, left = sentence.text[start:end], sentence.left[start:end]
    return left == text or (beside and compiled(words()["narrowing"]).search(text) is None)


def _spoken(column: Column) -> list[str]:
    """Its names, and what stands in brackets behind its heading, which is its unit or another name."""
    inside = re.findall(r"[(\[（](.*?)[)\]）]", column.name)
    return [
        *names_of(column),
        *heading_words(column),
        *(one for said in inside for one in re.split(r"[\s,/]+", said) if len(one) > 1),
    ]


def heading_words(column: Column) -> list[str]:
    """The words of its heading, whatever they say."""
    return [one.casefold() for one in re.split(r"[\W_]+", column.name) if len(one) > 1 and not column.made]


def row_words(profile: Profile, file: str) -> frozenset[str]:
    """What a row of the table may be called, by the words of the file's name and of the headings."""
    return _row_words(tuple(one.name for one in profile.columns), file)


@lru_cache(64)
def _row_words(headings: tuple[str, ...], file: str) -> frozenset[str]:
    stem = stem_of(file)
    named = [one for one in re.split(r"[\W_\d]+", stem) if len(one) >= _SHORTEST and not is_measured(one)]
    heads = [(plain(one), _singulars(one)) for one in (stem, *headings)]
    for line in words()["rows"]:
        if any(_is_within(plain(one), *head) for one in line for head in heads):
            named += line
    numbered = (_NUMBERED.fullmatch(one.strip()) for one in headings)
    named += [one[1] for one in numbered if one is not None]  # a 案件番号 numbers 案件
    named += [other for one in list(named) for other in same_as(one)]
    named += [
        one[:-3] for one in named if one.isascii() and one.isalpha() and one.endswith("ing") and len(one) >= _DONE
    ]  # people who book have bookings
    return frozenset(_singular(plain(one)) for one in named)


def stem_of(file: str) -> str:
    """The name without its ending; a sheet of a workbook has none."""
    return file.rpartition(".")[0] or file


def most_rows(said: str, profile: Profile, file: str) -> bool:
    """Whether the most of what a row is are sought ("most tickets")."""
    rows = "|".join(map(re.escape, sorted(row_words(profile, file), key=len, reverse=True)))
    return bool(rows) and compiled(words()["most_rows"].replace("ROWS", rows)).search(said) is not None


def _is_within(word: str, head: str, latin: frozenset[str]) -> bool:
    """Latin words as words, others of two letters or more anywhere."""
    return word in latin if word.isascii() else len(word) >= _SHORTEST and word in head


def _singulars(said: str) -> frozenset[str]:
    found = re.findall(r"[a-z]+", said.casefold())
    return frozenset([*found, *map(_singular, found)])


def _singular(word: str) -> str:
    return word.rstrip("s") if word.isascii() else word


def _is_carrying(text: str, left: str, start: int, end: int) -> bool:
    """Whether what stands there carries what has been read: that is right before it, or behind it with a small word or
    two between."""
    before = _PARTICLE.search(left[:start]).start() - 1  # type: ignore[union-attr]  # it may match nothing
    while before > 0 and text[before] in " ,":
        before -= 1
    measured = compiled(bounded("|".join(words()["measures"].values())) + r"\s*$").search(text[:start])
    if before >= 0 and text[before].strip() and not left[before].strip() and measured is None:
        return True  # what stands behind "average" is what is averaged
    at = end
    for number in range(_SMALL_WORDS):
        while at < len(text) and text[at] == " ":
            at += 1
        if at >= len(text):
            return False
        if not left[at].strip():
            return number > 0  # right before a noun it tells which one
        word = re.match(r"[A-Za-z']+", left[at:])
        if word is None or word.group().lower() not in words()["carries"]:
            return False
        at += word.end()
    return False


def _korean(text: str, whole: str, rows: frozenset[str]) -> list[str]:
    spoken = _HANGUL.findall(text)
    if all(map(_says_nothing().fullmatch, spoken)):
        return []
    runs = next(iter(korean.nouns([" ".join(spoken)])), [])
    nouns = [part for run in runs for part in run if len(part) >= _SHORTEST and plain(part) not in plain_words()]
    alone = compiled(f"(?:{words()['joined']})+")  # what was joined to a word that has been read
    known = tuple(one for one in rows | plain_words() if re.fullmatch(r"[가-힣]{3,}", one))
    read = {one for one in spoken if alone.fullmatch(one) or one.startswith(known)}
    nouns = [noun for noun in nouns if next((one for one in spoken if noun in one), "") not in read]
    return [_as_said(noun, spoken) for noun in nouns if not _is_done(noun, text, whole)]


def _is_done(noun: str, text: str, whole: str) -> bool:
    """Whether it is a verb made of a noun that carries what was read before it ("in Leeds bought")."""
    if plain(noun) in _states():
        return False
    match = re.search(rf"{re.escape(noun)}(?:하|한|할|해|했|되|된|될|돼|됐)", text)
    return match is not None and _is_carrying(whole, text, match.start(), match.start())


@cache
def _states() -> frozenset[str]:
    return frozenset(plain(one) for one in words()["states"])


@cache
def _verbs() -> frozenset[str]:
    return frozenset(words()["verbs"])


@cache
def _says_nothing() -> re.Pattern[str]:
    """Plain words with what is joined to them, and forms of speech: most sentences leave nothing else, and the
    dictionary of nouns takes a second to load."""
    said = "|".join(map(re.escape, sorted(words()["plain"]["ko"], key=len, reverse=True)))
    return re.compile(rf"(?:{said}|{words()['forms_of_speech']})(?:{words()['joined']})*|{words()['joined']}")


def _as_said(noun: str, spoken: Sequence[str]) -> str:
    """With what stands before it in the word, as people would know it again: a part of it alone they never said."""
    word = next((one for one in spoken if noun in one), noun)
    return word[: word.find(noun) + len(noun)] if noun in word else noun


def _is_of_a_figure(before: str, headings: Sequence[str]) -> bool:
    """Whether right before it stands what is measured: "kWh delivered"."""
    return any(compiled(rf"(?:{one})\s$").search(before) for one in headings)


def _latin(text: str, whole: str, headings: Sequence[str]) -> list[str]:
    found: list[str] = []
    for match in _LATIN.finditer(text):
        word = match.group().lower()
        is_verb = (word in _verbs() or word.endswith(("ed", "ing"))) and (
            word not in _states() or _is_of_a_figure(whole[: match.start()], headings)
        )
        if len(word) >= _SHORTEST and not (is_verb and _is_carrying(whole, text, *match.span())):
            found.append(word)
    return found


def _japanese(text: str, rows: frozenset[str]) -> list[str]:
    """Runs of ideographs or katakana, without the plain words in them."""
    rest: list[str] = []
    told = [*words()["plain"]["ja"], *(one for one in rows if _JAPANESE.fullmatch(one))]
    known = "|".join(map(re.escape, sorted(told, key=len, reverse=True)))
    for said in _with_kana():
        text = text.replace(said, " ")
    for match in _CARRIED.finditer(text):
        if not _states() & {match["verb"], match["verb"] + match["end"]}:
            text = text[: match.start()] + " " * (match.end() - match.start()) + text[match.end() :]
    text = re.sub(rf"(?<![\u4e00-\u9fff]){_STEM.pattern}", " ", text)
    for run in _JAPANESE.findall(text):
        rest += [part for part in re.split(known, run) if part and part not in _ALONE]
    return rest


@cache
def _with_kana() -> tuple[str, ...]:
    """Plain words that end in hiragana, as they are said: the runs do not hold them whole."""
    return tuple(one for one in words()["plain"]["ja"] if "\u3041" <= one[-1] <= "\u309f")
