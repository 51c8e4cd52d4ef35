"""Bytes to text: which of the encodings that spreadsheets in Korea, Japan and the West write is this?"""

import unicodedata
from dataclasses import dataclass
from functools import cache

# Checked in this order: a byte order mark never lies, and text that decodes as strict UTF-8 by chance is rare.
_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
# A file is still UTF-8 when it was cut in the middle of a character or holds a few broken ones.
_BROKEN_SHARE = 0.001
# How much of a file the legacy encodings are compared on.
_SAMPLE = 200_000
_CONTROL_SHARE = 0.02
_WIDE_SHARE = 0.03
_KANA_SHARE = 0.15


@dataclass(frozen=True, slots=True)
class Decoded:
    """`replaced` counts characters that could not be decoded and stand as U+FFFD."""

    text: str
    encoding: str
    replaced: int = 0


def decode(data: bytes) -> Decoded | None:
    """The text of a file, or None when it is not text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _lenient(data, encoding)
    if (wide := _utf16_without_mark(data)) is not None:
        return _lenient(data, wide)
    if b"\0" in data:
        return None
    try:
        return _if_text(Decoded(data.decode("utf-8"), "utf-8"))
    except UnicodeDecodeError:
        pass
    almost = _lenient(data, "utf-8")
    return almost if almost is not None and _is_nearly_sound(almost) else _legacy(data)


def _is_nearly_sound(read: Decoded) -> bool:
    """Legacy bytes read as UTF-8 break at nearly every character; a few breaks among real ones mean UTF-8."""
    foreign = sum(ord(character) > 127 for character in read.text)
    return read.replaced <= max(3, _BROKEN_SHARE * len(read.text)) and foreign > 4 * read.replaced


def _lenient(data: bytes, encoding: str) -> Decoded | None:
    text = data.decode(encoding, errors="replace")
    return _if_text(Decoded(text, encoding, text.count("\ufffd")))


def _if_text(decoded: Decoded) -> Decoded | None:
    sample = decoded.text[:_SAMPLE]
    controls = sum(unicodedata.category(character) == "Cc" and character not in "\r\n\t" for character in sample)
    return decoded if controls <= _CONTROL_SHARE * len(sample) else None


def _utf16_without_mark(data: bytes) -> str | None:
    """ASCII in UTF-16 (delimiters, digits, line ends) has a NUL in every second byte, always on the same side."""
    sample = data[:4096]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    # A few on the other side are syllables such as 가, U+AC00.
    if max(even, odd) < _WIDE_SHARE * len(sample) or max(even, odd) < 3 * min(even, odd):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _legacy(data: bytes) -> Decoded | None:
    """The legacy encoding whose reading looks most like a language."""
    best: tuple[float, Decoded] | None = None
    for encoding in ("cp949", "cp932", "cp1252"):
        read = _lenient(data, encoding)
        if read is None or read.replaced > max(3, _BROKEN_SHARE * len(read.text)):
            continue
        rated = _plausibility(read.text[:_SAMPLE], encoding)
        if best is None or rated > best[0]:
            best = (rated, read)
    return best[1] if best else None


def _plausibility(text: str, encoding: str) -> float:
    """0..1: the share of characters beyond ASCII that belong to the encoding's language."""
    foreign = [character for character in text if ord(character) > 127 and character != "\ufffd"]
    if not foreign:
        return 0.0
    if encoding == "cp949":
        # Only the 2,350 syllables of KS X 1001: Japanese bytes read as CP949 give the rare ones beside them.
        return sum("ㄱ" <= character <= "힣" and _in_euc_kr(character) for character in foreign) / len(foreign)
    if encoding == "cp932":
        # Half-width kana are what Korean bytes turn into, and kanji alone what Western ones do; Japanese holds kana.
        kana = sum("ぁ" <= character <= "ヿ" for character in foreign)
        kanji = sum("一" <= character <= "鿿" for character in foreign)
        return (kana + kanji) / len(foreign) if kana >= _KANA_SHARE * len(foreign) else 0.1
    letters = sum(character.isalpha() for character in foreign)
    # Western text has a few accents among plain letters; CJK bytes read as Western have little else.
    scarce = len(foreign) <= 0.25 * sum(character.isalpha() for character in text)
    return 0.5 * letters / len(foreign) + 0.4 * scarce if scarce else 0.1


@cache
def _in_euc_kr(character: str) -> bool:
    try:
        # Python spells the syllables beside the standard with eight bytes instead of refusing them.
        return len(character.encode("euc-kr")) == 2
    except UnicodeEncodeError:
        return False
