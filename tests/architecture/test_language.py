"""What a person reads is in the packs' and the product's text files, in their language; code says nothing to them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.sources import files, nodes

ASIAN = re.compile("[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\uac00-\ud7a3]")
EXCEPT = {
    "understanding/offline": "reads Korean and Japanese; the words in it are those it looks for",
    "understanding/grammar": "reads Korean and Japanese; the words in it are those it looks for",
    "services/cognitive": "the same, where a rule of understanding is a rule of the service",
}
CODE = [
    path for path in files("contracts", "backbone", "understanding", "services", "dream") if "texts" not in path.parts
]


def _said(path: Path) -> Iterator[tuple[int, str]]:
    """String constants, without docstrings and the examples that contracts show of themselves."""
    quiet = set()
    for node in nodes(path):
        if isinstance(node, ast.Expr) or (isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "example"):
            quiet |= {id(part) for part in ast.walk(node)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in quiet:
            yield node.lineno, node.value


def test_code_speaks_no_korean_and_no_japanese() -> None:
    checked = [path for path in CODE if not str(path).startswith(tuple(EXCEPT))]
    assert [(str(path), line, text) for path in checked for line, text in _said(path) if ASIAN.search(text)] == []
