"""The solver role: a todo that needs no tool. Offline it extracts what the text says about the instruction."""

import math
import re
from collections import Counter
from typing import Any, ClassVar

from pydantic import Field, model_validator

from contracts.shape import Contract

PROMPT = "execution.solve@1"
SOLVER = "extractive-1"
SENTENCES = 3
_SENTENCE = re.compile(r"[^.!?\u3002\uff01\uff1f\n]+[.!?\u3002\uff01\uff1f]?")
_WORD = re.compile(r"\w{2,}")


class SolverQuestion(Contract):
    """What is to be solved, and the text that it is about."""

    instruction: str
    text: str = ""
    language: str = "en"


class SolverAnswer(Contract):
    """The answer, and the sentences that it consists of. A model writes the answer alone, as plain text."""

    spoken: ClassVar = "answer"

    answer: str
    summary: tuple[str, ...] = Field(default=(), description="shown to the person")

    @model_validator(mode="before")
    @classmethod
    def _shown(cls, given: Any) -> Any:
        if isinstance(given, dict) and "summary" not in given and isinstance(given.get("answer"), str):
            return {**given, "summary": (given["answer"],)}
        return given


def solve_offline(question: SolverQuestion) -> SolverAnswer:
    """The sentences that say most: of words that the instruction names, and that come up often. In their order."""
    sentences = [found.group().strip() for found in _SENTENCE.finditer(question.text or question.instruction)]
    sentences = [sentence for sentence in sentences if sentence]
    asked = set(_WORD.findall(question.instruction.casefold()))
    counts = Counter(word for sentence in sentences for word in set(_words(sentence)))

    def weight(sentence: str) -> float:
        words = _words(sentence)
        told = sum(counts[word] + 3 * (word in asked) for word in set(words))
        return told / math.sqrt(1 + len(words))

    best = sorted(range(len(sentences)), key=lambda place: (-weight(sentences[place]), place))[:SENTENCES]
    chosen = tuple(sentences[place] for place in sorted(best))
    return SolverAnswer(answer=" ".join(chosen), summary=chosen)


def _words(sentence: str) -> list[str]:
    return _WORD.findall(sentence.casefold())
