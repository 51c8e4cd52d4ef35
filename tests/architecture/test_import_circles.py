"""No module of the product imports one that imports it: which of them is loaded first would decide whether it works."""

import ast
from graphlib import CycleError, TopologicalSorter

from tests.architecture.sources import files, tree

ROOMS = ("backbone", "contracts", "deploy", "dream", "packs", "services", "understanding")


def imported(tree: ast.Module, modules: set[str]) -> set[str]:
    """What a module needs to be loaded: imports of its functions come later, when it is."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
        elif isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
    return found & modules


def test_no_module_needs_one_that_needs_it() -> None:
    modules = {".".join(path.with_suffix("").parts).removesuffix(".__init__"): path for path in files(*ROOMS)}
    graph = {name: imported(tree(path), set(modules)) - {name} for name, path in modules.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as circle:
        raise AssertionError(f"modules import each other in a circle: {circle.args[1]}") from circle
