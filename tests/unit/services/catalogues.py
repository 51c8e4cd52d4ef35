"""Catalogues of tools that exist only in a test, with the platform's real texts."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from backbone import packs
from backbone.packs import Catalogue, Pack
from contracts.packs import CommandSpec, FollowUp, PackManifest
from contracts.tools import Consumes, Need, ToolCost, ToolSpec

LANGUAGES = ("ko", "en", "ja")


@cache
def platform() -> Pack:
    return packs.load(("platform",)).packs["platform"]


def tool(key: str, **fields: Any) -> ToolSpec:
    spec = {"tool_key": key, "description": key, "executor": "data", "entry": "tests.unit.services.plans:todo"}
    return ToolSpec(**spec | fields)


def maker(key: str, produces: str = "", *required: str, wants: str = "", seconds: float = 1.0) -> ToolSpec:
    """A tool by its types: maker("t.report", "document.pdf", "insight.trend", wants="reviews.clean")."""
    consumes = [Consumes(type=one) for one in required] + [
        Consumes(type=one, need=Need.WANTED) for one in wants.split()
    ]
    cost = ToolCost(seconds=seconds)
    return tool(f"test.{key}", consumes=tuple(consumes), produces=tuple(produces.split()), cost=cost)


def catalogue(
    *tools: ToolSpec,
    texts: Mapping[str, Mapping[str, str]] | None = None,
    commands: tuple[CommandSpec, ...] = (),
    follow_ups: tuple[FollowUp, ...] = (),
) -> Catalogue:
    """The packs of the tools, with the same texts, beside the platform."""
    found = {"platform": platform()}
    for name in {"test"} | {spec.pack for spec in tools}:
        own = {"commands": commands, "follow_ups": follow_ups} if name == "test" else {}
        manifest = PackManifest(name=name, version=1, title={"en": name}, **own)
        pack = found[name] = Pack(name, Path("nowhere"), manifest)
        # what a folder would be read for
        vars(pack)["tools"] = tuple(spec for spec in tools if spec.pack == name)
        vars(pack)["texts"] = {language: dict(words) for language, words in (texts or {}).items()}
        vars(pack)["topics"] = vars(pack)["intents"] = ()
    return Catalogue(found)
