"""A scripted model server over real HTTP, OpenAI- and Anthropic-compatible, and the settings that lead to it.

`llmock` is a fixture of the package of that name; whole products take `environment(llmock)`."""

from collections.abc import Mapping
from typing import Any

from llmock.pytest_plugin import LLMock
from pydantic import SecretStr

from backbone.settings import Settings

KEY = "sk-a-key-that-nobody-may-see-1234567890"
OPENAI, ANTHROPIC = "openai:gpt-4o-mini", "anthropic:claude-sonnet-4-6"
MAKERS = (OPENAI, ANTHROPIC)


def address(llmock: LLMock, model: str) -> str:
    return llmock.base_url(model.partition(":")[0])


def settings(llmock: LLMock, model: str = OPENAI, **more: Any) -> Settings:
    """Settings of a process whose models are all `model`, at the scripted server."""
    given: dict[str, Any] = {
        "model": model,
        "model_base_url": address(llmock, model),
        "model_api_key": SecretStr(KEY),
        "model_timeout_seconds": 5.0,
    }
    return Settings(**(given | more))


def environment(llmock: LLMock, model: str = OPENAI, **more: str) -> Mapping[str, str]:
    """The same as environment variables, for processes of their own."""
    return {
        "DREAM_MODEL": model,
        "DREAM_MODEL_BASE_URL": address(llmock, model),
        "DREAM_MODEL_API_KEY": KEY,
        "DREAM_MODEL_TIMEOUT_SECONDS": "5",
        **more,
    }


async def hang_up(provider: Any) -> None:
    """Closes the connections of a chat provider, in the loop they belong to: the SDKs keep them for the process."""
    from langchain_anthropic import _client_utils as anthropic
    from langchain_openai.chat_models import _client_utils as openai

    for name in ("root_async_client", "_async_client"):
        client = getattr(provider.model, name, None)
        if client is not None:
            await client.close()
    anthropic._get_default_async_httpx_client.cache_clear()
    openai._cached_async_httpx_client.cache_clear()


def chats(provider: Any) -> list[Any]:
    """The chat providers behind a provider made of settings."""
    return list({id(chat): chat for chain in provider._chains.values() for _, chat in chain}.values())


def told(llmock: LLMock, place: int = -1) -> str:
    """All that a request said to the model, in order, as one text."""
    body = llmock.requests[place].body
    system = body.get("system")
    parts = [] if system is None else [_text(system)]
    return "\n".join([*parts, *(_text(message.get("content")) for message in body["messages"])])


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text") or part.get("content") or "") for part in content)
    return str(content or "")
