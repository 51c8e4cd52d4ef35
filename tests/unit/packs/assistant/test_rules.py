"""Rules of recurrence: those that never come true are refused without looking for them."""

import time
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from packs.assistant.calendars.port import CalendarFault
from packs.assistant.calendars.rules import begun

NOW = datetime(2026, 11, 22, 9, tzinfo=ZoneInfo("Asia/Seoul"))


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=-30;COUNT=999999999",
        "FREQ=DAILY;BYMONTH=4,6,9,11;BYMONTHDAY=31",
        "FREQ=DAILY;BYMONTHDAY=40",
        "FREQ=DAILY;BYSETPOS=2",
    ],
)
def test_a_day_that_no_year_has_is_refused_at_once(rule: str) -> None:
    began = time.process_time()
    with pytest.raises(CalendarFault):
        begun(rule, NOW, NOW)
    assert time.process_time() - began < 0.5  # the search would take ten seconds and more


@pytest.mark.parametrize(
    ("rule", "first"),
    [
        ("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29", "2028-02-29"),
        ("FREQ=YEARLY;BYMONTH=2,3;BYMONTHDAY=30", "2027-03-30"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "2026-11-30"),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "2026-11-30"),
    ],
)
def test_a_day_that_some_year_has_is_found(rule: str, first: str) -> None:
    assert begun(rule, NOW, NOW)[1].isoformat()[:10] == first
