"""Every pattern of the product, and where it is written: `python -m tests.architecture.patterns` prints them as JSON lines.

In a process of its own, whose `re` tells of each pattern as it is compiled: those of modules when they are imported, those
of files of words when the packs are loaded, those that are made while something is read when each reader reads."""

import importlib
import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from types import FrameType
from typing import Any

from tests.architecture.sources import ROOT, files

ROOMS = ("contracts", "backbone", "understanding", "packs", "services", "dream")
NAMES = ("transfer", "assistant", "devices", "documents", "marketing", "minimal")
NOW = datetime(2026, 9, 28, 14, 30, tzinfo=UTC)
NO_TEXT = ("/data/make_", "/training/", "__main__")
"""Scripts that make the packs' data, and entry points."""


def collect() -> dict[tuple[str, int], str]:
    """(pattern, flags) -> file:line."""
    found: dict[tuple[str, int], str] = {}
    compiled: Callable[..., re.Pattern[Any]] = re._compile  # type: ignore[attr-defined]  # the one door of all of re

    def told(pattern: Any, flags: int) -> re.Pattern[Any]:
        made = compiled(pattern, flags)
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename == re.__file__:
            frame = frame.f_back
        where = frame.f_code.co_filename if frame else ""
        if frame and where.startswith(str(ROOT)) and ".venv" not in where and isinstance(made.pattern, str):
            found.setdefault((made.pattern, made.flags), f"{where.removeprefix(f'{ROOT}/')}:{frame.f_lineno}")
        return made

    re._compile = told  # type: ignore[attr-defined]
    for path in files(*ROOMS):
        text = (ROOT / path).read_text(encoding="utf-8")
        if re.search(r"^import re$|contracts\.patterns import", text, re.MULTILINE) and not _is_script(str(path)):
            importlib.import_module(str(path.with_suffix("")).replace("/", ".").removesuffix(".__init__"))
    _read()
    return found


def _is_script(path: str) -> bool:
    return any(part in path for part in NO_TEXT)


def _read() -> None:
    """Whatever reads sentences reads some."""
    from backbone import packs
    from contracts.cognitive import CognitiveInput
    from services.cognitive.flows import load_flows
    from understanding.offline.encoder import NgramEncoder
    from understanding.offline.pack import read_packs
    from understanding.offline.readers import load_reader
    from understanding.offline.tasks import clause_of
    from understanding.offline.understand import SentenceReader

    catalogue = packs.load(NAMES)
    flows = load_flows(catalogue)
    # with nothing to learn from but their examples: no pattern comes from more
    bare = [replace(one, sentences=(), follows=(), beside=()) for one in read_packs(catalogue.packs.values())]
    understander = SentenceReader(bare, NgramEncoder(), ())
    for pack in catalogue.packs.values():
        for spec in pack.intents:
            reader = load_reader(spec)
            for language, examples in spec.examples.items():
                for text in examples[:2]:
                    reader(clause_of(text, NOW, language))
                    understander.entities.find(text, NOW.date())
    for language, text in {"ko": "얼마 보냈지?", "en": "how much did I send?", "ja": "いくら送った？"}.items():
        understander.understand(CognitiveInput(text=text), NOW)
        for flow in flows.values():
            if flow.recall:
                flow.recall(text, [], language)


if __name__ == "__main__":
    for (written, flags), where in collect().items():
        sys.stdout.write(f"{json.dumps([written, flags, where])}\n")
