"""What surrounds a place in a sentence, as numbers to learn from: letters, words, scripts, how ordinary they are."""

import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

SIZE = 1 << 14
"""Numbers that features are hashed to."""
_MOST = 200
_PARTICLES = 4
"""Letters of a Korean word behind a name at most."""
_PAD = "\x02"

Numbers = NDArray[np.int32]


class Ordinary:
    """Words that people use, whatever they talk about: in how many sentences each is. Of Japanese, which has no spaces,
    pairs of letters."""

    def __init__(self, counts: NDArray[np.uint8]) -> None:
        self._counts = counts

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Ordinary":
        counts = np.zeros(SIZE * 4, dtype=np.uint8)
        for text in texts:
            for number in {_number(word) % len(counts) for word in words_of(text)}:
                counts[number] = min(counts[number] + 1, _MOST)
        return cls(counts)

    @property
    def counts(self) -> NDArray[np.uint8]:
        """By the number of each word."""
        return self._counts

    def rank(self, word: str, own: frozenset[str]) -> int:
        """0 (nobody says it) to 4 (everybody); the sentence `own` of which one learns does not count."""
        known = int(self._counts[_number(word) % len(self._counts)]) - (word in own)
        return min(max(known, 0).bit_length(), 4)


def edges(text: str) -> tuple[set[int], set[int]]:
    """Where a name may begin, and where it may end: at the edges of words, before what hangs on a Korean word, and
    anywhere where no spaces are written."""
    begins, stops = set(), set()
    for at in range(len(text) + 1):
        before, behind = kind_of(text[at - 1 : at]), kind_of(text[at : at + 1])
        inside = before in "Aah1kHc" and behind in "Aah1kHc"
        if inside and (
            _is_japanese(before) or _is_japanese(behind) or (before != behind and {before, behind} != {"A", "a"})
        ):
            begins.add(at)
            stops.add(at)
        elif inside and before == behind == "H":
            if any(kind_of(text[end : end + 1]) != "H" for end in range(at + 1, at + 1 + _PARTICLES)):
                stops.add(at)
        elif not inside:
            if behind in "Aah1kHc.":
                begins.add(at)
            if before in "Aah1kHc.":
                stops.add(at)
    return begins, stops


def _is_japanese(kind: str) -> bool:
    return kind in ("h", "k", "c")


class Known:
    """How ordinary the words of a sentence are, by letter; where no spaces are written, its pairs of letters."""

    def __init__(self, low: str, ordinary: Ordinary, own: frozenset[str]) -> None:
        self.words = [5] * (len(low) + 1)
        start = 0
        for word in low.split(" "):
            rank = max((ordinary.rank(one, own) for one in _forms(word)), default=5)
            self.words[start : start + len(word)] = [rank] * len(word)
            start += len(word) + 1
        self.pairs = [ordinary.rank(low[at - 1 : at + 1], own) if at else 5 for at in range(len(low) + 1)]


def words_of(text: str) -> frozenset[str]:
    """Words as they are counted; and pairs of letters, for scripts without spaces."""
    low = unicodedata.normalize("NFKC", text).lower()
    pairs = [low[at : at + 2] for at in range(len(low) - 1) if _is_japanese(kind_of(low[at]))]
    return frozenset([form for word in low.split() for form in _forms(word)] + pairs)


def _forms(word: str) -> list[str]:
    """A word without signs; of a Korean one its beginnings, too, for what hangs on it changes."""
    bare = word.strip(".,!?~\"'…()、。？！")
    if not bare:
        return []
    hangul = len(bare) > 2 and all(kind_of(letter) == "H" for letter in bare)
    return [bare, *(bare[:end] + "*" for end in (len(bare) - 1, 2) if hangul)]


def bare_of(text: str, spans: Mapping[str, str]) -> str:
    """The text without its names."""
    for name in spans.values():
        text = text.replace(name, " ", 1)
    return text


def _number(word: str) -> int:
    return zlib.crc32(word.encode("utf-8", "surrogatepass"))


