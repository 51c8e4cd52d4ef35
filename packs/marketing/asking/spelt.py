"""How a value of a table may be written in a sentence: its spellings, its stems, and what of it stands for it."""

import re
from collections import Counter
from collections.abc import Sequence

from packs.marketing.asking.lexicon import says_something
from packs.marketing.asking.naming import CODE, OWN
from packs.marketing.asking.phrasing import is_bound, plain, plain_words

_PARTICLES = (
    "은|는|이|가|을|를|의|에|에서|에게|로|으로|와|과|랑|이랑|하고|도|만|까지|부터|보다|처럼|들|편|쪽|점|관련|리뷰|후기"
    "|라고|이라고|라는|이라는|하러|하는|한|하던|했|하면|해서|할|함|된|됐던|용|목적|때문|위해|인|이면|일|이나|손님|고객|류|팀|용품|계열|부서|주문|거는|건|행사|때|때는|시간대|무렵|쯤|직원|상품|제품|매장|지점|캠|캠퍼스|거요|에만|자|자들|역|요|이요"
)
_PARTICLE = rf"(?=$|[^\w]|(?:{_PARTICLES})(?![\uac00-\ud7a3]{{3}})|[ぁ-ん一-龯])"
"""What may stand behind a value of one or two letters."""
_OF_WORDS = "上中下大小高低前後並特新古"
_SUCH_DAYS, _SUCH_DAYS_TOO = "월화수목금토일", "月火水木金土日"
_COMPOUND = re.compile(r"[가-힣]{4,8}|[一-龯々ァ-ヶー]{4,12}")
_WAY = re.compile("([ァ-ヶー]{3,20})(?=[一-龯])")
"""What a value begins with and is called by: コンビニ of コンビニ払い."""
_FOREIGN = re.compile(r"[ァ-ヶー]+")
"""A name of another language, whole: no compound."""
_KATAKANA = re.compile(r"[ァ-ヶー]{2}")
_PLACE = re.compile("([一-龯]{2,4})[都府県市区]|([가-힣]{2,4}?)(?:특별자치[시도]|특별시|광역시)|([가-힣]{2,3})[도시구]")
"""Without what kind of place it is."""
FAMILY = 2
"""Values that make a family."""
_M, _N, _L = 16, 4, 8
"""What ends a syllable of Hangul: ㅁ, ㄴ, ㄹ."""


def stems(value: str) -> list[str]:
    """A place without what kind of one it is (東京 of 東京都), and a state that is a noun in the table and a verb in
    speech: 맑음 of 맑은 날, 흐림 of 흐릴 때."""
    if (place := _PLACE.fullmatch(value)) is not None:
        return [next(filter(None, place.groups()))]
    code = ord(value[-1]) - 0xAC00
    if value.endswith("음") and len(value) > 1:
        return [f"{value[:-1]}{end}" for end in ("은", "을", "았", "었")]
    if len(value) > 1 and 0 <= code < 11172 and code % 28 == _M:
        return [value[:-1] + chr(0xAC00 + code - _M + tail) for tail in (_N, _L)]
    return []


def own_parts(values: Sequence[str], shortest: int = OWN) -> dict[str, tuple[str, ...]]:
    """What of a value tells it from the others of a family ("Leeds" beside "Harbour Leeds" and "Harbour Bath",
    "강남" of branches that all end in "점"); nothing where the values are no family."""
    if len(values) < FAMILY:
        return {}
    words = {value: value.split() for value in values}
    counts = Counter(word for spoken in words.values() for word in set(spoken))
    if all(any(counts[word] == len(values) for word in spoken) for spoken in words.values()):
        own = {value: [word for word in spoken if counts[word] == 1] for value, spoken in words.items()}
        return {
            value: tuple(word for word in found if len(word) >= shortest or not word.isascii())
            for value, found in own.items()
        }
    end = values[0][-1:]
    long = {True: shortest, False: CODE}
    own = {value: [one for one in words[value] if counts[one] == 1 and len(one) >= long[one.isascii()]]
           for value in values if len(words[value]) > 1}  # fmt: skip
    own = {value: [one for one in found if not is_bound(one, 0)] for value, found in own.items()}  # 이상 of 60대 이상
    if own:
        return {value: tuple(one for one in found if plain(one) not in plain_words()) for value, found in own.items()}
    if end.isascii() or not all(value.endswith(end) and len(value) > CODE for value in values):
        return {}
    return {value: (value[:-1],) for value in values if not value[:-1].isnumeric()}  # 30 of 30대 is any number


