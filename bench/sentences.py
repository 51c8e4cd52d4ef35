"""Made sentences for a memory: everybody's words, and two or three that are this sentence's own."""

import random
from functools import cache
from pathlib import Path
from typing import Any

from understanding.kit.data import read_data

LANGUAGES = ("ko", "ko", "ko", "en", "ja")
_SYLLABLES = range(0xAC00, 0xD7A3, 37)
_KANJI = range(0x4E00, 0x9000)
_LATIN = range(ord("a"), ord("z") + 1)


def sentence(dice: random.Random) -> str:
    """Four to ten words of a language and two that are rare."""
    language = dice.choice(LANGUAGES)
    words = _words()[language]
    said = [dice.choice(words["words"]) + dice.choice(words["particles"]) for _ in range(dice.randint(4, 10))]
    said += [_rare(dice, language) for _ in range(2)]
    dice.shuffle(said)
    return str(words["between"]).join(said)


def _rare(dice: random.Random, language: str) -> str:
    letters, length = {"ko": (_SYLLABLES, 3), "en": (_LATIN, 6), "ja": (_KANJI, 2)}[language]
    return "".join(chr(dice.choice(letters)) for _ in range(length))


@cache
def _words() -> dict[str, Any]:
    made: dict[str, Any] = read_data(Path(__file__).with_name("sentences.yaml"))
    return made
