"""The Python files of the product, parsed once."""

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("contracts", "backbone", "understanding", "packs", "services", "dream", "bench")
SERVICES = ("cognitive", "planning", "execution", "response", "gateway")


def files(*folders: str) -> list[Path]:
    """Python files below folders of the repository, relative to it."""
    found = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return sorted(path.relative_to(ROOT) for path in found)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text(), str(path))


@cache
def nodes(path: Path) -> Sequence[ast.AST]:
    """All of a file, in the order of `ast.walk`: every test looks at them, and to find them takes as long as to parse."""
    return tuple(ast.walk(tree(path)))


def imports(path: Path) -> Iterator[str]:
    """Full names of everything a file imports."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
