"""What code of a pack may import of the product: contracts, understanding.kit, and nothing of another pack. The rest is
changed without notice, and would be loaded in processes that have no business with it."""

import ast
from collections.abc import Iterator
from pathlib import Path

from dream.packs.files import Files, Finding

PRODUCT = frozenset({"backbone", "bench", "dream", "packs", "services", "understanding"})
KIT = "understanding.kit"
_TESTS = frozenset({"tests", "conftest.py"})


def product_imports(files: Files) -> Iterator[Finding]:
    """Without running anything; a module that is named in a string is not seen. A pack's own tests import anything."""
    for path in sorted(files.folder.rglob("*.py")):
        if _TESTS.intersection(path.relative_to(files.folder).parts) or path.name.startswith("test_"):
            continue
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, ValueError):
            continue  # its import says so
        for line, module in _imported(tree, _package(files.folder, path)):
            if _is_foreign(module, files.folder.name):
                yield Finding(path, "import_product", module, line=line)
    for path, entry in files.entries:
        module = entry.partition(":")[0]
        if _is_foreign(module, files.folder.name):
            yield Finding(path, "import_product", module)


def _package(folder: Path, path: Path) -> list[str]:
    return ["packs", folder.name, *path.relative_to(folder).parent.parts]


def _imported(tree: ast.Module, package: list[str]) -> Iterator[tuple[int, str]]:
    """Line and module, of `from a import b` both: b may be a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            if module in ("understanding", "packs"):
                yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, module


def _is_foreign(module: str, pack: str) -> bool:
    own = (KIT, f"packs.{pack}")
    return module.partition(".")[0] in PRODUCT and not any(f"{module}.".startswith(f"{one}.") for one in own)
