"""Reminders that were due wait in the session until the person has seen them."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from contracts.errors import Code
from contracts.gateway import ReminderSeen
from contracts.timers import ReminderDue
from services.gateway.domain.refusal import Refused, Repeated
from services.gateway.domain.session import Session
from services.gateway.views.reminders import SHOWN, reminder_views
from tests.unit.services.gateway.facts import SAID
from tests.unit.services.gateway.test_session import folded

WATER, DENTIST = UUID(int=11), UUID(int=12)


def at(hour: int) -> datetime:
    return datetime(2026, 11, 23, hour, tzinfo=UTC)


def due(reminder_id: UUID, hour: int) -> ReminderDue:
    return ReminderDue(reminder_id=reminder_id, text="물", due_at=at(hour))


def seen(reminder_id: UUID, hour: int) -> ReminderSeen:
    return ReminderSeen(reminder_id=reminder_id, due_at=at(hour))


def waiting(session: Session) -> list[tuple[UUID, int, int, int]]:
    return [(one.reminder_id, one.due_at.hour, one.times, one.version) for one in reminder_views(session)]


def test_a_reminder_waits_once_with_its_last_time_until_it_is_seen():
    assert waiting(folded(SAID, due(WATER, 9), due(DENTIST, 10), due(WATER, 11))) == [
        (DENTIST, 10, 1, 3),
        (WATER, 11, 2, 4),
    ]
    assert waiting(folded(due(WATER, 9), due(DENTIST, 10), seen(WATER, 9))) == [(DENTIST, 10, 1, 2)]
    # it comes again, and waits again
    assert waiting(folded(due(WATER, 9), seen(WATER, 9), due(WATER, 11))) == [(WATER, 11, 1, 3)]


def test_of_a_heap_of_reminders_the_newest_are_shown_and_the_others_as_these_are_seen():
    heap = [due(UUID(int=number), 9) for number in range(1, SHOWN + 3)]
    shown = [one[0] for one in waiting(folded(*heap))]
    assert shown == [UUID(int=number) for number in range(3, SHOWN + 3)]
    shown = [one[0] for one in waiting(folded(*heap, seen(UUID(int=50), 9)))]
    assert shown[:2] == [UUID(int=2), UUID(int=3)]
    assert len(shown) == SHOWN


def test_who_has_seen_an_earlier_time_has_not_seen_the_last_one():
    assert waiting(folded(due(WATER, 9), due(WATER, 11), seen(WATER, 9))) == [(WATER, 11, 2, 2)]


def test_seeing_it_is_recorded_once_up_to_the_time_that_was_shown():
    session = folded(due(WATER, 9), due(WATER, 11))
    judge = session.reminders.judge
    assert judge(WATER, None, handled=False) == seen(WATER, 11)
    assert judge(WATER, at(9), handled=False) == seen(WATER, 9)
    assert judge(WATER, at(20), handled=False) == seen(WATER, 11)
    session = folded(due(WATER, 9), seen(WATER, 9), due(WATER, 11))
    assert session.reminders.judge(WATER, at(9), handled=False) == Repeated(2)
    # the same key again does not see what came later
    assert session.reminders.judge(WATER, None, handled=True) == Repeated(2)
    assert folded(due(WATER, 9), seen(WATER, 9)).reminders.judge(WATER, None, handled=False) == Repeated(2)


def test_a_reminder_that_was_never_due_here_is_refused():
    with pytest.raises(Refused) as refused:
        folded(SAID).reminders.judge(WATER, None, handled=False)
    assert refused.value.code is Code.REMINDER_UNKNOWN
    assert str(WATER) in refused.value.message


def test_who_waits_for_it_is_told_the_zone_in_which_it_was_meant():
    one = due(WATER, 9).model_copy(update={"timezone": "Asia/Seoul"})
    assert [view.timezone for view in reminder_views(folded(SAID, one, due(DENTIST, 10)))] == ["Asia/Seoul", ""]
