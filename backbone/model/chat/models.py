"""Makes LangChain's chat models from the settings. Keys go to the SDK and nowhere else."""

import os
from typing import Any

from langchain.chat_models import init_chat_model

from backbone.model.chat.provider import ChatProvider
from backbone.model.chat.refusals import hears_refusals
from backbone.model.faults import ModelMisconfigured
from backbone.model.prompts import PromptBook
from backbone.settings import Settings

KEYLESS = "none"
"""Sent to a server of one's own, which asks for no key."""


def chat_provider(name: str, settings: Settings, prompts: PromptBook) -> ChatProvider:
    """The provider of a model, provider:model. Raises ModelMisconfigured."""
    maker, _, model = name.partition(":")
    options = _options(maker, settings)
    if maker == "openai":
        options["stream_usage"] = True  # else tokens are not counted where the address is not OpenAI's
        options["stream_chunk_timeout"] = settings.model_timeout_seconds
    try:
        made = init_chat_model(model, model_provider=maker, max_retries=0, **options)
    except ImportError as error:
        raise ModelMisconfigured(f"{name!r} needs a package that is not installed: {error}") from error
    except Exception as error:  # noqa: BLE001  # unknown makers, missing keys: each maker's SDK says it in its own class
        # the message may quote a key: only the kind of error is told
        raise ModelMisconfigured(
            f"{name!r} cannot be used ({type(error).__name__}): is the provider's name right, and its key set, "
            "in its SDK's own variable or in DREAM_MODEL_API_KEY?"
        ) from None
    return ChatProvider(hears_refusals(made), name, prompts, settings.model_timeout_seconds)


def _options(maker: str, settings: Settings) -> dict[str, Any]:
    """Address and key are those of the maker of DREAM_MODEL; other makers' models have their SDKs' own."""
    chosen = settings.model.partition(":")[0]
    if maker != (chosen if chosen != "offline" else "openai"):
        return {}
    options: dict[str, Any] = {}
    if settings.model_base_url:
        options["base_url"] = settings.model_base_url
    if settings.model_api_key is not None:
        options["api_key"] = settings.model_api_key.get_secret_value()
    elif settings.model_base_url and maker == "openai" and not os.environ.get("OPENAI_API_KEY"):
        options["api_key"] = KEYLESS
    return options
