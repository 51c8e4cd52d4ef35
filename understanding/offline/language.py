"""Korean, English or Japanese: by script first, which needs no model."""

import re
import signal
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

DEFAULT_LANGUAGE = "ko"
_HANGUL = re.compile(r"[가-힣ㄱ-ㅎㅏ-ㅣᄀ-ᇿ]")
_KANA = re.compile(r"[ぁ-ゖァ-ヺｦ-ﾟー]")
_HAN = re.compile(r"[一-龯々]")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")
# py3langid holds 80 MB once loaded. An English sentence almost always has one of these words, so it stays unloaded.
_ENGLISH = re.compile(
    r"\b(?:the|a|an|of|to|in|for|and|is|are|was|do|does|can|could|you|me|my|our|we|us|i|i'm|it|this|that|these|those|"
    r"with|from|by|on|what|how|which|who|when|where|please|make|show|give|tell|create|find|write|report|review|"
    r"reviews|analy[sz]e|analysis|sentiment|trends?|keywords?)\b",
    re.IGNORECASE,
)
_LONG_ENOUGH, _TELLING = 20, 2000
"""Characters: so many a text has to have before it is called foreign; so many are looked at."""


@dataclass(frozen=True, slots=True)
class Detected:
    """`foreign` is the ISO code of a language that is not served, seen in a text that reads as `language`."""

    language: str
    foreign: str | None = None


def detect_language(text: str, preferred: str | None = None) -> Detected:
    """The served language nearest to the text; `preferred`, or Korean, when the text has no letters."""
    text = text[:_TELLING]
    # A brand in Latin letters does not make a Korean sentence English: one syllable weighs like two letters.
    hangul, kana, han = (len(script.findall(text)) for script in (_HANGUL, _KANA, _HAN))
    latin = len(_LATIN.findall(text))
    if hangul and 2 * hangul >= max(kana + han, latin / 2):
        return Detected("ko")
    if kana + han and 4 * (kana + han) >= latin:
        return Detected("ja")
    if latin:
        return Detected("en", None if _ENGLISH.search(text) else _foreign(text, latin))
    return Detected(preferred or DEFAULT_LANGUAGE)


def _foreign(text: str, letters: int) -> str | None:
    """The other language of a Latin text without English words; None for what is too short to say."""
    if letters < _LONG_ENOUGH:
        return None
    code = str(_identifier()(text)[0])
    return code if code not in ("en", "zxx") else None


@cache
def _identifier() -> Callable[[str], tuple[str, float]]:
    """Loading it takes a second of processor time, once. That does not count as time of the reading, which is ended
    after a second."""
    left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
    try:
        from py3langid import classify

        classify("loads the model")
    finally:
        signal.setitimer(signal.ITIMER_PROF, left)
    found: Callable[[str], tuple[str, float]] = classify
    return found
