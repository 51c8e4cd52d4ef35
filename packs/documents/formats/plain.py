"""Text and Markdown: the encoding is found by which one gives letters that people write."""

import codecs
from pathlib import Path

from packs.documents.formats.pages import Page, Unreadable

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LEGACY = ("cp949", "cp932", "euc_jp")
_KANA = range(0x3041, 0x3100)
_HANGUL = range(0xAC00, 0xD7A4)
_LEAST = 0.2
"""Share of such letters among all that are not ASCII; real Japanese has half, the wrong encoding a tenth at most."""
_CONTROL_SHARE = 0.01


def read(path: Path) -> list[Page]:
    """Raises Unreadable for what is no text."""
    text = decoded(path.read_bytes())
    controls = sum(1 for letter in text if ord(letter) < 32 and letter not in "\t\n\r\f")
    if controls > _CONTROL_SHARE * len(text):
        raise Unreadable("broken")
    return [Page(None, text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", ""))]


def decoded(data: bytes) -> str:
    """Raises Unreadable when no encoding fits."""
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    for name in (marked,) if marked else ("utf-8",):
        try:
            return data.decode(name)
        except UnicodeDecodeError:
            if marked:
                raise Unreadable("encoding") from None
    found = [
        (share, name, text) for name in _LEGACY if (text := _strictly(data, name)) and (share := _share(text, name))
    ]
    best = max(found, default=None)
    if best is None or best[0] < _LEAST:
        raise Unreadable("encoding")
    return best[2]


def _strictly(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return ""


def _share(text: str, encoding: str) -> float:
    """How much of what is not ASCII are letters that the encoding's language is written with."""
    foreign = [letter for letter in text if ord(letter) > 127]
    known = sum(1 for letter in foreign if (_is_common(letter) if encoding == "cp949" else ord(letter) in _KANA))
    return known / len(foreign) if foreign else 0.0


def _is_common(letter: str) -> bool:
    """One of the 2,350 syllables that Korean uses. The others, in cp949 alone, are what other encodings look like."""
    # those it lacks euc_kr writes as a composition of eight bytes
    return ord(letter) in _HANGUL and len(letter.encode("euc_kr")) == 2
