"""A key that stands twice in a YAML file is one that is lost: the parser takes the last without a word."""

from pathlib import Path

import pytest
import yaml

import packs

FILES = sorted(Path(packs.__file__).parent.rglob("*.yaml"))


def twice(node: yaml.Node, at: str = "") -> list[str]:
    found: list[str] = []
    if isinstance(node, yaml.MappingNode):
        names = [key.value for key, _ in node.value]
        found += [f"{at}{name}" for name in sorted({name for name in names if names.count(name) > 1})]
        for key, value in node.value:
            found += twice(value, f"{at}{key.value}.")
    elif isinstance(node, yaml.SequenceNode):
        for number, one in enumerate(node.value):
            found += twice(one, f"{at}{number}.")
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: "/".join(path.parts[-3:]))
def test_no_key_stands_twice(path: Path) -> None:
    node: yaml.Node | None = yaml.compose(path.read_text(), Loader=yaml.CSafeLoader)
    assert node is None or twice(node) == []


def test_a_key_that_stands_twice_is_found() -> None:
    node = yaml.compose("a: {b: 1, c: 2, b: 3}\nd: [{e: 1, e: 2}]\na: 4", Loader=yaml.SafeLoader)
    assert node is not None
    assert twice(node) == ["a", "a.b", "d.0.e"]