def pieces_of(values: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """What a compound begins or ends with and no other value has ("합격" of 최종합격, 板金 of 板金塗装); words for
    anything at all are none."""
    found: dict[str, tuple[str, ...]] = {}
    for value in values:
        if (way := _WAY.match(value)) is not None and not any(way[1] in other for other in values if other != value):
            found[value] = (way[1],)
        elif _COMPOUND.fullmatch(value) and not _FOREIGN.fullmatch(value):
            cuts = [at for at in range(CODE, len(value) - 1) if not _KATAKANA.match(value, at - 1)]
            pieces = dict.fromkeys(one for at in cuts for one in (value[:at], value[at:]) if says_something(one))
            others = [other for other in values if other != value]
            found[value] = tuple(one for one in pieces if not any(one in other for other in others))
    return found


def spelling(value: str, *, as_it_is: bool = False) -> str:
    """However its blanks and hyphens are written; a value of a name and a number also by its number alone."""
    if plain(value) == "no":
        return r"(?<![A-Za-z])no(?![A-Za-z]|\s[a-z])"  # "no parking" is no answer
    if as_it_is or (value.isascii() and value.isalpha() and len(value) <= CODE):
        return rf"(?<![A-Za-z])(?-i:{re.escape(value)})(?![A-Za-z])"  # "US" is no "us"
    letters = r"[\s\-_]*".join(re.escape(one) for one in plain(value))
    if value.isascii() and value[-1:].isalpha():
        many = re.fullmatch(r"\w{3,}[^su]s", plain(value)) is not None
        letters = f"{letters}?" if many else letters  # the "meal" of "Meals"
        letters = rf"{letters[:-1]}(?:y|ies)" if value.endswith("y") else letters if many else rf"{letters}(?:e?s)?"
    spelt = rf"(?<![\dA-Za-z\uac00-\ud7a3]){letters}"
    if re.fullmatch("[가-힣]", value):
        spelt = rf"(?<![\d한두세네섯곱덟홉열몇]\s){spelt}"  # the 개 of "세 개" is no dog
        if value in _SUCH_DAYS:  # nor is the 수 of "리터 수도" a Wednesday
            listed = rf"(?=요일|욜|[,·/~]|\s?(?:와|과|랑|하고)\s?[{_SUCH_DAYS}])"
            return rf"{spelt}{listed}|(?<=[,·/]\s|[{_SUCH_DAYS}][,·/]){spelt}{_PARTICLE}"
    if value in _SUCH_DAYS_TOO:  # nor is any 日 a Sunday
        return rf"{spelt}(?=曜|[、・/]\s?[{_SUCH_DAYS_TOO}])|(?<=[、・/]){spelt}(?=[、・/はのがをで]|と(?![一-龯]))"
    if re.fullmatch("[一-龯]", value):
        behind = "(?![一-龯])" if value in _OF_WORDS else ""  # 上 of 上半期, but 森 of 森先生
        spelt = rf"(?<![一-龯]){spelt}{behind}"  # the 上 of 売上 is no grade
    if (tail := re.fullmatch(r"\D+(\d{4,})", value)) is not None:
        spelt += rf"|(?<![\d\w-]){tail[1]}"
    end = r"(?!\d)" if value[-1:].isdigit() else r"(?![A-Za-z])" if value.isascii() else ""
    short = _PARTICLE if len(plain(value)) < 3 and not value.isascii() else ""
    return rf"(?:{spelt}){end}{short}"
