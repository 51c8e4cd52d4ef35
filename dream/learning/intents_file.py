"""Adds example sentences to an intents.yaml in its text, so that comments and layout stay as somebody wrote them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from backbone.packs import PackInvalid


class Example(NamedTuple):
    """A sentence that means an intent."""

    intent: str
    language: str
    text: str


class _Insertion(NamedTuple):
    at: int
    text: str


def with_examples(path: Path, text: str, examples: Sequence[Example]) -> str:
    """The text of the file with the examples added. Raises PackInvalid where one of them has no place."""
    for example in examples:
        place = _place(path, text, example)
        text = text[: place.at] + place.text + text[place.at :]
    wanted = yaml.safe_load(text)
    for intent, language, sentence in examples:
        # the text is the person's own: what was written into it is read again before anybody relies on it
        if not any(one["intent"] == intent and sentence in one["examples"].get(language, ()) for one in wanted):
            raise PackInvalid(f"{path}: {sentence!r} cannot be added to {intent}: add it by hand")
    return text


def _place(path: Path, text: str, example: Example) -> _Insertion:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    specs = root.value if isinstance(root, yaml.SequenceNode) else []
    spec = next((one for one in specs if (name := _member(one, "intent")) and name.value == example.intent), None)
    examples = _member(spec, "examples")
    if not isinstance(examples, yaml.MappingNode) or not examples.value:
        raise PackInvalid(f"{path}: {example.intent} has no examples to add {example.text!r} to")
    sentences = _member(examples, example.language)
    if sentences is None:
        return _new_language(text, examples, example)
    if sentences.flow_style:
        separator = ", " if sentences.value else ""
        return _Insertion(sentences.end_mark.index - 1, f"{separator}{_scalar(example.text)}")
    last = sentences.value[-1]
    dash = " " * sentences.start_mark.column
    return _after_line(text, last.end_mark.index, f"{dash}- {_scalar(example.text)}\n")


def _new_language(text: str, examples: yaml.MappingNode, example: Example) -> _Insertion:
    if examples.flow_style:
        return _Insertion(examples.end_mark.index - 1, f", {example.language}: [{_scalar(example.text)}]")
    indent = " " * examples.start_mark.column
    last = examples.value[-1][1]
    end = last.value[-1].end_mark.index if not last.flow_style and last.value else last.end_mark.index
    return _after_line(text, end, f"{indent}{example.language}:\n{indent}  - {_scalar(example.text)}\n")


def _after_line(text: str, index: int, added: str) -> _Insertion:
    # a mark may already stand at the beginning of the next line
    if index and text[index - 1] == "\n":
        return _Insertion(index, added)
    end = text.find("\n", index)
    return _Insertion(len(text), f"\n{added}") if end < 0 else _Insertion(end + 1, added)


def _member(node: Any, name: str) -> Any:
    members = node.value if isinstance(node, yaml.MappingNode) else []
    return next((value for key, value in members if key.value == name), None)


def _scalar(text: str) -> str:
    """The text as YAML: bare where that reads as the same text in any place, else in double quotes."""
    bare = yaml.safe_dump([text], allow_unicode=True, default_flow_style=True, width=10**9).strip()[1:-1]
    return bare if "\n" not in bare else yaml.safe_dump(text, default_style='"', width=10**9).strip()
