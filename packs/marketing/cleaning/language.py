"""The language of each text: by its script, and for Latin script by py3langid where the text is long enough to tell."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Protocol

UNDETERMINED = "und"
# Languages of reviews in Latin script; fewer candidates make fewer mistakes on short texts.
_LATIN = ("en", "es", "fr", "de", "it", "pt", "nl", "vi", "id", "pl", "tr")
_LONG_ENOUGH = 30
_SURE = 0.9
# Brand names mix scripts: this share of Hangul makes a text Korean. Japanese needs less kana, as much of it is kanji.
_SHARE = 0.2
_KANA_SHARE = 0.1
_SCRIPTS = (
    ("A", "ɏ", "latin"),
    ("Ḁ", "ỿ", "latin"),
    ("ぁ", "ヿ", "kana"),
    ("ㄱ", "ㆎ", "hangul"),
    ("一", "鿿", "han"),
    ("가", "힣", "hangul"),
)


class _Identifier(Protocol):
    def classify(self, text: str) -> tuple[str, float]: ...


@cache
def _identifier() -> _Identifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    found = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    found.set_languages(list(_LATIN))
    identifier: _Identifier = found
    return identifier


def languages(texts: Sequence[str]) -> list[str]:
    """ISO 639-1 codes; "und" for texts without letters."""
    return [language(text) for text in texts]


def language(text: str) -> str:
    found = Counter(script for character in text if (script := _script(character)))
    letters = found.total()
    if not letters:
        return UNDETERMINED
    if found["hangul"] >= max(found["kana"], _SHARE * letters):
        return "ko"
    if found["kana"] >= _KANA_SHARE * letters:
        return "ja"
    if found["han"] > found["latin"]:
        return "zh"
    return _latin(text) if found["latin"] else UNDETERMINED


def _script(character: str) -> str | None:
    """None for what is no letter."""
    if not character.isalpha():
        return None
    return next((name for first, last, name in _SCRIPTS if first <= character <= last), "other")


def _latin(text: str) -> str:
    # "Super" or "Top!" fit a dozen languages; English is by far the likeliest here.
    if len(text) < _LONG_ENOUGH:
        return "en"
    found, probability = _identifier().classify(text)
    return found if probability >= _SURE else "en"
