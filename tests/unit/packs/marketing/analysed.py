"""The demo after collector, preprocessor, sentiment, keyword and trends: made once per file, handed out as copies."""

import importlib
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.packs.marketing.context import PACK, FakeContext

BEFORE = ("collector", "preprocessor", "sentiment", "keyword", "trends")
_made: dict[str, FakeContext] = {}


def demo(language: str) -> Path:
    """The file for a language; there is no Japanese one."""
    return PACK / "data" / f"demo_reviews_{'ko' if language == 'ko' else 'en'}.csv"


def analysed(language: str, folders: pytest.TempPathFactory) -> FakeContext:
    """A context of its own for the caller. Insights speak no language, so that of the person is put on afterwards."""
    path = demo(language)
    if path.name not in _made:
        ctx = FakeContext(folders.mktemp("analysed"), language="en")
        ctx.upload(path.read_bytes(), path.name)
        for tool in BEFORE:
            importlib.import_module(f"packs.marketing.tools.{tool}").run({}, ctx)
        _made[path.name] = ctx
    whole = _made[path.name]
    return replace(
        whole, folder=folders.mktemp(language), language=language, saved=list(whole.saved), steps=[], lines=[]
    )
