"""A chat provider of each maker at the scripted server, with prompts of the test's own."""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from llmock.pytest_plugin import LLMock

from backbone.model.chat import patience
from backbone.model.chat.models import chat_provider
from backbone.model.chat.provider import ChatProvider
from backbone.model.port import ModelProvider
from backbone.model.prompts import PromptBook
from backbone.model.provider import provider_of
from backbone.settings import Settings
from contracts.model import ModelRole
from tests.support.llm import chats, hang_up, settings

COUNT = """
id: test.count
version: 1
role: solver
system: Count the letters.
user: "{text}"
data: [text]
"""
LOOP = """
id: test.loop
version: 1
role: solver
system: Find it. Today is {now}.
"""


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "POLICY", replace(patience.POLICY, initial_interval=0.02))


@pytest.fixture
def book(tmp_path: Path) -> PromptBook:
    for name, text in (("count", COUNT), ("loop", LOOP)):
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    return PromptBook({"test": tmp_path})


@pytest.fixture
async def provider_for(llmock: LLMock, book: PromptBook) -> AsyncIterator[Callable[..., ChatProvider]]:
    made: list[ChatProvider] = []

    def make(model: str, **more: Any) -> ChatProvider:
        made.append(chat_provider(model, settings(llmock, model, **more), book))
        return made[-1]

    yield make
    for provider in made:
        await hang_up(provider)


@pytest.fixture
async def from_settings(llmock: LLMock) -> AsyncIterator[Callable[..., ModelProvider]]:
    """provider_of, as the services call it."""
    made: list[ModelProvider] = []

    def make(chosen: Settings, roles: Mapping[ModelRole, Any], prompts: PromptBook) -> ModelProvider:
        made.append(provider_of(chosen, roles, prompts))
        return made[-1]

    yield make
    for provider in made:
        for chat in chats(provider):
            await hang_up(chat)
