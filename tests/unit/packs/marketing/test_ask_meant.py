"""Questions in words that no rule knows, by what was learned; of a table that nothing was learned from."""

from functools import cache

import pytest

from packs.marketing.asking.meaning import heads
from packs.marketing.asking.meaning.composing import Meant, by_meaning, each_once
from packs.marketing.asking.profile import Profile, profile
from packs.marketing.asking.request import Filter, Measure
from packs.marketing.tables.read import read_table
from tests.unit.packs.marketing.conftest import Run
from tests.unit.packs.marketing.context import FakeContext
from understanding.offline.encoder import best_encoder

PLOTS = "plots.csv"
ROWS = [
    f"{2026}-{4 + at % 6:02d}-{1 + at % 27:02d},{('Ahn', 'Berg', 'Costa', 'Diaz')[at % 4]},{('tomato', 'bean', 'squash')[at % 3]},"
    f"{('Field', 'Greenhouse')[at % 2]},{3 + at % 11},{10 + 7 * (at % 9)}"
    for at in range(60)
]
TABLE = "\n".join(["Picked on,Gardener,Crop,Place,Hours worked,Weight (kg)", *ROWS]).encode()


@cache
def plots() -> Profile:
    return profile(read_table(TABLE, PLOTS))


def vectors(texts):
    return best_encoder().encode(list(texts)).tolist()


def meant(question: str) -> Meant:
    found = by_meaning(question, plots(), (), PLOTS, vectors)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("question", "group", "measure"),
    [
        ("Which gardener slaved away the most hours in total?", "Gardener", Measure("sum", "Hours worked")),
        ("Which of the crops brought in the most kilos altogether?", "Crop", Measure("sum", "Weight (kg)")),
        ("Add up the hours per gardener and name whoever comes out on top", "Gardener", Measure("sum", "Hours worked")),
    ],
)
def test_the_first_of_all_is_found_in_whatever_words(question, group, measure):
    request = meant(question).request
    assert [one.column for one in request.groups] == [group], request
    assert request.measures == (measure,)
    assert request.descending
    assert request.limit in (1, None)  # the others in their order are told beside it, or not


@pytest.mark.parametrize(
    ("question", "rows", "measure"),
    [
        ("How many kilos did we get out of the greenhouse, all in all?", "Greenhouse", Measure("sum", "Weight (kg)")),
        ("Greenhouse에서 딴 건 다 합쳐서 몇 킬로나 돼?", "Greenhouse", Measure("sum", "Weight (kg)")),
        ("How long do people toil in the field on average?", "Field", Measure("mean", "Hours worked")),
    ],
)
def test_a_figure_of_some_rows_is_found_by_its_unit_or_its_meaning(question, rows, measure):
    request = meant(question).request
    assert request.filters == (Filter("Place", "in", (rows,)),)
    assert request.measures == (measure,)
    assert request.groups == ()


def test_a_bound_is_of_a_column_that_reaches_it():
    request = meant("how many times did somebody toil for more than 12 hours").request
    assert Filter("Hours worked", "gt", (12.0,)) in request.filters
    assert request.measures == (Measure("count"),)


def test_an_answer_says_that_it_went_by_the_meaning(
    ctx: FakeContext, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ctx, "meanings", vectors)
    ctx.language = "en"
    ctx.upload(TABLE, PLOTS)
    told = run("ask", question="Who slaved away the longest, all hours put together?")
    assert told["answered"]
    assert told["summary"][-1].startswith("Some of your words are not in this table")


def test_without_vectors_it_is_asked_back(ctx: FakeContext, run: Run) -> None:
    ctx.upload(TABLE, PLOTS)
    assert not run("ask", question="Who slaved away the longest, all hours put together?")["answered"]


def test_vectors_of_another_encoder_are_no_use():
    assert by_meaning("who worked most", plots(), (), PLOTS, lambda texts: [[1.0] * 8 for _ in texts]) is None


def test_each_text_has_its_vector_once():
    asked: list[str] = []

    def made(texts):
        asked.extend(texts)
        return [[1.0] for _ in texts]

    once = each_once(made)
    once(["a", "b"])
    assert once(["b", "c"]) == [[1.0], [1.0]]
    assert asked == ["a", "b", "c"]


def test_weights_are_there():
    learned = heads.learned()
    assert set(learned.heads) == set(heads.HEADS)
