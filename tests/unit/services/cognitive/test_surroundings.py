"""What was asked for before: a yes to a dialogue says that it was about that."""

from collections.abc import Sequence
from uuid import uuid4

import pytest

from contracts.artifacts import Attachment
from contracts.cognitive import CognitiveOutput, Intent, Route, Task
from contracts.context import Requested
from contracts.gateway import MessageReceived
from services.cognitive.context import Surroundings, meant
from tests.unit.services.cognitive.talks import Talking, conversation
from tests.unit.services.plans import file


async def last(talking: Talking) -> Requested | None:
    received = MessageReceived(text="뭐가 예약돼 있어?")
    message = await talking.record(received, uuid4())
    _, context = await Surroundings(talking.ledger).context(message, received, ())
    return context.last


async def understood(talking: Talking, intent: str, route: Route, *tasks: Task) -> None:
    named = Intent(domain=intent, confidence=1.0)
    await talking.record(CognitiveOutput(text="x", language="ko", intent=named, route=route, tasks=tasks), uuid4())


async def test_a_yes_is_about_the_dialogue_that_it_is_said_in() -> None:
    talking = await conversation(1)
    await understood(talking, "WEATHER", Route.PLAN, Task(intent="WEATHER", slots={"place": "대전"}))
    await understood(talking, "TRANSFER", Route.FLOW)
    assert await last(talking) == Requested(intent="TRANSFER")


async def test_small_talk_is_about_nothing() -> None:
    talking = await conversation(1)
    await understood(talking, "WEATHER", Route.PLAN, Task(intent="WEATHER", slots={"place": "대전"}))
    await understood(talking, "GENERAL", Route.ANSWER)
    assert await last(talking) == Requested(intent="WEATHER", slots={"place": "대전"})


TABLE, OLD_TABLE = (file("file.table", name, digest) for name, digest in (("stock_7.csv", "1"), ("orders.csv", "2")))
NEW, OLD = (file("file.document", name, digest) for name, digest in (("lease-b.pdf", "3"), ("lease.pdf", "4")))


def files(text: str, own: Sequence[Attachment] = (), laid: Sequence[Attachment] = ()) -> list[str]:
    found = {one.artifact_id: one for one in (OLD_TABLE, OLD, TABLE, NEW)}
    mine, new = ({one.artifact_id: one for one in some} for some in (own, laid))
    return [one.name for one in meant(text, mine, new, found)]


@pytest.mark.parametrize(
    ("text", "own", "names"),
    [
        ("who is the landlord?", [NEW], ["lease-b.pdf"]), ("what is the average?", [TABLE], ["stock_7.csv"]),
        ("and in orders.csv?", [TABLE], ["orders.csv", "stock_7.csv"]), ("compare the rent in both documents", [NEW], ["stock_7.csv", "lease.pdf", "lease-b.pdf"]),
        ("lease.pdf에는 뭐라고 돼 있어?", [NEW], ["lease.pdf", "lease-b.pdf"]), ("以前の文書と何が違いますか", [NEW], ["stock_7.csv", "lease.pdf", "lease-b.pdf"]),
    ],
)  # fmt: skip
def test_what_came_with_a_sentence_is_what_it_is_about_unless_it_names_another_file(text, own, names) -> None:
    assert files(text, own) == names


@pytest.mark.parametrize(
    ("text", "laid", "names"),
    [
        ("who is the landlord?", [NEW], ["stock_7.csv", "lease-b.pdf"]), ("who is the landlord?", [], ["stock_7.csv", "lease.pdf", "lease-b.pdf"]),
        ("두 문서에서 임대인이 누구야?", [NEW], ["stock_7.csv", "lease.pdf", "lease-b.pdf"]),
        ("what is the average in orders.csv?", [], ["orders.csv", "lease.pdf", "lease-b.pdf"]),
        ("stock_7 평균은?", [], ["stock_7.csv", "lease.pdf", "lease-b.pdf"]),
    ],
)  # fmt: skip
def test_of_documents_those_that_were_laid_down_last_are_meant_and_a_table_may_be_named(text, laid, names) -> None:
    assert files(text, laid=laid) == names
