"""The language of each text: by its script, and for Latin script by py3langid where the text is long enough to tell."""

from collections.abc import Sequence
from functools import cache
from typing import Protocol

UNDETERMINED = "und"
# Languages of reviews in Latin script; fewer candidates make fewer mistakes on short texts.
_LATIN = ("en", "es", "fr", "de", "it", "pt", "nl", "vi", "id", "pl", "tr")
_LONG_ENOUGH = 30
_SURE = 0.9
# Brand names and "ㅋㅋ" mix scripts: this share of Hangul or kana makes a text Korean or Japanese.
_SHARE = 0.2


class _Identifier(Protocol):
    def classify(self, text: str) -> tuple[str, float]: ...


@cache
def _identifier() -> _Identifier:
    from py3langid.langid import (  # type: ignore[import-untyped]  # ships no stubs
        MODEL_FILE,
        LanguageIdentifier,
    )

    found = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    found.set_languages(list(_LATIN))
    identifier: _Identifier = found
    return identifier


def languages(texts: Sequence[str]) -> list[str]:
    """ISO 639-1 codes; "und" for texts without letters."""
    return [language(text) for text in texts]


def language(text: str) -> str:
    hangul = kana = han = latin = letters = 0
    for character in text:
        if not character.isalpha():
            continue
        letters += 1
        if "가" <= character <= "힣" or "ㄱ" <= character <= "ㆎ":
            hangul += 1
        elif "ぁ" <= character <= "ヿ":
            kana += 1
        elif "一" <= character <= "鿿":
            han += 1
        elif character < "ɐ":
            latin += 1
    if not letters:
        return UNDETERMINED
    if hangul >= max(kana, _SHARE * letters):
        return "ko"
    if kana >= 0.1 * letters:
        return "ja"
    if han > latin:
        return "zh"
    return _latin(text) if latin else UNDETERMINED


def _latin(text: str) -> str:
    # "Super" or "Top!" fit a dozen languages; English is by far the likeliest here.
    if len(text) < _LONG_ENOUGH:
        return "en"
    found, probability = _identifier().classify(text)
    return found if probability >= _SURE else "en"
