"""Events as Google keeps them: a series is one event, and each of it an instance with an id of its own."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr  # type: ignore[import-untyped]  # ships no types

PERSON = ZoneInfo("Asia/Seoul")
"""The zone of the calendar: whole days are counted in it."""


def _parsed(when: dict[str, str]) -> date | datetime:
    if "date" in when:
        return date.fromisoformat(when["date"])
    return datetime.fromisoformat(when["dateTime"]).astimezone(ZoneInfo(when["timeZone"]))


def _shown(moment: date | datetime, like: dict[str, str]) -> dict[str, str]:
    if not isinstance(moment, datetime):
        return {"date": moment.isoformat()}
    return {"dateTime": moment.isoformat(), "timeZone": like["timeZone"]}


def _instant(when: dict[str, str]) -> datetime:
    moment = _parsed(when)
    return moment if isinstance(moment, datetime) else datetime.combine(moment, time(), PERSON)


@dataclass
class Events:
    """`_gone` holds the ids of deleted events and instances; Google remembers them."""

    _kept: dict[str, dict[str, Any]] = field(default_factory=dict)
    _gone: set[str] = field(default_factory=set)
    _moved: dict[str, datetime] = field(default_factory=dict)
    _patched: dict[str, dict[str, Any]] = field(default_factory=dict)

    def taken(self, id_: str) -> bool:
        return id_ in self._kept or id_ in self._gone

    def insert(self, body: dict[str, Any]) -> dict[str, Any]:
        self._kept[body["id"]] = body | {"status": "confirmed", "kind": "calendar#event"}
        return self._kept[body["id"]]

    def one(self, id_: str) -> dict[str, Any] | None:
        series = self._kept.get(id_.partition("_")[0])
        return self._kept.get(id_) or next((one for one in self._spread(series or {}) if one["id"] == id_), None)

    def patch(self, id_: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """What is null is taken out, of moments too."""
        if (event := self.one(id_)) is None:
            return None
        body = {
            name: {part: one for part, one in value.items() if one is not None} if isinstance(value, dict) else value
            for name, value in body.items()
        }
        if id_ in self._kept:
            self._kept[id_] = event | body
        else:
            self._patched[id_] = body
        return event | body

    def move(self, series: str, at: datetime, to: datetime) -> None:
        """As a person does in Google's own calendar with one of a series."""
        self._moved[f"{series}_{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"] = to

    def delete(self, id_: str) -> bool:
        series = id_.partition("_")[0]
        known = (id_ in self._kept or series in self._kept) and id_ not in self._gone
        self._gone.add(id_)
        self._kept.pop(id_, None)
        return known

    def listed(self, query: dict[str, str]) -> list[dict[str, Any]]:
        first, last = datetime.fromisoformat(query["timeMin"]), datetime.fromisoformat(query["timeMax"])
        found: list[dict[str, Any]] = []
        for event in self._kept.values():
            inside = [
                one for one in self._spread(event) if _instant(one["start"]) < last and _instant(one["end"]) > first
            ]
            if query.get("singleEvents") == "true":
                found += inside
            elif inside:
                found.append(event)
        return sorted(found, key=lambda one: _instant(one["start"])) if query.get("orderBy") == "startTime" else found

    def instances(self, id_: str, query: dict[str, str]) -> list[dict[str, Any]]:
        wanted = query["originalStart"]
        moment = datetime.fromisoformat(wanted) if "T" in wanted else date.fromisoformat(wanted)
        return [one for one in self._spread(self._kept[id_]) if _parsed(one["originalStartTime"]) == moment]

    def _spread(self, event: dict[str, Any]) -> Iterator[dict[str, Any]]:
        if "recurrence" not in event:
            yield from (event,) if event else ()
            return
        start, end = _parsed(event["start"]), _parsed(event["end"])
        begins = start if isinstance(start, datetime) else datetime.combine(start, time())
        rule = rrulestr(event["recurrence"][0].removeprefix("RRULE:"), dtstart=begins)
        for at in rule.xafter(begins, count=100, inc=True):
            original = at if isinstance(start, datetime) else at.date()
            stamp = f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}" if isinstance(start, datetime) else f"{at:%Y%m%d}"
            if (id_ := f"{event['id']}_{stamp}") in self._gone:
                continue
            moment = self._moved.get(id_, original)
            kept = {key: value for key, value in event.items() if key not in {"recurrence", "start", "end", "id"}}
            yield (
                kept
                | {
                    "id": id_,
                    "recurringEventId": event["id"],
                    "start": _shown(moment, event["start"]),
                    "end": _shown(moment + (end - start), event["end"]),
                    "originalStartTime": _shown(original, event["start"]),
                }
                | self._patched.get(id_, {})
            )
