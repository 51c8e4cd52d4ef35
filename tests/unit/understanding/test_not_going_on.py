"""What names the work of another pack does not go on about the request before, whatever verb it has."""

from datetime import datetime

import pytest

from contracts.cognitive import CognitiveInput
from contracts.context import Context, FileSeen, Requested
from understanding.offline.understand import SentenceReader

TABLE = FileSeen(name="visits.csv", type="file.table", roles=("text", "rating", "date"))
LISTED = Requested(intent="ASSISTANT.calendar", slots={"action": "list", "date": "2026-12-07", "until": "2026-12-13"})
ADDED = Requested(intent="ASSISTANT.calendar", slots={"title": "추이 공유회", "date": "2026-12-07"})
ALARM = Requested(intent="ASSISTANT.reminder", slots={"text": "call Dana", "time": "18:00"})


def intents(reader: SentenceReader, text: str, now: datetime, last: Requested, *files: FileSeen) -> list[str]:
    found = reader.understand(CognitiveInput(text=text, context=Context(files=files, last=last)), now)
    return [one.intent for one in found.tasks]


@pytest.mark.parametrize("last", [LISTED, ALARM])
@pytest.mark.parametrize("files", [(), (TABLE,)])
@pytest.mark.parametrize(
    "text",
    [
        "보고서 새로 만들어주는데 트렌드는 빼줘",
        "키워드도 빼고",
        "리포트에서 키워드 지워줘",
        "write the report once more without the trend",
        "drop the keywords as well",
        "レポートをもう一度作って、トレンドは外して",
        "キーワードも消して",
        "추이는 빼고",
        "보고서 또 만들어주고 추이는 빼줘",
        "발표자료는 빼고 새로 만들어줘",
        "make the report once more without the keywords",
        "take the chart off the slides",
        "トレンドも外して",
    ],
)
def test_what_another_pack_makes_is_no_appointment_that_is_taken_out(
    text: str, files: tuple[FileSeen, ...], last: Requested, everything: SentenceReader, now: datetime
) -> None:
    assert not [one for one in intents(everything, text, now, last, *files) if one.startswith("ASSISTANT")]


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("치과 빼줘", LISTED), ("그거 지워줘", LISTED), ("추이 공유회도 빼고", ADDED), ("보고서 회의는 4시로 옮겨줘", LISTED),
        ("drop the dentist", LISTED), ("歯医者は外して", LISTED),
    ],
)  # fmt: skip
def test_who_speaks_of_an_appointment_that_is_there_goes_on_about_it(
    text: str, last: Requested, everything: SentenceReader, now: datetime
) -> None:
    assert intents(everything, text, now, last, TABLE) == ["ASSISTANT.calendar"]
