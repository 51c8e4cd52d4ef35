"""What was learned is kept between starts, and never believed when it is not what was asked for."""

import pickle
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from backbone import packs
from contracts.packs import IntentSpec
from understanding.kit.ngrams import Vectors
from understanding.offline import learned
from understanding.offline.encoder import NgramEncoder
from understanding.offline.intent import IntentModel
from understanding.offline.learned import Arrays, kept, kept_vectors, key_of
from understanding.offline.pack import read_packs
from understanding.offline.understand import SentenceReader

SPECS = (
    IntentSpec(intent="WEATHER.rain", label="x", examples={"en": ("will it rain tomorrow", "do I need an umbrella")}),
    IntentSpec(intent="BAKERY.cake", label="x", examples={"en": ("a cake with cherries", "bake me two cakes")}),
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DREAM_CACHE_DIR", str(tmp_path / "cache"))
    return learned.folder()


def counting() -> tuple[Callable[[], Arrays], list[int]]:
    times: list[int] = []

    def learn() -> Arrays:
        times.append(1)
        return {"weights": np.arange(6, dtype=np.float32).reshape(2, 3), "bias": np.ones(3, dtype=np.float32)}

    return learn, times


def test_it_is_learned_once_for_a_key() -> None:
    learn, times = counting()
    first, again, other = kept("a", learn), kept("a", learn), kept("b", learn)
    assert len(times) == 2
    assert {name: value.tolist() for name, value in first.items()} == {n: v.tolist() for n, v in again.items()}
    assert other.keys() == first.keys()


def test_of_several_that_ask_at_once_one_learns() -> None:
    times: list[int] = []

    def learn() -> Arrays:
        times.append(1)
        time.sleep(0.2)
        return {"bias": np.ones(3, dtype=np.float32)}

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: kept("a", learn), range(4)))
    assert len(times) == 1 and all(one["bias"].tolist() == [1, 1, 1] for one in found)


def test_what_a_plain_installation_teaches_comes_with_the_product(folder: Path) -> None:
    SentenceReader(read_packs(packs.load().packs.values()))
    assert not folder.exists(), "something was learned anew: run make learned, and commit understanding/data/learned"


@pytest.mark.parametrize("broken", [b"", b"PK\x03\x04 half a file", pickle.dumps({"weights": [1]})])
def test_what_cannot_be_read_is_learned_again_and_mended(
    folder: Path, broken: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    learn, times = counting()
    kept("a", learn)
    (folder / "a.npz").write_bytes(broken)
    assert kept("a", learn)["bias"].tolist() == [1, 1, 1]
    assert kept("a", learn).keys() == {"weights", "bias"}
    assert len(times) == 2
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_a_pickle_within_a_file_is_not_run(folder: Path) -> None:
    learn, times = counting()
    folder.mkdir(parents=True)
    with (folder / "a.npz").open("wb") as file:
        np.savez(file, weights=np.array([print], dtype=object))
    kept("a", learn)
    assert len(times) == 1


def test_where_nothing_can_be_written_it_is_learned_each_time(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    learn, times = counting()
    assert kept("a", learn).keys() == kept("a", learn).keys()
    assert len(times) == 2


def test_only_the_newest_files_stay_and_nothing_half_written(folder: Path) -> None:
    learn, _ = counting()
    for number in range(learned.MOST + 3):
        kept(f"k{number}", learn)
    assert len(list(folder.glob("*"))) == learned.MOST + 1  # and the lock
    assert (folder / f"k{learned.MOST + 2}.npz").exists()


def test_no_two_lists_of_parts_have_one_key() -> None:
    assert len({key_of(parts) for parts in ([b"ab", b"c"], [b"a", b"bc"], [b"abc"], [b"abc", b""])}) == 4


def test_a_model_reads_the_same_from_what_was_kept_and_other_examples_are_learned(folder: Path) -> None:
    def read(specs: tuple[IntentSpec, ...]) -> list[tuple[str, float]]:
        return [
            (one.name, one.confidence) for one in IntentModel(specs, NgramEncoder()).read("two cakes, please").intents
        ]

    assert read(SPECS) == read(SPECS)
    assert len(list(folder.glob("*.npz"))) == 1
    more = SPECS[1].model_copy(update={"examples": {"en": ("a loaf of bread",)}})
    assert read((SPECS[0], more)) != read(SPECS)
    assert len(list(folder.glob("*.npz"))) == 2


def test_a_sentence_is_encoded_once_whoever_learns_from_it(folder: Path) -> None:
    asked: list[str] = []

    def encode(texts: Sequence[str]) -> Vectors:
        asked.extend(texts)
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)

    assert kept_vectors("counting", ["cake", "bread"], encode).tolist() == [[4, 1], [5, 1]]
    assert kept_vectors("counting", ["bread", "a roll", "cake"], encode).tolist() == [[5, 1], [6, 1], [4, 1]]
    assert asked == ["cake", "bread", "a roll"]
    assert kept_vectors("another", ["cake"], encode).tolist() == [[4, 1]]
    assert len(asked) == 4 and list(folder.glob("*.npz")) == []  # nothing of it is what `make learned` ships
    (folder / "counting.vectors").write_bytes(b"half a file")
    assert kept_vectors("counting", ["cake"], encode).tolist() == [[4, 1]]


def test_the_oldest_vectors_make_room_for_new_ones(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned, "MOST_VECTORS", 2)
    encode = NgramEncoder().encode
    for text in ("one", "two", "three"):
        kept_vectors("few", [text], encode)
    with np.load(folder / "few.vectors") as found:
        assert np.allclose(found["vectors"], encode(["two", "three"]))


def test_packs_teach_the_same_in_whatever_order_they_are_named(folder: Path) -> None:
    brought = read_packs(packs.load(("transfer", "marketing", "devices", "assistant", "documents")).packs.values())
    SentenceReader(brought)
    assert not folder.exists(), "what comes with the product was learned again, since its packs stood in another order"
