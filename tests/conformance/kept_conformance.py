"""What every store of kept results promises. Adapters inherit KeptConformance and give the fixture `results`, which is
empty and takes three rows and 10,000 bytes of one owner."""

from hashlib import sha256

from backbone.kept.port import Kept, KeptResults, Made
from contracts.artifacts import Attachment
from contracts.errors import Code, ErrorInfo

ROWS, BYTES = 3, 10_000


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def kept(key: str, owner: str = "ada", *, tool: str = "test.count", file: str = "f", size: int = 0) -> Kept:
    """A result, with a file of that size if there is one."""
    made = Attachment(artifact_id=digest(key), name="a", media_type="text/plain", size=size, type="text.made")
    return Kept(
        key=key, owner=owner, tool=tool, files=(digest(file),),
        made=Made(result={"of": key}, attachments=(made,) if size else ()),
    )  # fmt: skip


class KeptConformance:
    """The promises."""

    async def test_what_is_kept_is_found_as_it_was_and_nothing_else(self, results: KeptResults) -> None:
        await results.keep(kept("a", size=7))
        found = await results.find(["a", "b"])
        assert list(found) == ["a"]
        assert found["a"].made == kept("a", size=7).made
        assert found["a"].made_at is not None
        assert await results.find([]) == {}

    async def test_a_later_result_takes_the_place_of_an_earlier_one(self, results: KeptResults) -> None:
        await results.keep(kept("a"))
        error = Made(error=ErrorInfo(code=Code.TABLE_EMPTY, message="it is empty"))
        await results.keep(kept("a").model_copy(update={"made": error}))
        assert (await results.find(["a"]))["a"].made == error

    async def test_what_was_used_longest_ago_goes_first_and_of_one_owner_alone(self, results: KeptResults) -> None:
        await results.keep(kept("of another", "bob"))
        for key in "abcd":
            await results.keep(kept(key))
        assert set(await results.find(["a", "b", "c", "d", "of another"])) == {"b", "c", "d", "of another"}

    async def test_large_results_leave_room_for_fewer(self, results: KeptResults) -> None:
        await results.keep(kept("a", size=6_000))
        await results.keep(kept("b", size=6_000))
        assert set(await results.find(["a", "b"])) == {"b"}

    async def test_a_file_has_what_was_made_of_it_for_nobody_in_particular(self, results: KeptResults) -> None:
        await results.keep(kept("a", ""))
        await results.keep(kept("b", "", tool="test.other"))
        await results.keep(kept("of somebody"))
        await results.keep(kept("of another file", "", file="g"))
        assert [one.key for one in await results.of_file(digest("f"))] == ["a", "b"]
        assert await results.of_file(digest("none")) == []

    async def test_what_is_forgotten_is_gone(self, results: KeptResults) -> None:
        await results.keep(kept("a"))
        await results.forget("a")
        await results.forget("never there")
        assert await results.find(["a"]) == {}
