"""Steps that are pointed at by their place: which of a plan of five go, and which alone stay."""

import pytest

from services.planning.places import places_in

STEPS = 5


@pytest.mark.parametrize(
    ("said", "out"),
    [
        ("두 번째 단계는 빼 주세요", {1}), ("세 번째는 필요 없어", {2}), ("4번 하지 마", {3}), ("맨 마지막은 생략해 줘", {4}),
        ("4번 말고", {3}), ("2번만 빼고 다 해줘", {1}), ("뒤의 두 단계는 넘어가 줘", {3, 4}), ("2, 3번은 스킵", {1, 2}),
        ("1번은 하고 4번은 하지 마", {3}), ("leave out the fourth step", {3}), ("without step 3", {2}), ("skip steps 2 to 4", {1, 2, 3}),
        ("the second and last ones aren't needed", {1, 4}), ("everything except number 4", {3}), ("Step 2 can go", {1}),
        ("no, not the fifth one", {4}), ("the first one is fine, drop the third", {2}), ("三番目のステップは抜いて", {2}),
        ("4番はいりません", {3}), ("最後の二つは省いてください", {3, 4}), ("ステップ2と3は不要です", {1, 2}), ("ステップ２以外で", {1}),
    ],
)  # fmt: skip
def test_what_is_to_go_is_known_by_its_place(said, out):
    placed = places_in(said, STEPS)
    assert placed.out == out
    assert not placed.only and not placed.beyond


@pytest.mark.parametrize(
    ("said", "only"),
    [
        ("앞의 두 단계만 해 줘", {0, 1}), ("2번이랑 3번만", {1, 2}), ("4단계까지만 진행해", {0, 1, 2, 3}), ("1번 하고 나머지는 빼", {0}),
        ("only the last two", {3, 4}), ("just steps 1-3", {0, 1, 2}), ("do the first three and skip the rest", {0, 1, 2}),
        ("stop after step 2", {0, 1}), ("最初の二つだけお願いします", {0, 1}), ("3番までだけ", {0, 1, 2}), ("一番目をやって、残りは省いて", {0}),
    ],
)  # fmt: skip
def test_what_alone_is_to_stay_is_known_by_its_place(said, only):
    placed = places_in(said, STEPS)
    assert placed.only == only
    assert not placed.out


@pytest.mark.parametrize(
    "said",
    [
        "두 번째 지점은 빼 줘", "마지막 주만 봐 줘", "한 번만 해 줘", "별점 2점만", "3월만", "4번은 빼지 마", "leave out the second branch",
        "only the last week", "don't skip step 4", "only 3 stars", "just run it once", "最後の週だけ", "4月だけ", "2番目の支店は除いて", "",
    ],
)  # fmt: skip
def test_other_things_that_have_a_place_are_no_steps(said):
    placed = places_in(said, STEPS)
    assert not placed
    assert placed.rest == said


def test_what_goes_and_what_alone_stays_in_one_sentence_and_what_is_said_beside():
    placed = places_in("2번은 빼고 2025년만", STEPS)
    assert placed.out == {1} and not placed.only
    assert placed.rest == "은 빼고 2025년만"


def test_a_number_of_no_step_is_named():
    assert places_in("skip step 8", STEPS).beyond == (8,)
    assert places_in("drop the last nine steps", STEPS).out == {0, 1, 2, 3, 4}