def before(low: str, kinds: Sequence[str], at: int, known: Known) -> list[str]:
    """Features of a place where something may begin."""
    wide = f"{_PAD * 6}{low}"
    here = at + 6
    words = low[:at].split()
    last, second = (words[-1] if words else _PAD), (words[-2] if len(words) > 1 else _PAD)
    kind = kinds[at] if at < len(kinds) else "-"
    spaced = low[at - 1 : at] in ("", " ")
    sizes = (1, 2, 3, 4, 5, 6)
    return [
        *(f"<{size}{wide[here - size : here]}" for size in sizes),
        f"<w{last}|{spaced}", f"<v{second} {last}|{spaced}", f"<k{kind}{spaced}", f"<e{last[-2:]}|{spaced}",
        f"<n{min(len(words), 3)}", f"<c{low[at : at + 2]}", f"<d{low[at : at + 1]}{kind}",
        f"<f{known.words[max(at - 2, 0)]}{known.words[at]}{spaced}", f"<p{known.pairs[at]}{kind}",
    ]  # fmt: skip


def behind(low: str, kinds: Sequence[str], at: int, known: Known) -> list[str]:
    """Features of a place where something may end."""
    wide = f"{low}{_PAD * 6}"
    rest = low[at:]
    hung = rest.split(" ", 1)[0]
    words = rest[len(hung) :].split()
    following, second = (words[0] if words else _PAD), (words[1] if len(words) > 1 else _PAD)
    kind = kinds[at - 1] if at else "-"
    return [
        *(f">{size}{wide[at : at + size]}" for size in (1, 2, 3, 4, 5, 6)),
        f">h{hung}", f">w{hung}|{following}", f">v{hung}|{following[:2]}", f">x{following} {second}|{hung}",
        f">k{kind}{hung[:1]}", f">n{min(len(words), 3)}{hung == ''}", f">c{low[max(at - 2, 0) : at]}|{hung}",
        f">d{low[max(at - 1, 0) : at]}{kind}",
        f">f{known.words[max(at - 1, 0)]}{known.words[min(at + 1, len(low))]}", f">p{known.pairs[at]}{kind}",
    ]  # fmt: skip


def within(low: str, kinds: Sequence[str], start: int, end: int, known: Known) -> list[str]:
    """Features of a piece between two places."""
    piece = low[start:end]
    shape = "".join(dict.fromkeys(kinds[start:end]))
    return [
        f"={piece}", f"=s{shape}", f"=b{low[max(start - 2, 0) : start]}{piece}", f"=p{piece[:2]}", "=",
        f"=f{known.words[start]}{shape}", f"=g{known.pairs[start]}{known.pairs[start + 1]}{shape}",
    ]  # fmt: skip


_SCRIPTS = ((0x3040, 0x30A0, "h"), (0x30A0, 0x3100, "k"), (0x3131, 0x3190, "H"), (0xAC00, 0xD7A4, "H"))


@lru_cache(4096)
def kind_of(letter: str) -> str:
    """A and a for Latin, H Hangul, h Hiragana, k Katakana, c Han, 1 digits, _ spaces, . others, - no letter."""
    if not letter:
        return "-"
    if letter.isspace() or letter.isdigit():
        return "_" if letter.isspace() else "1"
    code = ord(letter)
    script = next((name for first, last, name in _SCRIPTS if first <= code < last), "")
    if script or not letter.isalpha():
        return script or "."
    return "c" if code >= 0x3400 else "A" if letter.isupper() else "a"


def row(said: Sequence[str]) -> Numbers:
    """The numbers of features."""
    return np.array([zlib.crc32(one.encode("utf-8", "surrogatepass")) % SIZE for one in said], dtype=np.int32)


def rows(said: Iterator[Sequence[str]]) -> Numbers:
    """One row for each; all have as many features."""
    stacked = [row(one) for one in said]
    return np.stack(stacked) if stacked else np.zeros((0, 1), dtype=np.int32)
