"""Words of Japanese texts without a tokenizer: runs of kanji and of katakana are nearly always nouns."""

import re
from collections.abc import Sequence

from packs.marketing.keywords.terms import stopwords

_WORD = re.compile(r"[一-鿿々]{2,6}|[ァ-ヴー]{3,}")


def words(texts: Sequence[str]) -> list[list[str]]:
    skipped = stopwords("ja")
    return [[word for word in _WORD.findall(text) if word not in skipped] for text in texts]
