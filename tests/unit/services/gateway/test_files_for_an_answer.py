"""A message that comes with a file, while a question waits for one: the answer, unless it says what else is wanted."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from contracts.artifacts import Attachment
from contracts.decisions import DecisionKind, DecisionRequested
from contracts.shape import JsonObject
from services.cognitive.domain.ambiguity import QuestionKind
from services.cognitive.domain.answers import answer_schema
from services.gateway.commands.yes_words import said, words
from services.gateway.domain.session import AskedDecision, Session
from services.gateway.domain.typed import SEEN_AFTER, Answering, answered_by_files

AT = datetime(2026, 12, 1, tzinfo=UTC)
ASKED, RUN = UUID(int=1), UUID(int=2)
FILE = Attachment(artifact_id="a" * 64, name="reviews.csv", media_type="text/csv", size=3, type="file.table")


def session(schema: JsonObject, kind: DecisionKind = DecisionKind.CLARIFY, told: int = 0) -> Session:
    request = DecisionRequested(
        decision_id=ASKED, kind=kind, question="?", language="ko", answer_schema=schema, deadline=AT
    )
    asked = AskedDecision(request, ASKED, RUN, 3, AT, None)
    return Session(version=3, asked={ASKED: asked}, open={ASKED: asked}, told=told)


def answered(text: str, there: Session) -> Answering | None:
    return answered_by_files(there, said(text), words(), (FILE,), AT + SEEN_AFTER)


@pytest.mark.parametrize(
    "text",
    ["여기 있어", "이 파일로 해줘", "자 여기요", "이거야", "reviews.csv", "reviews.csv 여기", "네", "here it is", "ok, use this file",
     "This one please", "reviews.csv is attached", "これです", "このファイルで", "はい、どうぞ"],
)  # fmt: skip
def test_what_says_that_the_file_is_there_is_the_answer(text: str) -> None:
    found = answered(text, session(answer_schema(QuestionKind.FILE)))
    assert found is not None and found.answer == {"attachments": [FILE.model_dump(mode="json")]}


@pytest.mark.parametrize(
    "text",
    [
        "키워드 뽑아줘",
        "이걸로 슬라이드 만들어줘",
        "그만둬",
        "how many rows are there?",
        "translate this file",
        "キーワードを出して",
    ],
)
def test_what_says_what_is_wanted_is_understood_as_it_is(text: str) -> None:
    assert answered(text, session(answer_schema(QuestionKind.FILE))) is None


def test_only_a_question_that_takes_files_and_was_put_last_is_answered() -> None:
    assert answered("여기 있어", session(answer_schema(QuestionKind.WHAT))) is None
    assert answered("여기 있어", session(answer_schema(QuestionKind.FILE), DecisionKind.PLAN)) is None
    assert answered("여기 있어", session(answer_schema(QuestionKind.FILE), told=4)) is None
    assert answered("여기 있어", Session()) is None
