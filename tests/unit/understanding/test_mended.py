"""Who puts a day or a time right in the same breath means the last one."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from understanding.offline.mended import mended

NOW = datetime(2026, 11, 24, 10, tzinfo=ZoneInfo("Asia/Seoul"))


@pytest.mark.parametrize(
    ("language", "said", "meant"),
    [
        ("en", "gym on Friday at 12. Sorry, 12:30. No, 1 pm.", "gym on Friday 1 pm."),
        ("en", "add the dentist tomorrow at 3. wait, make it 4:30", "add the dentist tomorrow 4:30"),
        ("ko", "3일 아니 4일 오전 9시에 은행", "4일 오전 9시에 은행"),
        ("ko", "내일 3시에 미용실 넣어줘. 아니 4시", "내일 4시에 미용실 넣어줘. "),
        ("ja", "木曜、いや金曜の夜7時に歯医者", "金曜の夜7時に歯医者"),
    ],
)
def test_what_is_put_right_is_read_as_it_was_meant(language: str, said: str, meant: str) -> None:
    assert mended(said, NOW, language) == meant


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "remind me tomorrow at 9 to buy stamps, sorry to bother you"),
        ("en", "meeting at 3 and gym at 5"),
        ("ko", "내일 3시 회의랑 5시 병원 넣어줘"),
        ("ja", "明日3時に会議、5時に歯医者"),
    ],
)
def test_several_times_are_several(language: str, said: str) -> None:
    assert mended(said, NOW, language) == said
