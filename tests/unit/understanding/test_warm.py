"""What the first sentence needs is there before anybody waits for it."""

import sys
import types
from datetime import datetime

from contracts.packs import IntentSpec
from contracts.reading import Clause
from contracts.shape import JsonObject
from understanding.offline.encoder import SentenceEncoder
from understanding.offline.pack import PackUnderstanding
from understanding.offline.understand import SentenceReader


def test_before_anybody_waits_each_reader_has_read_a_sentence_of_each_language(
    encoder: SentenceEncoder, now: datetime
) -> None:
    heard: list[tuple[str, str]] = []

    def read(clause: Clause) -> list[JsonObject]:
        heard.append((clause.language, clause.text))
        return []

    module = types.ModuleType("readers_that_are_warmed")
    module.read = read  # type: ignore[attr-defined]
    sys.modules[module.__name__] = module
    spec = IntentSpec(
        intent="PLAY.song", tool="little.tool", reader="readers_that_are_warmed:read", label="l",
        examples={"en": ("play a tune", "sing"), "ja": ("曲をかけて",), "ko": ()},
    )  # fmt: skip
    SentenceReader((PackUnderstanding("little", (spec,)),), encoder, ()).warm(now)
    assert heard == [("en", "play a tune"), ("ja", "曲をかけて")]
