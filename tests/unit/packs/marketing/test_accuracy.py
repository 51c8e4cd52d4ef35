"""Polarity on real reviews that the weights never saw, by the bench that others run too."""

import json

import pytest

from bench.sentiment import main, score


def test_korean_polarity_holds_on_films_held_out_of_training(shared):
    found = score(shared("naver_movie_reviews.csv"))
    assert found.n == 1657
    assert found.accuracy >= 0.86


def test_english_polarity_holds_on_product_sentences(shared):
    assert score(shared("amazon_review_sentences.csv")).accuracy >= 0.82


def test_the_bench_prints_one_object(shared, capsys):
    shared("naver_movie_reviews.csv")
    shared("amazon_review_sentences.csv")
    assert main(["--json"]) == 0
    assert json.loads(capsys.readouterr().out).keys() == {"ko", "en"}


def test_the_bench_takes_a_file(tmp_path, capsys):
    path = tmp_path / "mine.csv"
    path.write_text("text,rating\n정말 좋아요 최고,10\n돈 아까워 쓰레기,1\n보통,6\n", encoding="utf-8")
    assert main(["--file", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"file": str(path), "accuracy": 1.0, "n": 2, "language": "ko"}


@pytest.mark.parametrize("content", ["", "a,b\n1,2\n", "text,rating\nonly middling,6\n", "text,rating\nx,1,2,3\n"])
def test_the_bench_refuses_a_file_that_it_cannot_score(tmp_path, capsys, content):
    path = tmp_path / "bad.csv"
    path.write_text(content, encoding="utf-8")
    assert main(["--file", str(path)]) == 2
    assert str(path) in capsys.readouterr().err


def test_the_bench_refuses_a_file_that_is_not_there(tmp_path, capsys):
    assert main(["--file", str(tmp_path / "none.csv")]) == 2
    assert "none.csv" in capsys.readouterr().err
