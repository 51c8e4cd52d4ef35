"""Patterns that were compiled in an earlier process are taken as they were, and nothing else is taken for one."""

import re
from pathlib import Path
from re import _compiler, _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from understanding.offline import compiled, learned
from understanding.port import kept_patterns

WRITTEN = (
    (r"(?P<who>[가-힣]{2,4})(?:에게|한테)\s(?P<sum>\d{1,9})원", 0, "이모한테 500원"),
    (r"\b(?:april|may)\s(\d{1,2})(st|nd|rd|th)?", re.IGNORECASE, "on MAY 3rd"),
    (r"^(?:円|えん)$", re.MULTILINE, "百\nえん\n"),
    (r"\w+\Z", re.ASCII, "año"),
    (r"\ud800?x", 0, "x"),
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DREAM_CACHE_DIR", str(tmp_path / "cache"))
    return learned.folder()


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was compiled from its text."""
    texts: list[str] = []
    parse = _parser.parse

    def counted(text: str, flags: int = 0, *rest: Any) -> Any:
        texts.append(text)
        return parse(text, flags, *rest)

    monkeypatch.setattr(_parser, "parse", counted)
    return texts


def compile_all(written: tuple[tuple[str, int, str], ...] = WRITTEN) -> list[re.Pattern[str]]:
    re.purge()
    with kept_patterns():
        return [re.compile(pattern, flags) for pattern, flags, _ in written]


def test_a_pattern_is_compiled_once_and_says_the_same(parsed: list[str]) -> None:
    plain = [re.compile(pattern, flags) for pattern, flags, _ in WRITTEN]
    compile_all()
    parsed.clear()
    kept = compile_all()
    assert parsed == []
    for one, before, (_, _, text) in zip(kept, plain, WRITTEN, strict=True):
        assert one == before and one.groupindex == before.groupindex
        found, expected = one.search(text), before.search(text)
        assert found and expected
        assert (found.span(), found.groups(), found.groupdict(), found.lastgroup) == (
            expected.span(), expected.groups(), expected.groupdict(), expected.lastgroup,
        )  # fmt: skip


def test_what_is_new_joins_what_was_kept(parsed: list[str]) -> None:
    compile_all(WRITTEN[:2])
    compile_all(WRITTEN[2:3])
    parsed.clear()
    compile_all()
    assert parsed == [pattern for pattern, _, _ in WRITTEN[3:]]


def test_beyond_the_most_only_what_this_start_needed_is_kept(
    parsed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_all(WRITTEN[:1])
    monkeypatch.setattr(compiled, "MOST", 10)
    compile_all(WRITTEN[1:2])
    parsed.clear()
    compile_all(WRITTEN[:2])
    assert parsed == [WRITTEN[0][0]]


def test_one_that_is_wrong_is_told_as_ever_and_re_is_left_as_it_was() -> None:
    plainly = _compiler.compile
    with pytest.raises(re.error), kept_patterns():
        re.compile(r"(unclosed")
    assert _compiler.compile is plainly


def spoilt(folder: Path, name: str, value: Any) -> None:
    (path,) = folder.glob("*.compiled")
    arrays = dict(learned.read_arrays(path) or {})
    arrays[name] = value(arrays[name])
    learned.write_arrays(path, arrays)


def test_code_that_is_none_is_compiled_again_and_mended(folder: Path, parsed: list[str]) -> None:
    compile_all()
    spoilt(folder, "codes", lambda codes: codes[::-1].copy())
    parsed.clear()
    assert compile_all()[0].search(WRITTEN[0][2])
    assert parsed != []
    parsed.clear()
    compile_all()
    assert parsed == []


def test_half_a_file_is_none(folder: Path, parsed: list[str]) -> None:
    compile_all()
    (path,) = folder.glob("*.compiled")
    path.write_bytes(path.read_bytes()[:100])
    parsed.clear()
    assert compile_all()[1].search(WRITTEN[1][2])
    assert len(parsed) == len(WRITTEN)


def test_where_nothing_can_be_written_patterns_are_compiled_each_time(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert [one.pattern for one in compile_all()] == [pattern for pattern, _, _ in WRITTEN]


def test_a_file_of_something_else_is_none(folder: Path) -> None:
    compile_all()
    spoilt(folder, "table", lambda table: table[:-9].copy())
    assert compile_all()[1].search(WRITTEN[1][2])
