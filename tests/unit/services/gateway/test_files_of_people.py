"""Whose files are whose, as the gateway asks the database for it: seldom, and never for whom nothing is hidden."""

from collections.abc import Collection

import pytest

from backbone.artifacts.port import ArtifactUnknown
from backbone.ledger.port import LedgerUnavailable
from contracts.access import Principal, Role
from contracts.artifacts import Attachment
from contracts.errors import Code
from services.gateway.commands.files import Files
from services.gateway.domain.access import EVERYBODY
from services.gateway.domain.refusal import Refused
from services.gateway.views.protocol import frame
from tests.unit.services.gateway.facts import ANSWER, SAID, message

KIM, LEE = (Principal(user=user, role=Role.PERSON, key_id="a" * 12) for user in ("kim", "lee"))
ONCALL = Principal(user="oncall", role=Role.OPERATOR, key_id="b" * 12)
FILE = Attachment(artifact_id="a" * 64, name="a.csv", media_type="text/csv", size=3, type="file.table")
LOST = FILE.model_copy(update={"artifact_id": "b" * 64})
SHOWS = frame(message(ANSWER.model_copy(update={"attachments": (FILE,)}), 2)).decode()


class Store:
    """It has FILE, and nothing else."""

    async def size(self, artifact_id: str) -> int:
        if artifact_id != FILE.artifact_id:
            raise ArtifactUnknown(artifact_id)
        return FILE.size


class Table:
    """access.files, which counts how often it is asked and may be away."""

    def __init__(self) -> None:
        self.rows: set[tuple[str, str]] = set()
        self.asked = 0
        self.away = False

    async def keep_files(self, user: str, artifact_ids: Collection[str]) -> None:
        self._asked()
        self.rows |= {(user, one) for one in artifact_ids}

    async def files_of(self, user: str, artifact_ids: Collection[str]) -> set[str]:
        self._asked()
        return {one for one in artifact_ids if (user, one) in self.rows}

    def _asked(self) -> None:
        self.asked += 1
        if self.away:
            raise LedgerUnavailable("away")


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def files(table: Table) -> Files:
    return Files(Store(), table)  # type: ignore[arg-type]  # the parts of them that are asked


async def test_an_upload_is_had_by_who_has_sent_it(files: Files, table: Table) -> None:
    await files.uploaded(KIM, FILE.artifact_id)
    await files.require(KIM, FILE.artifact_id)
    await files.check(KIM, [FILE])
    assert table.asked == 1, "who has it is remembered"
    with pytest.raises(ArtifactUnknown, match=f"no artifact {FILE.artifact_id}"):
        await files.require(LEE, FILE.artifact_id)


@pytest.mark.parametrize("file", [FILE, FILE.model_copy(update={"size": 4}), LOST])
async def test_what_is_not_had_is_not_stored(files: Files, file: Attachment) -> None:
    with pytest.raises(Refused, match="is not stored: upload it first") as refused:
        await files.check(LEE, [file])
    assert refused.value.code is Code.ARTIFACT_UNKNOWN


async def test_of_ones_own_file_one_is_told_that_the_size_is_another(files: Files) -> None:
    await files.uploaded(KIM, FILE.artifact_id)
    with pytest.raises(Refused, match="has 3 bytes, not 4"):
        await files.check(KIM, [FILE.model_copy(update={"size": 4})])


async def test_what_is_shown_is_kept_before_it_is_shown(files: Files, table: Table) -> None:
    sent: list[tuple[str, int]] = []

    async def send(text: str) -> None:
        sent.append((text, len(table.rows)))

    show = files.showing(KIM, send)
    await show(SHOWS)
    await show(SHOWS)
    assert sent == [(SHOWS, 1)] * 2
    assert table.asked == 1, "what was shown before is not written again"
    await files.require(KIM, FILE.artifact_id)


async def test_a_run_without_files_asks_nothing(files: Files, table: Table) -> None:
    async def send(_: str) -> None:
        pass

    await files.showing(KIM, send)(frame(message(SAID, 1)).decode())
    await files.check(KIM, [])
    await files.show(KIM, ANSWER)
    await files.shown_events(KIM, [message(SAID, 1), message(ANSWER, 2)])
    assert table.asked == 0


@pytest.mark.parametrize("who", [EVERYBODY, ONCALL])
async def test_nothing_is_hidden_from_who_operates_nor_kept_for_them(
    files: Files, table: Table, who: Principal
) -> None:
    async def send(_: str) -> None:
        pass

    await files.require(who, FILE.artifact_id)
    await files.check(who, [FILE])
    await files.showing(who, send)(SHOWS)
    await files.show(who, FILE)
    assert table.asked == 0
    with pytest.raises(Refused, match="is not stored"):
        await files.check(who, [LOST])


async def test_without_the_database_people_are_shown_what_is_new(files: Files, table: Table) -> None:
    sent: list[str] = []

    async def send(text: str) -> None:
        sent.append(text)

    table.away = True
    await files.showing(KIM, send)(SHOWS)
    assert sent == [SHOWS]
    with pytest.raises(LedgerUnavailable):
        await files.require(KIM, FILE.artifact_id)
    with pytest.raises(LedgerUnavailable):
        await files.uploaded(KIM, FILE.artifact_id)
    table.away = False
    await files.showing(KIM, send)(SHOWS)
    await files.require(KIM, FILE.artifact_id)
