"""The words of words.yaml, compiled; and a sentence from which what has been read is taken away."""

import re
import unicodedata
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from understanding.kit.data import read_data

TAKEN = " "
_CASELESS = re.compile(
    r"(?<!\\)\[\^?(?:[^\]A-Za-z\\]|A-Za-z|\\s){0,40}[\u3041-\ud7a3]-[\u3041-\ud7a3](?:[^\]A-Za-z\\]|A-Za-z|\\s){0,40}\]"
)
"""A class of letters of which a range has no case, and any others both of theirs."""


@cache
def words() -> dict[str, Any]:
    found: dict[str, Any] = read_data(Path(__file__).with_name("words.yaml"))
    return found


@cache
def number_pattern() -> str:
    named = "|".join(sorted(words()["numbers"], key=len, reverse=True))
    return rf"(?:\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?|(?:{named})(?!{words()['no_number']}))"


def number_of(said: str) -> float:
    named = words()["numbers"].get(said.lower())
    return float(named) if named is not None else float(said.replace(",", ""))


def hints_at(sentence: "AskedSentence", kind: str) -> bool:
    """Whether a sentence may say something of a kind: patterns that name columns are made for it only then."""
    return sentence.find(words()["hints"][kind]) is not None


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Without regard to case. Letters that have none are matched as they are: to fold a range of them, compiling looks
    at each of its thousands of letters."""
    return re.compile(_CASELESS.sub(r"(?-i:\g<0>)", pattern), re.IGNORECASE)


def either(name: str) -> str:
    """A pattern of words.yaml that stands there as lists, one for each language."""
    return "|".join(one for listed in words()[name].values() for one in listed)


def bounded(alternatives: str) -> str:
    """The alternatives, none of which begins or ends inside a Latin word; others may stand right beside one."""
    return rf"(?:(?<![A-Za-z])|(?![A-Za-z]))(?:{alternatives})(?:(?<![A-Za-z])|(?![A-Za-z]))"


def plain(text: str) -> str:
    """As values are compared: one width, one case, no blanks, hyphens or underscores."""
    return re.sub(r"[\s\-_]+", "", unicodedata.normalize("NFKC", text).casefold())


@cache
def plain_words() -> frozenset[str]:
    """What says nothing about which figures are wanted."""
    return frozenset(plain(word) for said in words()["plain"].values() for word in said)


@lru_cache(1 << 16)
def is_called(heading: str, meant: str) -> bool:
    """Whether a heading has one of the words for a kind of column, or for one of several kinds ("amount"): Latin ones
    as words, others anywhere, those of one letter at its end."""
    kinds = words().get(meant, [meant])
    low = unicodedata.normalize("NFKC", heading)
    spaced = re.sub(r"[\s_\-/.]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", low)).casefold()
    bare = re.sub(r"\s*[(\[（].*", "", spaced)
    return any(
        re.search(rf"(?<![a-z]){re.escape(one)}s?(?![a-z])", spaced) is not None
        if one.isascii()
        else (one in spaced if len(one) > 1 else bare.endswith(one))
        for kind in kinds
        for one in map(str.casefold, words()["columns"][kind])
    )


def is_measured(heading: str) -> bool:
    """Whether a heading says that its numbers are sums, counts or times, and no ratings."""
    return any(is_called(heading, meant) for meant in words()["measured"])


def pieces(text: str) -> list[tuple[int, int]]:
    """Where the parts of a text lie, all of them."""
    ends = [match.end() for match in compiled(words()["segment"]).finditer(text)]
    return list(zip([0, *ends], [*ends, len(text)], strict=True))


def sentences(text: str) -> list[tuple[int, int]]:
    """Where its sentences lie, parted by what ends one for sure."""
    ends = [match.end() for match in compiled(words()["sentence_end"]).finditer(text)]
    return list(zip([0, *ends], [*ends, len(text)], strict=True))


def segments(text: str) -> list[tuple[int, int]]:
    """Where the parts of a text lie that ask for something or narrow it; all of it where none does. What is said beside
    them ("I am in a hurry", "these are last year's orders") is no part of the question."""
    spans = pieces(text)
    asking = compiled("|".join(words()["asking"].values()))
    return [span for span in spans if asking.search(text, *span)] or spans


def questions(text: str) -> list[str]:
    """The questions of a text that asks for several things, one after the other; each may go on from the one before."""
    asked: list[str] = []
    at = 0
    for match in compiled(words()["another"]).finditer(text):
        before, after = text[at : match.end()], text[match.end() :]
        if all(compiled(words()["question"]).search(one) for one in (before, after)):
            asked.append(before.strip(" ,、，"))
            at = match.end()
    return [*asked, text[at:].strip()]


def is_bound(text: str, end: int, start: int | None = None) -> bool:
    """Whether more is said of the number that ends there, or begins at `start`: then it is no value, and no day, by
    itself."""
    said = words()
    if start is not None:
        before = "|".join(f"(?:{one})" for one in said["before"].values())
        if compiled(rf"(?<![A-Za-z])(?:{before}|[a-z]+er than)\s*$").search(text[:start]) is not None:
            return True
    return any(compiled(rf"[을를がをの]?\s*(?:{after})").match(text, end) for after in said["after"].values())


class AskedSentence:
    """`left` is what nobody has read yet, as long as the text."""

    def __init__(self, text: str) -> None:
        self.text = unicodedata.normalize("NFKC", text)
        for said, same in words()["spelt"]:
            self.text = compiled(said).sub(same, self.text)
        self.left = self.text

    def find(self, pattern: str) -> re.Match[str] | None:
        return compiled(pattern).search(self.left)

    def take(self, pattern: str) -> re.Match[str] | None:
        match = self.find(pattern)
        if match is not None:
            self.blank(*match.span())
        return match

    def blank(self, start: int, end: int) -> None:
        self.left = self.left[:start] + TAKEN * (end - start) + self.left[end:]

    def put(self, start: int, end: int, said: str) -> None:
        """The same in other words, for whoever reads on."""
        self.text = self.text[:start] + said + self.text[end:]
        self.left = self.left[:start] + said + self.left[end:]

    def put_back(self, as_it_was: str, start: int, end: int) -> None:
        self.left = self.left[:start] + as_it_was[start:end] + self.left[end:]

    def blank_words(self, said: str) -> bool:
        at = self.left.casefold().find(unicodedata.normalize("NFKC", said).casefold())
        if at >= 0:
            self.blank(at, at + len(said))
        return at >= 0
