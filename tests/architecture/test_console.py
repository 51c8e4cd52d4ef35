"""The web console is a client like any other: it stands on its own packages alone, and asks the gateway for what the public
protocol has."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.sources import ROOT

CONSOLE = ROOT / "console"
SOURCES = CONSOLE / "src"
CODE = sorted(path for path in SOURCES.rglob("*") if path.suffix in {".ts", ".tsx"})
API = SOURCES / "api"
IMPORT = re.compile(r"""(?:\bfrom|\bimport)\s*\(?\s*["']([^"'\n]+)["']""")
CALL = re.compile(r"""\b(?:call\("([A-Z]+)",\s*|address\(\s*)["`]([^"`?]*)""")
"""A method, where one is named, and an address before its query."""
ASKS = re.compile(
    r"\bfetch\(|\bWebSocket\(|\bXMLHttpRequest\(|\bEventSource\(|\bsendBeacon\(|https?://(?!www\.w3\.org/)"
)
SOCKET = "/ws/{session_id}"


def parts(path: str) -> list[str]:
    """The segments of an address; None of them where a value stands."""
    return [re.sub(r"^\$?\{.*\}$", "", segment) for segment in path.strip("/").split("/")]


def fits(asked: list[str], there: list[str]) -> bool:
    return len(asked) == len(there) and all(not a or not b or a == b for a, b in zip(asked, there, strict=True))


def asked() -> Iterator[tuple[str, str]]:
    for path in API.glob("*.ts"):
        if not path.name.endswith(".test.ts"):
            yield from CALL.findall(path.read_text("utf-8"))


def test_what_it_imports_is_its_own_or_a_package_that_it_declares() -> None:
    declared = json.loads((CONSOLE / "package.json").read_text("utf-8"))
    wrong = []
    for path in CODE:
        more = {*declared["devDependencies"], "node:fs"} if ".test." in path.name else set()
        packages = {*declared["dependencies"], *more}
        for name in IMPORT.findall(path.read_text("utf-8")):
            if name.startswith("."):
                fine = (path.parent / name).resolve().is_relative_to(SOURCES)
            else:
                fine = any(name == package or name.startswith(f"{package}/") for package in packages)
            if not fine:
                wrong.append(f"{path.relative_to(ROOT)}: {name}")
    assert wrong == []


def test_it_asks_for_nothing_that_the_public_protocol_does_not_have() -> None:
    document = json.loads((ROOT / "docs/openapi.json").read_text("utf-8"))["paths"]
    there = {path: {method.upper() for method in operations} for path, operations in document.items()}
    there[SOCKET] = {"GET"}
    found = list(asked())
    assert len(found) > 10, "the pattern does not find the calls any more"
    assert [
        f"{method} {path}"
        for method, path in found
        if path and not any(fits(parts(path), parts(one)) and (not method or method in there[one]) for one in there)
    ] == []


def test_only_its_api_folder_speaks_to_anybody() -> None:
    def outside(path: Path) -> bool:
        return API not in path.parents and ".test." not in path.name

    assert [
        f"{path.relative_to(ROOT)}: {said}"
        for path in CODE
        if outside(path)
        for said in ASKS.findall(path.read_text("utf-8"))
    ] == []
