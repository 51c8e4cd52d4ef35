"""One spelling per text: Unicode, whitespace, markup left over from web pages."""

import html
import re
import unicodedata
from hashlib import blake2b

_TAG = re.compile(
    r"</?(?:br|p|div|span|b|i|u|a|strong|em|li|ul|ol|font|h[1-6]|table|tr|td|th|script|style)\b[^<>]{0,200}>",
    re.IGNORECASE,
)
# What stands between these was never written by a customer.
_SCRIPT = re.compile(r"<(?:script|style)\b[^<>]{0,200}>[^<]{0,2000}</(?:script|style)>", re.IGNORECASE)
_SPACES = re.compile(r"\s+")
# Four or more of a character say no more than three: "ㅋㅋㅋㅋㅋㅋ", "!!!!!!", "sooooo".
_REPEATED = re.compile(r"(\D)\1{3,}")
# Joins emoji into one picture; without it a family falls apart into four people.
_JOINER = "\u200d"


def clean(text: str) -> str:
    """Readable, NFC, on one line. Letters and punctuation stay as the person wrote them."""
    # Twice, because exports of exports hold "&amp;#38;".
    text = html.unescape(html.unescape(text))
    text = unicodedata.normalize("NFC", _TAG.sub(" ", _SCRIPT.sub(" ", text)))
    text = "".join(character for character in text if _is_kept(character))
    return _REPEATED.sub(r"\1\1\1", _SPACES.sub(" ", text)).strip()


def _is_kept(character: str) -> bool:
    # Control, format (zero width), private, surrogate, unassigned; white space is turned into spaces afterwards.
    return (
        character in "\t\n\r"
        or character == _JOINER
        or (unicodedata.category(character) not in ("Cc", "Cf", "Co", "Cs", "Cn") and character != "\ufffd")
    )


def fingerprint(text: str) -> str:
    """What two texts share that differ in case, spacing and punctuation only. Texts without a letter keep all."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    letters = "".join(character for character in folded if character.isalnum())
    return letters or folded


def digest(text: str) -> bytes:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
