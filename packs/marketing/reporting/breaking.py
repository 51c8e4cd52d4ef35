"""Where a line may break: between words, and inside Japanese after a phrase, never before a closing mark."""

import re
from collections.abc import Iterator

_HIRAGANA, _KATAKANA, _HAN = r"\u3041-\u309f", r"\u30a0-\u30ff", r"\u3400-\u9fff\u3005"
_OPENING = r"(\[\u2018\u201c\u3008\u300a\u300c\u300e\u3010\uff08"
_CLOSING = (
    r")\],.!?:;%\u2019\u201d\u2026\u3001\u3002\u3009\u300b\u300d\u300f\u3011\u30fb\uff09\uff01\uff05\uff0c\uff1a\uff1f"
)
_WIDE = re.compile(f"[{_HIRAGANA}{_KATAKANA}{_HAN}]")
# The polite prefixes o and go belong to the word behind them.
_POLITE = f"[\u304a\u3054](?=[{_HAN}])"
_TAIL = f"(?:(?!{_POLITE})[{_HIRAGANA}{_CLOSING}])*"
# A stem in one script with the hiragana that inflects it or follows it as a particle: what is read in one go.
_PHRASE = re.compile(
    f"[{_OPENING}]*(?:{_POLITE})?"
    f"(?:[0-9][0-9.,/:-]*%?[{_HAN}]{{0,2}}|[{_KATAKANA}]+|[{_HAN}]+|[^{_HIRAGANA}{_KATAKANA}{_HAN}{_OPENING}{_CLOSING}]+(?:[.,][0-9]+)*)?{_TAIL}"
)


def atoms(text: str) -> Iterator[tuple[str, bool]]:
    """The parts that stay together, each with whether a space stands before it."""
    for word in text.split():
        phrases = [word] if not _WIDE.search(word) else [found for found in _PHRASE.findall(word) if found]
        for number, phrase in enumerate(phrases):
            yield phrase, number == 0
