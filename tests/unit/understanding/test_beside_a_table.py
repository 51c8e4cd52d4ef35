"""What is said beside a table of reviews is about the reviews, also where other packs know the word ("film")."""

from datetime import datetime

import pytest

from contracts.cognitive import CognitiveInput
from tests.unit.services.plans import file
from understanding.offline.understand import SentenceReader


@pytest.mark.parametrize(
    ("said", "category"),
    [
        ("사람들이 이 작품들을 재밌게 봤는지 별로였는지 알고 싶어", "sentiment"),
        ("Did the audience enjoy these pictures?", "sentiment"),
        ("この作品たちの評判は良いの悪いの？", "sentiment"),
        ("왜 작품 12가 점수가 낮지?", "ask"),
        ("그림으로 월별 흐름 보여줘", "trend"),
        ("Show how satisfaction changed over the quarters as a chart", "trend"),
    ],
)
def test_what_is_said_beside_a_table_of_reviews_is_about_the_reviews(
    said: str, category: str, everything: SentenceReader, now: datetime
) -> None:
    found = everything.understand(CognitiveInput(text=said, attachments=(file("file.table"),)), now)
    assert (found.intent.domain, found.intent.category) == ("ANALYSIS", category)
