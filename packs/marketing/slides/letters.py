"""Letters that XML can hold. Names and reviews come with control characters, which no slide and no drawing survives."""

import re

_FOREIGN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def plain(text: str) -> str:
    """Without what XML cannot hold."""
    return _FOREIGN.sub("", text)
