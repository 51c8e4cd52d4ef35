"""What is looked for in documents and past conversations, and what is asked about a document; pure.

The words around it are in words.yaml, per language."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Any

from contracts.patterns import bounded
from contracts.reading import Clause
from contracts.shape import JsonObject
from packs.documents.asking import Question, read_question, words_of
from packs.documents.data import load
from packs.documents.shelf import without

FALLBACK = "en"
LONGEST = 1000
PERMISSION = "allowed"
"""The kind of question that a polite request looks like (asked.yaml)."""
ROUNDS = 12
"""Cuts at most; what is left after so many is what it is about."""
_END = re.compile(r"(?<![\s.!?\u3002\uff01\uff1f\u2026])[\s.!?\u3002\uff01\uff1f\u2026]+\Z")


def read_search(clause: Clause) -> Sequence[JsonObject]:
    """{query}; nothing when the sentence only says that something is to be found."""
    if "query" in clause.expecting:
        return ({"query": clause.text.strip()},) if clause.text.strip() else ()
    if name := _named(clause.text):
        return ({"query": name},)
    text = _END.sub("", clause.text.strip())
    for _ in range(ROUNDS):
        cut = _cut(text, clause.language)
        if cut == text:
            break
        text = cut
    return ({"query": _without_asking(text)},) if text else ()


def read_document(clause: Clause) -> Sequence[JsonObject]:
    """{document?, question?, compare?}: without a document those that are there, without a question all of it."""
    text = clause.text.strip()
    said = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    slots: JsonObject = {}
    if document := _named(text):
        slots["document"] = document
    question = read_question(without(text, [document]))
    words = _words()["read"]
    asks = bool(question.kinds or question.counter) and not _is_polite(said, question)
    if _has(said, words["compare"]):
        slots["compare"] = True
    else:
        asks = asks or (bool(question.words) and not _is_gist(said))
    if asks:
        slots["question"] = text[:LONGEST]
    return (slots,)


def _is_polite(said: str, question: Question) -> bool:
    """Whether who asks for the whole only asks kindly: "can you sum it up?" wants it summed up, and no permission."""
    words = _words()["read"]
    kindly = all(kind.name == PERMISSION for kind in question.kinds) and not question.counter
    return kindly and _has(said, words["gist"]) and _has(said, words["polite"])


def _is_gist(said: str) -> bool:
    """Whether the whole is asked for. To read it and tell something is to tell that."""
    words = _words()["read"]
    return _has(said, words["gist"]) or (_has(said, words["reads"]) and not _has(said, words["tells"]))


def _has(said: str, words: Sequence[str]) -> bool:
    """English words where one begins: bread is not read."""
    return any(f" {word}" in f" {said}" if word.isascii() else word in said for word in words)


def _named(text: str) -> str:
    """A file's name, or what stands in quotation marks."""
    words = _words()
    if match := _compiled(words["file"]).search(text):
        return match.group()
    match = _compiled(words["quoted"]).search(text)
    return match.group(1).strip() if match else ""


def _without_asking(text: str) -> str:
    """What a question about what was said is about; the words of saying and asking would be looked for as well."""
    words = _words()["search"]
    if not any(word in text.casefold() for word in words["asks"]):
        return text
    about = [word for word in words_of(text) if len(word) > 1 and not word.startswith(tuple(words["saying"]))]
    return " ".join(about) or text


def _cut(text: str, language: str) -> str:
    section = _section("search", language)
    for rule in section["heads"]:
        text = _compiled(rf"\A\s*(?:{rule})\s*").sub("", text, count=1)
    for rule in section["tails"]:
        text = _compiled(rf"\s*(?:{rule})\s*\Z").sub("", text, count=1)
    return text.strip()


@cache
def _compiled(rule: str) -> re.Pattern[str]:
    return bounded(rule)


def _section(of: str, language: str) -> dict[str, Any]:
    languages: dict[str, Any] = _words()[of]
    section: dict[str, Any] = languages.get(language) or languages[FALLBACK]
    return section


@cache
def _words() -> dict[str, Any]:
    words: dict[str, Any] = load("words.yaml")
    return words
