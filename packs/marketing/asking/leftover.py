"""Words of substance that nothing has read: then the figures would answer another question."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache

from packs.marketing.asking.lexicon import same_as
from packs.marketing.asking.naming import full_heading, name_pattern, names_of, pattern_of, yes_and_no
from packs.marketing.asking.phrasing import (
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
from packs.marketing.asking.request import Measure, MeasureKind, Request
from packs.marketing.keywords import korean

_HANGUL = re.compile(r"[\uac00-\ud7a3]+")
_LATIN = re.compile(r"[A-Za-z][A-Za-z'\u2019-]+")
_JAPANESE = re.compile(r"[\u4e00-\u9fffァ-ヶー々]+")
_SHORTEST = 2
_QUOTED = r"[\"“‘「『'][^\"”’」』']{1,30}[\"”’」』']"
_ALONE = frozenset("ー々")
_SMALL_WORDS = 4
_WHATEVER = "\\s?(?:[은는이가을를]?\\s?(?:상관|관계|구분|무관|안\\s?가리)|に関係|を問わ)"
"""Behind a column that narrows nothing."""
_PARTICLE = re.compile(r"(?:에서|에|을|를|이|가|으로|로|은|는|과|와)?\s{0,3}$")
_BESIDE = (
    r"(?:[一-龯々ァ-ヶー]{1,12}|[가-힣]{1,8}(?: [가-힣]{1,8})?|[A-Za-z]{2,20}(?: of)?(?: [A-Za-z]{2,20})?)\s?\(\s+\)"
)
"""Words with something in brackets behind them that has been read: another name of that."""
_STEM = re.compile(r"[\u4e00-\u9fff](?=[ぁ-ん])(?![がをにのはでともへや])")
"""One ideograph with the ending of a verb or an adjective: it names nothing."""


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
        *_korean(left, sentence.text),
        *_latin(left, sentence.text, [pattern_of(one) for one in profile.of("number")]),
        *_japanese(left, rows),
    ]
    units = {one.name[0] for one in profile.of("number") if _JAPANESE.match(one.name)}  # 何歩 of 歩数
    known = plain_words() | rows | units
    never = sentence.take(words()["not_worked_out"])
    found += [never.group()] if never is not None else []
    return [one for one in dict.fromkeys(found) if not {plain(one), _singular(plain(one))} & known]


def _without_aliases(left: str) -> str:
    """Without words that brackets behind them have explained, wherever else they stand."""
    for match in re.finditer(_BESIDE, left):
        said = match.group().partition("(")[0].strip()
        left = compiled(name_pattern(said)).sub(lambda one: " " * len(one.group()), left)
    return left


def with_left(
    request: Request, unranked: Sequence[str], left: Sequence[str], text: str, *, guessed: bool = False
) -> Request:
    """The request with what nothing has taken. One word beside a question that names rows or groups is left aside, and
    the answer says so; unless the rows shall be told apart by it, or it is a state they may be in. `guessed`: nothing
    says what is ranked, and the word may have."""
    found = tuple(dict.fromkeys([*unranked, *left]))
    if request.asks == "why" and not unranked:
        return request  # what they dislike is told whatever it is called
    if request.asks == "examples" and not unranked:
        return replace(request, aside=found)
    named = request.asks == "figures" and bool(request.groups or request.filters) and not guessed
    numbered = any(letter.isdigit() for one in found for letter in one)
    if len(found) != 1 or unranked or numbered or not named or plain(found[0]) in _states():
        return replace(request, unread=found)
    word, each, before = re.escape(found[0]), words()["each"], words()["each_before"]
    never = compiled(words()["never_aside"]).fullmatch(found[0]) is not None
    rate = compiled(words()["rate"].replace("NAME", word)).search(text) is not None
    if never or rate or re.search(rf"{word}\s?{each}|{before}{word}", text, re.IGNORECASE):
        return replace(request, unread=found)
    return replace(request, aside=found)


def with_unheeded(
    request: Request, sentence: AskedSentence, profile: Profile, file: str = "", *, alone: bool = True
) -> Request:
    """The request with the words that say "not", "how far apart" or "on average", where nothing in it does: a figure
    without them would answer the opposite, or something else; all rows are counted where nothing else is said."""
    if request.asks not in ("figures", "rows", "examples") or request.unread or request.unknown:
        return request
    if request.asks == "figures" and request.descending is not None and not request.groups:
        request = _extreme(request, sentence.text if alone else "")
    left, said = outside_blank(sentence), words()["unheeded"]
    heeded = {"apart": request.change or bool(request.groups), "not": _leaves_out(request, profile)}
    found = [match.group().strip() for kind, match in ((one, compiled(said[one]).search(left)) for one in said)
             if match is not None and not heeded[kind]]  # fmt: skip
    found = found or _dropped(request, sentence, profile, file, alone=alone)
    return replace(request, unread=tuple(found)) if found else request


def _dropped(request: Request, sentence: AskedSentence, profile: Profile, file: str, *, alone: bool) -> list[str]:
    """As above, by all that is said: what nothing shows in the request was read as something else."""
    text, said = outside_blank(sentence, whole=True), words()
    spoken = text
    for pattern in (said["not_negated"], said["whatever"], said["not_that_figure"], said["empty"]["alone"] + r"[^\s]*",
                    _QUOTED, _values_of(request), "|".join(map(pattern_of, profile.columns))):  # fmt: skip
        spoken, text = text, compiled(pattern).sub(lambda match: " " * len(match.group()), text)
    negated = compiled(said["negated"]).search(text)
    heeded = _leaves_out(request, profile) or request.having is not None
    heeded |= any(one.op == "contains" for one in request.filters)
    found = [negated.group().strip()] if negated is not None and not heeded else []
    mean = compiled(bounded(said["measures"]["mean"])).search(text) if request.asks == "figures" else None
    averaged = any(one.kind in ("mean", "median", "ratio") for one in request.measures)
    points = mean is not None and mean.group().startswith("何点") and profile.rating is None  # so many of them
    found += [mean.group().strip()] if mean is not None and not (averaged or points) else []
    asked = compiled(said["question"]).search(text) is not None  # who asks nothing has the table summed up
    if alone:  # else it may be of what was told before
        empty = {one.column for one in request.filters if one.op == "empty"}
        found += [one.column for one in request.measures if one.column in empty and one.kind != "count"]  # of no values
        found += _ranked_by_nothing(request, spoken)
        found += _passed_over(request, spoken, profile, row_words(profile, file), sentence.text)
    if asked and request == replace(Request(), decimals=request.decimals):
        rows = "|".join(sorted((name_pattern(one) for one in row_words(profile, file)), key=len, reverse=True))
        found += compiled(rf"{rows}|{said['whole_table']}").sub(" ", text).replace("?", " ").split()
    return [one for one in found if any(letter.isalpha() for letter in one)]


def _ranked_by_nothing(request: Request, text: str) -> list[str]:
    """A superlative, where nothing is ranked and no greatest or least figure is told."""
    ranked = request.descending is not None or request.asks != "figures" or bool(request.groups)
    ranked |= any(one.kind in ("max", "min") for one in request.measures) or request.having is not None
    most = compiled(bounded(words()["superlatives"])).search(text)
    return [most.group().strip()] if most is not None and not ranked else []


def _passed_over(request: Request, text: str, profile: Profile, rows: frozenset[str], whole: str) -> list[str]:
    """Columns of groups that are named where a figure is told that has nothing to do with them."""
    used = {one.column for one in request.filters} | {one.column for one in request.measures}
    used |= {it.column for one in request.measures for it in one.part}
    if request.asks != "figures" or request.groups:
        return []
    named = [one for one in profile.of("category") if one.name not in used and plain(one.name) not in rows]
    said = {one.name: rf"(?<!all )(?:{full_heading(one)})" for one in named}
    return [
        name for name, it in said.items() if compiled(it).search(text) and not compiled(it + _WHATEVER).search(whole)
    ]


def _values_of(request: Request) -> str:
    kept = [*request.filters, *(one for it in request.measures for one in it.part)]
    return "|".join(re.escape(one) for it in kept for one in it.values if isinstance(one, str)) or "(?!)"


def _extreme(request: Request, text: str) -> Request:
    """What is ranked and is no group is the greatest or least figure itself ("the average fare and the highest"); a
    word that nothing has taken may have been the group."""
    end: MeasureKind = "max" if request.descending else "min"
    told = dict.fromkeys(one.column for one in request.measures if one.column is not None and one.per is None)
    if request.aside or not told:
        ranking = compiled(bounded(words()["superlatives"])).search(text)
        left = request.aside or ((ranking.group().strip(),) if ranking is not None else ())
        return replace(request, unread=left, aside=())
    most = tuple(Measure(end, one) for one in told if Measure(end, one) not in request.measures)
    return replace(request, measures=(*request.measures, *most), descending=None, limit=None)


def _leaves_out(request: Request, profile: Profile) -> bool:
    kept = [*request.filters, *(one for it in request.measures for one in it.part)]
    kept += [one for group in request.groups for part in group.parts for one in part]
    if any(one.op in ("not_in", "lacks", "empty", "filled", "lt", "le") for one in kept):
        return True
    pairs = {one.name: pair for one in profile.columns if (pair := yes_and_no(one)) is not None}
    no = any(one.op == "in" and one.column in pairs and pairs[one.column][1] in one.values for one in kept)
    no |= any(one.op == "in" and 0.0 in one.values for one in kept)
    return no or any(one.column in pairs for one in request.groups)


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
    stem = file.rpartition(".")[0]
    named = [one for one in re.split(r"[\W_\d]+", stem) if len(one) >= _SHORTEST and not is_measured(one)]
    heads = [(plain(one), _singulars(one)) for one in (stem, *headings)]
    for line in words()["rows"]:
        if any(_is_within(plain(one), *head) for one in line for head in heads):
            named += line
    named += [other for one in list(named) for other in same_as(one)]
    return frozenset(_singular(plain(one)) for one in named)


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


def _korean(text: str, whole: str) -> list[str]:
    spoken = _HANGUL.findall(text)
    if all(map(_says_nothing().fullmatch, spoken)):
        return []
    runs = next(iter(korean.nouns([" ".join(spoken)])), [])
    nouns = [part for run in runs for part in run if len(part) >= _SHORTEST and plain(part) not in plain_words()]
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
    text = re.sub(rf"(?<![\u4e00-\u9fff]){_STEM.pattern}", " ", text)
    for run in _JAPANESE.findall(text):
        rest += [part for part in re.split(known, run) if part and part not in _ALONE]
    return rest


@cache
def _with_kana() -> tuple[str, ...]:
    """Plain words that end in hiragana, as they are said: the runs do not hold them whole."""
    return tuple(one for one in words()["plain"]["ja"] if "\u3041" <= one[-1] <= "\u309f")
