"""Source design 002 section 8, 템플릿 확장 가이드 (신규 서비스): a service made from the template while the product stands still,
then spoken to over real servers: as a plain chat, as one with slots, and as several flows behind one understanding."""

import importlib
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from dream.local.stack import LocalStack
from dream.packs import check, template
from dream.texts import Texts
from tests.e2e.bakery import open_bakery
from tests.e2e.person import Json, Person, of, only
from tests.e2e.world import folder_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.asyncio(loop_scope="module")]


@pytest.fixture(scope="module")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The new pack in a folder of further packs."""
    parent = tmp_path_factory.mktemp("services") / "packs"
    path = importlib.import_module("packs").__path__
    path.append(str(parent))
    assert template.new("bakery", parent / "bakery", Texts("ko")) == 0
    open_bakery(parent / "bakery")
    yield parent / "bakery"
    path.remove(str(parent))
    for name in [one for one in sys.modules if one.startswith("packs.bakery")]:
        del sys.modules[name]
    importlib.invalidate_caches()


@pytest.fixture(scope="module", autouse=True)
def reads() -> None:
    """Nothing is forked: a pack outside of the product is found by who was started with its folder."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shop(bakery: Path) -> AsyncIterator[LocalStack]:
    with folder_for("bakery") as folder, pytest.MonkeyPatch.context() as environment:
        environment.setenv("DREAM_PACKS", "bakery")
        environment.setenv("DREAM_PACK_PATH", str(bakery.parent))
        async with LocalStack(folder) as stack:
            yield stack


@pytest_asyncio.fixture(loop_scope="module")
async def guest(shop: LocalStack) -> AsyncIterator[Person]:
    async with Person(shop.url) as person:
        yield person


async def says(guest: Person, text: str, session: Json | None = None) -> tuple[Json, list[Json], Json]:
    run = await guest.say(text, language="ko", **({"session_id": session["session_id"]} if session else {}))
    events = await guest.end_of(run)
    return run, events, only(events, "ResponseOutput", run)


async def test_002_section_8_what_was_made_of_the_template_is_sound(
    bakery: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DREAM_PACKS", "bakery")  # beside all packs it would have to be learned anew with all of them
    assert check.findings(bakery, Texts("en")) == []


async def test_002_section_8_a_plain_chat_service_is_the_template_as_it_is(guest: Person) -> None:
    """[단순 대화 서비스] minimal/ 그대로 사용."""
    _, events, answer = await says(guest, "bakery 팩은 뭐 하는 거야")
    assert answer["text"].startswith("bakery 팩이에요.") and of(events, "PlanningOutput") == []
    _, _, tossed = await says(guest, "동전 던져줘")
    assert {"앞면이에요.", "뒷면이에요."} & set(tossed["text"].splitlines())


async def test_002_section_8_a_service_with_slots_and_several_flows_behind_one_understanding(guest: Person) -> None:
    """[슬롯 기반 서비스] SlotFiller + State, 검증 로직 코드화; [멀티 시나리오] Intent 분기, 다수 FlowHandler."""
    begun, _, asked = await says(guest, "케이크 주문할게")
    assert (asked["text"], asked["data"]["stage"]) == ("케이크 몇 개를 드릴까요?", "FILLING")
    _, _, refused = await says(guest, "0개", begun)
    assert (refused["text"], refused["data"]["stage"]) == ("한 개부터 주문할 수 있어요.", "FILLING")
    _, _, ready = await says(guest, "3개", begun)
    assert (ready["text"], ready["ui_hint"]["buttons"]) == ("케이크 3개를 주문할까요?", ["네", "아니요"])
    paid, events, done = await says(guest, "네", begun)
    assert (done["text"], done["data"]["stage"]) == ("케이크 주문이 끝났어요.", "EXECUTED")
    todo = only(events, "TodoDispatched", paid)["todo"]
    assert (todo["tool"], todo["params"]) == ("bakery.cake", {"count": 3})
    _, events, other = await says(guest, "식빵 2개 주문", begun)
    assert other["text"] == "식빵 2개를 주문할까요?" and of(events, "FlowAdvanced")[-1]["flow"] == "bread"
    _, _, over = await says(guest, "아니요", begun)
    assert over["text"] == "주문을 취소했어요."
